"""The public facts of a regression: domains of the columns, and the bounds of the target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.learn.domains import Attribute, attribute, numeric_range
from dpselect.learn.schema import ReadOptions, Schema
from dpselect.sources.cell_types import numbers
from dpselect.utilities.splits import Integers
from dpselect.views.targets import STEPS, Targets


@dataclass(frozen=True)
class TargetSchema(Schema):
    """Facts that training knows before it sees a record, where the target is a number.

    Attributes:
        low, high: the bounds of the target.
    """

    low: float = 0.0
    high: float = 1.0

    def label(self, name: str = "the target") -> Attribute:
        """Return the target as an attribute whose codes are the steps of its grid."""
        return attribute(name, (self.low, self.high), bins=STEPS, missing=False)

    def require_target(self, codes: Integers, unknown: str, missing: str) -> None:
        """Refuse targets that the curator asked to have refused."""
        self.label().require(codes, unknown, missing)

    def table(self, codes: Sequence[Integers], target: Integers) -> Targets:
        """Return records as they are trained on."""
        return Targets(codes, target, tuple(each.size for each in self.attributes))


@dataclass(frozen=True)
class TargetReadOptions(ReadOptions):
    """Options by which a regressor reads a table; its parameters of these names, all of them public.

    Attributes:
        target: (low, high), or ``None`` where ``domains`` has them under the target's name.
    """

    target: Any = None

    def declared_schema(self, columns: Sequence[Any], target: str | None) -> TargetSchema:
        """Return the public facts of these columns.

        Args:
            columns: without the target; the one that tells people apart is not an attribute.
            target: what the target is called, if domains may name it.

        Raises:
            PrivacyError: domains or bounds are missing.
            ValueError, TypeError: columns, domains or bounds that cannot be used.
        """
        known = self.columns(columns)
        low, high = self._bounds(target, [each.name for each in known])
        self.require_known([each.name for each in known], target)
        return TargetSchema(known, [], low, high)

    def observed_schema(self, attributes_: tuple[Attribute, ...], target: NDArray[Any]) -> TargetSchema:
        """Return what the data hold as if it had been declared: not private."""
        read, _ = numbers(np.asarray(target.tolist()))
        low, high = float(read.min()), float(read.max())
        return TargetSchema(attributes_, [], low, high if high > low else low + max(1.0, abs(low)))

    def _bounds(self, target: str | None, columns: Sequence[Any]) -> tuple[float, float]:
        bounds = self.target
        if bounds is None and target is not None and isinstance(self.domains, Mapping):
            bounds = self.domains.get(target)
        if bounds is None:
            if target is None and isinstance(self.domains, Mapping) and {*self.domains} - {*columns, self.person}:
                raise PrivacyError(
                    "The target has no name, so its bounds cannot be looked up in domains: pass target=(low, high), a "
                    "series that is called what domains calls the target, or fit(table, name) with the target in the "
                    "table."
                )
            raise PrivacyError(
                "The bounds of the target are public facts, and the numbers that happen to occur are private: pass "
                "target=(low, high), or that pair in domains under the target's name."
            )
        if isinstance(bounds, list) and len(bounds) == 2:
            bounds = tuple(bounds)
        where = "target" if self.target is not None else f"The domain of the target {target!r}"
        if not numeric_range(bounds):
            raise InputError(f"{where} must be (low, high), two numbers: the public bounds of what is predicted.")
        try:
            low, high = map(float, bounds)
        except OverflowError:
            low = high = math.inf
        if not -math.inf < low < high < math.inf:
            raise InputError(
                f"{where} must be (low, high) with low < high, both finite: the public bounds of a number."
            )
        return low, high

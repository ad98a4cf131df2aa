"""The public facts of a fit: domains and classes as declared, and what becomes of cells that have no code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.learn.domains import LACKING, MISSING, OUTSIDE, UNKNOWN, Attribute, attribute, attributes, numeric_range
from dpselect.learn.parameters import whole
from dpselect.learn.size_limits import MOST_RECORDS
from dpselect.views.records import Records

Integers = NDArray[np.int64]
OBSERVED_DOMAINS = "observed-not-private"


@dataclass(frozen=True)
class Schema:
    """Facts that training knows before it sees a record.

    Attributes:
        attributes: the columns, without the target.
        classes: the labels, in the order of their codes.
    """

    attributes: tuple[Attribute, ...]
    classes: list[Any]

    def label(self, name: str = "the target") -> Attribute:
        """Return the target as an attribute whose codes are the classes."""
        return attribute(name, self.classes, bins=2, missing=False)

    def require_target(self, codes: Integers, unknown: str, missing: str) -> None:
        """Refuse labels that the curator asked to have refused."""
        require_labels(codes == OUTSIDE, codes == LACKING, unknown, missing)

    def table(self, codes: Sequence[Integers], target: Integers) -> Any:
        """Return records as they are trained on, from the codes of every column and of the target."""
        return Records(codes, target, tuple(each.size for each in self.attributes), len(self.classes))


def require_labels(outside: Any, lacking: Any, unknown: str, missing: str) -> None:
    """Refuse labels that the curator asked to have refused.

    Raises:
        ValueError: one is outside of the classes and ``unknown="error"``, or missing and ``missing="error"``.
    """
    if unknown == "error" and np.any(outside):
        raise InputError(
            Advice(
                'Some labels are not among the declared classes and {unknown="error"}: declare every class, or pass '
                '{unknown="ignore"} to leave such records out.'
            )
        )
    if missing == "error" and np.any(lacking):
        raise InputError(
            Advice('Some labels are missing and {missing="error"}: pass {missing="ignore"} to leave such records out.')
        )


def accept(_: Sequence[Any]) -> None:
    """Accept any classes."""


@dataclass(frozen=True)
class ReadOptions:
    """Options by which an estimator reads a table; its parameters of these names, all of them public.

    Attributes:
        domains, classes, bins, unknown, missing, person, rows_per_person: as :class:`dpselect.learn.DPTreeClassifier`.
        require: refuses declared classes that do not go with other parameters.
    """

    domains: Any
    classes: Any
    bins: Any
    unknown: str
    missing: str
    person: Any
    rows_per_person: Any
    require: Callable[[Sequence[Any]], None] = accept

    @property
    def is_observed(self) -> bool:
        """Return whether domains are read from the data."""
        return isinstance(self.domains, str) and self.domains == OBSERVED_DOMAINS

    def check(self) -> None:
        """Refuse settings that mean nothing (``ValueError``)."""
        if self.unknown not in UNKNOWN:
            raise InputError('unknown is "clip", "ignore" or "error".')
        if self.missing not in MISSING:
            raise InputError('missing is "ignore", "category" or "error".')
        whole(self.rows_per_person, "rows_per_person", 1, "how many rows of one person are kept", MOST_RECORDS)

    def declared_schema(self, columns: Sequence[Any], target: str | None) -> Schema:
        """Return the public facts of these columns.

        Args:
            columns: without the target; the one that tells people apart is not an attribute.
            target: what the target is called, if domains may name it.

        Raises:
            PrivacyError: domains or classes are missing.
            ValueError, TypeError: columns, domains or classes that cannot be used.
        """
        known = self.columns(columns)
        classes = _in_order(self._classes(target, [each.name for each in known]))
        self.require(classes)
        self.require_known([each.name for each in known], target)
        return Schema(known, classes)

    def require_known(self, columns: Sequence[Any], target: Any) -> None:
        """Refuse a domain for a column that the table does not have: a typing error would cost a column.

        Where the target has no name, one domain may be its own.

        Raises:
            ValueError: which one.
        """
        if not isinstance(self.domains, Mapping):
            return
        known = {*columns, target, self.person}
        strays = [name for name in self.domains if name not in known]
        if len(strays) > (target is None):
            raise InputError(
                f"domains has {', '.join(map(repr, strays[:5]))}, and the table has no such column: correct the name, "
                "or leave it out of domains."
            )

    def columns(self, columns: Sequence[Any]) -> tuple[Attribute, ...]:
        """Return these columns with their domains, without the one that tells people apart."""
        names = [name for name in columns if name != self.person]
        if len(set(names)) != len(names) or not names:
            raise InputError("The table needs at least one column, and columns of different names.")
        return attributes(names, self.domains, bins=int(self.bins), missing=self.missing == "category")

    def observed_schema(self, attributes_: tuple[Attribute, ...], target: NDArray[Any]) -> Schema:
        """Return what the data hold as if it had been declared: not private."""
        return Schema(attributes_, np.unique(target.tolist()).tolist())

    def _classes(self, target: str | None, columns: Sequence[Any]) -> Sequence[Any]:
        classes = self.classes
        if classes is None and target is not None and isinstance(self.domains, Mapping) and target in self.domains:
            classes = self.domains[target]
            if numeric_range(classes):
                raise InputError(
                    f"The target {target!r} needs a list of classes, and {classes!r} is a range of numbers: pass "
                    "classes=, or that list in domains."
                )
        if classes is None:
            if target is None and isinstance(self.domains, Mapping) and {*self.domains} - {*columns, self.person}:
                raise PrivacyError(
                    "The target has no name, so its classes cannot be looked up in domains: pass classes=, a series "
                    "that is called what domains calls the target, or fit(table, name) with the target in the table."
                )
            raise PrivacyError(
                "Classes are public facts, and the labels that happen to occur are private: pass classes=, or the "
                "target's list of classes in domains."
            )
        labels = attribute("the target", list(classes), bins=2, missing=False).categories
        assert labels is not None
        if len(labels) < 2:
            raise InputError("A classifier needs at least two declared classes: pass classes=.")
        return labels


def _in_order(classes: Sequence[Any]) -> list[Any]:
    """Return declared classes sorted, as scikit-learn's scorers take them to be; as declared if they have no order."""
    try:
        return sorted(classes)
    except TypeError:
        return list(classes)

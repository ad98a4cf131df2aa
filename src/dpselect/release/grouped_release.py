"""What is released of several public groups at once: the answer of each, and one promise for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from dpselect.certificates.certified import Shown
from dpselect.kernel.guarantee import Guarantee
from dpselect.mechanisms.error_bound import ErrorBound, NoBound


@dataclass(frozen=True)
class GroupedRelease(Shown):
    """What may be published of several groups: the chosen candidates of each, and one promise for all of them.

    Attributes:
        groups: each public group with its winners: in the order of their selection, or of the quantiles asked for.
        mechanism: what drew them.
        guarantee: the promise for the whole release.
        error_bound: how wrong the answer of one group may be, whatever the data, in persons or records that count, or
            why nothing is known of that, as where a person counts in some of their groups only.
    """

    groups: Mapping[Any, tuple[Any, ...]]
    mechanism: str
    guarantee: Guarantee
    error_bound: ErrorBound = field(default=NoBound(), repr=False, compare=False, kw_only=True)

    def _certified(self) -> tuple[dict[str, Any], Guarantee, str]:
        return {str(group): winners for group, winners in self.groups.items()}, self.guarantee, self.mechanism

    def __getattr__(self, name: str) -> NoReturn:
        """Say where the winners are, to whoever looks for them as in a release of one list."""
        if name in {"candidate", "candidates", "gaps", "p_value"}:
            raise AttributeError("A release of several groups has one list for each: use .groups[group].")
        raise AttributeError(f"'GroupedRelease' has no attribute {name!r}.")

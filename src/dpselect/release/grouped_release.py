"""What is released of several public groups at once: the answer of each, and one promise for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from dpselect.certificates.certified import Shown
from dpselect.certificates.rows_that_count import EACH_GROUP
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.stated_error import UNKNOWN, Accuracy, StatedError


@dataclass(frozen=True)
class GroupedRelease(Shown):
    """What may be published of several groups: the chosen candidates of each, and one promise for all of them.

    Attributes:
        groups: each public group with its winners: in the order of their selection, or of the quantiles asked for.
        mechanism: what drew them.
        guarantee: the promise for the whole release.
        stated: how wrong the answer of one group may be, whatever the data, in persons or records that count, or why
            nothing is known of that, as where a person counts in some of their groups only.
    """

    groups: Mapping[Any, tuple[Any, ...]]
    mechanism: str
    guarantee: Guarantee
    stated: Accuracy = field(default=UNKNOWN, repr=False, compare=False, kw_only=True)

    @property
    def worst_error(self) -> StatedError | None:
        """Return how wrong the answer of one group may be, whatever the data; ``None`` where nothing is known."""
        return self.stated.worst

    def _certified(self) -> tuple[dict[str, Any], Guarantee, str]:
        return {str(group): winners for group, winners in self.groups.items()}, self.guarantee, self.mechanism

    def accuracy_line(self, unit: str = "") -> str:
        """Return in one line how wrong the answer of one group may be with 95 %; as :meth:`Release.accuracy_line`."""
        return self.stated.line(unit, self.stated.scope or EACH_GROUP)

    def accuracy(self, probability: Epsilon = 0.95) -> float:
        """Return what the error of one group stays below with this probability, whatever the data.

        It is counted in persons or records that count: what a bound on contributions left out is not in it.

        Raises:
            ValueError: no exact worst case is known, or the probability is not between 0 and 1.
        """
        return self.stated.known(self.mechanism).below(probability)

    def __getattr__(self, name: str) -> NoReturn:
        """Say where the winners are, to whoever looks for them as in a release of one list."""
        if name in {"candidate", "candidates", "gaps", "p_value"}:
            raise AttributeError("A release of several groups has one list for each: use .groups[group].")
        raise AttributeError(f"'GroupedRelease' has no attribute {name!r}.")

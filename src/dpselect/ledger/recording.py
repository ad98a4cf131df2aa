"""Spends of a release, recorded: to tell its price before it is paid, or that it was paid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from dpselect.kernel.errors import InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.privacy_filter import Accountant, with_metadata
from dpselect.ledger.events import Event


@dataclass(frozen=True)
class Spend:
    """One spend of a release. It follows from public facts.

    Attributes:
        guarantee, mechanism, count, note: as for :meth:`dpselect.Ledger.spend`.
        metadata: where the data came from.
        row: in the ledger; 0 without one.
    """

    guarantee: Guarantee
    mechanism: str
    count: int = 1
    note: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    row: int = 0

    def event(self, dataset: str = "") -> Event:
        """Return what a ledger would record."""
        return Event.of(
            self.guarantee,
            dataset=dataset,
            mechanism=self.mechanism,
            count=self.count,
            note=self.note,
            metadata=self.metadata,
        )

    def record(self, ledger: Accountant) -> Any:
        """Spend the same from a ledger, and return what it returns."""
        book = with_metadata(ledger, self.metadata)
        return book.spend(self.guarantee, mechanism=self.mechanism, count=self.count, note=self.note)

    def is_paid_by(self, event: Event) -> bool:
        """Return whether a row is the same guarantee, mechanism and count; one without ``laplace`` is dearer."""
        asked = self.guarantee if event.laplace else replace(self.guarantee, laplace=False)
        return (event.guarantee, event.mechanism, event.count) == (asked, self.event().mechanism, self.count)


class PlannedSpends:
    """Pays for the spends of one query as its plan has them, in their order, and for no others.

    Args:
        spends: of the plan.
        pay: pays for one of them, or has paid; returns its row.
    """

    def __init__(self, spends: Sequence[Spend], pay: Callable[[Spend], int]) -> None:
        self._due, self._pay, self._is_wrong = [*spends], pay, False

    def __call__(self, spend: Spend) -> int:
        """Return the row of the next spend of the plan.

        Raises:
            PrivacyError: another spend is asked for; nothing was spent for it.
        """
        if self._is_wrong or not self._due or not spend.is_paid_by(self._due[0].event()):
            self._is_wrong = True
            raise PrivacyError(f"{_OTHERWISE} Nothing was spent for this.")
        self._due.pop(0)
        return self._pay(spend)

    def require_complete(self) -> None:
        """Refuse an answer for which another amount was spent than planned (``PrivacyError``)."""
        if self._is_wrong or self._due:
            raise PrivacyError(f"{_OTHERWISE} The answer is withheld.")


_OTHERWISE = (
    "This query spends another amount than its plan, so its price may follow from rows: let its release spend once, "
    "from its accountant, by public facts alone."
)


class StopAtSpend(Exception):
    """A release has come to its spend, and ends there: nothing is paid, and nothing was drawn.

    Attributes:
        spend: what it would spend.
    """

    def __init__(self, spend: Spend) -> None:
        super().__init__()
        self.spend = spend


class RecordingAccountant:
    """A budget that allows everything and records what is spent, in order.

    Args:
        rule: what the true ledger adds up, which decides how some lists are drawn.
        pay: pays for a spend before it is recorded, and returns its row; what it raises ends the release. Nothing is
            paid without it.

    Attributes:
        spends: what was spent so far, also by those with further metadata.
    """

    def __init__(self, rule: str = "sum", pay: Callable[[Spend], int] | None = None) -> None:
        self.rule = rule
        self.spends: list[Spend] = []
        self._pay, self._metadata = pay, dict[str, str]()

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Pay where something pays, record the spend and return its row."""
        asked = Spend(guarantee, mechanism, count, note, self._metadata)
        row = 0 if self._pay is None else self._pay(asked)
        self.spends.append(replace(asked, row=row))
        return row

    def with_metadata(self, **metadata: Any) -> RecordingAccountant:
        """Return the same budget, recording more with each spend; as :meth:`dpselect.Ledger.with_metadata`."""
        cited = RecordingAccountant(self.rule, self._pay)
        cited.spends, cited._metadata = self.spends, {**self._metadata, **metadata}
        return cited

    def __deepcopy__(self, _: Any) -> RecordingAccountant:
        """Stay one budget when an estimator that holds it is cloned."""
        return self

    def __reduce__(self) -> NoReturn:
        raise InputTypeError("A recorded budget is never copied to another process: ask in the one that made it.")


def stop(spend: Spend) -> NoReturn:
    """Pay for nothing: a dry run ends here (``StopAtSpend``)."""
    raise StopAtSpend(spend)


def price(release: Callable[[RecordingAccountant], object], rule: str = "sum") -> Spend:
    """Return the first spend of a release, which comes before it draws: nothing is paid or drawn.

    Args:
        release: is called with what it pays from; what it reads should be made up.
        rule: of the true ledger.
    """
    try:
        release(RecordingAccountant(rule, stop))
    except StopAtSpend as end:
        return end.spend
    raise AssertionError("a release that spends nothing")

"""A budget for a script: every release inside ``with budget(...)`` is counted against it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from dpselect.kernel.errors import BudgetError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import session as current
from dpselect.ledger.composition import Remaining, Report, Terms, Totals, report
from dpselect.ledger.events import Event
from dpselect.ledger.ledger import Ledger
from dpselect.ledger.notebook_table import summary_table


@dataclass(eq=False)
class _SharedSpends:
    """Spends of one budget, shared by all that cite further metadata."""

    totals: Totals = field(default_factory=Totals)
    events: list[Event] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    busy: bool = False
    lock: Any = field(default_factory=threading.RLock)
    process: int = field(default_factory=os.getpid)


class MemoryTransaction:
    """A transaction of a budget in memory; as :class:`dpselect.ledger.ledger_transaction.LedgerTransaction`."""

    def __init__(self, terms: Terms, kept: _SharedSpends) -> None:
        self._terms, self._kept = terms, kept

    @property
    def totals(self) -> Totals:
        """Return what all rows add up to."""
        return self._kept.totals

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        events = self._kept.events[:until]
        return events if count is None else events[max(0, len(events) - count) :]

    def append(self, event: Event) -> int:
        """Add an event that the terms admit; return its row."""
        self._kept.totals = self._terms.admit(self._kept.totals, event)
        self._kept.events.append(event)
        return len(self._kept.events)

    def prepare_answers(self) -> None:
        """Return at once: memory is there."""

    def keep_answer(self, request: str, hashed: str) -> str:
        """Keep the hash of the answer of a request, unless there is one; return the one that is kept."""
        return self._kept.answers.setdefault(request, hashed)


class InMemoryLedger:
    """A budget in memory that mirrors the API of :class:`Ledger`. It stays in its process, and ends with it."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self._kept, self._metadata = terms, _SharedSpends(), dict[str, str]()

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record ``count`` releases, each with this guarantee.

        Raises:
            BudgetError, ValueError: as :meth:`Ledger.spend`; a forked process, whose copy would be a budget of its own;
                a signal handler in the midst of another spend.
        """
        event = Event.of(
            guarantee,
            dataset=self.terms.dataset,
            mechanism=mechanism,
            count=count,
            note=note,
            metadata=self._metadata,
        )
        with self.transaction() as ledger:
            return ledger.append(event)

    @contextmanager
    def transaction(self) -> Iterator[MemoryTransaction]:
        """Yield a transaction that nobody else writes in; what its block raises leaves nothing.

        Raises:
            BudgetError: as :meth:`spend`.
        """
        kept = self._kept
        if os.getpid() != kept.process:
            raise BudgetError(f"{_STAYS} Nothing was spent.")
        with kept.lock:
            # The lock lets this thread in again: a signal or collected garbage may release in the midst of a spend.
            if kept.busy:
                raise BudgetError("Another spend from this budget is under way: release when it is done.")
            kept.busy = True
            try:
                # Read only now: until it is busy, a signal handler may spend as well.
                totals, rows = kept.totals, len(kept.events)
                try:
                    yield MemoryTransaction(self.terms, kept)
                except BaseException:
                    kept.totals = totals
                    del kept.events[rows:]
                    raise
            finally:
                kept.busy = False

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        return MemoryTransaction(self.terms, self._kept).latest(count, until)

    def answers(self, requests: Iterable[str]) -> dict[str, str]:
        """Return the hashes of the answers of some requests; those without an answer are left out."""
        return {request: self._kept.answers[request] for request in requests if request in self._kept.answers}

    def with_metadata(self, **metadata: Any) -> InMemoryLedger:
        """Return this budget with metadata that every spend records; as :meth:`Ledger.with_metadata`."""
        cited = InMemoryLedger(self.terms)
        cited._kept, cited._metadata = self._kept, {**self._metadata, **metadata}
        return cited

    @property
    def rule(self) -> str:
        """Return what is added up: ``"sum"`` for epsilons and deltas, ``"rho"`` for rhos. It is public."""
        return self.terms.rule

    @property
    def totals(self) -> Totals:
        """Return what was spent."""
        return self._kept.totals

    @property
    def remaining(self) -> Remaining:
        """Return what is left, in the currency of the rule."""
        return self.terms.remaining(self.totals)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events, oldest first."""
        return tuple(self._kept.events)

    def report(self, delta: float) -> Report:
        """Return tighter totals, for a plan that was fixed in advance."""
        return report(self._kept.events, delta)

    def _repr_html_(self) -> str:
        return summary_table("Budget in memory", self.terms, self.totals)

    def __copy__(self) -> InMemoryLedger:
        return self

    def __deepcopy__(self, _: Any) -> InMemoryLedger:
        """Stay one budget when an estimator that holds it is cloned."""
        return self

    def __reduce__(self) -> NoReturn:
        raise InputTypeError(_STAYS)

    def __repr__(self) -> str:
        return f"InMemoryLedger(dataset={self.terms.dataset!r})"


_STAYS = "A budget in memory stays in its process: give several processes a ledger with a path."


@contextmanager
def budget(
    path: str | Path | None = None,
    *,
    epsilon: Epsilon,
    delta: Any = 0,
    neighbours: str = "add-remove",
    dataset: str = "",
    rule: str = "sum",
) -> Iterator[Ledger | InMemoryLedger]:
    """Charge every release inside the block that names no other ledger.

    Args:
        path: the file or the address of a :class:`Ledger`; without one the budget lives in memory and is forgotten.
        epsilon, delta, neighbours, dataset, rule: as :meth:`Ledger.open`.

    Threads and processes started inside the block do not inherit it: hand them ``ledger=``.

    Raises:
        ValueError, OSError: as :meth:`Ledger.open`.

    >>> import dpselect as dps
    >>> votes = dps.Scores([60, 40], sensitivity=1, kind="integer")
    >>> with budget(epsilon=1) as session:
    ...     for _ in range(3):
    ...         winner = dps.select(votes, epsilon=0.25, mechanism="permute-and-flip")
    >>> session.remaining.epsilon, len(session.events)
    (Fraction(1, 4), 3)

    Limits: Sessions and threads. ``with dpselect.budget(...)`` counts what its own thread releases; hand ``ledger=`` to
    other threads.

    The limit of ten is there to catch slips. An epsilon above 10 in one release is refused without ``--yes``, or in
    Python without a budget or a ledger. Several releases of 10 are not noticed, and a budget or a ledger that is large
    passes a release of any size that it has room for. ``research`` declares its releases free, in the thread that
    imports it.

    Gaussian noise is paid for by a rho, and its (epsilon, delta) is the one that every release of that rho has. That of
    discrete Gaussian noise alone is smaller: noise of a deviation 6 to 8 per cent smaller would do for a single
    (epsilon, delta) at a delta of 10^-6. ``dps.ledger.optimum`` computes it for a plan; a ledger adds rhos.
    """
    if path is None:
        keeper: Ledger | InMemoryLedger = InMemoryLedger(Terms.of(epsilon, delta, neighbours, dataset, rule))
    else:
        keeper = Ledger.open(path, epsilon=epsilon, delta=delta, neighbours=neighbours, dataset=dataset, rule=rule)
    token = current.set(keeper)
    try:
        yield keeper
    finally:
        current.reset(token)

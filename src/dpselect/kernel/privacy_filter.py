"""Pay, then draw no more than was paid for: what keeps a budget, and what is left of one that was opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from threading import RLock
from typing import Any, NoReturn, Protocol, runtime_checkable

from dpselect.kernel.errors import InputTypeError, PrivacyError
from dpselect.kernel.guarantee import BOUNDED_RANGE, Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import whole


@runtime_checkable
class Accountant(Protocol):
    """A budget: a ledger, or one of your own. It may have the ``rule`` and ``with_metadata`` of a ledger."""

    def spend(self, guarantee: Guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> object:
        """Record ``count`` releases, each with this guarantee, durably, or raise and record nothing.

        Raises:
            BudgetError: the budget does not allow it.
        """
        ...


# The budget of the enclosing ``with dpselect.budget(...)``, for this thread of execution.
session: ContextVar[Accountant | None] = ContextVar("dpselect_budget", default=None)


@contextmanager
def use_accountant(book: Accountant | None) -> Iterator[None]:
    """Let releases inside the block pay from this budget, unless they name their own; from none for ``None``."""
    token = session.set(book)
    try:
        yield
    finally:
        session.reset(token)


def resolve_accountant(ledger: Any) -> Accountant | None:
    """Return the ledger given, else that of the enclosing session, else ``None``.

    Raises:
        TypeError: something that keeps no budget.
    """
    if ledger is None:
        return session.get()
    if isinstance(ledger, Accountant):
        return ledger
    raise InputTypeError("ledger must keep a budget: pass ledger=dpselect.Ledger.open(path, epsilon=...).")


def with_metadata(book: Accountant, metadata: Mapping[str, str]) -> Accountant:
    """Return the same budget, recording with each spend where the data came from, if it can: never another budget."""
    cite = getattr(book, "with_metadata", None)
    cited: Accountant = cite(**metadata) if cite is not None and metadata else book
    return cited


_ZERO = Fraction(0)


class PrivacyFilter:
    """The rest of an amount that was paid. It only falls, whatever threads do; other processes and copies have nothing.

    What was paid is a number of releases, and each draw belongs to one of them: what another rule than the sum makes of
    a release holds for the draws too. Proof: ``privacy_filter.md``.

    Args:
        epsilon: of each release.
        neighbours: what draws must protect.
        releases: how many there may be.
        shape: what each was promised to be beyond pure; of bounded range it is one draw.
        delta: of each release; without one, draws that have a delta are refused.
    """

    __slots__ = ("_busy", "_closed", "_delta", "_each", "_lent", "_lock", "_process", "_unused", "neighbours", "shape")

    def __init__(
        self, epsilon: Fraction, neighbours: Neighbours, releases: int = 1, *, shape: int = 0, delta: Fraction = _ZERO
    ) -> None:
        self._each, self._delta, self.neighbours, self.shape = epsilon, delta, neighbours, shape
        # Releases that were not begun, and the epsilon and delta that are left of the one that was.
        self._unused = releases, _ZERO, _ZERO
        self._lent: list[PrivacyFilter] | None = None
        self._busy, self._closed, self._lock, self._process = False, False, RLock(), os.getpid()

    @property
    def remaining(self) -> Fraction:
        """Return the epsilon that may still be drawn with."""
        return _ZERO if self._closed else self._unused[0] * self._each + self._unused[1]

    def can_afford(self, epsilon: Fraction) -> bool:
        """Return whether one draw without bounded range may have this epsilon, if it is left."""
        return self.shape < BOUNDED_RANGE and (epsilon <= self._each or epsilon <= self._unused[1])

    def take(self, epsilon: Fraction, count: int = 1, delta: Fraction = _ZERO) -> None:
        """Use up epsilon and delta, for each of ``count`` draws.

        Raises:
            PrivacyError: its block has ended, less is left, or parts of it are lent; nothing was used up.
        """
        self._require_here()
        with self._lock:
            self._require_idle()
            self._busy = True
            try:
                self._require_whole("drawing from the whole")
                possible = epsilon.numerator > 0
                after = self._after(epsilon, count, delta) if possible else None
                if after is None:
                    without = possible and self._after(epsilon, count, _ZERO) is not None
                    raise PrivacyError(self._refusal(epsilon * count, delta * count if without else _ZERO))
                self._unused = after
            finally:
                self._busy = False
            # Collecting garbage may have left the block of this part meanwhile.
            self._require_open()

    def _refusal(self, epsilon: Fraction, delta: Fraction) -> str:
        if delta:
            return f"This draw has delta {delta} and there is no delta left for it: open with a Guarantee that has it."
        most = f", at most {self._each} for each draw" if self._unused[0] else ""
        return (
            f"This draw asks for epsilon {epsilon} and {self.remaining} is left of what was paid{most}: pay for it "
            "when the release is opened, or draw with less."
        )

    def _after(self, epsilon: Fraction, count: int, delta: Fraction) -> tuple[int, Fraction, Fraction] | None:
        """Return what ``count`` draws leave, or ``None`` where they do not fit; no draw is part of two releases."""
        releases, rest, rest_delta = self._unused
        if rest is _ZERO and epsilon is self._each and not delta:
            # What follows, where each draw is a whole release: the rule, and the quickest way through.
            return (releases - count, _ZERO, _ZERO) if count <= releases else None
        here = min(count, _fitting(rest, rest_delta, epsilon, delta))
        if here == count:
            return releases, *_less(rest, rest_delta, here, epsilon, delta)
        many, ranged = _fitting(self._each, self._delta, epsilon, delta), self.shape == BOUNDED_RANGE
        many = min(1, many) if ranged else many
        begun = -((here - count) // many) if many else releases + 1
        if begun > releases:
            return None
        last = count - here - (begun - 1) * many
        left = (_ZERO, _ZERO) if ranged else _less(self._each, self._delta, last, epsilon, delta)
        return releases - begun, *left

    @contextmanager
    def disjoint(self, parts: int) -> Iterator[list[PrivacyFilter]]:
        """Lend all that is left to each of several parts of the data that share no record.

        A record is in one part, so the whole pays what the most expensive part takes. Where persons are protected, read
        person for record.

        Raises:
            PrivacyError: a neighbour is not one record or person more or fewer: what is changed may be in two parts.
            ValueError: not a number of parts of at least 1.
        """
        parts = whole(parts, "parts", "how many parts there are")
        if self.neighbours not in (Neighbours.ADD_REMOVE, Neighbours.PERSON):
            raise PrivacyError(
                "Parts are disjoint for add-remove and person neighbours only: draw from the whole instead."
            )
        with self._lending() as lend:
            yield [lend() for _ in range(parts)]

    @contextmanager
    def per_record(self) -> Iterator[PrivacyFilter]:
        """Lend all that is left to draws that protect one record, of a person who has no more than were paid for.

        Raises:
            PrivacyError: no persons were paid for.
        """
        if self.neighbours is not Neighbours.PERSON:
            raise PrivacyError("Records of persons are drawn from where persons were paid for: pay for persons.")
        with self._lending() as lend:
            part = lend()
            part.neighbours = Neighbours.ADD_REMOVE
            yield part

    @contextmanager
    def attempts(self) -> Iterator[Callable[[], PrivacyFilter]]:
        """Lend all that is left to each of several attempts, of which the result of one at most goes anywhere."""
        with self._lending() as lend:
            yield lend

    @contextmanager
    def _lending(self) -> Iterator[Callable[[], PrivacyFilter]]:
        lent, ended = list[PrivacyFilter](), False

        def lend() -> PrivacyFilter:
            self._require_here()
            with self._lock:
                part = self._part()
                lent.append(part)
                # Asked last: whatever ends the block from here on also ends this part.
                if ended or self._closed:
                    raise PrivacyError("The block of these attempts has ended: begin them inside it.")
                return part

        self._require_here()
        with self._lock:
            self._require_idle()
            self._busy = True
            try:
                self._require_whole("lending it again")
                self._lent = lent
            finally:
                self._busy = False
        try:
            yield lend
        finally:
            with self._lock:
                # No part can be begun from here on, none draws after its end, and so what is left of them stands still.
                ended = True
                for each in lent:
                    each.close()
                if self._lent is lent:
                    self._unused = self._least()
                    self._lent = None

    def _part(self) -> PrivacyFilter:
        part = type(self)(self._each, self.neighbours, shape=self.shape, delta=self._delta)
        part._unused, part._lock = self._unused, self._lock
        return part

    def _least(self) -> tuple[int, Fraction, Fraction]:
        """Return what is left along every branch at least, also while parts of parts are lent."""
        ends = [each._least() for each in self._lent or ()] or [self._unused]
        releases = min(end[0] for end in ends)
        begun = [end for end in ends if end[0] == releases]
        return releases, min(end[1] for end in begun), min(end[2] for end in begun)

    def close(self) -> None:
        """Leave nothing, to all that still hold it or a part of it."""
        with self._lock:
            self._closed = True
            for each in self._lent or ():
                each.close()

    def require_open(self) -> None:
        """Refuse (``PrivacyError``) where nothing may be drawn: its block has ended, or this is another process."""
        self._require_here()
        self._require_open()

    def _require_open(self) -> None:
        if self._closed:
            raise PrivacyError("The block of this budget has ended: draw inside it.")

    def _require_idle(self) -> None:
        # Signals and collected garbage run code in the thread that holds the lock, whatever it is about to write.
        if self._busy:
            raise PrivacyError("Another draw from this budget is under way: draw when it has been answered.")

    def _require_whole(self, before: str) -> None:
        self._require_open()
        if self._lent is not None:
            raise PrivacyError(f"Parts of this budget are in use: leave their with block before {before}.")

    def _require_here(self) -> None:
        if self._process != os.getpid():
            raise PrivacyError("This budget was opened by another process: draw there, or open one here.")

    def __reduce__(self) -> NoReturn:
        raise InputTypeError("A budget is never copied: draw from it where it was opened.")


def _fitting(rest: Fraction, rest_delta: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """Return how many draws fit into what is left of one release."""
    return min(rest // epsilon, rest_delta // delta) if delta else rest // epsilon


def _less(
    rest: Fraction, rest_delta: Fraction, count: int, epsilon: Fraction, delta: Fraction
) -> tuple[Fraction, Fraction]:
    """Return what so many draws leave of it."""
    return rest - count * epsilon, rest_delta - count * delta if delta else rest_delta

"""Pay, then draw no more than was paid for: what keeps a budget, and what is left of one that was opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from threading import Lock
from typing import Any, NoReturn, Protocol, runtime_checkable

from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours


@runtime_checkable
class Spender(Protocol):
    """Whatever keeps a budget: ``dpselect.Ledger``, a session, or a user's own."""

    def spend(self, guarantee: Guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> object:
        """Record ``count`` releases, each with this guarantee, durably, or raise and record nothing.

        Raises:
            BudgetError: the budget does not allow it.
        """
        ...


# The budget of the enclosing ``with dpselect.budget(...)``, for this thread of execution.
session: ContextVar[Spender | None] = ContextVar("dpselect_budget", default=None)


@contextmanager
def paying_from(book: Spender | None) -> Iterator[None]:
    """Let releases inside the block pay from this budget, unless they name their own; from none for ``None``."""
    token = session.set(book)
    try:
        yield
    finally:
        session.reset(token)


def require_spender(ledger: Any) -> Spender | None:
    """Return the ledger given, else that of the enclosing session, else ``None``.

    Raises:
        TypeError: something that keeps no budget.
    """
    if ledger is None:
        return session.get()
    if isinstance(ledger, Spender):
        return ledger
    raise TypeError("ledger must keep a budget: pass ledger=dpselect.Ledger.open(path, epsilon=...).")


def with_metadata(book: Spender, metadata: Mapping[str, str]) -> Spender:
    """Return the same budget, recording with each spend where the data came from, if it can: never another budget."""
    cite = getattr(book, "with_metadata", None)
    cited: Spender = cite(**metadata) if cite is not None and metadata else book
    return cited


class Allowance:
    """What is left of what was paid. It only falls, whatever threads do; other processes and copies have nothing.

    Proof of what its parts promise: ``budget.md``.
    """

    __slots__ = ("_left", "_lent", "_lock", "_process", "neighbours")

    def __init__(self, epsilon: Fraction, neighbours: Neighbours) -> None:
        self._left, self._lent, self.neighbours = epsilon, False, neighbours
        self._lock, self._process = Lock(), os.getpid()

    @property
    def left(self) -> Fraction:
        """Return the epsilon that may still be drawn with."""
        return self._left

    def take(self, epsilon: Fraction) -> None:
        """Use up epsilon, for one draw.

        Raises:
            PrivacyError: less is left, or parts of it are lent; nothing was used up.
        """
        with self._lock:
            self._require_whole("drawing from the whole")
            left = self._left - epsilon
            if left < 0 or epsilon <= 0:
                raise PrivacyError(
                    f"This draw asks for epsilon {epsilon} and {self._left} is left of what was paid: pay for it when "
                    "the release is opened, or draw with less."
                )
            self._left = left

    @contextmanager
    def disjoint(self, parts: int) -> Iterator[list[Allowance]]:
        """Lend all that is left to each of several parts of the data that share no record.

        A record is in one part, so the whole pays what the most expensive part takes.

        Raises:
            PrivacyError: a neighbour is not one record more or fewer: a changed record may be in two parts.
        """
        if self.neighbours is not Neighbours.ADD_REMOVE:
            raise PrivacyError("Parts are disjoint for add-remove neighbours only: draw from the whole instead.")
        with self._lending() as lend:
            yield [lend() for _ in range(parts)]

    @contextmanager
    def attempts(self) -> Iterator[Callable[[], Allowance]]:
        """Lend all that is left to each of several attempts, of which the result of one at most goes anywhere."""
        with self._lending() as lend:
            yield lend

    @contextmanager
    def _lending(self) -> Iterator[Callable[[], Allowance]]:
        lent: list[Allowance] = []

        def lend() -> Allowance:
            lent.append(Allowance(self._left, self.neighbours))
            return lent[-1]

        with self._lock:
            self._require_whole("lending it again")
            self._lent = True
        try:
            yield lend
        finally:
            self._left, self._lent = min((each._left for each in lent), default=self._left), False
            for each in lent:
                each.close()

    def close(self) -> None:
        """Leave nothing, to whoever still holds it."""
        self._left = Fraction(0)

    def _require_whole(self, before: str) -> None:
        if self._lent:
            raise PrivacyError(f"Parts of this budget are in use: leave their with block before {before}.")
        if self._process != os.getpid():
            raise PrivacyError("This budget was opened by another process: draw there, or open one here.")

    def __reduce__(self) -> NoReturn:
        raise TypeError("A budget is never copied: draw from it where it was opened.")

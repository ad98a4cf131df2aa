"""Opening of a session: pay, durably, and only then get the one object that can draw, for as much as was paid.

Limits: ``dpselect.open_session`` trusts its caller's claims. Inside ``dpselect.open_session`` the code checks what each
draw costs, its neighbours, its range and its noise. That bounds are true, that parts share no record, that discarded
attempts leave no trace and that data leaves through draws only, the caller has to show. A draw is never part of two of
the ``count`` releases: what is left of one that it does not fit into is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from dpselect.kernel.errors import InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import whole
from dpselect.kernel.privacy_filter import PrivacyFilter, resolve_accountant, with_metadata
from dpselect.mechanisms.large_epsilon import asking_first
from dpselect.release.concentrated_session import concentrated_session
from dpselect.release.noise_source import NoiseSource
from dpselect.release.session import Session
from dpselect.release.system_noise import SystemNoise

SessionFactory = Callable[..., AbstractContextManager[Session]]


def session_factory_of(outcomes: Callable[[], NoiseSource]) -> SessionFactory:
    """Return a session factory whose outcomes come from elsewhere: audits and tests use it."""

    def open_session(
        guarantee: Guarantee,
        *,
        mechanism: str = "",
        ledger: Any = None,
        metadata: Mapping[str, str] | None = None,
        count: int = 1,
        per_person: int = 1,
        note: str = "",
    ) -> AbstractContextManager[Session]:
        """Record a spend durably and return a session that draws, for algorithms of your own.

        Args:
            guarantee: what the release as a whole promises; a rho pays for all draws, at an epsilon at their price.
            ledger: where the spend is recorded; ``None`` for the budget of the session around, if there is one.
            count: how many releases, each with this guarantee, are paid for; no draw is larger than one of them.
            per_person: how many records of one person there may be, where the guarantee protects persons: draws, which
                protect records, may use that share of what was paid: 1 / m of an epsilon, 1 / m^2 of a rho.
            mechanism, metadata, note: recorded with the spend: its name, where the data came from; nothing private.

        Guarantee: everything drawn inside the block has the guarantee, ``count`` times, if what the block computes from
        data reaches the outside through its draws only, bounds and sensitivities are true, and parts that are called
        disjoint are.

        Raises:
            BudgetError, PrivacyError: the ledger does not allow it, or epsilon is above 10 in all without any budget.
            TypeError, ValueError: not a Guarantee, or a ledger that keeps no budget; not a whole number of at least 1.

        >>> import numpy as np
        >>> import dpselect as dps
        >>> votes = dps.Scores([90, 7, 3], sensitivity=1, kind="integer", range_bound=1)
        >>> with dps.open_session(dps.Guarantee(3, "add-remove"), mechanism="two of three") as draws:
        ...     winner = draws.choose(votes, 1)
        ...     size = draws.counts(np.array([100]), 2, dps.mechanisms.Bound(1))
        >>> with dps.open_session(dps.Guarantee.from_rho(1, 1e-6, "add-remove")) as draws:
        ...     again = draws.choose(votes, draws.epsilon_within(0.5))
        ...     sums = draws.gaussian(np.array([100, 7]), 0.5, dps.mechanisms.SquaredBound(1))
        >>> winner, abs(int(size[0]) - 100) < 30, abs(int(sums[0]) - 100) < 30
        (0, True, True)
        """

        def paid() -> Session:
            if not isinstance(guarantee, Guarantee):
                raise InputTypeError("guarantee must be a Guarantee: pass dpselect.Guarantee(epsilon, neighbours).")
            releases = whole(count, "count", "how many releases")
            people = whole(per_person, "per_person", "how many records of one person there may be")
            share = guarantee.epsilon if people == 1 else guarantee.epsilon / people
            book = resolve_accountant(ledger)
            # Whatever the caller could refuse has been refused: from here on the spend stands, whatever happens.
            if book is not None:
                noted = {"note": note} if note else {}
                with_metadata(book, metadata or {}).spend(guarantee, mechanism=mechanism, count=releases, **noted)
            if guarantee.stated_rho is not None:
                return concentrated_session(guarantee, releases, people, outcomes())
            # A delta does not divide among the records of one person: then all draws are pure.
            delta = guarantee.delta if people == 1 else Fraction(0)
            left = PrivacyFilter(share, guarantee.neighbours, releases, shape=guarantee.shape, delta=delta)
            return Session(left, outcomes())

        return _Opening(paid)

    return open_session


class _Opening(AbstractContextManager[Session]):
    """Pays when its block begins, and leaves nothing to draw with when it ends."""

    __slots__ = ("_draws", "_paid")

    def __init__(self, paid: Callable[[], Session]) -> None:
        self._paid = paid
        self._draws: Session | None = None

    def __enter__(self) -> Session:
        if self._draws is not None:
            raise PrivacyError("This block was entered before: open another.")
        self._draws = self._paid()
        return self._draws

    def __exit__(self, *_: object) -> None:
        if self._draws is not None:
            self._draws.close()


open_session = asking_first(session_factory_of(SystemNoise))

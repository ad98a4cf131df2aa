"""The privacy loss of one transcript between two neighbours: in rho, draw by draw, or in epsilon.

The same outcomes are forced on both. Given those before, a draw of Gaussian noise of variance v moves its integers by
some vector d, and costs |d|^2 / (2 v) exactly; any other draw costs the largest Renyi divergence of its two laws over
its order, numerically. The draws of one transcript add up.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import count, permutations, product
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.coupled_noise import Pick, RecordingNoise, RepeatingNoise
from dpselect.kernel.bound import SquaredBound
from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.mechanisms.ordered_pmf import list_log_pmf
from dpselect.release.concentrated_session import concentrated_session
from dpselect.release.noise_source import NoiseSource
from dpselect.release.open_session import session_factory_of
from dpselect.release.session import Session

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Orders of divergences; less the rounding of a logarithm, so that a price that is met is not called exceeded.
_ORDERS, _ROUNDING = 1 + np.logspace(-4, 3, 150), 1e-9
# Lists that are written down.
_MOST_LISTS = 5000
# What is released where integers were to be noised, at a variance.
Script = Callable[[Integers, Fraction], Integers]


def rho_between(
    run: Callable[[NoiseSource], object],
    neighbour: Callable[[NoiseSource], object],
    script: Script | None = None,
    *,
    pick: Pick | None = None,
) -> tuple[Fraction, ...]:
    """Return what every draw of a transcript costs between two neighbours, in rho; the transcript costs their sum.

    It is exact for Gaussian noise, and numerical for other draws, a little below the truth.

    Args:
        run: a release, as a function of its outcomes: it opens ``session_factory_of(lambda: outcomes)``.
        neighbour: the same release of a neighbouring database.
        script: returns what is released in place of integers, at a variance; ``None`` for made-up noise.
        pick: makes up public coins, and noise where there is no script: integers below its bounds, such as those of a
            seeded generator; ``None`` for fixed ones.

    Raises:
        ValueError: after the same answers the neighbour asks something else, more, or less.

    >>> from dpselect import Guarantee

    >>> from dpselect.mechanisms import SquaredBound
    >>> from dpselect.release.open_session import session_factory_of
    >>> def release(counts):
    ...     def run(outcomes):
    ...         with session_factory_of(lambda: outcomes)(Guarantee.from_rho(2, 1e-6, "add-remove")) as draws:
    ...             draws.gaussian(np.array(counts), 2, SquaredBound(1))
    ...     return run
    >>> rho_between(release([7, 3]), release([8, 3]))
    (Fraction(2, 1),)
    """
    recording = _ScriptedNoise(pick or _fixed_integers(), script)
    run(recording)
    repetition = Divergences(recording)
    neighbour(repetition)
    repetition.finish()
    return tuple(repetition.parts)


def loss_of_transcript(
    run: Callable[[Any, Session], object], here: Any, there: Any, guarantee: Guarantee, pick: Pick
) -> Fraction:
    """Return what one transcript of ``run(database, draws)`` loses between two neighbours; by a rho, its rho.

    Made-up outcomes decide what is asked next, so an algorithm that adapts wants several of them.

    Raises:
        PrivacyError: it draws more than the guarantee pays for.
        ValueError: the neighbours ask different questions after the same outcomes.
    """
    recording = RecordingNoise(pick)
    run(here, _session_of(guarantee, recording))
    repetition = (RepeatingNoise if guarantee.stated_rho is None else Divergences)(recording)
    run(there, _session_of(guarantee, repetition))
    return repetition.finish() + sum(repetition.parts)


def _session_of(guarantee: Guarantee, outcomes: NoiseSource) -> Session:
    if guarantee.stated_rho is not None:
        return concentrated_session(guarantee, 1, 1, outcomes)
    return Session(PrivacyFilter(guarantee.epsilon, guarantee.neighbours), outcomes)


def sums_by_rho() -> tuple[int, str]:
    """Check counts of two lists, the second chosen by the first, where a person may have three records.

    Returns: how many persons were tried, and one who costs more than was paid, or "".
    """
    promise, most, people = Guarantee.from_rho(Fraction(1, 4), Fraction(1, 10**6), Neighbours.PERSON), 3, 0
    bound, counts = SquaredBound(1, Neighbours.PERSON), np.array([40, 12, 7])

    def release(moved: Integers, outcomes: NoiseSource) -> None:
        with session_factory_of(lambda: outcomes)(promise, per_person=most) as draws:
            first = draws.gaussian(counts + moved, draws.remaining / 3, bound)
            draws.gaussian((counts + moved)[[int(first.argmin())]], draws.remaining, bound)

    for records in product(range(most + 1), repeat=counts.size):
        if sum(records) <= most:
            people += 1
            rho = sum(rho_between(partial(release, np.array(records)), partial(release, np.zeros_like(counts))))
            if rho > promise.rho:
                return people, f"rho {rho} of {promise.rho} for a person who has {records} records of three kinds."
    return people, ""


def _fixed_integers() -> Pick:
    """Return what picks integers that look like chance, and are always the same."""
    places = count()

    def pick(bounds: Integers) -> Integers:
        picked = [
            int.from_bytes(sha256(b"%d" % next(places)).digest()[:16]) % bound for bound in bounds.ravel().tolist()
        ]
        return np.array(picked, dtype=np.int64).reshape(bounds.shape)

    return pick


class _ScriptedNoise(RecordingNoise):
    """Releases what a script says, where there is one."""

    def __init__(self, pick: Pick, script: Script | None) -> None:
        super().__init__(pick)
        self._script = script

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """The text of the script."""
        if self._script is None:
            return super().gaussian(values, variance)
        outcome = np.array(self._script(values.copy(), variance), dtype=np.int64)
        if outcome.shape != values.shape:
            raise InputError("The script must release one integer for each that it is asked for.")
        return np.asarray(self._note("gaussian", values, (), variance, outcome))


class Divergences(RepeatingNoise):
    """Return what was drawn before, and note what every draw costs in rho.

    Attributes:
        parts: the rho of every draw, exactly for Gaussian noise.
    """

    def _compare(self, here: Floats, there: Floats) -> None:
        self.parts.append(rho_of_pmfs(here, there))

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:
        """The losses of geometric noise on every number that moves."""
        call = self._before("noisy", counts, (), rate)
        for moves in np.abs(counts - call.values).ravel().tolist():
            if moves:
                place = np.arange(moves + 1)
                ends = np.where((place == 0) | (place == moves), 0.0, np.log(-np.expm1(-float(rate))))
                chances = ends - float(rate) * place - np.log1p(np.exp(-float(rate)))
                self.parts.append(rho_of_losses(chances, float(rate) * (moves - 2.0 * place)))
        return np.asarray(call.outcome)

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool) -> tuple[list[int], list[int]]:
        """The law of all lists, where there are few and they have no gaps."""
        if gaps or perm(ticks.size, k) > _MOST_LISTS:
            raise InputError("What a list costs in rho is computed for few candidates, without gaps.")
        call = self._before("ordered", ticks, (k, gaps), rate)
        lists = [*permutations(range(ticks.size), k)]
        self._compare(
            *(np.array([list_log_pmf(each, rate, names) for names in lists]) for each in (ticks, call.values))
        )
        return list(call.outcome[0]), []

    def finish(self) -> Fraction:
        """Return 0, as all is in the parts.

        Raises:
            ValueError: more was drawn on the first database; a draw of which only a loss is known.
        """
        if super().finish():
            raise InputError("This release has a draw of which only an epsilon is known: use loss_of_transcript.")
        return Fraction(0)


def rho_of_pmfs(here: Floats, there: Floats) -> Fraction:
    """Return the largest Renyi divergence of two laws over its order, in either direction, from their logarithms."""
    return max(rho_of_losses(here, here - there), rho_of_losses(there, there - here))


def rho_of_losses(chances: Floats, losses: Floats) -> Fraction:
    """Return the same of losses and the logarithms of their chances under the first law."""
    above = _ORDERS[:, None] - 1
    logs = np.logaddexp.reduce(chances[None, :] + above * losses[None, :], axis=1)
    return Fraction(max(0.0, float((logs / (_ORDERS * (_ORDERS - 1))).max()) - _ROUNDING))

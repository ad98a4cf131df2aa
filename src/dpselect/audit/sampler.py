"""Test whether a sampler follows its law, with the deviations that the test would catch.

For every law that must be rejected an event is fixed beforehand: the outcomes that it makes likelier than the
claim does. The number of hits is then binomial, so p-values and power are exact, however rare the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.release.noise_source import NoiseSource
from dpselect.release.open_session import open_session, session_factory_of
from dpselect.release.questions import Question
from dpselect.scores.scores import Scores

Floats = NDArray[np.float64]

# A false alarm once in 10^9 tests, and wrong laws rejected beyond any doubt.
FALSE_ALARM, BEYOND_DOUBT = 1e-9, 1e-12
_MOST_DRAWS = 1_000_000


@dataclass(frozen=True)
class Rejection:
    """The result of the test for one wrong law.

    Attributes:
        name: which law.
        p_value: of the hits, if that law were true.
        power: the probability, if the claim is true, that this test rejects the wrong law.
    """

    name: str
    p_value: float
    power: float

    @property
    def is_rejected(self) -> bool:
        """Return whether the wrong law is rejected beyond doubt."""
        return self.p_value < BEYOND_DOUBT


@dataclass(frozen=True)
class SamplerVerdict:
    """The result of the test.

    Attributes:
        draws: how many.
        p_value: exact and conservative: the smallest of one binomial test per outcome and an event, times their
            number.
        rejections: one per wrong law.
    """

    draws: int
    p_value: float
    rejections: tuple[Rejection, ...]

    @property
    def is_accepted(self) -> bool:
        """Return whether the claimed law is believed and every wrong law is rejected."""
        return self.p_value > FALSE_ALARM and all(rejection.is_rejected for rejection in self.rejections)

    def __str__(self) -> str:
        lines = [
            f"{'follows' if self.is_accepted else 'does NOT follow'} its law: p = {self.p_value:.3g} in {self.draws} "
            f"draws"
        ]
        lines += [
            f"  {r.name}: {'rejected' if r.is_rejected else 'NOT rejected'}, p = {r.p_value:.3g}, power {r.power:.6f}"
            for r in self.rejections
        ]
        return "\n".join(lines)


def sampler(
    draw: Callable[[], Any],
    law: Mapping[Any, float],
    *,
    against: Mapping[str, Mapping[Any, float]] | None = None,
    draws: int | None = None,
) -> SamplerVerdict:
    """Test any callable that draws against the law it claims.

    Args:
        draw: no arguments; returns one outcome.
        law: outcome to probability, as claimed.
        against: laws that must be rejected, by name: without any, the test has no stated power.
        draws: how many; ``None`` takes as many as give every rejection a power of 1 - 10^-6, at most 10^6.

    Raises:
        ValueError: a law that is not a distribution, or a draw that is not an outcome of the law.

    >>> import itertools
    >>> alternating = itertools.cycle("ab")
    >>> claim, wrong = {"a": 0.5, "b": 0.5}, {"a": 0.6, "b": 0.4}
    >>> sampler(lambda: next(alternating), claim, against={"loaded": wrong}).is_accepted
    True
    """
    outcomes = list(law)
    claim = _distribution([law[outcome] for outcome in outcomes], "the claimed law")
    place = {outcome: i for i, outcome in enumerate(outcomes)}
    wrong = {
        name: _distribution([chances.get(outcome, 0.0) for outcome in outcomes], name)
        for name, chances in (against or {}).items()
    }
    events = {name: chances > claim for name, chances in wrong.items()}
    count = draws or _enough([(claim[e].sum(), wrong[name][e].sum()) for name, e in events.items()])
    counts = np.zeros(len(outcomes), dtype=np.int64)
    for _ in range(count):
        outcome = draw()
        if outcome not in place:
            raise InputError(f"The sampler drew {outcome!r}, which the law does not know.")
        counts[place[outcome]] += 1
    tests = [_p_value(int(hits), count, chance) for hits, chance in zip(counts, claim, strict=True)]
    tests += [_p_value(int(counts[e].sum()), count, float(claim[e].sum())) for e in events.values()]
    rejections = tuple(
        Rejection(
            name,
            _p_value(int(counts[e].sum()), count, float(wrong[name][e].sum())),
            _power(count, float(claim[e].sum()), float(wrong[name][e].sum())),
        )
        for name, e in events.items()
    )
    return SamplerVerdict(count, min(1.0, min(tests) * len(tests)), rejections)


def sampler_of(
    mechanism: str | Mechanism,
    scores: Scores,
    *,
    epsilon: Epsilon,
    factors: Sequence[Any] = (Fraction(7, 10), Fraction(13, 10)),
    draws: int | None = None,
    outcomes: NoiseSource | None = None,
) -> SamplerVerdict:
    """Test a mechanism's draws against its law at epsilon, and against its laws at 0.7 and 1.3 epsilon.

    The scores must be public: as many draws as the test takes must not cost anybody's budget.

    Raises:
        ValueError: as :func:`sampler`.
    """
    mechanism, total = require_mechanism(mechanism), exact_epsilon(epsilon)
    ticks, rate = mechanism.quantize(scores, total)
    asked = Question(mechanism.sampler, ticks, rate, Guarantee(total, scores.neighbours))
    session_factory = open_session if outcomes is None else session_factory_of(lambda: outcomes)

    def law(at: Fraction) -> dict[int, float]:
        return dict(enumerate(mechanism.pmf(scores, at).tolist()))

    with use_accountant(None), session_factory(asked.guarantee, count=draws or _MOST_DRAWS) as paid:
        return sampler(
            lambda: paid.draw(asked)[0],
            law(total),
            against={f"law at {float(factor):g} epsilon": law(total * factor) for factor in factors},
            draws=draws,
        )


def _distribution(chances: ArrayLike, name: str) -> Floats:
    array = np.asarray(chances, dtype=np.float64)
    if not array.size or (array < 0).any() or not abs(array.sum() - 1) < 1e-6:
        raise InputError(f"The probabilities of {name} must be >= 0 and sum to 1.")
    return array


def _p_value(hits: int, count: int, chance: float) -> float:
    """Return the exact two-sided binomial p-value: twice the smaller tail."""
    from scipy.stats import binom

    chance = min(max(chance, 0.0), 1.0)
    return float(min(1.0, 2 * min(binom.cdf(hits, count, chance), binom.sf(hits - 1, count, chance))))


def _power(count: int, claimed: float, wrong: float) -> float:
    """Return Pr[the wrong chance is rejected] when hits follow the claimed chance."""
    from scipy.stats import binom

    low = int(binom.ppf(BEYOND_DOUBT / 2, count, wrong))
    high = int(binom.isf(BEYOND_DOUBT / 2, count, wrong))
    return float(binom.cdf(low - 1, count, claimed) + binom.sf(high + 1, count, claimed))


def _enough(chances: list[tuple[float, float]]) -> int:
    """Return the fewest draws, a power of two, with power 1 - 10^-6 against every wrong law."""
    count = 1024
    while count < _MOST_DRAWS and any(_power(count, p, q) < 1 - 1e-6 for p, q in chances):
        count *= 2
    return min(count, _MOST_DRAWS)

"""Laws by their definitions, and what is computed from them: the worst loss, the least rho, the law that draws follow.

Nothing here calls another library.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.privacy_loss import OutcomePmf, PrivacyLoss, lists_log_pmf, privacy_loss_of_pmf
from dpselect.audit.sampler import SamplerVerdict, sampler
from dpselect.audit.universe import Universe
from dpselect.mechanisms import mechanism

Floats = NDArray[np.float64]
# Scores and the factor of the rate (1, 0.7 or 1.3) to the probabilities of the outcomes.
ScoreLaw = Callable[[Any, Fraction], Mapping[Any, float]]
TENTHS = {"0.7 epsilon": Fraction(7, 10), "1.3 epsilon": Fraction(13, 10)}
# Orders of the divergences that zero-concentrated privacy bounds: near 1 to far beyond where the worst case is.
_ORDERS = 1 + np.geomspace(1e-6, 1e3, 400)


def noisy_max(name: str, rate: Fraction, k: int = 1) -> ScoreLaw:
    """Return the law of k candidates, one after the other and without the winners.

    Args:
        name: "exponential" (Gumbel noise) or "permute-and-flip" (exponential noise).
        rate: what an integer score is multiplied by.
        k: how many; with one the outcomes are positions, else ordered lists.
    """
    drawn = mechanism(name)

    def law(scores: Any, factor: Fraction = Fraction(1)) -> dict[Any, float]:
        ticks = np.asarray(scores, dtype=np.int64)
        chances = np.exp(lists_log_pmf(drawn, ticks, rate * factor, k)).tolist()
        names = itertools.permutations(range(ticks.size), k) if k > 1 else range(ticks.size)
        return dict(zip(names, chances, strict=True))

    return law


def discrete_laplace(scale: float, value: int) -> float:
    """Return Pr[noise = value], proportional to e^(-|value|/scale)."""
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(value)


def discrete_gaussian(scale: float, value: int) -> float:
    """Return Pr[noise = value], proportional to e^(-value^2/(2 scale^2))."""
    reach = range(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    return math.exp(-(value**2) / (2 * scale**2)) / sum(math.exp(-(z**2) / (2 * scale**2)) for z in reach)


def smallest_broken(universes: Sequence[Universe], law: OutcomePmf, epsilon: Any, delta: Any = 0) -> PrivacyLoss:
    """Return the loss on the first universe that breaks the claim, or else on the last; give the smallest first."""
    for universe in universes:
        loss = privacy_loss_of_pmf(law, universe, epsilon=epsilon, delta=delta)
        if not loss.holds:
            break
    return loss


@dataclass(frozen=True)
class Concentrated:
    """The least rho for which zero-concentrated privacy holds on a universe, and where it is attained."""

    rho: float
    attained: str


def least_rho(universe: Universe, law: OutcomePmf) -> Concentrated:
    """Return the largest Renyi divergence over its order, over neighbours both ways and 400 orders.

    A claim below it is broken; the orders lie so close that the largest over all orders is not noticeably larger.
    """
    laws = [law(database) for database in universe]
    maps = [chances if isinstance(chances, Mapping) else dict(enumerate(chances.tolist())) for chances in laws]
    outcomes = sorted({outcome for chances in maps for outcome in chances}, key=repr)
    logs = np.log([[chances[outcome] for outcome in outcomes] for chances in maps])
    worst, where = 0.0, (0, 0)
    for x, y in universe.pairs().tolist():
        for a, b in ((x, y), (y, x)):
            exponents = _ORDERS[:, None] * logs[a] + (1 - _ORDERS[:, None]) * logs[b]
            divergences = np.logaddexp.reduce(exponents, axis=1) / (_ORDERS - 1)
            rho = float((divergences / _ORDERS).max())
            if rho > worst:
                worst, where = rho, (a, b)
    return Concentrated(worst, f"between {universe.words(where[0])} and {universe.words(where[1])}")


@dataclass(frozen=True)
class Followed:
    """Which law draws follow.

    Attributes:
        name: of the first law that the draws are accepted for; ``None`` when none fits.
        law: that law.
        words: what was accepted and what was rejected.
    """

    name: str | None
    law: ScoreLaw | None
    words: str


def followed(draw: Callable[[], Any], scores: Any, laws: Mapping[str, ScoreLaw]) -> Followed:
    """Test draws against each law in turn, which must also reject its own at 0.7 and 1.3 epsilon and the other laws.

    Args:
        draw: no arguments; one outcome of the installed release on ``scores``.
        scores: public.
        laws: by name, the documented one first.
    """
    said = []
    for name, law in laws.items():
        verdict = _test(draw, scores, name, laws)
        if verdict.is_accepted:
            wrong = ", ".join(rejection.name for rejection in verdict.rejections)
            said.append(f"{verdict.draws} draws follow {name} (p = {verdict.p_value:.2g}), not {wrong}")
            return Followed(name, law, "; ".join(said))
        said.append(f"{verdict.draws} draws do not follow {name} (p = {verdict.p_value:.2g})")
    return Followed(None, None, "; ".join(said))


def _test(draw: Callable[[], Any], scores: Any, name: str, laws: Mapping[str, ScoreLaw]) -> SamplerVerdict:
    against = {words: laws[name](scores, factor) for words, factor in TENTHS.items()}
    against |= {other: law(scores, Fraction(1)) for other, law in laws.items() if other != name}
    return sampler(draw, laws[name](scores, Fraction(1)), against=against)

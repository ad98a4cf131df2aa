"""The checks themselves, for any library: a rule that draws is handed in, never imported.

So the same check that audits an installed release can be shown a rule with a known fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.audit.privacy_loss import privacy_loss_of_pmf
from dpselect.audit.universe import Universe, metric_space
from research.other_libraries.finding import Outcome
from research.other_libraries.laws import (
    ScoreLaw,
    discrete_gaussian,
    discrete_laplace,
    followed,
    least_rho,
    smallest_broken,
)

# Rounding of logarithms of a law.
_RELATIVE = 1e-9


def selection(
    draw: Callable[[], Any],
    example: Any,
    laws: Mapping[str, ScoreLaw],
    universes: Sequence[Universe],
    *,
    epsilon: float | None = None,
    rho: float | None = None,
) -> Outcome:
    """Check a rule that selects: which law its draws follow, and what that law loses.

    Args:
        draw: no arguments; one outcome of the rule on ``example``.
        example: public scores or records.
        laws: by name, the documented one first.
        universes: databases that the laws accept, the smallest first.
        epsilon: claimed, or
        rho: claimed.
    """
    claim = f"epsilon = {epsilon:g}" if rho is None else f"rho = {rho:g}"
    result = followed(draw, example, laws)
    if result.law is None:
        return Outcome(claim, f"{result.words}: no loss is computed for a law that is not known.", False)
    law = result.law

    def of(database: Any) -> Mapping[Any, float]:
        return law(database, Fraction(1))

    if rho is None:
        loss = smallest_broken(universes, of, epsilon)
        computed = f"{result.words}; worst loss {loss.worst:.4g} {loss.attained}, {loss.pairs} pairs"
        return Outcome(claim, computed, loss.holds)
    for universe in universes:
        least = least_rho(universe, of)
        kept = least.rho <= rho * (1 + _RELATIVE)
        if not kept:
            break
    return Outcome(claim, f"{result.words}; the law needs rho {least.rho:.4g} {least.attained}", kept)


def threshold(
    draw: Callable[[], int | None],
    noise: str,
    scale: float,
    least: int,
    claim: str,
    delta: float,
    epsilon: float | None = None,
) -> Outcome:
    """Check a rule that releases a name with its noisy count where that reaches a threshold.

    The smallest universe: nobody, or one record, which alone has the name. Then the name is only possible on one
    side, and delta must pay for all of it.

    Args:
        draw: the noisy count of a name with one record, or ``None`` where it is held back.
        noise: "laplace" or "gaussian", on integers.
        scale: of the noise.
        least: the threshold.
        claim: the whole claim in words.
        delta: claimed.
        epsilon: claimed; ``None`` where the rest of the claim is concentrated and delta alone is checked.
    """
    chance = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}[noise]
    top = least + int(40 * scale)

    def released_from(first: int) -> ScoreLaw:
        def law(count: Any, factor: Fraction = Fraction(1)) -> dict[Any, float]:
            at = scale / float(factor)
            shown = {v: chance(at, v - int(count)) if count and v >= first else 0.0 for v in range(least, top + 1)}
            return {**shown, None: 1 - sum(shown.values())}

        return law

    laws = {
        "release from the threshold on": released_from(least),
        "release above the threshold": released_from(least + 1),
    }
    result = followed(draw, 1, laws)
    if result.law is None:
        return Outcome(claim, f"{result.words}: no loss is computed for a law that is not known.", False)
    law = result.law
    universe = metric_space([[0, 1], [1, 0]])
    loss = privacy_loss_of_pmf(lambda count: law(count, Fraction(1)), universe, epsilon=epsilon or 1, delta=delta)
    computed = f"{result.words}; a name of one record, absent from the neighbour, is released with probability "
    return Outcome(claim, f"{computed}{loss.delta:.4g}, so delta must be as large", loss.holds)


def ranked(share: Fraction, candidates: Sequence[int], law: Callable[[Fraction], ScoreLaw]) -> ScoreLaw:
    """Return the law of a quantile chosen by noisy ranks: score -|(1 - share) below - share above| of a candidate.

    Args:
        share: of the quantile.
        candidates: public.
        law: from what one integer score is worth, in ranks, to a law of scores.
    """
    above, below = share.numerator, share.denominator - share.numerator
    chosen = law(Fraction(1, share.denominator))

    def of(records: Any, factor: Fraction = Fraction(1)) -> dict[Any, float]:
        data = np.asarray(records)
        scores = [-abs(below * int((data < c).sum()) - above * int((data > c).sum())) for c in candidates]
        chances = chosen(np.array(scores), factor)
        return {c: chances[i] for i, c in enumerate(candidates)}

    return of

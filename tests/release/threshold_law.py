"""The exact probability of a transcript of a threshold stream, from its definition: rational where its numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

# An answer: None below, or (level, gap), the gap None where it is not looked at.
Answer = tuple[int, int | None] | None


def law(ticks: Sequence[int], transcript: Sequence[Answer], raised: Any, levels: Sequence[tuple[int, Any]]) -> Any:
    """Return the probability of the transcript against a threshold of 0.

    Beyond the last place where a factor changes its form, every factor is a sum of powers of the secret, and the sum
    over the secret is one of geometric series.

    Args:
        ticks: the values.
        transcript: an answer for each.
        raised: e to minus the rate of the secret.
        levels: (margin, e to minus the rate), cheapest first, the last with margin 0.
    """
    gaps = [-tick - (answer[1] or 0) for tick, answer in zip(ticks, transcript, strict=True) if answer]
    far = max([0, *(-tick for tick in ticks), *(-gap for gap in gaps), *ticks, *(-n for n in gaps)])
    head = sum((1 - raised) * raised**rho * _given(rho, ticks, transcript, levels) for rho in range(far))
    terms = {raised: (1 - raised) * raised**far}
    for tick, answer in zip(ticks, transcript, strict=True):
        for factor in _factors(far - tick, answer, levels):
            product: dict[Any, Any] = {}
            for power, weight in terms.items():
                for other, share in factor.items():
                    product[power * other] = product.get(power * other, 0) + weight * share
            terms = product
    return head + sum(weight / (1 - power) for power, weight in terms.items())


def _factors(short: int, answer: Answer, levels: Sequence[tuple[int, Any]]) -> list[dict[Any, Any]]:
    """The factors of one answer as sums of powers, where the bar is ``short`` above the value and rises by one."""
    factors: list[dict[Any, Any]] = []
    for number, (margin, power) in enumerate(levels):
        if answer is None or number != answer[0]:
            factors.append({Fraction(1): Fraction(1), power: -(power ** (short + margin))})
            continue
        if answer[1] is None:
            factors.append({power: power ** (short + margin)})
        else:
            factors.append({power: (1 - power) * power ** (answer[1] + short)} if answer[1] >= margin else {})
        break
    return factors


def _given(rho: int, ticks: Sequence[int], transcript: Sequence[Answer], levels: Sequence[tuple[int, Any]]) -> Any:
    """The probability of the transcript where the secret is ``rho``."""
    chance = Fraction(1)
    for tick, answer in zip(ticks, transcript, strict=True):
        for number, (margin, power) in enumerate(levels):
            needed = max(rho - tick + margin, 0)
            if answer is None or number != answer[0]:
                chance *= 1 - power**needed
                continue
            if answer[1] is None:
                chance *= power**needed
            else:
                reached = answer[1] + rho - tick
                chance *= (1 - power) * power**reached if reached >= 0 and answer[1] >= margin else 0
            break
    return chance

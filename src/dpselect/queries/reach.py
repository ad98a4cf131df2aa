"""Sentences of how many persons a name needs to be revealed where no list holds it; public, so a plan may say them."""

from __future__ import annotations

from fractions import Fraction

from dpselect.kernel.bound import Bound
from dpselect.kernel.format_exact import count_text
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.keep_probability import CERTAIN, keep_probabilities
from dpselect.kernel.neighbours import Neighbours
from dpselect.release.limited_domain import limited_domain

# Beyond so many persons the number is not looked for.
_MOST = 10**5


def by_coins(noun: str, per_person: int, epsilon: Fraction, delta: Fraction) -> str:
    """Return what a name needs where a coin for each decides, as :func:`dpselect.accuracy.keep_probability` has it."""
    chances = keep_probabilities(epsilon / per_person, delta / per_person)
    for persons, chance in zip(range(1, _MOST + 1), chances, strict=False):
        if 2 * chance >= CERTAIN:
            held = count_text(persons, "person")
            return f"{noun} that {held} kept is revealed half the time or more, one of fewer less often"
    return f"{noun} that fewer than {_MOST} persons kept is revealed less than half the time"


def by_threshold(k: int, kept: int, epsilon: Fraction, delta: Fraction) -> str:
    """Return what a name needs to be level with the threshold."""
    promise = Guarantee(epsilon, Neighbours.PERSON, delta)
    height = limited_domain(k, kept, promise, Bound(1, Neighbours.PERSON)).height
    return (
        f"an item needs {count_text(height, 'person')} more than the most frequent one after the {kept} candidates to "
        "be as high as the threshold"
    )

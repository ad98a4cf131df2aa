"""Joint top k: the exponential mechanism over ordered lists, Pr[s] proportional to exp(-epsilon shortfall(s) / S).

The shortfall of a list is the most that any of its places does worse than it could, max_i (c_(i) - c_(s_i)), where
c_(i) is the i-th best score. S = 2 D if one record moves all scores in the same direction, else 4 D; for k = 1 half of
that. From a public clip on all shortfalls count as equal.

When to use it: counts, where the worst place matters more than the mean; or where the k best lead clearly.

Neighbours: those of the scores. Guarantee: epsilon-DP, with bounded range: one draw for the whole list.

References: Gillenwater, Joseph, Muñoz Medina and Ribero 2022, which takes 2 D for one record in the same direction too.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.units import double
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.scaling import scale
from dpselect.scores.scores import Scores, require_scores

JOINT = "joint"
# All lists beyond the clip together weigh less than this share of the best one; and how large a draw may be.
_LOST, _MOST_CELLS, _MOST_PLACES, _MOST_LISTS = 60 * math.log(2), 10**7, 10_000, 200_000


@dataclass(frozen=True, repr=False, eq=False)
class JointQuestion:
    """A list of k, ready to be drawn.

    Attributes:
        ticks, k, rate, clip: what is drawn.
        guarantee: of the whole list.
    """

    ticks: NDArray[np.int64]
    k: int
    rate: Fraction
    clip: int
    guarantee: Guarantee


def require_joint(mechanism: Mechanism) -> None:
    """Refuse a mechanism that does not draw joint lists (``ValueError``)."""
    if not (isinstance(mechanism, UnitMechanism) and mechanism.effective is scale and mechanism.name == "exponential"):
        raise InputError(
            "A joint list is drawn by the exponential mechanism: pass it as the mechanism, or leave out the method."
        )


def joint_question(scores: Scores, k: int, epsilon: Epsilon) -> JointQuestion:
    """Return a question for k candidates at once, or refuse by public facts.

    Args:
        scores: integers with one constant sensitivity.
        k: from 1 to the number of candidates.
        epsilon: of the whole list.

    Raises:
        ValueError: scores that are not integers, a sensitivity that is not one constant, or a draw that would be too
            large: its size is about k squared times the logarithm of the candidates over epsilon, whatever the data.
    """
    total = exact_epsilon(epsilon)
    if require_scores(scores).values.dtype.kind != "i" or not scores.sensitivity.fixed:
        raise InputError(
            'A joint list is for integer scores with one constant sensitivity, such as counts: pass kind="integer" and '
            "a number, or leave out the method."
        )
    unit = scale(scores)
    # Both the i-th best score and that of the candidate there may move; a single best score is common to all.
    rate = total / (unit.range_bound * unit.per_unit * (1 if k == 1 else 2))
    clip = public_clip(len(scores), k, rate)
    if k > _MOST_PLACES:
        raise InputError(
            f"A joint list names at most {_MOST_PLACES} candidates: ask for fewer, or leave out the method."
        )
    if clip * k > _MOST_CELLS:
        raise InputError(
            f"A joint list of {k} at this epsilon looks at {clip} shortfalls, and {_MOST_CELLS // k} are allowed: ask "
            "for fewer, pass a larger epsilon, or leave out the method."
        )
    return JointQuestion(unit.ticks, k, rate, clip, Guarantee(total, scores.neighbours, bounded_range=True))


def public_clip(candidates: int, k: int, rate: Fraction) -> int:
    """Return the shortfall from which all count as equal: public, as it follows from public numbers."""
    most = (k * math.log(candidates) + _LOST) / double(rate)
    return math.ceil(min(most, 2.0**62)) + 1


def joint_log_pmf(asked: JointQuestion) -> NDArray[np.float64]:
    """Return log Pr of every ordered list, in the order of ``itertools.permutations``: of small public scores."""
    size = asked.ticks.size
    if math.perm(size, asked.k) > _MOST_LISTS:
        raise InputError(f"There are {math.perm(size, asked.k)} ordered lists: take fewer candidates or k.")
    lists = np.array(list(itertools.permutations(range(size), asked.k)))
    best = np.sort(asked.ticks)[::-1][: asked.k]
    shortfall = (best - asked.ticks[lists]).max(axis=1)
    exponent = np.multiply(np.minimum(shortfall, asked.clip), double(asked.rate), dtype=np.float64)
    total: float = np.log(np.exp(-exponent).sum())
    return np.asarray(-exponent - total)


def joint_pmf(scores: Scores, k: int, *, epsilon: Epsilon) -> dict[tuple[Any, ...], float]:
    """Return the exact probability of every ordered list of a joint draw: for public scores of few candidates.

    Raises:
        ValueError: more than 200,000 lists; as :func:`dpselect.top_k` with ``method="joint"``.

    >>> import dpselect as dps
    >>> counts = dps.Scores([5, 4, 0], 1, ["a", "b", "c"], range_bound=1, kind="integer")
    >>> law = dps.accuracy.joint_pmf(counts, 2, epsilon=2)
    >>> max(law, key=law.get), round(law["a", "b"], 4), round(law["b", "a"], 4)
    (('a', 'b'), 0.7052, 0.2594)

    Limits: Joint lists are for integer scores in memory with one constant sensitivity, at most 10,000 places, by the
    exponential mechanism: permute-and-flip over lists is not drawn. All lists beyond a public clip count as equal;
    together they weigh less than 2^-60 of the best. They have neither gaps nor a p-value.
    """
    asked = joint_question(scores, k, epsilon)
    names = itertools.permutations(list(scores.candidates), k)
    return dict(zip(names, np.exp(joint_log_pmf(asked)).tolist(), strict=True))

"""Several objectives at once: scores of the same candidates made into one score.

``aggregate`` weighs them; ``pareto`` counts how many others are at least as good in every objective. Both carry their
composed sensitivities, so that every mechanism follows; ``priv_pareto`` and ``priv_agg`` are the published ones.

References: Farias et al. (PrivPareto), Definitions 4.1 to 5.2, Theorems 4.7, 5.3 and 5.4. Errata: max(lost, new
dominators) is not admissible; the sensitivity here is max(lost(t-1) + new(t), lost(t) + new(t-1)), tighter than the
printed sum. Definition 4.3 as printed counts a candidate among its own dominators.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.units import TICK_CLIP
from dpselect.scores.dominance import seconds
from dpselect.scores.objectives import exact_weights, list_objectives, one_list
from dpselect.scores.pareto_sensitivity import Spread, group_alike
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import (
    PUBLIC_REACH,
    Floats,
    Sensitivity,
    constant,
    profiles,
    smooth,
    smooth_bound,
    steps_of,
)
from dpselect.scores.zero import zero_of_sum

Integers = NDArray[np.int64]
# Sums of weighted sensitivities are rounded upwards by this.
_UP = 1 + 2.0**-44
_END = float(np.finfo(np.float64).max)
# Above zero a sensitivity is never so small that rounding a score could move it further.
_SPECK = 2.0**-1000
# Sums of integers with terms up to this, floats as they are, stay within 64 bits.
_WRAPS = 2.0**62
# Up to this many ceilings, one unit in the last place of a sum is at most half a tick of 2^-20 units.
_FAR = 2.0**31
# A notice is given where one distance takes longer than this many seconds.
_SLOW = 1.0


@one_list
def aggregate(
    objectives: Iterable[Scores],
    weights: Iterable[Any] | None = None,
    *,
    max_changed: str = "all",
    sensitivity: str = "local",
    range_bound: int = 2,
) -> Scores:
    """Return the weighted sum of several scores.

    Its sensitivity is sum |w_i| delta_i, or max |w_i| delta_i with ``max_changed="one"``; ceilings and reaches follow.
    Integers with whole weights stay exact; other sums are rounded once, so parts that cancel lose nothing. Zero is the
    best, or the worst, where it is for every part, turned round where a weight is negative.

    Sums of integers are exact from -2^61 to 2^61 (about 2.3e18) and moved to the nearer end beyond, where candidates
    tie. That is not an error, because an error would show how large private scores are: choose weights with which no
    possible score goes further. Weights that add up to more than 2^61 are refused; weights are public.

    Args:
        objectives: a list of scores of the same candidates and neighbours, larger is better; ``-scores`` to minimise.
        weights: one number each, not all zero; 1 each when left out.
        max_changed: ``"one"`` declares that one step can touch only one of the objectives (true positive and true
            negative rates under add-remove); ``"all"`` otherwise.
        sensitivity: ``"local"``, or ``"global"`` for the ceilings alone.
        range_bound: 1 declares that one step moves *all* objectives in the same direction; 2 otherwise. Where every
            sensitivity is one constant, weights of any sign keep it.

    Raises:
        ValueError, TypeError: not a list of objectives, other candidates or neighbours, bad weights.
        PrivacyError: ``max_changed="one"`` under substitution; range bound 1 where a part has range bound 2, or signs
            of weights or parts differ and a sensitivity is not one constant; no ceiling of a part where
            ``"global"`` or a smooth bound needs it.

    >>> a, b = Scores([3, 1], sensitivity=1, kind="integer"), Scores([0, 5], sensitivity=2, kind="integer")
    >>> both = aggregate([a, b], weights=[1, 100])
    >>> both.values, both.sensitivity.ceiling
    (array([  3, 501]), 201.0)
    """
    parts = list_objectives(objectives, "aggregate")
    first = parts[0]
    used = [(weight, part) for weight, part in zip(exact_weights(weights, len(parts)), parts, strict=True) if weight]
    if not used:
        raise InputError("The weights are all zero, so every candidate is alike: pass at least one that is not.")
    if max_changed not in ("all", "one"):
        raise InputError('touched is "all" or "one": how many objectives one step can touch.')
    if max_changed == "one" and len(used) > 1 and first.neighbours is Neighbours.SUBSTITUTION:
        raise PrivacyError('A substitution touches two records, and so two objectives: use touched="all".')
    _require_one_span(used, range_bound)
    joined = _combined_sensitivity(used, max_changed, _local(sensitivity))
    result = Scores(
        _within(_weighted_sum(used), joined.ceiling),
        joined,
        candidates=first.candidates,
        neighbours=first.neighbours.value,
        range_bound=range_bound,
        metadata=metadata_of(parts),
        zero=zero_of_sum((weight < 0, part.zero) for weight, part in used),
    )
    result.direction = _direction(used)
    return result


def _direction(used: Sequence[tuple[Fraction, Scores]]) -> int:
    """Return the direction of a weighted sum, 0 where its parts differ or have none."""
    each = {-part.direction if weight < 0 else part.direction for weight, part in used}
    return each.pop() if len(each) == 1 else 0


def _require_one_span(used: Sequence[tuple[Fraction, Scores]], range_bound: int) -> None:
    """Refuse range bound 1 where two sums may move apart by more than the sensitivity."""
    signed = any(weight < 0 for weight, _ in used) or not _direction(used)
    apart = signed and not all(part.sensitivity.fixed for _, part in used)
    if range_bound == 1 and (apart or any(part.range_bound != 1 for _, part in used)):
        raise PrivacyError(
            "Range bound 1 needs objectives of range bound 1, and weights >= 0 on scores of one sign or constant "
            "sensitivities: leave range_bound out."
        )


@one_list
def pareto(objectives: Iterable[Scores], *, sensitivity: str = "local", reach: int | None = None) -> Scores:
    """Return minus the number of other candidates that are at least as good in every objective, exact integers.

    Of equal candidates each counts the others. Ceiling R - 1 for R candidates. Range bound 2. Zero is the best score: a
    candidate that no other can match within T steps is dampened to T. In top-k the score is taken once over all
    candidates.

    Args:
        objectives: a list of scores of the same candidates and neighbours, larger is better; ``-scores`` to minimise.
        sensitivity: ``"local"``, or ``"global"`` for the constant R - 1.
        reach: a public distance from which the sensitivity counts as R - 1: a bound on the work, and what shifted
            dampening asks for. Unknown when left out.

    Raises:
        ValueError, TypeError: not a list of objectives, other candidates or neighbours, fewer than two candidates.

    >>> a, b = Scores([3, 1, 2], sensitivity=1), Scores([0, 5, -1], sensitivity=1)
    >>> pareto([a, b]).values
    array([ 0,  0, -1])

    Limits: Many objectives, and walks over distances. A Pareto score of four or more objectives compares every
    candidate with every other, 64 at a time: 5 processor seconds at 37,700 candidates that all differ. Shifted
    dampening of sensitivities without sums in closed form walks to the public reach; so does that of a published median
    whose range, times half the number of records, comes near the largest float, or whose range is below 2^-900.
    """
    parts = list_objectives(objectives, "pareto")
    first = parts[0]
    if len(first) < 2:
        raise InputError(Advice("A Pareto score compares candidates: {pass scores of|there must be} at least two."))
    local, others = _local(sensitivity), len(first) - 1
    reach = None if reach is None else steps_of(reach)
    if reach is not None and reach > PUBLIC_REACH:
        raise InputError(f"reach is at most {PUBLIC_REACH:,}: every distance up to it may be computed; pass fewer.")
    if local:
        _announce(len(first), len(parts), reach)
    spread = Spread(parts)
    bound = profiles(
        spread.rows, profile=spread.profile, ceiling=others, reach=reach, some=spread.some
    ) if local else constant(others)  # fmt: skip
    return Scores(
        -spread.dominators,
        bound,
        candidates=first.candidates,
        neighbours=first.neighbours.value,
        metadata=metadata_of(parts),
        zero="best",
    )


def metadata_of(parts: Sequence[Scores]) -> dict[str, str]:
    """Return where the data of all objectives came from."""
    labels: dict[str, list[str]] = {}
    for part in parts:
        for name, value in part.metadata.items():
            if value not in labels.setdefault(name, []):
                labels[name].append(value)
    return {name: "; ".join(values) for name, values in labels.items()}


def _announce(size: int, objectives: int, reach: int | None) -> None:
    """Say before a long computation how long a distance takes and how many there can be; public figures only."""
    each = 2 * seconds(size, objectives)
    if each > _SLOW:
        most = PUBLIC_REACH if reach is None else reach
        logging.getLogger("dpselect").warning(
            f"Pareto score of {size:,} candidates by {objectives} objectives: at most {most:,} distances of about "
            f"{each:.0f} s. Dampening ends with the last candidate it settles; pass reach= for a lower bound."
        )


def _local(sensitivity: str) -> bool:
    if sensitivity not in ("local", "global"):
        raise InputError('sensitivity is "local" or "global".')
    return sensitivity == "local"


def _weighted_sum(used: Sequence[tuple[Fraction, Scores]]) -> NDArray[Any]:
    """Return the weighted sum; where weights and values are whole it is the exact integer, clipped at 2^61."""
    if not all(weight.denominator == 1 and part.values.dtype.kind == "i" for weight, part in used):
        return _sum_floats([weight for weight, _ in used], [part.values for _, part in used])
    whole = [(int(weight), part.values) for weight, part in used]
    if sum(abs(weight) for weight, _ in whole) > TICK_CLIP:
        raise InputError("The weights are too large to add up exactly: divide all of them by the same number.")
    # What wraps around is replaced: sums whose terms may leave 64 bits are taken again in integers without an end.
    total = np.asarray(sum(weight * values for weight, values in whole))
    sizes = np.sum([abs(weight) * np.abs(values.astype(np.float64)) for weight, values in whole], axis=0)
    if (far := sizes >= _WRAPS).any():
        exact = np.asarray(sum(weight * values[far].astype(object) for weight, values in whole))
        total[far] = np.minimum(np.maximum(exact, -TICK_CLIP), TICK_CLIP).astype(np.int64)
    # A public clip of the sum, on every database alike, moves nothing further apart.
    return np.asarray(np.clip(total, -TICK_CLIP, TICK_CLIP))


def _sum_floats(weights: Sequence[Fraction], values: Sequence[NDArray[Any]]) -> Floats:
    """Return the floats nearest to the weighted sums, within one unit in the last place; clipped where floats end.

    Parts may cancel, so that plain sums would be wrong by far more than the scores can move. Wide floats tell their
    own error; where it is too large the sum is taken in fractions.
    """
    wide = np.longdouble
    terms = [
        (wide(float(weight)) + wide(float(weight - Fraction(float(weight))))) * value.astype(wide)
        for weight, value in zip(weights, values, strict=True)
    ]
    # NumPy's loops over wide floats raise no flags that matter: what overflows is found here.
    with np.errstate(all="ignore"):
        total = np.sum(terms, axis=0)
        error = np.sum(np.abs(terms), axis=0) * float((len(terms) + 4) * np.finfo(wide).eps)
        result = total.astype(np.float64)
        tiny = (np.abs(result) < _SPECK) & (error > 0)
        doubtful = ~(error <= np.abs(total) * 2.0**-54) | ~np.isfinite(result) | tiny
    for place in np.flatnonzero(doubtful).tolist():
        exact = sum((w * Fraction(v[place].item()) for w, v in zip(weights, values, strict=True)), Fraction(0))
        result[place] = min(max(exact, -Fraction(_END)), Fraction(_END))
    return np.asarray(result)


def _within(sums: NDArray[Any], ceiling: float) -> NDArray[Any]:
    """Return rounded sums clipped, by a public bound, where their rounding may be more than half a tick."""
    return np.clip(sums, -_FAR * ceiling, _FAR * ceiling) if sums.dtype.kind == "f" and math.isfinite(ceiling) else sums


def _combined_sensitivity(used: Sequence[tuple[Fraction, Scores]], touched: str, local: bool) -> Sensitivity:
    """Return the sum, or the maximum, of the weighted sensitivities, or the public bound of it alone."""
    parts, sizes = [part.sensitivity for _, part in used], [abs(weight) for weight, _ in used]
    ceiling = _joined_ceiling(parts, sizes, touched)
    if not local and ceiling is None:
        raise PrivacyError("An objective has no public ceiling, so there is no global sensitivity: pass ceiling=.")
    if ceiling is not None and (not local or all(part.fixed for part in parts)):
        return constant(ceiling)
    if any(part.smoothed is not None for part in parts):
        return _joined_bounds(parts, sizes, touched, ceiling)
    return _joined_profiles(parts, sizes, touched, ceiling, len(used[0][1]))


def _joined_ceiling(parts: Sequence[Sensitivity], sizes: Sequence[Fraction], touched: str) -> Fraction | None:
    """Return the public bound of the sum or the maximum, ``None`` where a part has none."""
    if not all(math.isfinite(part.ceiling) for part in parts):
        return None
    each = [size * Fraction(part.ceiling) for size, part in zip(sizes, parts, strict=True)]
    ceiling = sum(each, Fraction(0)) if touched == "all" else max(each)
    # Refuses what no float holds.
    _float_up(ceiling)
    return ceiling


def _joined_bounds(
    parts: Sequence[Sensitivity], sizes: Sequence[Fraction], touched: str, ceiling: Fraction | None
) -> Sensitivity:
    """Return the sum or the maximum of smooth bounds, for each beta, where a part declares no more than that."""
    if ceiling is None:
        raise PrivacyError("A smooth bound needs a public ceiling of every objective: pass ceiling=.")

    def bound(beta: float) -> Fraction:
        each = [size * smooth(part, beta) for size, part in zip(sizes, parts, strict=True)]
        return (sum(each, Fraction(0)) if touched == "all" else max(each)) * Fraction(_UP)

    return smooth_bound(bound, ceiling=_float_up(ceiling))


def _joined_profiles(
    parts: Sequence[Sensitivity], sizes: Sequence[Fraction], touched: str, ceiling: Fraction | None, count: int
) -> Sensitivity:
    """Return the sum or the maximum at every distance: one row for candidates alike in every part."""
    own = [np.zeros(count, dtype=np.intp) if part.profile is None else part.profile for part in parts]
    first, profile, _ = group_alike(own)
    places = [column[first] for column in own]

    def join(shaped: Sequence[Floats], chosen: Any) -> Floats:
        picked = [
            _times(float(size), values if values.shape[1] == 1 else values[:, place[chosen]])
            for size, values, place in zip(sizes, shaped, places, strict=True)
        ]
        # One value for all stays one only where it does for every part.
        joined = sum(picked) if touched == "all" else np.maximum.reduce(np.broadcast_arrays(*picked))
        rows: Floats = np.broadcast_to(joined, (shaped[0].shape[0], first[chosen].size)) * _UP
        return rows

    def some(t: Integers, only: NDArray[np.intp] | None) -> Floats:
        return join([part.by_profile(t) for part in parts], slice(None) if only is None else only)

    def total(t: Integers) -> Floats:
        return join([part.total(t) for part in parts if part.total is not None], slice(None))

    if ceiling is not None and all(part.fixed or part.bounds is not None for part in parts):
        return constant(np.minimum(some(np.zeros(1, dtype=np.int64), None)[0][profile], float(ceiling) * _UP))
    reaches = [part.reach for part in parts if part.reach is not None]
    return profiles(
        lambda t: some(t, None),
        profile=profile,
        ceiling=None if ceiling is None else _float_up(ceiling),
        reach=max(reaches) if ceiling is not None and len(reaches) == len(parts) else None,
        total=total if touched == "all" and all(part.total is not None for part in parts) else None,
        some=some,
    )


def _times(size: float, values: Floats) -> Floats:
    """Return weighted sensitivities; what is above zero stays above zero."""
    with np.errstate(over="ignore"):
        return np.where(values > 0, np.maximum(size * values, _SPECK), 0.0)


def _float_up(exact: Fraction) -> float:
    if exact > Fraction(_END):
        raise InputError("The weights are too large for these sensitivities: divide all of them by one number.")
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)

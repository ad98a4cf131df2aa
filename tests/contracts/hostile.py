"""Pairs of neighbours whose numbers are as large, small or uneven as 64 bits can hold, with true sensitivities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import dpselect as dps

_MOST = 2**63 - 1
_END = float(np.finfo(float).max)


@dataclass(frozen=True)
class Pair:
    """Scores on two neighbouring databases, and the promise that they keep.

    Attributes:
        name: family and kind of sensitivity.
        one, two: the scores.
        kind: ``"constant"``, ``"uneven"`` (a constant for every candidate) or ``"element"`` (with reach).
    """

    name: str
    one: dps.Scores
    two: dps.Scores
    kind: str


def pairs(seed: int, count: int) -> Iterator[Pair]:
    """Return that many pairs, families and kinds in turn."""
    draw = np.random.default_rng(seed)
    families = [*_FLOATS, *_INTEGERS]
    for number in range(count):
        name = families[number % len(families)]
        kind = ("constant", "uneven", "element")[number // len(families) % 3]
        yield _pair(draw, name, kind)


def fits(mechanism: str, pair: Pair) -> bool:
    """Tell whether the mechanism takes such a pair: a shift needs a public reach, a distance integers."""
    if mechanism.startswith("shifted"):
        return pair.kind != "uneven"
    if mechanism == "generalised-exponential":
        return pair.kind != "element"
    if mechanism.startswith("local") and pair.kind == "uneven":
        # Without a public reach a walk over distances ends at 2^20: exact, and slow.
        bounds = pair.one.sensitivity.bounds
        return float(np.abs(pair.one.values.astype(float) / 4096).max()) < float(bounds.min())
    return True


def _pair(draw: np.random.Generator, name: str, kind: str) -> Pair:
    size, sides = int(draw.integers(2, 7)), int(draw.integers(1, 3))
    if name in _FLOATS:
        values, bounds = _FLOATS[name](draw, size)
        moved = _moved_floats(draw, values, bounds, sides)
    else:
        values, bounds = _INTEGERS[name](draw, size)
        moved = _moved_integers(draw, values, bounds, sides)
    distance = draw.integers(0, 2, size) * draw.integers(0, 2**62)
    step = draw.integers(0, 2, size)
    first, second = _sensitivities(draw, kind, bounds, _moves(values, moved))
    return Pair(
        f"{name}, {kind}",
        dps.Scores(values, first, range_bound=sides, distance=distance),
        dps.Scores(moved, second, range_bound=sides, distance=distance + step),
        kind,
    )


def _moves(values: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return how far each score moved, rounded up to a float."""
    exact = [abs(Fraction(a) - Fraction(b)) for a, b in zip(values.tolist(), moved.tolist(), strict=True)]
    near = [float(move) for move in exact]
    return np.array([n if Fraction(n) >= e else np.nextafter(n, np.inf) for n, e in zip(near, exact, strict=True)])


def _sensitivities(
    draw: np.random.Generator, kind: str, bounds: np.ndarray, moves: np.ndarray
) -> tuple[dps.Sensitivity, dps.Sensitivity]:
    if kind == "constant":
        return (dps.sensitivity.constant(float(bounds.max())),) * 2
    if kind == "uneven":
        return (dps.sensitivity.constant(bounds),) * 2
    ceiling, reach = float(bounds.max()), int(draw.choice([1, 2, 5, 90]))
    rows = [[moves], [moves]]
    for _ in range(reach - 1):
        # A2 in both directions: the next value is at least the last of either database.
        least = np.maximum(rows[0][-1], rows[1][-1])
        for own in rows:
            share = draw.choice([0.0, 0.0, 2.0**-40, 0.3], least.size)
            own.append(np.minimum(least + share * (ceiling - least), ceiling))
    first, second = (
        dps.sensitivity.element(lambda t, own=own: own[min(t, reach - 1)], ceiling=ceiling, reach=reach) for own in rows
    )
    return first, second


def _moved_floats(draw: np.random.Generator, values: np.ndarray, bounds: np.ndarray, sides: int) -> np.ndarray:
    """Return neighbours of the scores, each within its bound exactly."""
    share = draw.choice([-1.0, -0.5, 0.0, 2.0**-30, 1.0], values.size) * draw.choice([1.0, 0.999])
    share = np.abs(share) * draw.choice([-1.0, 1.0]) if sides == 1 else share
    moved = [
        float(min(max(Fraction(v) + Fraction(s) * Fraction(b), -Fraction(_END)), Fraction(_END)))
        for v, s, b in zip(values.tolist(), share.tolist(), bounds.tolist(), strict=True)
    ]
    for i, (old, bound) in enumerate(zip(values.tolist(), bounds.tolist(), strict=True)):
        while abs(Fraction(moved[i]) - Fraction(old)) > Fraction(bound):
            moved[i] = float(np.nextafter(moved[i], old))
    return np.array(moved)


def _moved_integers(draw: np.random.Generator, values: np.ndarray, bounds: np.ndarray, sides: int) -> np.ndarray:
    most = [int(min(Fraction(bound), 2**62)) for bound in bounds.tolist()]
    share = [int(draw.choice([-1, 0, 1])) for _ in most]
    share = [abs(s) * int(draw.choice([-1, 1])) for s in share[:1]] * len(most) if sides == 1 else share
    moved = [v + s * m for v, s, m in zip(values.tolist(), share, most, strict=True)]
    return np.array([min(max(v, -_MOST - 1), _MOST) for v in moved], dtype=np.int64)


def _sized(scale: float, spread: float):
    """Values and bounds about a scale, bounds unequal by up to ``spread`` decades."""

    def make(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        values = scale * draw.uniform(-1, 1, size)
        return values, np.maximum(scale * 10.0 ** -draw.uniform(0, spread, size), 5e-324)

    return make


def _mixed(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    values = draw.choice([-1.0, 1.0], size) * 10.0 ** draw.uniform(-320, 308, size)
    return values, np.maximum(10.0 ** draw.uniform(-323, 308, size), 5e-324)


def _subnormal(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    return draw.integers(-9, 9, size) * 5e-324, draw.integers(1, 9, size) * 5e-324


def _lifted(base: float, step: float):
    """Values close together and far from zero, bounds of a step, or a millionth of it."""

    def make(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        return base + draw.integers(-4, 5, size) * step, draw.choice([1.0, 2.0, 1e-6], size) * step

    return make


def _in_line(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Values that grow with bounds of many decades: corners of a hull that floats cannot tell apart."""
    bounds = 10.0 ** np.sort(draw.uniform(0, 25, size))
    return bounds * draw.choice([1.0, 3.0]) + draw.integers(-3, 4, size), bounds


_FLOATS = {
    "floats to 1e308": _sized(1e308, 1),
    "floats to 1e308, steeply uneven bounds": _sized(1e308, 300),
    "floats to 1e155": _sized(1e155, 3),
    "floats to 1e-300": _sized(1e-300, 7),
    "subnormal floats": _subnormal,
    "floats of all sizes": _mixed,
    "floats in a line": _in_line,
    "floats from 2^53": _lifted(2.0**53, 2.0),
    "floats from 10^12": _lifted(1e12, 1.0),
    "floats from -2^60": _lifted(-(2.0**60), 2.0**10),
    "floats near the end": _lifted(1.7e308, 1e306),
}


def _whole(*bases: int):
    def make(draw: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        near = [int(draw.choice(len(bases))) for _ in range(size)]
        # Halfway between floats, and one beside it.
        off = draw.choice([-129, -128, -127, -65, -64, -63, -1, 0, 1, 127, 128, 129], size).tolist()
        values = [min(max(bases[n] + o, -_MOST - 1), _MOST) for n, o in zip(near, off, strict=True)]
        bounds = draw.choice([1.0, 1e-6, 2.0] if draw.random() < 0.8 else [1.0, 1e9, 7.5, 2.0**61], size)
        return np.array(values, dtype=np.int64), bounds

    return make


_INTEGERS = {
    "integers from 2^53": _whole(2**53),
    "integers from 2^60": _whole(2**60 + 128),
    "integers from 2^61": _whole(2**61),
    "integers to 2^62": _whole(2**62, -(2**62)),
    "integers to 2^63": _whole(_MOST, -_MOST - 1, 0),
    "integers of all sizes": _whole(0, 2**20, 2**53, -(2**60), 2**61 - 7, -(2**61), _MOST),
}

"""Rivals on the hull: where floats cannot tell which way the quotient goes, integers do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpselect.mechanisms import tangents
from dpselect.mechanisms.tangents import rivals

# So near each other that floats round their differences, or their quotients, to the same number.
TIGHT = {
    "large integers": (np.array([2**60 - 9, 2**60 - 4, 2**60 - 1, 2**60, 2**60 - 9]), np.array([1.0, 2, 3, 4, 1])),
    "near bounds": (np.array([0, 7, 12, 15, 16]), 1 + np.arange(5) * 2.0**-50),
    "one straight line": (np.array([0, 3, 6, 9, 12, 12]), np.array([1.0, 2, 3, 4, 5, 6])),
    "tiny reals": (np.array([0.0, 3e-310, 4e-310]), np.array([1e-300, 2e-300, 3e-300])),
    "huge bounds": (np.array([0.0, 2e307, 3e307]), np.array([5e307, 1e308, 1.7e308])),
    "tied rivals": (np.array([0, 4, 6]), np.array([1.0, 3, 5])),
}


def quotients(values: np.ndarray, bounds: np.ndarray, margin: float, r: int) -> list[Fraction]:
    """What is to be largest, for every s, as it is written."""
    u, d, t = [*map(Fraction, values.tolist())], [*map(Fraction, bounds.tolist())], Fraction(margin)
    return [(a - u[r] - t * (b - d[r])) / (b + d[r]) for a, b in zip(u, d, strict=True)]


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float, float]]:
    """What integers were asked: an edge, a value and a bound each."""
    asked: list[tuple[int, float, float]] = []
    usual = tangents._Edges._exactly

    def noted(self: tangents._Edges, k: int, value: float, bound: float) -> bool:
        asked.append((k, value, bound))
        return usual(self, k, value, bound)

    monkeypatch.setattr(tangents._Edges, "_exactly", noted)
    return asked


@pytest.mark.parametrize("margin", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("case", TIGHT)
def test_every_rival_is_the_largest_quotient(case: str, margin: float) -> None:
    """Exactly, over all pairs; not to a rounding."""
    values, bounds = TIGHT[case]

    for r, rival in enumerate(rivals(values, bounds, margin).tolist()):
        found = quotients(values, bounds, margin, r)
        assert found[rival] == max(found), r


def test_random_near_ties_are_decided_exactly(decided) -> None:
    """Candidates for which both ends of an edge are equal rivals, or differ by less than floats tell."""
    rng = np.random.default_rng(20)
    for _ in range(40):
        size = int(rng.integers(3, 7))
        x = np.cumsum(rng.integers(1, 4, size))
        slopes = np.sort(rng.choice(2**53, size - 1, replace=False))[::-1]
        y = np.concatenate([[0], np.cumsum(slopes * np.diff(x))])
        edge, bound = rng.integers(0, size - 1, 12), rng.integers(1, 9, 12)
        value = y[edge] - slopes[edge] * (x[edge] + bound) + rng.integers(-1, 2, 12)
        values, bounds = np.concatenate([y, value]), np.concatenate([x, bound]).astype(float)
        for r, rival in enumerate(rivals(values, bounds, 0.0).tolist()):
            found = quotients(values, bounds, 0.0, r)
            assert found[rival] == max(found)
    assert len(decided) > 100


def test_what_is_clear_is_left_to_floats_and_what_is_alike_is_decided_once(decided) -> None:
    """Far apart, no integer is asked; of a hundred that tie alike, one is."""
    rivals(np.array([0, 50, 60]), np.array([1.0, 2, 3]), 0.0)
    assert [] == decided

    values, bounds = np.array([0, 4, 6, *[0] * 100]), np.array([1.0, 3, 5, *[1.0] * 100])
    edges = tangents._Edges(values, bounds, 0.0, np.array([0, 1, 2]))
    every = np.arange(values.size)
    one, *others = [edges._exactly(0, value, bound) for value, bound in ((0, 1.0), (4, 3.0), (6, 5.0))]
    decided.clear()
    found = edges._decide(np.zeros(values.size, dtype=np.intp), every)

    assert [one, *others, *[one] * 100] == found
    assert 3 == len(decided)


@pytest.mark.parametrize(
    ("value", "bound", "rises"),
    [(0, 1.0, True), (-2, 1.0, True), (-3, 1.0, False), (-(2**60), 1.0, False), (3, 1.0, True)],
)
def test_an_edge_rises_where_the_quotient_of_its_end_is_larger(value: int, bound: float, rises: bool) -> None:
    """By the definition: the sign of a difference of two fractions."""
    values, bounds = np.array([2, 5, value]), np.array([2.0, 4.0, bound])
    start, end, _ = quotients(values, bounds, 0.0, 2)
    edges = tangents._Edges(values, bounds, 0.0, np.array([0, 1]))

    assert rises == (end > start) == edges._exactly(0, value, bound)

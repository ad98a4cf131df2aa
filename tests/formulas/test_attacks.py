"""An attempt to break the admissibility of derived sensitivities: hostile rows, counts and formulas at once.

Rows that move all statistics together, against each other, or by sizes 2^40 apart; counts near 0, 2^53 and 2^57;
formulas that cancel, that divide 0 by 0, and nests of least and largest. Every pair of neighbours is compared.
"""

from __future__ import annotations

import numpy as np
import pytest

from dpselect.formulas import FormulaError, RowKinds, elementary, statistic
from dpselect.formulas import expression as e
from dpselect.formulas.derived_sensitivity import require_value
from dpselect.formulas.small_groups import fill_small_groups
from tests.formulas.databases import Sums, broken, corners, tables

A, B, C = (statistic(name) for name in "abc")
ROWS = {
    "together": RowKinds.of([{"a": 1, "b": 1, "c": 1}, {"c": 1}]),
    "against": RowKinds.of([{"a": 1, "b": -1}, {"b": 1, "c": -2}, {"c": 1}]),
    "unlike": RowKinds.of([{"a": 1, "b": 2**40}, {"b": 1, "c": 2**20}]),
    "ranges": RowKinds.of([{"a": (-1, 2), "c": 1}, {"b": (0, 3), "c": 1}]),
    "persons": RowKinds.of([{"a": 1, "c": 1}, {"b": 1, "c": 1}], rows_per_person=3),
    "substitution": RowKinds.of([{"a": 1, "c": 1}, {"b": 2, "c": 1}, {"a": 1, "b": 1}], substitution=True),
}
SIZES = (0, 1000, 2**53 - 2, 2**57)
MANY = 12


def leaf(rng: np.random.Generator) -> e.Expression:
    """A sum of statistics, some of whose weights are huge or tiny."""
    weights = rng.choice([-(2**30), -2, -1, 0, 1, 1, 2, 3, 2**30], 3).tolist()
    return sum((weight * each for weight, each in zip(weights, (A, B, C), strict=True)), e.expression(1))


def hostile(rng: np.random.Generator, depth: int) -> e.Expression:
    """A formula of that many layers, one part of which is often there twice."""
    if depth == 0:
        return leaf(rng)
    one, other = hostile(rng, depth - 1), hostile(rng, int(rng.integers(depth)))
    above = e.maximum(other, e.expression(1))
    kinds = (
        one - other,
        one + other - one,
        one * other - other * one,
        one / above,
        one / above - other / above,
        e.ZeroBasedQuotient(A, C) - one,
        e.ZeroBasedQuotient(A, C) * other,
        e.maximum(e.minimum(one, other), e.minimum(other, C)),
        e.minimum(e.maximum(one, -other), e.maximum(-one, other)),
        elementary.absolute(one) - elementary.absolute(other),
        elementary.square(one) - elementary.square(other),
        elementary.sqrt(elementary.absolute(one)) - elementary.sqrt(elementary.absolute(one)) + other,
        elementary.log(above) - elementary.log(above + 1),
        elementary.xlogx(elementary.absolute(one)) - elementary.xlogx(elementary.absolute(other)),
        e.parallel(elementary.absolute(one), e.maximum(other, 0))
        - e.parallel(e.maximum(other, 0), elementary.absolute(one)),
        elementary.clip(one, -1, 1) * elementary.clip(other, 0, 2),
        fill_small_groups(A / C, ROWS["together"], 3) + one,
    )
    return kinds[rng.integers(len(kinds))]


def databases(rows: RowKinds, size: int) -> list[Sums]:
    """Tables of few rows beside very many of the first kind."""
    base = corners(rows.kinds)[0]
    return [tuple(size * more + each for more, each in zip(base, table, strict=True)) for table in tables(rows, 3)]


def attack(seed: int, many: int) -> tuple[list[str], int]:
    """What broke of so many formulas, and how many of them have a value."""
    rng, found, tried = np.random.default_rng(seed), [], 0
    for _ in range(many):
        rows, formula = ROWS[rng.choice([*ROWS])], hostile(rng, int(rng.integers(1, 4)))
        try:
            require_value(formula, rows)
        except FormulaError:
            continue
        tried += 1
        size = int(rng.choice([each for each in SIZES if rows is not ROWS["unlike"] or each < 2**17]))
        wrong = broken(formula, rows, databases(rows, size), [0, 1, 2, 7])
        found += [f"{formula!r} at {size}: {each}" for each in wrong]
    return found, tried


@pytest.mark.parametrize("seed", range(6))
def test_hostile_formulas_over_hostile_rows_hold(seed: int) -> None:
    """A dozen formulas of up to three layers each."""
    found, tried = attack(seed, MANY)

    assert found == []
    assert tried > MANY // 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_hostile_formulas_hold(seed: int) -> None:
    """Six thousand formulas."""
    assert attack(seed, 150)[0] == []


def test_a_step_that_is_forgotten_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack notices a ratio whose divisor stays where it is."""

    def step(self: e.Quotient, moves: e.Differences) -> e.Step:
        over = moves.step(self.parts[0])
        return None if over is None else over.over(moves.before(self.parts[1]))

    monkeypatch.setattr(e.Quotient, "step", step)

    assert any(attack(seed, MANY)[0] for seed in range(6))

"""Derived sensitivities against every small database, hostile numbers and planted faults: no cell has a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpselect.formulas import derived_sensitivity, elementary, functions, interval, region
from dpselect.formulas import expression as e
from dpselect.formulas.derived_sensitivity import FormulaError, ceiling, require_value
from dpselect.formulas.interval import Interval
from dpselect.formulas.region import GroupSums, Region
from dpselect.formulas.rows import RowKinds
from tests.formulas.databases import Sums, broken, decimals, neighbours, tables

S = [e.statistic(name) for name in "abcde"]
A, B, C, D, _ = S
CELLS = [RowKinds.of([{name: 1} for name in "abcde"[: max(many, 1)]]) for many in range(6)]
RATINGS = RowKinds.of([{"n": 1, "total": (1, 5)}])
N, TOTAL = e.statistic("n"), e.statistic("total")
MEAN = (TOTAL + 6) / (N + 2)


def entropies(cells: list[list[e.Linear]]) -> e.Expression:
    """Minus the conditional entropy of a table, times its rows."""
    whole: e.Expression = e.expression(0)
    for row in cells:
        for cell in row:
            whole = whole + elementary.xlogx(cell)
        whole = whole - elementary.xlogx(row[0] + row[1])
    return whole


def chi_square() -> e.Expression:
    """The statistic of a table of two by two, with half a row more in each cell."""
    a, b, c, d = (each + 0.5 for each in (A, B, C, D))
    return (a + b + c + d) * elementary.square(a * d - b * c) / ((a + b) * (c + d) * (a + c) * (b + d))


Z = Fraction("1.96")
TEN = {
    "mean": ((A + 2 * B + 3 * C + 4 * D + 5 * S[4] + 15) / (A + B + C + D + S[4] + 5), CELLS[5]),
    "rate": ((A + 1) / (A + B + 10), CELLS[2]),
    "Wilson": (
        elementary.clip((A + Z**2 / 2 - Z * elementary.sqrt(e.parallel(A, B) + Z**2 / 4)) / (A + B + Z**2), 0, 1),
        CELLS[2],
    ),
    "difference of rates": ((A + 1) / (A + B + 2) - (C + 1) / (C + D + 2), CELLS[4]),
    "lift": (((A + 1) / (A + B + 2)) / ((C + 1) / (C + D + 2)), CELLS[4]),
    "log odds ratio": (
        elementary.log(A + 0.5) + elementary.log(D + 0.5) - elementary.log(B + 0.5) - elementary.log(C + 0.5),
        CELLS[4],
    ),
    "F1": (2 * A / (2 * A + B + C + 1), CELLS[3]),
    "TDT": (A + B - 4 * e.parallel(A, B), CELLS[2]),
    "chi-square": (chi_square(), CELLS[4]),
    "information gain": (entropies([[A, B], [C, D]]), CELLS[4]),
    "Gini": (-(2 * e.parallel(A, B) + 2 * e.parallel(C, D)), CELLS[4]),
}
OPERATORS = {
    "sum": A + 2 * B - C,
    "product": (A - B) * (B + C - 1),
    "quotient": (A - B) / (C + 1),
    "product of quotients": (A / (B + 1)) * (B / (C + 1)),
    "square": elementary.square(A - B),
    "root": elementary.sqrt(A + B),
    "logarithm": elementary.log(A + Fraction(1, 3)),
    "logarithm of a quotient": elementary.log((A + 1) / (B + C + 1)),
    "x log x": elementary.xlogx(A + Fraction(1, 3)),
    "x log x of a difference": elementary.xlogx(e.maximum(A - B, 0)),
    "least": e.minimum(A, B),
    "largest": e.maximum(A - 1, e.minimum(B, C)),
    "size": elementary.absolute(A - 2 * B),
    "clip": elementary.clip(A - B, -1, 2),
    "parallel": e.parallel(A + B, C),
}
MOVES = {
    "rows": RowKinds.of([{"a": 1}, {"a": 1, "b": 1}, {"c": 2}]),
    "ranges": RowKinds.of([{"a": 1, "b": (0, 2)}, {"c": 1}]),
    "substitution": RowKinds.of([{"a": 1}, {"b": 1}, {"c": 1}], substitution=True),
    "persons": RowKinds.of([{"a": 1}, {"b": 1}, {"c": 1}], rows_per_person=2),
}


@pytest.mark.parametrize("name", TEN)
def test_ten_formulas_hold_on_every_small_database(name: str) -> None:
    """A1, A2, and that reaches lie in each other, for each pair of neighbours and eight distances."""
    formula, rows = TEN[name]
    require_value(formula, rows)
    most = {2: 7, 3: 6, 4: 4, 5: 3}[len(rows.names)]

    assert [] == broken(formula, rows, tables(rows, most), [0, 1, 2, 3, 4, 5, 9, 20])


@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_hold_for_every_relation(name: str, moves: str) -> None:
    """RowKinds that come or go, ranges, substitutions and persons."""
    rows = MOVES[moves]
    require_value(OPERATORS[name], rows)

    assert [] == broken(OPERATORS[name], rows, tables(rows, 4), range(4))


@pytest.mark.parametrize(
    "rows", [RATINGS, RowKinds.of([{"n": 1, "total": (-3, 4)}]), RowKinds.of([{"n": 1, "total": (0, 1)}])]
)
def test_totals_between_public_bounds_hold(rows: RowKinds) -> None:
    """A mean from a count and a total, whose rows may be anything between two bounds."""
    assert [] == broken(MEAN, rows, tables(rows, 5), range(6))


@pytest.mark.parametrize("name", TEN)
def test_ceilings_bound_every_move(name: str) -> None:
    """A ceiling is public: it holds whatever the database is, and for ratios there is one."""
    formula, rows = TEN[name]
    found = tables(rows, 4)
    place, exact, most = (
        {each: at for at, each in enumerate(found)},
        decimals(formula, rows, found),
        ceiling(*TEN[name]),
    )

    assert all(abs(exact[place[x]] - exact[place[y]]) <= most for x, y in neighbours(rows, set(found)))
    assert (most < 10) == (name not in ("lift", "chi-square", "information gain"))


def test_ceilings_are_near_the_exact_ones() -> None:
    """The largest move of a mean of five stars with five rows of three is a third, and of log odds log 3."""
    assert 1 / 3 <= ceiling(*TEN["mean"]) < 0.39
    assert ceiling(*TEN["log odds ratio"]) == pytest.approx(np.log(3))
    assert ceiling(*TEN["TDT"]) == pytest.approx(3)
    assert ceiling(*TEN["Gini"]) == pytest.approx(2)


def shifted(found: list[Sums], base: Sums) -> list[Sums]:
    """Tables that are as far from a base as these are from nothing."""
    return [tuple(a + b for a, b in zip(each, base, strict=True)) for each in found]


HUGE = 2**53 - 8


@pytest.mark.parametrize("base", [(HUGE, HUGE, HUGE, HUGE), (HUGE, 0, 3, HUGE), (0, HUGE, HUGE, 0), (10**9, 7, 0, 1)])
@pytest.mark.parametrize("name", [name for name in TEN if len(TEN[name][1].names) == 4])
def test_counts_near_the_end_of_doubles_hold(name: str, base: Sums) -> None:
    """Sums beyond 2^53 are exact integers before they are rounded."""
    formula, rows = TEN[name]

    assert [] == broken(formula, rows, shifted(tables(rows, 2), base), [0, 1, 2, 2**40, 2**60])


@pytest.mark.parametrize(
    "formula",
    [
        (A + B) * Fraction(10) ** 308,
        A * Fraction(10) ** 300 / (B + Fraction(1, 10**300)),
        A / (B + Fraction(5) / 10**324),
        elementary.log(A + Fraction(5) / 10**324) * Fraction(10) ** 307,
        elementary.square(A * Fraction(10) ** 200 - B),
        e.parallel(A * Fraction(1, 10**320), B * Fraction(10) ** 300),
        elementary.xlogx(A * Fraction(10) ** 306 + B * Fraction(1, 10**310)),
        (A * 2**60 + 1) / (A * 2**60 + B + 1),
        (A * (2**60 + 1) - A * 2**60) * (2**53 + 1) / (B * (2**53 + 1) + 2**53 - 1),
        elementary.sqrt(A * Fraction(1, 10**323)) + elementary.sqrt(B * Fraction(10) ** 308),
        e.maximum(A * 2**60 - B * 2**60, e.minimum(A * Fraction(1, 3), B * Fraction(10) ** 308)),
    ],
)
def test_hostile_constants_hold(formula: e.Expression) -> None:
    """2^53 + 1, 2^60, 1e308 and subnormal numbers: sensitivities become infinite, and never wrong."""
    rows = CELLS[2]

    assert [] == broken(formula, rows, tables(rows, 4), [0, 1, 2, 5])


CANCELLATION = [
    A - (A + B) + B + 0 * C + elementary.square(C) - elementary.square(C),
    (A + B) / (A + B + 1) - (A + B) / (A + B + 1) + C,
    elementary.square(A + B) - elementary.square(A - B) - 4 * (A * B) + C,
    e.maximum(e.minimum(e.maximum(A, B), C), e.minimum(A, B)),
    e.minimum(e.maximum(A - B, B - A), elementary.absolute(e.minimum(A, C) - e.maximum(B, C))),
    elementary.log((A + 1) / (B + 1)) - elementary.log(A + 1) + elementary.log(B + 1),
    e.parallel(A, A) + e.parallel(A, B) - e.parallel(B, A),
    elementary.xlogx(A + B) - elementary.xlogx(A) - elementary.xlogx(B) + C * e.parallel(A, B),
]


@pytest.mark.parametrize("formula", CANCELLATION)
@pytest.mark.parametrize("moves", MOVES)
def test_correlated_statistics_that_cancel_hold(formula: e.Expression, moves: str) -> None:
    """What is 0 whatever the rows are, and nests of least and largest."""
    assert [] == broken(formula, MOVES[moves], tables(MOVES[moves], 4), range(3))


def random_formula(rng: np.random.Generator, depth: int) -> e.Expression:
    """A formula of every kind of part."""

    def linear(least: int) -> e.Expression:
        return sum((int(rng.integers(least, 3)) * each for each in (A, B, C)), e.expression(int(rng.integers(1, 4))))

    if depth == 0:
        return linear(-2)
    one, other = random_formula(rng, depth - 1), random_formula(rng, depth - 1)
    kinds: list[Callable[[], e.Expression]] = [
        lambda: one + other,
        lambda: one * other,
        lambda: one / linear(0),
        lambda: one / e.maximum(other, Fraction(1, 4)),
        lambda: e.parallel(e.maximum(one, 0), linear(0)),
        lambda: elementary.square(one),
        lambda: elementary.absolute(one - other),
        lambda: elementary.sqrt(e.maximum(one, 0)),
        lambda: elementary.log(e.maximum(one, 1)),
        lambda: elementary.xlogx(e.maximum(one, 0)),
        lambda: elementary.xlogx(linear(0)),
        lambda: e.minimum(one, other),
        lambda: elementary.clip(one, -1, 2),
    ]
    return kinds[rng.integers(len(kinds))]()


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.slow if seed > 2 else ()) for seed in range(8)])
def test_random_formulas_hold(seed: int) -> None:
    """Six formulas of two or three layers for each relation."""
    rng = np.random.default_rng(seed)
    for rows in MOVES.values():
        for depth in (2, 2, 3):
            formula = random_formula(rng, depth)
            require_value(formula, rows)
            assert [] == broken(formula, rows, tables(rows, 3), range(3)), formula


def inward(x: np.ndarray) -> np.ndarray:
    """A planted fault: numbers are rounded up where they should be rounded down."""
    return np.nextafter(x, np.inf)


@pytest.mark.parametrize("module", [interval, functions, region])
def test_a_rounding_inwards_is_found(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """In sums and products, in functions, and in the corners of quotients."""
    monkeypatch.setattr(module, "down", inward)
    monkeypatch.setattr(module, "up", lambda x: -inward(-x))

    assert broken(*TEN["log odds ratio"], tables(CELLS[4], 3), [0, 1, 2]) or broken(
        MEAN, RATINGS, tables(RATINGS, 3), [0, 1, 2]
    )


def test_a_region_that_is_one_step_short_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statistics t steps away are those of t - 1."""
    right = Region._exact

    def short(self: Region, facts: object, width: int) -> tuple[np.ndarray, np.ndarray]:
        middle, away = right(self, facts, width)
        return middle, np.maximum(away - width, 0)

    monkeypatch.setattr(Region, "_exact", short)

    assert broken(*TEN["rate"], tables(CELLS[2], 5), [0, 1, 2])


def test_a_product_without_its_cross_term_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """a db + b da alone."""

    def step(self: e.Product, moves: e.Differences) -> e.Step:
        a, b = self.parts
        one, other = moves.step(a) or interval.ZERO, moves.step(b) or interval.ZERO
        return one * moves.before(b) + moves.before(a) * other

    monkeypatch.setattr(e.Product, "step", step)
    rows = RowKinds.of([{"a": 1, "b": 1}])

    assert broken(A * B, rows, tables(rows, 4), [0, 1])


def test_a_step_over_zero_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size moves as the side does on which it began."""

    def wrong(ends: list[tuple[Interval, Interval]], one: Interval, other: Interval) -> Interval:
        return one.where(np.asarray(ends[0][0].lo >= ends[1][0].lo), other)

    monkeypatch.setattr(functions, "larger_step", wrong)
    rows = RowKinds.of([{"a": 1}, {"b": 3}])

    assert broken(elementary.absolute(2 * A - B), rows, tables(rows, 4), [0, 1])


def test_a_missing_empty_set_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enclosures that are apart are those of nothing; taking their size breaks A2."""
    monkeypatch.setattr(Region, "_void", lambda self, interval: None)

    assert broken(*TEN["mean"], tables(CELLS[5], 3), [0, 1, 2])


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (A / B, "b may be 0, and divides: add a number to both"),
        (A / (B - C + 1), "and divides"),
        (elementary.log(A), "which has no logarithm: add 1"),
        (elementary.sqrt(A - C), "may be below 0: take max"),
        (elementary.xlogx(A - 1), "may be below 0"),
        (e.parallel(A, B - C), "may be below 0"),
        (e.expression(3) + 0 * A, "the same whatever the rows are"),
        (A + e.statistic("z"), "No row adds to z"),
    ],
)
def test_formulas_without_a_value_are_refused(formula: e.Expression, words: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(ValueError, match=words) as refused:
        require_value(formula, MOVES["rows"])
    assert isinstance(refused.value, FormulaError) or "No row" in words


def test_rows_that_are_not_there_do_not_count() -> None:
    """The last row of a kind may go, and no other: at distance 0 nothing can be taken from an empty group."""
    counts = GroupSums({"a": np.array([0, 1]), "b": np.array([5, 5])})
    found = derived_sensitivity.delta((A + 1) / (A + B + 2), CELLS[2], counts, np.array([[0]]))

    assert found[0, 0] == pytest.approx(2 / 8 - 1 / 7)


def test_few_and_many_doubles_have_the_same_neighbours(monkeypatch) -> None:
    """Zeros, subnormals, ends of all doubles and infinities: one by one, and by their bits."""
    ends = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.0, 2.0**53, 1.7976931348623157e308, np.inf]
    doubles = np.array([sign * each for each in ends for sign in (1, -1)])
    few = interval.down(doubles), interval.up(doubles)
    monkeypatch.setattr(interval, "_FEW", 0)

    assert [each.tobytes() for each in few] == [
        each.tobytes() for each in (interval.down(doubles), interval.up(doubles))
    ]
    assert (few[0][:-1] < doubles[:-1]).all()
    assert np.isnan(interval.down(np.array([np.nan]))).all()

"""Margins of groups by a formula: every pair of neighbours among small databases, exact losses, and speed."""

from __future__ import annotations

import itertools
import time
from functools import cache

import numpy as np
import pytest

import dpselect as dps
from dpselect.formulas import FormulaError, RowKinds, elementary, margins, scores, statistic
from dpselect.formulas import expression as e
from dpselect.formulas.region import Region
from tests.formulas.databases import Sums, corners, moved, tables
from tests.formulas.test_derived_sensitivity import MEAN, TEN

A, B = statistic("a"), statistic("b")
PAIR = RowKinds.of([{"a": 1}, {"b": 1}])
RATE = (A + 1) / (A + B + 4)
STARS = RowKinds.of([{"n": 1, "total": (1, 3)}])
SMALL = {
    "rate": (RATE, PAIR, 2),
    "lowest rate": (-RATE, PAIR, 2),
    "mean": (MEAN, STARS, 1),
    "difference": (A - B, PAIR, 2),
    "TDT": (TEN["TDT"][0], TEN["TDT"][1], 1),
    "product": ((A + 1) * (B + 2), PAIR, 1),
    "rows as well": (elementary.log(A + B + 1) * RATE, PAIR, 1),
}


def groups(rows: RowKinds, most: int) -> list[tuple[Sums, ...]]:
    """Databases of three groups of at most so many rows, the first and the last of at most one."""
    return [*itertools.product(tables(rows, 1), tables(rows, most), tables(rows, 1))]


def counts_of(rows: RowKinds, database: tuple[Sums, ...]) -> dict[str, np.ndarray]:
    """The statistics of the groups."""
    return {name: np.array([group[place] for group in database]) for place, name in enumerate(rows.names)}


def with_one_more(rows: RowKinds, database: tuple[Sums, ...]) -> list[tuple[Sums, ...]]:
    """What a database is with one more row."""
    added = []
    for place, group in enumerate(database):
        for row in corners(rows.kinds):
            added.append((*database[:place], moved(group, row), *database[place + 1 :]))
    return added


@cache
def margins_of(name: str, k: int, database: tuple[Sums, ...]) -> dps.Scores:
    """The margins of one database, each found once for all tests."""
    formula, rows, _ = SMALL[name]
    return margins(formula, counts_of(rows, database), rows, k)


@pytest.mark.parametrize(("name", "k"), [*((name, 1) for name in SMALL), ("rate", 2), ("mean", 2), ("product", 2)])
def test_one_row_moves_a_margin_by_at_most_one(name: str, k: int) -> None:
    """All databases of three groups, and one row more in any of them; who is among the best has a margin from 0."""
    formula, rows, most = SMALL[name]
    known = {each: margins_of(name, k, each).values for each in groups(rows, most)}
    farthest = 0.0
    for database, found in known.items():
        values = scores(formula, counts_of(rows, database), rows).values
        best = values >= np.sort(values)[-k]
        assert (found[best] >= 0).all()
        assert (found[~best] < 0).all()
        for more in with_one_more(rows, database):
            if more in known:
                farthest = max(farthest, float(np.abs(known[more] - found).max()))

    assert farthest <= 1
    assert farthest > 0.4


@pytest.mark.parametrize("name", SMALL)
def test_exact_losses_stay_below_epsilon(name: str) -> None:
    """The whole law of the winner on every pair of neighbours."""
    rows = SMALL[name][1]
    draw, laws = dps.mechanism("permute-and-flip"), {}

    def law(database: tuple[Sums, ...]) -> np.ndarray:
        if database not in laws:
            laws[database] = np.asarray(draw.pmf(margins_of(name, 1, database), 1))
        return laws[database]

    every = {*groups(rows, 1)}
    losses = [
        np.abs(np.log(law(database) / law(more))).max()
        for database in every
        for more in with_one_more(rows, database)
        if more in every
    ]

    assert max(losses) <= 1
    assert max(losses) > 0.3


def test_persons_count_for_as_many_rows() -> None:
    """A margin of persons with two rows is about half as many steps."""
    counts = {"a": np.array([40, 10, 3]), "b": np.array([60, 80, 17])}
    two = RowKinds.of([{"a": 1}, {"b": 1}], rows_per_person=2)

    one, other = margins(RATE, counts, PAIR, 1), margins(RATE, counts, two, 1)

    assert other.neighbours.value == "person"
    assert np.abs(one.values / 2 - other.values).max() < 0.2


def test_a_region_that_is_one_step_short_moves_margins_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The enumeration finds what would make margins private in name alone."""
    right = Region._exact

    def short(self: Region, facts: object, width: int) -> tuple[np.ndarray, np.ndarray]:
        middle, away = right(self, facts, width)
        return middle, away // 2

    monkeypatch.setattr(Region, "_exact", short)
    known = {each: margins(RATE, counts_of(PAIR, each), PAIR, 1).values for each in groups(PAIR, 3)}
    moves = [
        np.abs(known[more] - found).max()
        for each, found in known.items()
        for more in with_one_more(PAIR, each)
        if more in known
    ]

    assert max(moves) > 1


def test_no_ceiling_is_needed() -> None:
    """A ratio of ratios has no largest move, and still a margin."""
    rows = RowKinds.of([{name: 1} for name in "abcd"])
    lift = TEN["lift"][0]
    counts = {"a": [90, 40], "b": [10, 60], "c": [30, 35], "d": [70, 65]}

    found = margins(lift, counts, rows, 1)

    assert np.isinf(scores(lift, counts, rows).sensitivity.ceiling)
    assert found.values[0] > 3 > -3 > found.values[1]


def test_margins_of_ratios_are_exact() -> None:
    """As many rows as it really takes, found by trying all that may come or go, while there are some to go."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        counts = {"a": rng.integers(15, 25, 2), "b": rng.integers(15, 25, 2)}
        found = margins(RATE, counts, PAIR, 1).values

        def ends(place: int, steps: int, held: dict[str, np.ndarray] = counts) -> tuple[float, float]:
            a, b = int(held["a"][place]), int(held["b"][place])
            reached = [
                (a + i + 1) / (a + i + b + j + 4)
                for i in range(-a, steps + 1)
                for j in range(-b, steps + 1)
                if abs(i) + abs(j) <= steps
            ]
            return min(reached), max(reached)

        best = int(found.argmax())
        steps = next(y for y in range(1, 40) if ends(best, y)[0] < ends(1 - best, y)[1])
        assert steps - 1 - 2**-19 <= found[best] <= steps


def test_a_hundred_thousand_groups_take_two_processor_seconds() -> None:
    """Ten counts each: scored, derived and chosen."""
    rng, many = np.random.default_rng(0), 10**5
    parts = [statistic(f"n{place}") for place in range(10)]
    rows = RowKinds.of([{part.weights[0][0]: 1} for part in parts])
    mean = (sum((each * part for each, part in enumerate(parts)), e.expression(15))) / (sum(parts, e.expression(5)))
    sizes = np.clip((200_000 / np.arange(1, many + 1) ** 0.7), 20, None).astype(int)
    table = rng.multinomial(sizes, rng.dirichlet(np.ones(10), many))
    counts = {f"n{place}": table[:, place] for place in range(10)}

    begun = time.process_time()
    dps.select(margins(mean, counts, rows, 1), epsilon=1)

    assert time.process_time() - begun < 4


def test_refusals_say_what_to_do() -> None:
    """As many groups as there are, counts that no rows add up to, and formulas without a value."""
    counts = {"a": [1, 2], "b": [3, 4]}
    with pytest.raises(ValueError, match="there are 2, so ask for fewer"):
        margins(RATE, counts, PAIR, 2)
    with pytest.raises(ValueError, match="a has numbers that no rows add up to"):
        margins(RATE, counts | {"a": [-1, 2]}, PAIR, 1)
    with pytest.raises(TypeError, match="pass whole numbers"):
        scores(RATE, counts | {"a": [0.5, 2]}, PAIR)
    with pytest.raises(ValueError, match=r"beyond 2\^61"):
        scores(RATE, counts | {"a": [2**61 + 1, 2]}, PAIR)
    with pytest.raises(ValueError, match="different numbers of groups"):
        scores(RATE, counts | {"a": [1, 2, 3]}, PAIR)
    with pytest.raises(ValueError, match="Counts have no b"):
        scores(RATE, {"a": [1, 2]}, PAIR)
    with pytest.raises(FormulaError, match="and divides: add a number to both"):
        scores(A / (A + B), counts, PAIR)


def test_what_cancels_is_right_to_the_last_digit() -> None:
    """Scores whose enclosure is wide are computed in more decimals."""
    huge = 2**52
    found = scores((A + 1) / (B + 1) - (A + 2) / (B + 2), {"a": [huge, 0], "b": [huge + 1, 3]}, PAIR).values

    exact = (huge + 1) / (huge + 2)
    assert found[0] == pytest.approx(-1 / (huge + 2) / (huge + 3), rel=1e-12), exact
    assert found[1] == pytest.approx(1 / 4 - 2 / 5)

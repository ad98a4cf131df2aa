"""One question for every public group and for the few rows of each person that count: exact losses, and refusals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.release import by_group
from dpselect.release.open_session import session_factory_of
from dpselect.release.quantiles import grouped_of
from dpselect.sources.distinct import distinct
from dpselect.views.contribution_bounds import ContributionBounds
from dpselect.views.grid import EvenGrid
from dpselect.views.rows_of_persons import rows_that_count

GRID = np.array([0, 1, 2])
HALF = Fraction(1, 2)
EPSILON = 2


class Kept:
    """A ledger that allows everything and keeps what it was told."""

    def __init__(self) -> None:
        self.spent: list = []

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Keep it."""
        self.spent.append((guarantee, mechanism, count, note))


# ---- the exact loss ---------------------------------------------------------------------------------------------


def law(run) -> dict[tuple, float]:
    """The exact law of a release of groups, as a function of its session factory."""
    chances: dict[tuple, float] = {}

    def once(replay: ScriptedNoise) -> None:
        release = run(session_factory_of(lambda: replay))
        answer = tuple(release.value.values())
        chances[answer] = chances.get(answer, 0.0) + math.exp(replay.log_chance)

    for _ in transcripts(once, 10**5):
        pass
    assert math.isclose(1, sum(chances.values()))
    return chances


def columns(people) -> tuple[list, list, list]:
    """Values, groups and persons of a table in which persons have (group, value) rows, one person after the other."""
    rows = [(value, group, who) for who, held in enumerate(people) for group, value in held]
    return tuple([row[place] for row in rows] for place in range(3))


def median_law(people, most: int | None, groups=(0, 1)) -> dict[tuple, float]:
    """The law of the medians of both groups; without a bound rows are protected one by one."""
    values, where, who = columns(people)
    rows = ContributionBounds.of(where, [*groups], None if most is None else who, most)
    flip = dps.mechanism("permute-and-flip")
    return law(
        lambda session_factory: by_group.chosen_by_group(values, HALF, GRID, EPSILON, flip, rows, None, session_factory)
    )


def quartiles_law(people, most: int | None) -> dict[tuple, float]:
    """The law of two quantiles of both groups, by halving."""
    values, where, who = columns(people)
    rows = ContributionBounds.of(where, [0, 1], None if most is None else who, most)
    shares = [Fraction(1, 4), Fraction(3, 4)]
    return law(
        lambda session_factory: grouped_of(values, shares, EvenGrid(0, 1, 2), EPSILON, None, rows, 1, session_factory)
    )


def loss(laws, others, persons, *asked) -> float:
    """The largest log-ratio over every person who may join the others, over epsilon."""
    before = laws(others, *asked)
    return max(
        abs(math.log(before[answer] / after[answer]))
        for person in persons
        for after in [laws([*others, person], *asked)]
        for answer in before
    ) / float(EPSILON)


# Group 9 is not listed.
CELLS = [(group, value) for group in (0, 1, 9) for value in (0, 2)]
ONE_ROW = [[cell] for cell in CELLS]
PERSONS = [[*held] for size in (1, 2, 3) for held in itertools.product([(0, 0), (0, 2), (1, 2), (9, 0)], repeat=size)]
OTHERS = [[(0, 0), (1, 2)], [(0, 2)], [(1, 0), (1, 2)]]


@pytest.mark.parametrize("laws", [median_law, quartiles_law])
def test_one_row_costs_epsilon_in_whichever_group_it_is(laws) -> None:
    """Groups share no row, so each is drawn at all of epsilon."""
    assert 0.2 < loss(laws, OTHERS[1:], ONE_ROW, None) <= 1 + 1e-9


@pytest.mark.parametrize("most", [1, 2])
def test_one_person_costs_epsilon_wherever_their_rows_are(most: int) -> None:
    """Persons of up to three rows: the first few that count are bounded over all groups together."""
    assert 0.2 < loss(median_law, OTHERS[:1], PERSONS[::6], most) <= 1 + 1e-9
    assert 0.05 < loss(quartiles_law, OTHERS[:1], PERSONS[1::16], most) <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("laws", [median_law, quartiles_law])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_every_person_of_three_rows_costs_epsilon_at_most(laws, most: int) -> None:
    """All of them, beside others."""
    assert 0.1 < loss(laws, OTHERS, PERSONS, most) <= 1 + 1e-9


EVEN = [[(group, value)] for group in (0, 1) for value in (0, 2) for _ in range(2)]
IN_BOTH = [[(0, value), (1, value)] for value in (0, 1, 2)]


def test_the_price_of_a_person_is_reached() -> None:
    """Half of epsilon in each of two groups, where the row of a person counts most."""
    assert 0.85 < loss(median_law, EVEN, IN_BOTH, 2) <= 1 + 1e-9


def test_a_bound_for_each_group_would_be_caught(monkeypatch) -> None:
    """At most one row of a person in each group, drawn at epsilon: twice that with two groups."""

    def per_group(self, column, grid):
        places, where = column.row_places(grid), self.groups.codes(distinct(self.by), "by")
        who = np.array(self.person, dtype=np.int64) * 100 + where
        who[where < 0] = -1
        rows = rows_that_count(who, np.arange(who.max(initial=0) + 1), where, places, self.per_person)
        return [*self._by_group(places[rows], where[rows], grid.size)]

    monkeypatch.setattr(ContributionBounds, "histograms", per_group)
    assert loss(median_law, EVEN, IN_BOTH, 1) > 1.4


def test_a_price_without_the_bound_would_be_caught(monkeypatch) -> None:
    """Two rows of a person, each at all of epsilon."""
    paid = by_group.group_guarantee

    def whole_price(epsilon, rows):
        return paid(epsilon, rows)[0], Fraction(epsilon)

    monkeypatch.setattr(by_group, "group_guarantee", whole_price)
    with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
        median_law(OTHERS, 2)


# ---- releases ---------------------------------------------------------------------------------------------------

VALUES = [10] * 60 + [30] * 60 + [90] * 60
REGION = ["n"] * 60 + ["s"] * 60 + ["elsewhere"] * 60
BOUNDS = {"lower": 0, "upper": 100}


def test_every_function_answers_in_every_group() -> None:
    """A listed group without rows too, and one that is not listed goes nowhere."""
    asked = {**BOUNDS, "by": REGION, "groups": ["n", "s", "w"], "epsilon": 60}
    with dps.budget(epsilon=1000):
        medians = dps.median(VALUES, **asked).value
        for groups in (
            {group: (median,) for group, median in medians.items()},
            dps.quantiles(VALUES, p=[50], **asked).value,
            dps.quantiles(VALUES, [0.5], **asked).value,
        ):
            assert ["n", "s", "w"] == list(groups)
            assert [(10,), (30,)] == [groups["n"], groups["s"]]
            assert 0 <= groups["w"][0] <= 100


def test_persons_without_groups_are_one_release() -> None:
    """One row of everybody, and all rows of everybody."""
    with dps.budget(epsilon=1000, neighbours="person"):
        median = dps.median(VALUES, **BOUNDS, person=[*range(180)], epsilon=60)
        all_rows = dps.quantiles(VALUES, [0.5], **BOUNDS, person=[*range(60)] * 3, rows_per_person=3, epsilon=180)

    assert 30 == median.value
    assert dps.Guarantee(60, "person") == median.guarantee
    assert (30,) == all_rows.value


def test_rows_that_do_not_count_take_no_place_of_those_that_do() -> None:
    """A row of another group, or without a number, comes first in the table of everybody."""
    values = [None] * 40 + [90] * 40 + [30] * 40
    by, person = ["n"] * 40 + ["elsewhere"] * 40 + ["n"] * 40, [*range(40)] * 3
    with dps.budget(epsilon=1000, neighbours="person"):
        release = dps.median(values, **BOUNDS, by=by, groups=["n"], person=person, epsilon=60)

    assert {"n": 30} == release.value


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_every_container_of_columns_will_do(make) -> None:
    """Each column may come from another one."""
    asked = {"by": make(REGION), "groups": ["n", "s"], "person": make([*range(180)]), **BOUNDS}
    with dps.budget(epsilon=1000, neighbours="person"):
        assert {"n": 10, "s": 30} == dps.median(make(VALUES), epsilon=60, **asked).value


def test_the_spend_is_one_for_all_groups() -> None:
    """And says whose privacy it is."""
    kept = Kept()
    dps.median(VALUES, **BOUNDS, epsilon=3, by=REGION, groups=["n", "s"], ledger=kept)
    dps.quantiles(VALUES, [0.5, 0.9], **BOUNDS, epsilon=3, person=[1] * 180, rows_per_person=7, ledger=kept)

    assert (dps.Guarantee(3, "add-remove"), "permute-and-flip", 1, "percentile") == kept.spent[0]
    assert (dps.Guarantee(3, "person"), "recursive halving", 1, "quantiles") == kept.spent[1]


def test_a_ledger_of_records_does_not_pay_for_persons(tmp_path) -> None:
    """And one of persons keeps how many rows count."""
    records = dps.Ledger.open(tmp_path / "records.ledger", epsilon=3)
    people = dps.Ledger.open(tmp_path / "people.ledger", epsilon=3, neighbours="person")
    asked = {**BOUNDS, "epsilon": 1, "person": [*range(180)], "rows_per_person": 2}
    with pytest.raises(ValueError, match="protects add-remove neighbours and the release person"):
        dps.median(VALUES, **asked, ledger=records)
    dps.median(VALUES, **asked, by=REGION, groups=["n", "s", "w"], ledger=people)

    (event,) = people.events
    assert {"rows_per_person": "2", "groups": "3"}.items() <= dict(event.metadata).items()


def test_how_wrong_a_group_may_be_follows_from_one_row() -> None:
    """A third of epsilon for each of three rows: three times the error."""
    with dps.budget(epsilon=1000, neighbours="person"):
        one = dps.median(VALUES, **BOUNDS, epsilon=3, person=[*range(180)], by=REGION, groups=["n"])
        three = dps.median(
            VALUES, **BOUNDS, epsilon=3, person=[*range(180)], by=REGION, groups=["n"], rows_per_person=3
        )
    assert 2.5 * one.error_bound.at() < three.error_bound.at() <= 3 * one.error_bound.at()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"by": REGION}, dps.PrivacyError, "pass groups=, their public list"),
        ({"groups": ["n"]}, ValueError, "pass by"),
        ({"by": "region", "groups": ["n"]}, TypeError, "not its name"),
        ({"by": REGION, "groups": []}, ValueError, "at least one"),
        ({"by": REGION, "groups": ["n", "n"]}, ValueError, "twice"),
        ({"by": REGION[1:], "groups": ["n"]}, ValueError, "different lengths"),
        ({"person": [1]}, ValueError, "different lengths"),
        ({"rows_per_person": 2}, ValueError, "pass person"),
        ({"person": [1] * 180, "rows_per_person": 0}, ValueError, "at least 1"),
        ({"person": [1] * 180, "rows_per_person": 1.5}, ValueError, "at least 1"),
        ({"person": [1] * 180, "rows_per_person": 10**301}, ValueError, "between 10\\^-300"),
        ({"person": [1] * 180, "epsilon": 0}, ValueError, "positive"),
        ({"by": REGION, "groups": ["n"], "lower": None}, dps.PrivacyError, "lower="),
    ],
)
@pytest.mark.parametrize("function", [dps.median, lambda *a, **k: dps.quantiles(*a, q=[0.5], **k)])
def test_what_is_refused_is_refused_before_the_spend(function, changed, error, message) -> None:
    """In one sentence."""
    kept = Kept()
    with pytest.raises(error, match=message):
        function(VALUES, **({**BOUNDS, "epsilon": 1, "ledger": kept} | changed))
    assert [] == kept.spent


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "tree"}, "drawn by halving"),
        ({"method": "joint"}, "drawn by halving"),
        ({"total": 180}, "whole column"),
    ],
)
def test_what_groups_do_not_have_is_refused_before_the_spend(changed, message) -> None:
    """Trees of counts, joint draws, and a number of records that is not that of a group."""
    kept = Kept()
    with pytest.raises(ValueError, match=message):
        dps.quantiles(VALUES, [0.5], **BOUNDS, epsilon=1, by=REGION, groups=["n"], ledger=kept, **changed)
    assert [] == kept.spent


@pytest.mark.parametrize("asked", [{"q": [0.5, 0.75]}, {"p": [50, 75]}])
def test_a_public_total_is_not_that_of_the_rows_of_persons_that_count(asked) -> None:
    """Two thousand rows of two hundred persons: ranks would aim at the total, far from what the release then says."""
    kept = Kept()
    values, people = np.repeat(np.arange(200), 10), np.repeat(np.arange(200), 10)
    with pytest.raises(ValueError, match=r"total=.*person= is passed.*leave total= out"):
        dps.quantiles(values, **asked, lower=0, upper=200, epsilon=1, person=people, total=2000, ledger=kept)
    assert [] == kept.spent


def test_a_histogram_and_an_engine_have_no_rows_to_group() -> None:
    """Said before the spend."""
    kept = Kept()
    with pytest.raises(ValueError, match="A histogram has no rows"):
        dps.median(dps.data.Column.from_counts([1, 2]), **BOUNDS, epsilon=1, by=["n"], groups=["n"], ledger=kept)
    ibis = pytest.importorskip("ibis")
    stored = ibis.memtable(pa.table({"pay": [1, 2]})).pay
    with pytest.raises(TypeError, match="pass by= as a name"):
        dps.median(stored, **BOUNDS, epsilon=1, by=["n", "n"], groups=["n"], ledger=kept)
    assert [] == kept.spent


def test_a_delta_is_refused_before_the_spend() -> None:
    """It is not shared by rows."""
    kept, rows = Kept(), ContributionBounds.of(None, None, [1, 2, 3], 2)
    laplace = dps.mechanism("smooth-noisy-max", noise="laplace", delta=1e-6)
    with pytest.raises(dps.PrivacyError, match="has a delta"):
        by_group.chosen_by_group([0, 1, 2], HALF, GRID, 1, laplace, rows, kept)
    assert [] == kept.spent


HOSTILE = [None, "", [], {"a": 1}, float("nan"), float("inf"), b"x", pd.NaT, 10**400, object(), "\ud800", "n\x00"]


@pytest.mark.parametrize("cell", HOSTILE)
@pytest.mark.parametrize("column", ["values", "by", "person"])
def test_no_cell_decides_whether_there_is_an_answer(column: str, cell) -> None:
    """In lists and in pandas; other rows count as before."""
    table = {"values": VALUES, "by": REGION, "person": [*range(180)]}
    table = {name: [*cells, cell if name == column else cells[0]] for name, cells in table.items()}
    for make in (list, lambda cells: pd.Series(cells, dtype=object)):
        made = {name: make(cells) for name, cells in table.items()}
        with dps.budget(epsilon=1000, neighbours="person"):
            release = dps.median(
                made["values"], **BOUNDS, epsilon=60, by=made["by"], groups=["n", "s"], person=made["person"]
            )
        assert {"n": 10, "s": 30} == release.value


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 1e308, -1e308, 5e-324])
def test_numbers_at_the_ends_move_to_the_ends_of_the_grid(value) -> None:
    """Of integers and of floats."""
    with dps.budget(epsilon=1000):
        release = dps.median(np.array([value] * 50), **BOUNDS, epsilon=60, by=["n"] * 50, groups=["n"])
    assert {"n": 100 if value > 1 else 0} == release.value


def test_a_table_without_rows_answers() -> None:
    """In every group."""
    with dps.budget(epsilon=1000, neighbours="person"):
        release = dps.quantiles([], [0.1, 0.9], **BOUNDS, epsilon=1, by=[], groups=range(3), person=[])
    assert [2, 2, 2] == [len(values) for values in release.value.values()]

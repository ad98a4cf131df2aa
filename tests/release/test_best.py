"""The best groups by a formula: what is counted and refused, exact losses through rows, and every kind of table."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.formulas import scores
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.grammar import Prior, group_score
from dpselect.queries import QueryError
from dpselect.release.best import GroupRanking
from dpselect.release.group_sums import count_groups

STARS = {"stars": {"lower": 1, "upper": 5}}
ROWS = {
    "place": ["A"] * 40 + ["B"] * 60 + ["C"] * 3 + ["elsewhere"] * 9,
    "stars": [4, 5] * 20 + [1, 2, 3] * 20 + [5, 5, 5] + [5] * 9,
    "late": ["no"] * 40 + ["yes", "no"] * 30 + ["yes"] * 3 + ["yes"] * 9,
}
GROUPS = ["A", "B", "C", "D"]
LATE = {"late": ["yes", "no"]}


def asked(score: str, **more: object) -> tuple[str, ...]:
    """The answer at an epsilon that leaves nothing to chance."""
    given = {"epsilon": 500, "by": "place", "groups": GROUPS, "columns": STARS | LATE} | more
    return dps.best(ROWS, score=score, **given).value


def test_groups_are_ranked_by_what_the_formula_says() -> None:
    """Averages and rates with a prior, counts of values, formulas, and both orders."""
    assert asked("avg(stars)", prior="5:3") == ("A",)
    assert asked("avg(stars)", prior="0.1:3") == asked("avg(stars)", prior=".1:3") == ("C",)
    assert asked("avg(stars)", prior="5:3", order="lowest") == ("B",)
    assert {*asked("rate(late = yes)", prior="2:0.1", k=2)} == {"B", "C"}
    assert asked("count(late = 'yes') / (count() + 10)") == ("B",)
    assert asked("count(stars >= 4) - count(stars < 4)") == ("A",)
    assert asked("sum(stars)") == ("A",)
    assert asked("sqrt(sum(stars)) * log(count() + 1)") == ("A",)


def test_the_sums_of_groups_are_those_of_their_rows() -> None:
    """Also over all groups, of numbers outside of the bounds, and on a grid with fractions."""
    ranking = GroupRanking.of("sum(stars) / (overall(count()) + 1) + count(stars != 3)", STARS)
    counts, _ = ranking_counts(ranking, ROWS)

    assert counts["sum(stars)"].tolist() == [180, 120, 15, 0]
    assert counts["overall(count())"].tolist() == [103] * 4
    assert counts["count(stars != 3)"].tolist() == [40, 40, 3, 0]

    fine = GroupRanking.of("sum(x) + count(x > 0.25)", {"x": {"lower": -0.5, "upper": 1, "step": 0.25}})
    counts, _ = ranking_counts(fine, {"place": ["A", "A", "B"], "x": [0.3, 9, -7]})
    assert (counts["sum(x)"] * float(fine.column.unit)).tolist() == [1.25, -0.5, 0, 0]
    assert counts["count(x > 0.25)"].tolist() == [1, 0, 0, 0]


def ranking_counts(
    ranking: GroupRanking, rows: dict[str, list[object]]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The sums of the groups."""
    return count_groups(rows, ranking.column, ranking.score, "place", GROUPS, None, 1)


def test_kinds_of_rows_are_what_rows_add() -> None:
    """Of numbers ranges between which no condition tells apart, of a list its values, of all groups a part."""
    ranking = GroupRanking.of("sum(stars) + count(stars >= 4) - count(stars = 2)", STARS)
    assert ranking.column.kinds(ranking.score) == [
        {"count(stars = 2)": 0, "count(stars >= 4)": 0, "sum(stars)": (1, 1)},
        {"count(stars = 2)": 1, "count(stars >= 4)": 0, "sum(stars)": (2, 2)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 0, "sum(stars)": (3, 3)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 1, "sum(stars)": (4, 4)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 1, "sum(stars)": (5, 5)},
    ]
    ranking = GroupRanking.of("avg(stars)", STARS, "5:3")
    assert ranking.column.kinds(ranking.score) == [{"count()": 1, "sum(stars)": (1, 5)}]
    ranking = GroupRanking.of("count(late = yes) / (overall(count()) + 1)", LATE)
    assert ranking.column.kinds(ranking.score) == [
        {"count(late = 'yes')": 1, "overall(count())": 1},
        {"count(late = 'yes')": 0, "overall(count())": 1},
        {"overall(count())": 1},
    ]


RELATIVE = "count(v = yes) / (count() + 1) - overall(count(v = yes)) / (overall(count()) + 1)"


@pytest.mark.parametrize(
    ("score", "prior", "domain", "most"),
    [
        ("avg(v)", "2:1", {"lower": 0, "upper": 2}, 2),
        ("rate(v = yes)", "1:0.5", ["yes", "no"], 2),
        (RELATIVE, None, ["yes", "no"], 1),
        pytest.param(RELATIVE, None, ["yes", "no"], 2, marks=pytest.mark.slow),
    ],
)
def test_losses_through_rows_stay_below_epsilon(score: str, prior: str | None, domain: object, most: int) -> None:
    """Every table of so many rows or fewer, and one row more, of the law of the winner."""
    ranking = GroupRanking.of(score, {"v": domain}, prior)
    cells = domain if isinstance(domain, list) else [0, 1, 2]
    rows, draw = sorted(itertools.product("AB", cells)), dps.mechanism("permute-and-flip")

    def law(table: tuple[tuple[str, object], ...]) -> np.ndarray:
        read = {"place": [place for place, _ in table], "v": [cell for _, cell in table]}
        if not table:
            read = {"place": np.array([], dtype=str), "v": np.array([], dtype=type(cells[0]))}
        return np.asarray(draw.pmf(ranking.margins(read, 1, "place", ["A", "B", "C"]), 1))

    known = {
        table: law(table) for many in range(most + 2) for table in itertools.combinations_with_replacement(rows, many)
    }
    losses = [
        np.abs(np.log(known[table] / known[tuple(sorted((*table, row)))])).max()
        for table in known
        if len(table) <= most
        for row in rows
    ]

    assert 0.3 < max(losses) <= 1


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("avg(stars)", "give a prior, such as 20:3"),
        ("sum(stars) / count()", "may be 0, and divides"),
        ("sum(late)", "has a list of values, which do not add up"),
        ("count()", "count\\(\\) alone reads no column: ask for the most common values"),
        ("sum(stars)^2", "A score has no powers: write square"),
        ("sum(stars) ** 2", "A score has no powers: write square"),
        ("sum(stars) + count(late = yes)", "reads one column"),
        ("sum(income)", "No public bounds or values of income"),
        ("count(late = maybe)", "maybe is none of the values of late"),
        ("count(late < 3)", "compare it by = or !="),
        ("count(stars = 'five')", "compare it with a number"),
        ("median(stars)", "A score has no median: write count, sum"),
        ("sum(stars", "its end where"),
        ("sum(stars) 3", "where it should end"),
        ("", "1 to 500 letters"),
        ("sum(stars)" + " + 1" * 200, "1 to 500 letters"),
        ("(" * 30 + "sum(stars)" + ")" * 30, "brackets deep"),
        ("sum(stars) ; drop", "a sign that it cannot have, at its letter 11"),
        ("__import__('os')", "A score has no __import__"),
        ("__import__('os').system('ls')", "a sign that it cannot have"),
        ("sum(stars).__class__", "a sign that it cannot have"),
        ("sum((select 1))", "where the name of a column belongs"),
        ("max(sum(stars))", "max takes 2 numbers"),
        ("clip(sum(stars), 3, 1)", "exchange them"),
        ("clip(sum(stars), count(), 1)", "bounds of clip are numbers"),
        ("sum(stars) / (2 - 2)", "does not divide by 0"),
        ("overall(overall(sum(stars)))", "within another"),
        ("sum(stars) - sum(stars)", "the same whatever the rows are"),
        ("abs(" * 20 + "square(sum(stars))" + ")" * 20, "more than 1000 parts"),
        ("3", "reads no column"),
    ],
)
def test_scores_that_cannot_be_read_are_refused_before_a_row_is(score: str, words: str) -> None:
    """In one sentence that says what to write."""
    with pytest.raises(FormulaError, match=words):
        dps.best("nowhere.csv", epsilon=1, by="place", groups=GROUPS, score=score, columns=STARS | LATE)


def test_dates_are_not_added_up() -> None:
    """A described column of dates stands beside others, and is refused in a score alone."""
    day = {"lower": "2025-01-01", "upper": "2025-12-31", "step": "month"}
    columns = {"place": GROUPS, "day": day} | STARS
    data = dps.open(dps.Dataset.of(ROWS | {"day": ["2025-02-01"] * 112}, columns=columns, budget={"epsilon": 3}))

    assert data.plan.best("sum(stars)", by="place", epsilon=1).mechanism == "permute-and-flip"
    with pytest.raises(QueryError, match="^score: day has neither numbers nor a list of values"):
        data.plan.best("sum(day)", by="place", epsilon=1)


def test_lists_of_truth_values_and_of_numpy_are_compared() -> None:
    """Truth values by = alone; numbers of any kind."""
    with pytest.raises(FormulaError, match="compare it by = or !="):
        GroupRanking.of("count(v < 1)", {"v": [True, False]})
    ranking = GroupRanking.of("count(v < 2)", {"v": [np.float64(1.5), np.float64(2)]})
    assert ranking.column.kinds(ranking.score) == [{"count(v < 2)": 1}, {"count(v < 2)": 0}]


def test_bounds_beyond_what_sums_hold_are_refused_before_a_row_is() -> None:
    """Sums that wrap around in 64 bits would move by more than one row may add."""
    for score in ("sum(v)", "avg(v)", "overall(sum(v))"):
        with pytest.raises(FormulaError, match="too many digits for sums"):
            GroupRanking.of(
                score, {"v": {"lower": 2**51, "upper": 2**51 + 1000, "step": 1}}, "1:0" if "avg" in score else None
            )


def test_a_part_that_occurs_twice_is_in_units_once() -> None:
    """The size of a deviation, of a column with steps of a tenth."""
    fine = {"x": {"lower": 0, "upper": 5, "step": 0.1}}
    ranking = GroupRanking.of("abs(avg(x) - 3)", fine, "20:3")
    counts, _ = count_groups(
        {"place": ["A"] * 100, "x": [1.5] * 100}, ranking.column, ranking.score, "place", ["A", "B"], None, 1
    )

    assert scores(ranking.formula, counts, ranking.kinds).values.tolist() == pytest.approx([1.25, 0])


@pytest.mark.parametrize(
    "score",
    [
        "1e20 * count(v = yes)",
        "1e99 * 1e99 * 1e99 * 8e10 * (abs(count(v = yes) - count(v = no)) + count())",
        "square(square(1e99 * count(v = yes))) - square(square(1e99 * count(v = no)))",
    ],
)
def test_huge_factors_are_no_reason_to_refuse_some_rows(score: str) -> None:
    """A refusal that depends on the rows would say how many there are, before anything was spent."""
    ranking = GroupRanking.of(score, {"v": ["yes", "no"]})
    for yes, no in itertools.product((0, 1, 60), repeat=2):
        rows = {"place": ["A"] * (yes + no) + ["C"], "v": ["yes"] * yes + ["no"] * no + ["no"]}
        assert np.isfinite(ranking.margins(rows, 1, "place", ["A", "B"]).values).all()


def test_other_refusals() -> None:
    """A list of all groups, a prior that is none, an order that is none."""
    with pytest.raises(ValueError, match="pass a number from 1 to 3"):
        asked("sum(stars)", k=4)
    with pytest.raises(ValueError, match="such as 5:3 or 20:0.1"):
        asked("avg(stars)", prior="five")
    with pytest.raises(ValueError, match="this score has neither"):
        asked("sum(stars)", prior="5:3")
    with pytest.raises(ValueError, match="order is highest or lowest"):
        asked("sum(stars)", order="best")


def test_texts_of_scores_are_read_as_they_are_written() -> None:
    """Precedence, signs, names in quotes, numbers with exponents, and texts with quotes in them."""
    assert repr(group_score("1 + 2 * sum(x) - -3").formula) == "(2 * sum(x) + 4)"
    assert repr(group_score("sum(x) / 4 / 2").formula) == "0.125 * sum(x)"
    assert repr(group_score('sum("a b") * 1e2').formula) == '100 * sum("a b")'
    (name,) = group_score("count(city = 'L''Aquila')").sums
    assert name == "count(city = 'L''Aquila')"
    (each,) = group_score("count(x <> -2.5)").sums.values()
    assert (each.condition.sign, each.condition.value) == ("!=", Fraction(-5, 2))
    assert str(Prior.parse("123456789.123456789:-0.000000001")) == "123456789.123456789:-0.000000001"
    assert str(Prior.parse("20.50:3.0")) == "20.5:3"
    assert len(group_score("count(x = 3) + count(x = '3') + count(x > 1234567.1) + count(x > 1234567.2)").sums) == 4


def test_a_query_has_a_price_an_error_and_a_certificate() -> None:
    """As a method of a dataset, in JSON, of persons, and refused where the dataset does not suit it."""
    columns = {"place": GROUPS} | STARS | LATE
    data = dps.open(dps.Dataset.of(ROWS, columns=columns, budget={"epsilon": 2000}))
    plan = data.plan.best("avg(stars)", by="place", prior="5:3", epsilon=1)
    release = data.best("avg(stars)", by="place", prior="5:3", epsilon=900)
    content = release.certificate().content

    assert plan.mechanism == "permute-and-flip"
    assert "rows that come or go behind the best" in plan.error_bound.describe()
    assert release.value == ("A",)
    assert (
        content["question"] == "Which value of place has the highest avg(stars), with 5:3 as rows and value of a prior?"
    )
    assert content["public"]["groups"] == GROUPS
    query = dps.queries.query_of({"query": "best", "score": "sum(stars)", "by": "place", "k": 2, "epsilon": 1})
    assert data.plan_of(query).guarantee.epsilon == 1
    for wrong in ("avg(stars)", "sum(stars", "sum(other)"):
        with pytest.raises(QueryError, match="^score: "):
            data.plan.best(wrong, by="place", epsilon=1)
    with pytest.raises(QueryError, match="^k: This has 4 groups"):
        data.plan.best("sum(stars)", by="place", k=4, epsilon=1)
    with pytest.raises(QueryError, match="^prior: A prior is for avg"):
        data.plan.best("sum(stars)", by="place", prior="5:3", epsilon=1)


def test_persons_are_protected_with_the_rows_that_count() -> None:
    """Two rows of each count; the promise, its scope and the answer are those of persons."""
    rows = ROWS | {"who": [each // 4 for each in range(len(ROWS["place"]))]}
    data = dps.open(
        dps.Dataset.of(
            rows, columns={"place": GROUPS} | STARS, person="who", rows_per_person=2, budget={"epsilon": 2000}
        )
    )
    release = data.best("avg(stars)", by="place", prior="5:3", epsilon=900)

    assert release.guarantee.neighbours.value == "person"
    assert release.rows_per_person == 2
    assert release.value == ("A",)


def test_a_person_of_one_row_is_protected_as_a_person() -> None:
    """What a description declares unless it says otherwise: the promise, and the plan, name persons."""
    rows = ROWS | {"who": [*range(len(ROWS["place"]))]}
    described = dps.Dataset.of(rows, columns={"place": GROUPS} | STARS, person="who", budget={"epsilon": 2000})
    data = dps.open(described)
    asked = {"by": "place", "prior": "5:3", "epsilon": 900}

    assert data.plan.best("avg(stars)", **asked).guarantee.neighbours.value == "person"
    assert data.best("avg(stars)", **asked).value == ("A",)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_files_and_engines_give_the_same_answer(tmp_path: Path) -> None:
    """One GROUP BY where the rows are."""
    duckdb = pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    table = ibis.duckdb.connect().create_table("ratings", frame)
    given = {"epsilon": 500, "by": "place", "groups": GROUPS, "score": "avg(stars)", "columns": STARS, "prior": "5:3"}

    assert duckdb
    answers = {dps.best(place, **given).value for place in (ROWS, frame, str(tmp_path / "ratings.csv"), table)}
    assert answers == {("A",)}

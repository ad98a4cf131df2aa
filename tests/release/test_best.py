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
from dpselect.formulas.margins import is_exact
from dpselect.queries import QueryError
from dpselect.release.best import GroupRanking
from dpselect.sources.warehouse import Warehouse

STARS = {"stars": {"lower": 1, "upper": 5}}
ROWS = {
    "place": ["A"] * 40 + ["B"] * 60 + ["C"] * 3 + ["elsewhere"] * 9,
    "stars": [4, 5] * 20 + [1, 2, 3] * 20 + [5, 5, 5] + [5] * 9,
    "late": ["no"] * 40 + ["yes", "no"] * 30 + ["yes"] * 3 + ["yes"] * 9,
}
GROUPS = ["A", "B", "C", "D"]
LATE = {"late": ["yes", "no"]}
KINDS = (("place", str), ("v", int), ("w", str))
WIDE = {name: [f"v{place}" for place in range(20)] for name in ("many", "more")} | {
    name: {"lower": 0, "upper": 2**30} for name in ("fine", "finer")
}


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
    assert (counts["sum(x)"] * float(fine.columns.columns["x"].unit)).tolist() == [1.25, -0.5, 0, 0]
    assert counts["count(x > 0.25)"].tolist() == [1, 0, 0, 0]


@pytest.mark.slow
def test_losses_of_two_columns_stay_below_epsilon() -> None:
    """Whole laws of the winner for all tables of two rows or fewer, and one row more, of cells of both columns."""
    columns = {"v": {"lower": 0, "upper": 1}, "w": ["yes", "no"]}
    ranking = GroupRanking.of("avg(v) - count(w = yes) / (count() + 2)", columns, "1:0")
    rows, draw = sorted(itertools.product("AB", (0, 1), ("yes", "no"))), dps.mechanism("permute-and-flip")

    def law(table: tuple[tuple[str, int, str], ...]) -> np.ndarray:
        read = {name: np.array([row[at] for row in table], dtype=kind) for at, (name, kind) in enumerate(KINDS)}
        return np.asarray(draw.pmf(ranking.margins(read, 1, "place", ["A", "B", "C"]), 1))

    known = {table: law(table) for many in range(3) for table in itertools.combinations_with_replacement(rows, many)}
    losses = [
        np.abs(np.log(known[table] / known[tuple(sorted((*table, row)))])).max()
        for table in known
        if len(table) < 2
        for row in rows
    ]

    assert 0.3 < max(losses) <= 1


def ranking_counts(
    ranking: GroupRanking, rows: dict[str, list[object]]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The sums of the groups."""
    return ranking.columns.count(rows, "place", GROUPS, None, 1)


def test_several_columns_make_one_score() -> None:
    """A row counts where it has a cell of each; the ratios of one group are one ratio, and exact."""
    rows = {
        "place": ["A"] * 40 + ["B"] * 40 + ["C"] * 4,
        "stars": [4] * 40 + [5] * 39 + [None] + [3] * 4,
        "price": [10.26] * 40 + [40.0] * 40 + [None, float("nan"), 12, 99999],
        "late": ["no", "yes"] * 20 + ["no"] * 40 + ["never", "no", "no", "no"],
    }
    columns = STARS | LATE | {"price": {"lower": 0, "upper": 100, "step": 0.5}}
    score = "avg(stars) - avg(price) / 10 - count(late = yes) / (count() + 1)"
    ranking = GroupRanking.of(score, columns, "1:0")
    counts, metadata = ranking.columns.count(rows, "place", GROUPS, None, 1)

    assert metadata["column"] == "stars, price, late"
    assert {name: counts[name].tolist() for name in ("count()", "sum(stars)", "count(late = 'yes')")} == {
        "count()": [40, 39, 2, 0],
        "sum(stars)": [160, 195, 6, 0],
        "count(late = 'yes')": [20, 0, 0, 0],
    }
    assert (counts["sum(price)"] / 2).tolist() == [420, 1560, 112, 0]
    assert scores(ranking.formula, counts, ranking.kinds).values[0] == pytest.approx(160 / 41 - 42 / 41 - 20 / 41)
    assert is_exact(ranking.formula)
    assert dps.best(rows, epsilon=500, by="place", groups=GROUPS, score=score, columns=columns, prior="1:0").value == (
        "A",
    )
    assert dps.best(rows, epsilon=500, by="place", groups=GROUPS, score="count()", columns={}).value != ("C",)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
@pytest.mark.parametrize("person", [None, "who"])
def test_engines_add_up_what_memory_does(person: str | None, tmp_path: Path) -> None:
    """Rows with missing, hostile and far cells, groups that are spelled or not listed, of rows and of persons."""
    ibis = pytest.importorskip("ibis")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("duckdb")
    rng = np.random.default_rng(5)
    many = 3000
    frame = pandas.DataFrame(
        {
            "place": rng.choice(["A", "B", "C", "a", "A ", "elsewhere", None], many),
            "stars": pandas.array(rng.integers(-3, 9, many), dtype="Int64"),
            "price": rng.choice([0.25, 0.75, 12.3, -np.inf, np.inf, np.nan, 7.5, 1e300], many),
            "late": rng.choice(["yes", "no", "nan", "", None], many),
            "who": rng.integers(0, 900, many),
        }
    )
    frame.loc[rng.random(many) < 0.1, "stars"] = pandas.NA
    columns = STARS | LATE | {"price": {"lower": 0, "upper": 20, "step": 0.5}}
    score = "sum(stars) + sum(price) + count(price > 7) + count(late = yes) + overall(count(stars != 3)) + count()"
    rankings = [
        GroupRanking.of(each, columns, person=person, rows_per_person=2)
        for each in (score, "count(late = yes)", "count()", "sum(price)")
    ]
    there = ibis.duckdb.connect().create_table("ratings", frame)
    frame.to_parquet(tmp_path / "ratings.parquet")

    found = [
        [
            {name: each.tolist() for name, each in ranking.columns.count(table, "place", GROUPS, person, 2)[0].items()}
            for ranking in rankings
        ]
        for table in (frame, there, str(tmp_path / "ratings.parquet"))
    ]
    assert found[0] == found[1] == found[2]
    assert found[0][0]["count()"][0] > 20
    assert found[0][0]["count()"][3] == 0


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_an_engine_sends_one_row_for_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fine the column is; and its sums are right beyond what doubles hold."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    con = ibis.duckdb.connect()
    con.con.execute(
        "create table big as select 'A' as place, 2000000000 + range % 3 as v from range(6000000) "
        "union all select 'other' || range, 1 from range(1000)"
    )
    ranking = GroupRanking.of("sum(v)", {"v": {"lower": 0, "upper": 2**31 - 1}})
    sent: list[int] = []
    ask = Warehouse.ask

    def counted(self: Warehouse, expression: object) -> dict[str, np.ndarray]:
        rows = ask(self, expression)
        sent.extend([len(rows["g"])] if "g" in rows else [])
        return rows

    monkeypatch.setattr(Warehouse, "ask", counted)
    monkeypatch.delattr(Warehouse, "batches")
    counts, _ = ranking.columns.count(con.table("big"), "place", GROUPS, None, 1)

    assert sent == [1]
    assert counts["sum(v)"].tolist() == [6_000_000 * 2_000_000_000 + 6_000_000, 0, 0, 0]
    assert int(counts["sum(v)"][0]) > 2**53


def test_small_groups_are_filled_up_with_the_worst_rows() -> None:
    """Up to the minimum size, by hand; larger groups keep their average, and one without rows is worst of all."""
    counts = {"sum(stars)": [100, 20, 5, 0], "count()": [40, 4, 1, 0]}
    for order, sign, worst in (("highest", 1, 1), ("lowest", -1, 5)):
        ranking = GroupRanking.of("avg(stars)", STARS, order=order, min_rows=10)
        by_hand = [2.5, (20 + 6 * worst) / 10, (5 + 9 * worst) / 10, worst]
        assert scores(ranking.formula, counts, ranking.kinds).values.tolist() == pytest.approx(
            [sign * each for each in by_hand]
        )
        assert is_exact(ranking.formula)
    assert asked("avg(stars)", min_rows=3) == ("C",)
    assert asked("avg(stars)", min_rows=30) == ("A",)
    assert asked("sum(stars) / count() - count(late = yes) / count()", min_rows=30) == ("A",)
    assert asked("1 - sqrt(rate(late = yes))", min_rows=2) == ("A",)


@pytest.mark.parametrize(
    ("score", "prior", "words"),
    [
        ("sum(stars)", None, "this score has neither"),
        ("count(late = yes) / (count() + 4)", None, "this score has neither"),
        ("square(avg(stars))", None, "which is worst is not clear in this score: give a prior"),
        ("avg(stars) * rate(late = yes)", None, "which is worst is not clear"),
        ("sum(stars) / count(late = yes)", None, "which is worst is not clear"),
        ("count() / sum(stars)", None, "is not a count of rows: add a number to it"),
        ("avg(stars)", "5:3", "two ways to do the same"),
    ],
)
def test_minimum_sizes_that_mean_nothing_are_refused(score: str, prior: str | None, words: str) -> None:
    """Before a row is read."""
    with pytest.raises(ValueError, match=words):
        GroupRanking.of(score, STARS | LATE, prior, min_rows=20)


def test_a_query_takes_a_minimum_size() -> None:
    """In its plan and its certificate; beside a prior it is refused."""
    data = dps.open(dps.Dataset.of(ROWS, columns={"place": GROUPS} | STARS, budget={"epsilon": 2000}))
    release = data.best("avg(stars)", by="place", min_rows=20, epsilon=900)
    content = release.certificate().content

    assert release.value == ("A",)
    assert content["question"].endswith("avg(stars), of 20 rows or filled up to as many with the worst?")
    assert content["public"]["minimum rows"] == 20
    with pytest.raises(QueryError, match="^min_rows: A prior and a minimum size"):
        data.plan.best("avg(stars)", by="place", prior="5:3", min_rows=20, epsilon=1)


def test_kinds_of_rows_are_what_rows_add() -> None:
    """Of numbers ranges between which no condition tells apart, of a list its values, of all groups a part."""
    ranking = GroupRanking.of("sum(stars) + count(stars >= 4) - count(stars = 2)", STARS)
    assert ranking.columns.kinds == [
        {"count(stars = 2)": 0, "count(stars >= 4)": 0, "sum(stars)": (1, 1)},
        {"count(stars = 2)": 1, "count(stars >= 4)": 0, "sum(stars)": (2, 2)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 0, "sum(stars)": (3, 3)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 1, "sum(stars)": (4, 4)},
        {"count(stars = 2)": 0, "count(stars >= 4)": 1, "sum(stars)": (5, 5)},
    ]
    ranking = GroupRanking.of("avg(stars)", STARS, "5:3")
    assert ranking.columns.kinds == [{"count()": 1, "sum(stars)": (1, 5)}]
    ranking = GroupRanking.of("sum(stars) * count(late = yes)", STARS | LATE)
    assert ranking.columns.kinds == [
        {"count(late = 'yes')": 1, "sum(stars)": (1, 5)},
        {"count(late = 'yes')": 0, "sum(stars)": (1, 5)},
    ]
    assert GroupRanking.of("count()", {}).columns.kinds == [{"count()": 1}]
    ranking = GroupRanking.of("count(late = yes) / (overall(count()) + 1)", LATE)
    assert ranking.columns.kinds == [
        {"count(late = 'yes')": 1, "overall(count())": 1},
        {"count(late = 'yes')": 0, "overall(count())": 1},
        {"overall(count())": 1},
    ]


RELATIVE = "count(v = yes) / (count() + 1) - overall(count(v = yes)) / (overall(count()) + 1)"


@pytest.mark.parametrize(
    ("score", "prior", "domain", "most"),
    [
        ("avg(v)", "2:1", {"lower": 0, "upper": 2}, 2),
        ("avg(v)", None, {"lower": 0, "upper": 2}, 2),
        ("rate(v = yes)", "1:0.5", ["yes", "no"], 2),
        *(pytest.param(RELATIVE, None, ["yes", "no"], most, marks=pytest.mark.slow) for most in (1, 2)),
    ],
)
def test_losses_through_rows_stay_below_epsilon(score: str, prior: str | None, domain: object, most: int) -> None:
    """Every table of so many rows or fewer, and one row more, of the law of the winner."""
    ranking = GroupRanking.of(score, {"v": domain}, prior, min_rows=2 if "avg" in score and prior is None else None)
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
        ("sum(stars)^2", "A score has no powers: write square"),
        ("sum(stars) ** 2", "A score has no powers: write square"),
        (
            " + ".join(f"count(stars >= {x})" for x in (2, 3, 4, 5))
            + "+ count(many = 'v1') * "
            + " * ".join(f"count(many = 'v{x}')" for x in range(2, 12))
            + "+ count(more = 'v1') * count(more = 'v2') * count(more = 'v3')",
            "more than 200 kinds",
        ),
        ("sum(fine) * sum(finer)", "too many values together"),
        ("count(stars >= 9)", "the same whatever the rows are"),
        ("sum(income)", "No public bounds or values of income"),
        ("count(late = maybe)", "maybe is not a value of late"),
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
        ("3", "the same whatever the rows are"),
    ],
)
def test_scores_that_cannot_be_read_are_refused_before_a_row_is(score: str, words: str) -> None:
    """In one sentence that says what to write."""
    with pytest.raises(FormulaError, match=words):
        dps.best("nowhere.csv", epsilon=1, by="place", groups=GROUPS, score=score, columns=STARS | LATE | WIDE)


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
    assert ranking.columns.kinds == [{"count(v < 2)": 1}, {"count(v < 2)": 0}]


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
    counts, _ = ranking.columns.count({"place": ["A"] * 100, "x": [1.5] * 100}, "place", ["A", "B"], None, 1)

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
    assert " rows behind the best" in plan.error_bound.describe()
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


CANCEL = "sqrt(1 - (2*count(v = 0)/3 + 2*count(v = 1)/3 + 1/7)/(2*count()/3 + 1/7))"


@pytest.mark.parametrize(
    ("score", "more"),
    [
        (CANCEL, {}),
        (CANCEL.replace("sqrt", "xlogx"), {}),
        ("1/(1 - count(v = 1)/(count() + 1e-99))", {}),
        ("log(1 - rate(v = 1))", {"min_rows": 2}),
        ("log(2 - avg(v))", {"min_rows": 2}),
        ("log(2 - avg(v))", {"prior": "1:2"}),
        ("1/(2 - avg(v))", {"prior": "1:2"}),
        ("1/parallel(1 - (count(v = 1) + 1)/(count() + 1), count() + 1)", {}),
        ("log(1 + rate(v = 1))", {"min_rows": 2}),
    ],
)
def test_what_is_accepted_has_a_value_whatever_the_rows_are(score: str, more: dict[str, object]) -> None:
    """A formula that may have none is refused before any row is read, and no other is refused for rows."""
    may_lack_one = any(part in score for part in ("2 - avg", "1 - rate", "parallel", "1e-99"))
    if may_lack_one:
        with pytest.raises(FormulaError):
            GroupRanking.of(score, {"v": {"lower": 0, "upper": 2}}, **more)
        return
    tables = [[0] * a + [1] * b + [2] * c for a, b, c in itertools.product((0, 1, 3, 16), (0, 1, 2), (0, 1))]
    for values in tables:
        rows = {"g": ["A"] * len(values) + ["B", "B"], "v": [*values, 1, 2]}
        columns = {"v": {"lower": 0, "upper": 2}}
        release = dps.best(rows, score=score, by="g", groups=["A", "B"], columns=columns, epsilon=1, **more)
        assert release.value[0] in ("A", "B")


@pytest.mark.parametrize(
    ("score", "prior"),
    [("rate(stars >= 4)", "20:30000"), ("avg(stars)", "20:6"), ("avg(stars)", "20:-1"), ("rate(stars >= 4)", "5:1.1")],
)
def test_a_prior_that_no_row_could_have_is_refused(score: str, prior: str) -> None:
    """Its rows would outweigh all others, and the smallest group would win."""
    frame = {"place": ["a", "b"] * 50, "stars": [1, 5] * 50}
    described = dps.Dataset.of(
        frame, columns={"place": ["a", "b"], "stars": {"lower": 0, "upper": 5}}, budget={"epsilon": 9}
    )
    with pytest.raises(ValueError, match="The rows of a prior have values from 0 to"):
        dps.open(described).best(score, by="place", prior=prior, epsilon=1)
    assert dps.open(described).ledger.totals.spends == 0


def test_a_bound_is_shown_in_three_digits_rounded_up() -> None:
    """Never below the figure that holds, and in rows, which a reader can count."""
    release = dps.best(
        {"job": ["a"] * 20 + ["b"] * 9, "age": [40] * 29},
        epsilon=0.3,
        by="job",
        groups=["a", "b"],
        score="avg(age)",
        prior="20:50",
        columns={"age": {"lower": 0, "upper": 100}},
    )
    shown = release.error_bound.describe()
    figure = float(shown.split()[2])
    assert shown.split()[3:6] == ["rows", "behind", "the"]
    assert release.error_bound.at() <= figure <= release.error_bound.at() * 1.01
    assert len(shown.split()[2].replace(".", "")) <= 3

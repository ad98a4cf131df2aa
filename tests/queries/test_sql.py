"""SQL: every form is the same query as without SQL, and nothing outside of the grammar reaches rows or ledger."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.queries import (
    BestGroups,
    Histogram,
    LocalDataset,
    Median,
    MostCommon,
    Partitions,
    PrivateRows,
    Quantiles,
    Query,
    QueryError,
    Select,
)
from dpselect.queries.sql.nodes import ALLOWED
from dpselect.queries.sql.sql_plan import SqlPlan
from dpselect.queries.sql.statement import SqlStatement, UnpublishedValueWarning
from dpselect.sources.conditions import Condition

pytest.importorskip("sqlglot", reason="SQL is parsed by sqlglot")

COLUMNS = {
    "place": ["North", "South", "it's"],
    "late": ["yes", "no"],
    "stars": {"lower": 1, "upper": 5},
    "income": {"lower": 0, "upper": 1000, "step": 10},
    "day": {"lower": "2025-01-01", "upper": "2025-12-31", "step": "month"},
    "level": [1, 2, 3],
    "nick": "unlisted",
    "date": ["a", "b"],
    "two words": ["x", "y"],
}
FACTS = {"columns": COLUMNS, "budget": {"epsilon": 100, "delta": 0.01, "ledger": "ratings.ledger"}}


def described(**more: Any) -> Dataset:
    return Dataset(source="folder/ratings.csv", **{**FACTS, **more})


RATINGS, PEOPLE = described(), described(person="who", rows_per_person=2)


def read(text: str, dataset: Dataset = RATINGS, **asked: Any) -> SqlStatement:
    return SqlStatement.parse(text, dataset, {"epsilon": 1, **asked})


def ranked(formula: str, order: str = "DESC", k: int = 2) -> str:
    return f"SELECT place FROM ratings GROUP BY place ORDER BY {formula} {order} LIMIT {k}"


SCORES = {
    "AVG(stars)": ("avg(stars)", "5:3"),
    "avg(Stars)": ("avg(stars)", "5:3"),
    "AVG(CASE WHEN late = 'yes' THEN 1 ELSE 0 END)": ("rate(late = 'yes')", "20:0.1"),
    "RATE(late = 'yes')": ("rate(late = 'yes')", "20:0.1"),
    "SUM(stars)": ("sum(stars)", None),
    "SUM(CASE WHEN stars >= 4 THEN 1 ELSE 0 END) - COUNT(*) FILTER (WHERE stars < 2)": (
        "count(stars >= 4) - count(stars < 2)", None,
    ),
    "COUNT(CASE WHEN late <> 'no' THEN 1 END) * -1": ("count(late != 'no') * -1", None),
    "(COUNT(*) FILTER (WHERE late = 'yes') + 20) / (COUNT(*) + 400)": (
        "(count(late = 'yes') + 20) / (count() + 400)", None,
    ),
    "COUNTIF(stars > 3) / (OVERALL(COUNT(*)) + .5)": ("count(stars > 3) / (overall(count()) + 0.5)", None),
    "SQRT(SUM(stars)) * LN(COUNT(*) + 1)": ("sqrt(sum(stars)) * log(count() + 1)", None),
    "((SUM(stars) - (COUNT(*) - 1)))": ("sum(stars) - (count() - 1)", None),
    "SUM(stars) / ((COUNT(*) + 1) * 2) - -(SUM(stars) + 1)": (
        "sum(stars) / ((count() + 1) * 2) - -(sum(stars) + 1)", None,
    ),
    "POWER(SUM(stars) - 3, 2) + SUM(stars)^2 + SQUARE(COUNT(*))": (
        "square(sum(stars) - 3) + square(sum(stars)) + square(count())", None,
    ),
    "LEAST(SUM(stars), 9) + GREATEST(COUNT(*), ABS(SUM(stars) - 5))": (
        "min(sum(stars), 9) + max(count(), abs(sum(stars) - 5))", None,
    ),
    "CLIP(AVG(stars), 2, 4) + XLOGX(COUNT(*)) + PARALLEL(COUNT(*), SUM(stars))": (
        "clip(avg(stars), 2, 4) + xlogx(count()) + parallel(count(), sum(stars))", "5:3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("formula", SCORES)
def test_a_formula_is_the_score_of_the_best_groups(formula: str) -> None:
    """Highest by DESC and lowest without; the description takes both texts for the same plan."""
    score, prior = SCORES[formula]
    for order, said in (("highest", "DESC"), ("lowest", ""), ("lowest", "ASC")):
        asked = BestGroups(score, by="place", prior=prior, k=2, order=order, epsilon=1)
        assert read(ranked(formula, said), prior=prior).query == asked
    assert asked.size(RATINGS) == 3


FORMS: dict[str, tuple[Query[Any], dict[str, Any]]] = {
    "SELECT place, COUNT(*) FROM ratings GROUP BY place": (Histogram("place", epsilon=1), {}),
    "select Place, count(*) as many from Ratings group by PLACE;": (Histogram("place", epsilon=1), {}),
    "SELECT COUNT(*) FROM dataset GROUP BY stars": (Histogram("stars", epsilon=1), {}),
    "SELECT COUNT(*), day FROM ratings GROUP BY day": (
        Histogram("day", epsilon=1, negative="clip"), {"negative": "clip"},
    ),
    "SELECT place, late, COUNT(*) FROM ratings GROUP BY place, late": (Histogram("late", by="place", epsilon=1), {}),
    "SELECT MEDIAN(income) FROM ratings": (Median("income", epsilon=1), {}),
    "SELECT place, MEDIAN(income) FROM ratings GROUP BY place": (Median("income", by="place", epsilon=1), {}),
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY income) FROM ratings": (
        Quantiles("income", q=[0.9], epsilon=1), {},
    ),
    "SELECT place, PERCENTILE_CONT(.25) WITHIN GROUP (ORDER BY income) AS low, PERCENTILE_CONT(.75) WITHIN GROUP "
    "(ORDER BY income ASC) FROM ratings GROUP BY place": (
        Quantiles("income", q=[0.25, 0.75], by="place", method="halving", epsilon=1), {"method": "halving"},
    ),
    "SELECT place FROM ratings GROUP BY place ORDER BY COUNT(*) DESC LIMIT 2": (
        MostCommon("place", k=2, epsilon=1), {},
    ),
    "SELECT place FROM ratings GROUP BY place ORDER BY COUNT(*) LIMIT 2": (
        Select("place", score="smallest-count", k=2, epsilon=1), {},
    ),
    "SELECT nick FROM ratings GROUP BY nick ORDER BY COUNT(*) DESC LIMIT 2": (
        MostCommon("nick", k=2, kept=9, delta=1e-6, epsilon=1), {"kept": 9, "delta": 1e-6},
    ),
    "SELECT DISTINCT nick FROM ratings": (
        Partitions("nick", per_person=3, delta=1e-6, epsilon=1), {"per_person": 3, "delta": 1e-6},
    ),
    "SELECT nick FROM ratings GROUP BY nick": (
        Partitions("nick", per_person=3, delta=1e-6, epsilon=1), {"per_person": 3, "delta": 1e-6},
    ),
    'SELECT "two words", COUNT(*) FROM "ratings" GROUP BY "two words"': (Histogram("two words", epsilon=1), {}),
    "SELECT date, COUNT(*) FROM ratings GROUP BY date": (Histogram("date", epsilon=1), {}),
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_form_is_the_same_query_as_without_sql(text: str) -> None:
    """Also with EXPLAIN before it, and of persons."""
    query, options = FORMS[text]
    for dataset in (RATINGS, PEOPLE):
        assert read(text, dataset, **options).query == query
        assert not read(text, dataset, **options).explained
        explained = read(f"explain {text}", dataset, **options)
        assert (explained.query, explained.explained, explained.where) == (query, True, None)


def test_what_orders_may_be_listed_and_is_said_not_to_be_published() -> None:
    """By its own words or by its name; whoever asks is warned, and a plan warns of nothing."""
    text = "SELECT place, COUNT(*) AS many FROM ratings GROUP BY place ORDER BY many DESC LIMIT 1"
    assert read(text).query == MostCommon("place", epsilon=1)
    assert "COUNT(*) decides which values are named" in str(read(text).unpublished)
    counted = "SELECT place, COUNT(DISTINCT who) FROM ratings GROUP BY place ORDER BY COUNT(DISTINCT who) DESC LIMIT 1"
    assert read(counted, PEOPLE).query == MostCommon("place", epsilon=1)
    mean = "SELECT place, AVG(stars) FROM ratings GROUP BY place ORDER BY AVG(stars) DESC LIMIT 1"
    assert (
        str(read(mean, prior="5:3").unpublished)
        == "avg(stars) decides which values are named and is not published: leave it out of SELECT."
    )
    names = read("SELECT nick, COUNT(*) FROM ratings GROUP BY nick", PEOPLE, per_person=1, delta=1e-6)
    assert (names.query, bool(names.unpublished)) == (Partitions("nick", per_person=1, delta=1e-6, epsilon=1), True)

    data = held()
    with pytest.warns(UnpublishedValueWarning, match="is not published"):
        data.sql("SELECT place, COUNT(*) FROM dataset GROUP BY place ORDER BY COUNT(*) DESC LIMIT 1", epsilon=1)
    data.plan.sql("SELECT place, COUNT(*) FROM dataset GROUP BY place ORDER BY COUNT(*) DESC LIMIT 1", epsilon=1)


CONDITIONS = {
    "late = 'yes'": "late = 'yes'",
    "late <> 'yes' AND stars >= 4": "late != 'yes' and stars >= 4",
    "stars < 4.5 OR income > -1e3 AND (late = 'no' OR level != 2)": (
        "stars < 4.5 or income > -1000 and (late = 'no' or level != 2)"
    ),
    "((place = 'it''s'))": "place = 'it''s'",
    "day >= '2025-03-01' AND day < DATE '2025-06-01'": "day >= 2025-03-01 and day < 2025-06-01",
    "NOT late = 'yes' AND level NOT IN (1, '2') OR NOT (stars < 2 OR stars BETWEEN 4 AND 5)": (
        "not late = 'yes' and not level in (1, 2) or not (stars < 2 or stars between 4 and 5)"
    ),
    "place in ('it''s') AND (NOT late IN ('no', 'yes') OR day BETWEEN '2025-03-01' AND DATE '2025-06-01')": (
        "place in ('it''s') and (not late in ('no', 'yes') or day between 2025-03-01 and 2025-06-01)"
    ),
    "\"two words\" = 'x' and nick != 'or 1 = 1; --'": "\"two words\" = 'x' and nick != 'or 1 = 1; --'",
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_where_is_a_condition_of_the_dataset(text: str) -> None:
    """As a description writes it, joined to the one that is described."""
    asked = f"SELECT MEDIAN(income) FROM ratings WHERE {text}"
    assert read(asked).where == CONDITIONS[text]
    assert read(asked).dataset == described(where=CONDITIONS[text])
    narrow = read(asked, described(where="year = 2025 or year = 2026")).dataset
    assert narrow.where == f"(year = 2025 or year = 2026) and ({CONDITIONS[text]})"
    assert narrow.digest != RATINGS.digest


def test_where_compares_listed_values_as_what_they_are() -> None:
    """Booleans by their text in small letters, and numbers as numbers, however they are written."""
    columns = {"flag": [True, False], "k": [1, 2], "x": {"lower": 0, "upper": 9}}
    file = Dataset(source="a.csv", columns=columns)
    asked = "SELECT MEDIAN(x) FROM dataset WHERE"
    assert "flag = 'true'" == read(f"{asked} flag = 'true'", file).where
    assert "k = 1" == read(f"{asked} k = '1'", file).where == read(f"{asked} k = 1", file).where
    with pytest.raises(QueryError, match="write one of true, false"):
        read(f"{asked} flag = 'True'", file)


COUNTED = "SELECT place, COUNT(*) FROM ratings GROUP BY place"
# What is outside of the grammar, by what it tries.
ATTACKS = {
    "subquery in FROM": "SELECT MEDIAN(income) FROM (SELECT * FROM ratings)",
    "subquery in SELECT": "SELECT (SELECT MEDIAN(income) FROM ratings) FROM ratings",
    "subquery in WHERE": "SELECT MEDIAN(income) FROM ratings WHERE income > (SELECT MEDIAN(income) FROM ratings)",
    "subquery in IN": "SELECT MEDIAN(income) FROM ratings WHERE place IN (SELECT place FROM ratings)",
    "exists": "SELECT MEDIAN(income) FROM ratings WHERE EXISTS (SELECT 1 FROM ratings)",
    "function": "SELECT READ_CSV('/etc/passwd') FROM ratings",
    "function of the engine": "SELECT MEDIAN(income) FROM ratings WHERE pg_sleep(10) = 1",
    "function as table": "SELECT MEDIAN(income) FROM read_csv('/etc/passwd')",
    "function of a score": ranked("SYSTEM('ls')"),
    "maximum of rows": "SELECT MAX(income) FROM ratings",
    "string function": ranked("SUM(LENGTH(place))"),
    "array of values": "SELECT place, ARRAY_AGG(income) FROM ratings GROUP BY place",
    "rows": "SELECT * FROM ratings",
    "row of values": "SELECT income, place FROM ratings",
    "column beside its groups": "SELECT income, COUNT(*) FROM ratings GROUP BY place",
    "comment": f"{COUNTED} -- all of them",
    "comment before": f"/* hello */ {COUNTED}",
    "comment that does not end": f"{COUNTED} /* WHERE",
    "hint": "SELECT /*+ BROADCAST(ratings) */ MEDIAN(income) FROM ratings",
    "other table": "SELECT MEDIAN(income) FROM salaries",
    "other schema": "SELECT MEDIAN(income) FROM other.ratings",
    "catalogue": "SELECT MEDIAN(income) FROM information_schema.tables",
    "file as table": "SELECT MEDIAN(income) FROM 'folder/ratings.csv'",
    "two tables": "SELECT MEDIAN(income) FROM ratings, salaries",
    "the same table twice": "SELECT MEDIAN(income) FROM ratings, ratings",
    "join": "SELECT MEDIAN(income) FROM ratings JOIN salaries ON ratings.id = salaries.id",
    "join of itself": "SELECT MEDIAN(income) FROM ratings CROSS JOIN ratings",
    "lateral": "SELECT MEDIAN(income) FROM ratings, LATERAL (SELECT 1)",
    "alias of the table": "SELECT MEDIAN(r.income) FROM ratings r",
    "column of a table": "SELECT MEDIAN(ratings.income) FROM ratings",
    "union": f"{COUNTED} UNION {COUNTED}",
    "union all": f"{COUNTED} UNION ALL SELECT 1, 2",
    "except": f"{COUNTED} EXCEPT {COUNTED}",
    "brackets around all": f"({COUNTED})",
    "CTE": f"WITH ratings AS (SELECT * FROM salaries) {COUNTED}",
    "CTE within": "SELECT MEDIAN(income) FROM ratings WHERE income > (WITH x AS (SELECT 1) SELECT 1 FROM x)",
    "window": "SELECT place, COUNT(*) OVER (PARTITION BY place) FROM ratings",
    "window in ORDER BY": ranked("SUM(stars) OVER ()"),
    "named window": "SELECT MEDIAN(income) FROM ratings WINDOW w AS (PARTITION BY place)",
    "quoted name of what is not described": 'SELECT "income; DROP TABLE ratings" FROM ratings',
    "quoted table": 'SELECT MEDIAN(income) FROM "ratings; DROP TABLE ratings"',
    "quoted case": 'SELECT MEDIAN("Income") FROM ratings',
    "column that is not described": "SELECT MEDIAN(salary) FROM ratings",
    "condition on what is not described": "SELECT MEDIAN(income) FROM ratings WHERE salary > 3",
    "two statements": f"{COUNTED}; DROP TABLE ratings",
    "two selects": f"{COUNTED}; {COUNTED}",
    "semicolons": f"{COUNTED};;",
    "another statement": "DROP TABLE ratings",
    "insert": "INSERT INTO ratings SELECT * FROM ratings",
    "copy": "COPY ratings TO 'out.csv'",
    "pragma": "PRAGMA table_info('ratings')",
    "explain of another": "EXPLAIN DROP TABLE ratings",
    "explain analyze": f"EXPLAIN ANALYZE {COUNTED}",
    "explain twice": f"EXPLAIN EXPLAIN {COUNTED}",
    "quoted explain": f"'EXPLAIN' {COUNTED}",
    "into": "SELECT MEDIAN(income) INTO stolen FROM ratings",
    "lock": "SELECT MEDIAN(income) FROM ratings FOR UPDATE",
    "parameter": "SELECT MEDIAN(income) FROM ratings WHERE stars > ?",
    "named parameter": "SELECT MEDIAN(income) FROM ratings WHERE stars > :least",
    "numbered parameter": "SELECT MEDIAN(income) FROM ratings WHERE stars > $1",
    "parameter as a limit": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT ?",
    "limit of a sum": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT 1 + 1",
    "limit of a subquery": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT (SELECT 1)",
    "limit in percent": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT 50%",
    "limit of all": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT ALL",
    "limit of text": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT '2'",
    "limit below one": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC LIMIT -2",
    "offset": ranked("SUM(stars)") + " OFFSET 1",
    "fetch": "SELECT place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC FETCH FIRST 2 ROWS ONLY",
    "top": "SELECT TOP 2 place FROM ratings GROUP BY place ORDER BY SUM(stars) DESC",
    "limit alone": f"{COUNTED} LIMIT 2",
    "order alone": f"{COUNTED} ORDER BY place",
    "several orders": ranked("SUM(stars) DESC, place"),
    "order of nulls": ranked("SUM(stars) DESC NULLS LAST", order=""),
    "having": f"{COUNTED} HAVING COUNT(*) > 3",
    "qualify": f"{COUNTED} QUALIFY COUNT(*) > 3",
    "rollup": "SELECT place, COUNT(*) FROM ratings GROUP BY ROLLUP (place)",
    "cube": "SELECT place, late, COUNT(*) FROM ratings GROUP BY CUBE (place, late)",
    "group by all": "SELECT place, COUNT(*) FROM ratings GROUP BY ALL",
    "group by a number": "SELECT place, COUNT(*) FROM ratings GROUP BY 1",
    "group by an expression": "SELECT stars > 3, COUNT(*) FROM ratings GROUP BY stars > 3",
    "sample": "SELECT MEDIAN(income) FROM ratings TABLESAMPLE 10 PERCENT",
    "using sample": "SELECT MEDIAN(income) FROM ratings USING SAMPLE 3",
    "pivot": "SELECT MEDIAN(income) FROM ratings PIVOT (SUM(stars) FOR place IN ('North'))",
    "time travel": "SELECT MEDIAN(income) FROM ratings AT (VERSION => 3)",
    "distinct on": "SELECT DISTINCT ON (place) place FROM ratings",
    "distinct and groups": "SELECT DISTINCT place, COUNT(*) FROM ratings GROUP BY place",
    "distinct rows": "SELECT DISTINCT nick, place FROM ratings",
    "distinct within": "SELECT MEDIAN(DISTINCT income) FROM ratings",
    "distinct counts": "SELECT place, COUNT(DISTINCT income) FROM ratings GROUP BY place",
    "counts of persons": "SELECT place, COUNT(DISTINCT who) FROM ratings GROUP BY place",
    "no select": "SELECT FROM ratings",
    "sum of nothing": ranked("SUM()"),
    "distinct nothing": ranked("COUNT(DISTINCT)"),
    "count of a column": "SELECT place, COUNT(income) FROM ratings GROUP BY place",
    "count of a condition": ranked("COUNT(late = 'yes')"),
    "count of everything": "SELECT COUNT(*) FROM ratings",
    "sum that is published": "SELECT place, SUM(stars) FROM ratings GROUP BY place",
    "mean that is published": "SELECT AVG(stars) FROM ratings",
    "ELSE that changes the rate": ranked("AVG(CASE WHEN late = 'yes' THEN 1 END)"),
    "CASE with other numbers": ranked("SUM(CASE WHEN late = 'yes' THEN 1000000 ELSE 0 END)"),
    "CASE with two conditions": ranked("SUM(CASE WHEN late = 'yes' THEN 1 WHEN stars > 3 THEN 1 ELSE 0 END)"),
    "CASE of a value": ranked("SUM(CASE late WHEN 'yes' THEN 1 ELSE 0 END)"),
    "cast": ranked("SUM(stars::double)"),
    "cast of a literal": "SELECT MEDIAN(income) FROM ratings WHERE stars > CAST('4' AS INTEGER)",
    "arithmetic within": ranked("SUM(stars + 1000000)"),
    "literal as a bound": ranked("SUM(LEAST(stars, 100000))"),
    "literal as a bound of a median": "SELECT MEDIAN(LEAST(income, 10)) FROM ratings",
    "literal as a wider bound": "SELECT MEDIAN(GREATEST(income, 100000)) FROM ratings",
    "bounds as arguments": "SELECT MEDIAN(income, 0, 1000000) FROM ratings",
    "literal as a column": ranked("SUM(1000000)"),
    "power": ranked("POWER(SUM(stars), 3)"),
    "logarithm": ranked("LOG(10, COUNT(*) + 1)"),
    "modulo": ranked("SUM(stars) % 3"),
    "integer division": ranked("SUM(stars) // 3"),
    "bits": ranked("SUM(stars) & 3"),
    "column alone": ranked("place"),
    "percentile of two shares": "SELECT PERCENTILE_CONT([0.2, 0.3]) WITHIN GROUP (ORDER BY income) FROM ratings",
    "percentile downwards": "SELECT PERCENTILE_CONT(0.2) WITHIN GROUP (ORDER BY income DESC) FROM ratings",
    "percentile of a sum": "SELECT PERCENTILE_CONT(0.2) WITHIN GROUP (ORDER BY income + 1) FROM ratings",
    "percentiles of two columns": (
        "SELECT PERCENTILE_CONT(0.2) WITHIN GROUP (ORDER BY income), PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY stars)"
        " FROM ratings"
    ),
    "mode": "SELECT MODE() WITHIN GROUP (ORDER BY income) FROM ratings",
    "median and count": "SELECT MEDIAN(income), COUNT(*) FROM ratings",
    "two counts": "SELECT place, COUNT(*), COUNT(*) FROM ratings GROUP BY place",
    "three groups": "SELECT COUNT(*) FROM ratings GROUP BY place, late, level",
    "filter of a median": "SELECT MEDIAN(income) FILTER (WHERE stars > 3) FROM ratings",
    "filter of a sum": ranked("SUM(stars) FILTER (WHERE stars > 3)"),
    "filter of two conditions": ranked("COUNT(*) FILTER (WHERE stars > 3 AND late = 'yes')"),
    "like": "SELECT MEDIAN(income) FROM ratings WHERE nick LIKE 'A%'",
    "is null": "SELECT MEDIAN(income) FROM ratings WHERE nick IS NULL",
    "always true": "SELECT MEDIAN(income) FROM ratings WHERE 1 = 1",
    "column against column": "SELECT MEDIAN(income) FROM ratings WHERE stars > level",
    "arithmetic in WHERE": "SELECT MEDIAN(income) FROM ratings WHERE stars + 1 > 3",
    "text against numbers": "SELECT MEDIAN(income) FROM ratings WHERE stars = 'x or 1 = 1'",
    "value that is none": "SELECT MEDIAN(income) FROM ratings WHERE late = 'maybe'",
    "order of texts": "SELECT MEDIAN(income) FROM ratings WHERE late < 'yes'",
    "no day": "SELECT MEDIAN(income) FROM ratings WHERE day > '2025-02-30'",
    "many digits": f"SELECT MEDIAN(income) FROM ratings WHERE stars > {'9' * 400}",
    "large exponent": "SELECT MEDIAN(income) FROM ratings WHERE stars > 1e999999999",
    "hexadecimal": "SELECT MEDIAN(income) FROM ratings WHERE stars > 0xFF",
    "no table": "SELECT MEDIAN(income)",
    "empty": " ",
    "nothing": "",
    "no text": 3,
    "words": "SELECT FROM WHERE",
    "signs": "SELECT MEDIAN(income) FROM ratings WHERE late = 'y\x00es'",
    "brackets": "SELECT " + "(" * 10**5 + "1" + ")" * 10**5,
    "few brackets": "SELECT " + "(" * 200 + "1" + ")" * 200,
    "cases": ranked("CASE WHEN " * 150),
    "minus signs": ranked("- " * 500 + "SUM(stars)"),
    "sums": ranked("+".join(["COUNT(*)"] * 300)),
    "conditions": "SELECT MEDIAN(income) FROM ratings WHERE " + " OR ".join(["stars = 1"] * 300),
    "intervals": "SELECT " + "INTERVAL " * 400,
}  # fmt: skip


class Engine:
    """What would read rows or open a ledger, planted to record that it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        for owner, names in (
            (PrivateRows, ("table", "source", "column", "engine")),
            (Dataset, ("rows", "open_ledger")),
        ):
            for name in names:
                monkeypatch.setattr(owner, name, self._recorder(name))

    def _recorder(self, name: str) -> Any:
        def record(*_arguments: Any) -> Any:
            self.asked.append(name)
            raise RuntimeError(name)

        return record


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("place", ["ratings.csv", "postgres://host/db", "pyspark://"])
def test_what_is_outside_of_the_grammar_reaches_no_engine(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch, recwarn: Any, capsys: Any
) -> None:
    """One sentence, within a second, in each dialect; and none of it repeats more of the text than a name."""
    engine = Engine(monkeypatch)
    table = {} if place.endswith(".csv") else {"table": "ratings"}
    data = LocalDataset(Dataset(source=place, **FACTS, **table))
    for asked in (data, data.plan):
        begun = time.process_time()
        with pytest.raises(QueryError) as refused:
            asked.sql(ATTACKS[name], epsilon=1, prior=None)
        assert time.process_time() - begun < 1
        sentence = str(refused.value)
        assert "\n" not in sentence
        assert len(sentence) < 700
        assert ". " not in sentence.replace(".. ", "")
        assert not {"salaries", "/etc/passwd", "DROP TABLE"} & {*sentence.split()}
    assert not engine.asked
    assert not recwarn.list
    assert "".join(capsys.readouterr()) == ""


def test_the_planted_engine_records_what_is_within_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the test above could fail."""
    engine = Engine(monkeypatch)
    with pytest.raises(RuntimeError):
        LocalDataset(RATINGS).sql(COUNTED, epsilon=1)
    assert engine.asked == ["source"]


def test_a_refusal_names_the_words_that_are_allowed() -> None:
    """In one sentence."""
    with pytest.raises(QueryError) as refused:
        read("SELECT MEDIAN(income) FROM ratings JOIN salaries USING (id)")
    assert str(refused.value) == f"JOIN is not allowed here: write {ALLOWED}."
    with pytest.raises(QueryError, match="which is ratings: write one SELECT"):
        read("SELECT MEDIAN(income) FROM salaries")


def test_options_are_fields_that_sql_has_no_word_for() -> None:
    """Others are refused, by their names."""
    with pytest.raises(QueryError, match="give a prior, such as 20:3"):
        read(ranked("AVG(stars)"))
    for option in ({"k": 3}, {"by": "late"}, {"order": "lowest"}, {"column": "income"}):
        with pytest.raises(QueryError, match="SQL says this itself") as refused:
            read(ranked("AVG(stars)"), prior="5:3", **option)
        assert refused.value.field == next(iter(option))
    with pytest.raises(QueryError, match="is answered by histogram, which takes none"):
        read(COUNTED, prior="5:3")
    with pytest.raises(QueryError, match="epsilon is a positive number"):
        read(COUNTED, epsilon=-1)


def test_a_dataset_is_called_by_its_file_its_table_or_dataset(tmp_path: Path) -> None:
    """And by the file that describes it."""
    (tmp_path / "survey.toml").write_text(
        'source = "rows.csv"\n[columns]\nx = {lower = 0, upper = 9}\n', encoding="utf-8"
    )
    data = dps.open(tmp_path / "survey.toml")
    for name in ("survey", "rows", "DATASET"):
        assert data.plan.sql(f"SELECT MEDIAN(x) FROM {name}", epsilon=1).query == Median("x", epsilon=1)
    with pytest.raises(QueryError, match="which is survey"):
        data.plan.sql("SELECT MEDIAN(x) FROM ratings", epsilon=1)
    stored = Dataset(source="duckdb://file.duckdb", table="main.ratings", columns=COLUMNS)
    assert read("SELECT MEDIAN(income) FROM main.ratings", stored).query == Median("income", epsilon=1)
    with pytest.raises(QueryError, match="which is main.ratings"):
        read("SELECT MEDIAN(income) FROM other.ratings", stored)


def test_conditions_are_those_that_the_source_may_have() -> None:
    """A database has views, and a frame is changed itself; a graph has no rows, and a server its own description."""
    asked = "SELECT MEDIAN(income) FROM dataset WHERE stars > 3"
    with pytest.raises(QueryError, match="WHERE: this goes with a file: name a view"):
        read(asked, Dataset(source="duckdb://file.duckdb", table="ratings", columns=COLUMNS))
    with pytest.raises(QueryError, match="WHERE: this goes with a file: change the frame"):
        read(asked, Dataset.of({}, columns=COLUMNS))
    with pytest.raises(QueryError, match="This dataset is a graph"):
        read(asked, Dataset(graph="edges.txt", nodes=3))
    with pytest.raises(QueryError, match="tells persons apart and cannot be asked about"):
        read("SELECT MEDIAN(income) FROM dataset WHERE who = 'Ann'", PEOPLE)


def held() -> LocalDataset:
    rows = {"place": ["North"] * 400 + ["South"] * 300, "stars": [1, 2] * 200 + [4, 5] * 150}
    columns = {"place": ["North", "South", "West"], "stars": {"lower": 1, "upper": 5}}
    return dps.open(Dataset.of(rows, columns=columns, budget={"epsilon": 100}))


def test_an_answer_is_that_of_the_query_and_paid_for_alike() -> None:
    """Names, counts and a median, each with its certificate and its row in the ledger."""
    data, mean = held(), "SELECT place FROM dataset GROUP BY place ORDER BY AVG(stars) DESC LIMIT 1"
    release = data.sql(mean, epsilon=20, prior="20:3")
    assert release.value == ("South",)
    direct = data.best("avg(stars)", by="place", prior="20:3", epsilon=20)
    assert release.certificate().content["question"] == direct.certificate().content["question"]
    assert release.guarantee == direct.guarantee
    counts = data.sql("SELECT place, COUNT(*) FROM dataset GROUP BY place", epsilon=20).value
    assert abs(counts["North"] - 400) < 20
    assert data.sql("SELECT MEDIAN(stars) FROM dataset", epsilon=20).value == 2
    assert data.ledger.totals.epsilon == 80


def test_where_leaves_rows_out_and_its_ledger_is_the_same(tmp_path: Path) -> None:
    """The condition stands in the ledger and in the certificate."""
    pytest.importorskip("pyarrow")
    rows = "\n".join(["place,stars", *["North,1"] * 300, *["South,5"] * 500])
    (tmp_path / "ratings.csv").write_text(rows + "\n", encoding="utf-8")
    facts = {"columns": {"place": ["North", "South"], "stars": {"lower": 1, "upper": 5}}, "folder": tmp_path}
    data = dps.open(Dataset(source="ratings.csv", budget={"epsilon": 50, "ledger": "r.ledger"}, **facts))
    text = "SELECT MEDIAN(stars) FROM ratings"
    assert data.sql(text, epsilon=9).value == 5
    release = data.sql(f"{text} WHERE place = 'North'", epsilon=9)
    assert release.value == 1
    assert release.certificate().content["public"]["where"] == "place = 'North'"
    assert data.ledger.totals.epsilon == 18
    assert [data.ledger.entry(row).event.metadata.get("where") for row in (1, 2)] == [None, "place = 'North'"]


@pytest.mark.parametrize("text", FORMS)
def test_a_plan_shows_what_is_counted_how_far_it_moves_and_what_it_costs(text: str) -> None:
    """And is the plan of the query, whose price is the same."""
    options = FORMS[text][1]
    for dataset in (RATINGS, PEOPLE):
        if "nick" in text and dataset is RATINGS:
            continue
        data = LocalDataset(dataset)
        plan = data.sql(f"EXPLAIN {text}", epsilon=1, **options)
        assert isinstance(plan, SqlPlan)
        assert plan == data.plan.sql(text, epsilon=1, **options)
        direct = data.plan_of(plan.query)
        assert (plan.guarantee, plan.error_bound.describe()) == (direct.guarantee, direct.error_bound.describe())
        assert ("person" in plan.sensitivity) == (dataset is PEOPLE)
        assert {"query", "statistics", "sensitivity", "guarantee"} <= {*plan.as_json()}
        assert plan.statistics in plan._repr_html_()


def test_the_sensitivity_of_a_plan_is_that_of_the_formula() -> None:
    """A mean with a prior of 20 rows of 3 moves by at most 2/21, and a total by its largest value."""
    plan = LocalDataset(RATINGS).plan.sql(ranked("AVG(stars)"), epsilon=1, prior="20:3")
    assert plan.statistics == "count() and sum(stars) in each of 3 values of place"
    assert plan.sensitivity.startswith("one row moves the score by at most 0.09")
    plan = LocalDataset(PEOPLE).plan.sql(ranked("SUM(stars)"), epsilon=1)
    assert plan.sensitivity == (
        "one person moves the score by at most 10. Groups are drawn by their margins: how many persons at least must "
        "come or go before a group enters or leaves the list. One person moves a margin by at most 1"
    )
    plan = LocalDataset(RATINGS).plan.sql(ranked("COUNT(*) * SUM(stars)"), epsilon=1)
    assert plan.sensitivity.startswith("one row moves the score by as much as rows allow, without a public bound. ")


WORDS = """
    SELECT FROM WHERE GROUP BY ORDER LIMIT DESC ASC AND OR NOT IN AS BETWEEN CASE WHEN THEN ELSE END FILTER WITHIN
    DISTINCT OVER COUNT SUM AVG MEDIAN PERCENTILE_CONT RATE OVERALL CLIP POWER LN NULL UNION JOIN ON HAVING EXISTS
    INTERVAL DATE ARRAY place late stars income day nick ratings salaries 1 2 0.5 1e5 'yes' 'x' "place" ( ( ( ) ) ) * *
    , , + - / = <> < > . ; :: ? $1 [ ] { } @ # ! ~ ^ % | & -> := EXPLAIN
"""
VALID = [
    *FORMS,
    *(f"SELECT MEDIAN(income) FROM ratings WHERE {each}" for each in CONDITIONS),
    *(ranked(formula) for formula in SCORES),
]


@given(st.data())
@settings(deadline=None, max_examples=400)
def test_any_words_are_a_query_of_the_grammar_or_refused(data: st.DataObject) -> None:
    """Also forms with words exchanged: what is read is a query whose names the description has."""
    if data.draw(st.booleans()):
        words = data.draw(st.lists(st.sampled_from(WORDS.split()), max_size=30))
        text = " ".join(["SELECT", *words])
    else:
        words = data.draw(st.sampled_from(VALID)).replace("(", " ( ").replace(")", " ) ").split()
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(words) - 1))
            words[place : place + data.draw(st.integers(0, 2))] = [data.draw(st.sampled_from(WORDS.split()))]
        text = " ".join(words)
    try:
        found = read(text, prior=None)
    except QueryError:
        return
    assert isinstance(found.query, Query)
    columns = [getattr(found.query, name) for name, kind in found.query.kinds().items() if kind.control == "column"]
    assert {*columns} - {None} <= {*COLUMNS}
    assert found.where is None or {*Condition.of(found.where).names} <= {*COLUMNS}


def test_without_sqlglot_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is read."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "sqlglot"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'SQL needs sqlglot: python -m pip install ".\[sql\]"'):
        read(COUNTED)

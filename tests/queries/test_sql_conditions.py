"""NOT, IN and BETWEEN keep the rows that engines keep, where a missing cell is NULL."""

from __future__ import annotations

import math
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.queries import QueryError
from dpselect.queries.sql.statement import SqlStatement
from dpselect.release.best import GroupRanking
from dpselect.sources.conditions import Comparison, Condition
from dpselect.sources.warehouse import Warehouse
from tests.warehouse.engines import postgres_server

pytest.importorskip("sqlglot", reason="SQL is parsed by sqlglot")
pa = pytest.importorskip("pyarrow")

PLACES = ["North", "it's", 'a "b", c', "not", "O;--", None, "in", "null"]
STARS = [1, 2.5, 3, None, math.nan, 4, 5, "few", -1, 1e3]
DAYS = ["2025-01-31", "2025-02-28", None, "2024-12-31", "2025-02-30"]
ROWS = [(place, star, day) for place in PLACES for star in STARS for day in DAYS]
COLUMNS = {
    "place": [each for each in PLACES if each],
    "stars": {"lower": 1, "upper": 5},
    "day": {"lower": "2025-01-01", "upper": "2025-12-31", "step": "day"},
    "row": {"lower": 0, "upper": 9999},
}
RATINGS = Dataset(source="ratings.csv", columns=COLUMNS)


def where_of(text: str, dataset: Dataset = RATINGS) -> str:
    return str(SqlStatement.parse(f"SELECT MEDIAN(row) FROM dataset WHERE {text}", dataset, {"epsilon": 1}).where)


def typed() -> list[tuple[int, str | None, float | None, str | None]]:
    """The rows as engines hold them: what is not of the kind of its column is NULL."""
    return [
        (
            place,
            row[0],
            float(row[1]) if isinstance(row[1], (int, float)) and not math.isnan(row[1]) else None,
            None if row[2] == "2025-02-30" else row[2],
        )
        for place, row in enumerate(ROWS)
    ]


def texts(many: int) -> list[str]:
    """Conditions of every form, three deep; dates are compared as the texts that they are in SQLite."""
    draw = random.Random(41)
    quoted = ["'{}'".format(each.replace("'", "''")) for each in PLACES if each]

    def one() -> str:
        kind = draw.choice(["place", "stars", "day"])
        values = {"place": quoted, "stars": ["1", "2.5", "-1", "5", "1e3"],
                  "day": ["'2025-01-31'", "'2025-02-28'", "'2024-12-31'"]}[kind]  # fmt: skip
        form = draw.choice(["sign", "in", "not in", "between", "not between"])
        if form.endswith("in"):
            return f"{kind} {form.upper()} ({', '.join(draw.choices(values, k=draw.randint(1, 4)))})"
        if form.endswith("between") and kind != "place":
            return f"{kind} {form.upper()} {draw.choice(values)} AND {draw.choice(values)}"
        return f"{kind} {draw.choice(['=', '<>'] if kind == 'place' else ['=', '<>', '<', '>='])} {draw.choice(values)}"

    def some(deep: int) -> str:
        if not deep:
            return one()
        forms = ["{} AND {}", "{} OR {}", "NOT {}", "NOT ({} OR {})", "NOT ({} AND {})", "({} OR {}) AND {}"]
        form = draw.choice(forms)
        return form.format(*(some(draw.randint(0, deep - 1)) for _ in range(form.count("{}"))))

    return [some(draw.randint(0, 3)) for _ in range(many)]


TEXTS = [
    *texts(120),
    "NOT NOT place = 'in' AND NOT (NOT stars IN (1))",
    "NOT place IN ('North') OR stars BETWEEN 1 AND 2.5 AND place NOT IN ('it''s')",
    "stars BETWEEN 5 AND 1 OR stars NOT BETWEEN 5 AND 1",
]


def kept_of_file(path: Path, text: str) -> list[int]:
    return [int(each) for each in dps.data.Column.read(path, "row", where=where_of(text)).values]


@pytest.fixture(scope="module")
def kept() -> list[list[int]]:
    """The rows that SQLite keeps for each condition."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE dataset (row INTEGER, place TEXT, stars REAL, day TEXT)")
        connection.executemany("INSERT INTO dataset VALUES (?, ?, ?, ?)", typed())
        return [
            [row for (row,) in connection.execute(f"SELECT row FROM dataset WHERE {text} ORDER BY row")]
            for text in TEXTS
        ]


def test_a_csv_file_keeps_the_rows_that_sqlite_keeps(tmp_path: Path, kept: list[list[int]]) -> None:
    """Empty cells and NaN are NULL there, and so are words among numbers and days that are not."""
    import csv

    with (tmp_path / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "place", "stars", "day"])
        writer.writerows((place, *row) for place, row in enumerate(ROWS))
    found = [kept_of_file(tmp_path / "ratings.csv", text) for text in TEXTS]

    assert found == kept
    assert len({tuple(each) for each in kept}) > 60


def test_typed_files_and_frames_keep_the_same_rows(tmp_path: Path, kept: list[list[int]]) -> None:
    """Parquet with missing cells, and a frame whose missing numbers are NaN."""
    import datetime

    import pyarrow.parquet as parquet

    rows, places, stars, days = (list(each) for each in zip(*typed(), strict=True))
    dates = [None if each is None else datetime.date.fromisoformat(each) for each in days]
    table = pa.table({"row": rows, "place": places, "stars": pa.array(stars, pa.float64()), "day": dates})
    parquet.write_table(table, tmp_path / "ratings.parquet")
    # Without from_pandas, NaN stays the number that it is in a frame.
    cells = {name: table.column(name) for name in table.column_names}
    cells["stars"] = pa.chunked_array([table.to_pandas()["stars"].to_numpy()])
    assert not cells["stars"].null_count

    for text, expected in zip(TEXTS, kept, strict=True):
        assert kept_of_file(tmp_path / "ratings.parquet", text) == expected
        assert Condition.of(where_of(text)).mask(cells).nonzero()[0].tolist() == expected


def test_a_nan_of_an_engine_is_a_missing_cell(kept: list[list[int]]) -> None:
    """DuckDB keeps the same rows where NaN is NULL; as a number, NaN would be above all others."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute('CREATE TABLE dataset ("row" INTEGER, place TEXT, stars DOUBLE, day DATE)')
    connection.executemany("INSERT INTO dataset VALUES (?, ?, ?, ?)", typed())
    found = [
        [row for (row,) in connection.execute(f'SELECT "row" FROM dataset WHERE {text} ORDER BY "row"').fetchall()]
        for text in TEXTS
    ]

    assert found == kept
    nan = Condition.of("not (x between 1 and 2)").mask({"x": pa.chunked_array([[math.nan, 3.0, None]])})
    assert nan.tolist() == [False, True, False]


def test_postgresql_keeps_the_same_rows(kept: list[list[int]]) -> None:
    """Of those that are NULL for us, too."""
    psycopg = pytest.importorskip("psycopg")
    with postgres_server() as server, psycopg.connect(server.url) as connection:
        connection.execute("CREATE TEMP TABLE dataset (row INTEGER, place TEXT, stars FLOAT8, day DATE)")
        connection.cursor().executemany("INSERT INTO dataset VALUES (%s, %s, %s, %s)", typed())
        found = [
            [row for (row,) in connection.execute(f"SELECT row FROM dataset WHERE {text} ORDER BY row")]
            for text in TEXTS
        ]

    assert found == kept


ATTACKS = {
    "subquery": ("place IN (SELECT place FROM dataset)", "SUBQUERY is not allowed here"),
    "subquery among values": ("stars IN (1, (SELECT 2))", "SUBQUERY is not allowed here"),
    "subquery as an end": ("stars BETWEEN 1 AND (SELECT 2)", "SUBQUERY is not allowed here"),
    "null": ("place IN ('North', NULL)", "NULL in a list is equal to no cell"),
    "not in null": ("place NOT IN (NULL)", "NULL in a list is equal to no cell"),
    "null as an end": ("stars BETWEEN NULL AND 2", "NULL is not allowed here"),
    "nothing": ("place IN ()", "IN needs a list of values"),
    "function": ("stars IN (pg_sleep(10))", "PG_SLEEP is not allowed here"),
    "function of the column": ("LOWER(place) IN ('north')", "LOWER is not allowed here"),
    "comment": ("place IN ('North' /* , 'it''s' */)", "Comments and hints are not allowed"),
    "column in a list": ("place IN (day)", "A column is not allowed here"),
    "column alone": ("place IN day", "A column is not allowed here"),
    "unnest": ("stars IN UNNEST([1, 2])", "UNNEST is not allowed here"),
    "rows": ("(place, stars) IN (('North', 1))", "TUPLE is not allowed here"),
    "symmetric": ("stars BETWEEN SYMMETRIC 2 AND 1", "SYMMETRIC is not allowed here"),
    "arithmetic": ("stars IN (1 + 1)", "Arithmetic is not allowed here"),
    "not of a column": ("NOT place", "A column is not allowed here"),
    "not exists": ("NOT EXISTS (SELECT 1)", "EXISTS is not allowed here"),
    "not null": ("place IS NOT NULL", "IS is not allowed here, where"),
    "not like": ("place NOT LIKE 'N%'", "LIKE is not allowed here, where"),
    "text between": ("place BETWEEN 'North' AND 'in'", "is a column of texts: compare it by =, <> or IN"),
    "number of text": ("stars IN (1, 'x or 1 = 1')", "is a column of numbers: compare it with a number"),
    "other value": ("place IN ('North', 'Nowhere')", "lacks the value that it is compared with"),
    "no day": ("day BETWEEN '2025-02-30' AND '2025-03-01'", "is a column of dates"),
    "another column": ("salary IN (1)", "names a column that is not described"),
    "many nots": ("NOT " * 500 + "stars = 1", "not a SELECT that can be read"),
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("place", ["ratings.csv", "postgres://host/db", "pyspark://"])
def test_what_is_outside_of_the_grammar_is_refused_in_one_sentence(name: str, place: str) -> None:
    """In each dialect, from the description alone: the source does not exist."""
    text, words = ATTACKS[name]
    table = {} if place.endswith(".csv") else {"table": "dataset"}
    with pytest.raises(QueryError) as refused:
        where_of(text, Dataset(source=place, columns=COLUMNS, **table))
    sentence = str(refused.value)
    assert words in sentence
    assert ". " not in sentence.replace(".. ", "")


def test_a_planted_not_of_the_rows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever negates what rows fulfil keeps those without a cell."""
    rows, places, stars, _ = (list(each) for each in zip(*typed(), strict=True))
    cells = {"row": rows, "place": places, "stars": pa.array(stars, pa.float64())}
    table = {name: pa.chunked_array([each]) for name, each in cells.items()}
    text = "place NOT IN ('North', 'in')"
    right = Condition.of(where_of(text)).mask(table)
    assert not right[[place for place, each in enumerate(places) if each is None]].any()

    monkeypatch.setattr(Comparison, "opposite", lambda self: _Opposite(self))
    assert Condition.of(where_of(text)).mask(table).sum() > right.sum()


class _Opposite:
    def __init__(self, of: Comparison) -> None:
        self._of = of

        self.names, self.numbers = of.names, of.numbers

    def mask(self, *given: Any) -> Any:
        return ~self._of.mask(*given)


ROWS_OF_SCORES = {
    "place": ["North"] * 5 + ["in"] * 4,
    "stars": [1, 2, None, 4, 5, 2, 3, 4, None],
    "late": ["yes", "no", None, "no", "yes", "no", None, "yes", "no"],
}


def ranking(formula: str) -> GroupRanking:
    columns = {"place": ["North", "in"], "stars": {"lower": 1, "upper": 5}, "late": ["yes", "no"]}
    text = f"SELECT place FROM dataset GROUP BY place ORDER BY {formula} DESC LIMIT 1"
    query: Any = SqlStatement.parse(text, Dataset(source="a.csv", columns=columns), {"epsilon": 1}).query
    return GroupRanking.of(query.score, columns)


NEGATED = {
    "COUNT(*) FILTER (WHERE NOT late = 'yes')": [2, 2],
    "COUNT(*) FILTER (WHERE NOT (NOT (stars < 4)))": [2, 2],
    "SUM(CASE WHEN NOT (stars >= 4) THEN 1 ELSE 0 END)": [2, 2],
    "COUNTIF(NOT stars <> 2)": [1, 1],
}


@pytest.mark.parametrize("formula", NEGATED)
def test_not_within_a_score_counts_alike_everywhere(formula: str, tmp_path: Path) -> None:
    """A row without a cell does not count, in memory, in a file, and in DuckDB and SQLite."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    asked, groups = ranking(formula), ["North", "in"]
    table = pa.table(ROWS_OF_SCORES)
    duck = ibis.duckdb.connect().create_table("dataset", table)
    lite = ibis.sqlite.connect(tmp_path / "a.sqlite").create_table("dataset", table)
    lines = ["place,stars,late", *(",".join("" if each is None else str(each) for each in row)
                                   for row in zip(*ROWS_OF_SCORES.values(), strict=True))]  # fmt: skip
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for source in (table, table.to_pandas(), tmp_path / "a.csv", Warehouse(duck), Warehouse(lite)):
        assert asked.scores(source, "place", groups).values.tolist() == NEGATED[formula]


@pytest.mark.parametrize("condition", ["stars IN (1, 2)", "NOT stars BETWEEN 1 AND 2"])
def test_lists_and_ranges_within_a_score_are_refused(condition: str) -> None:
    """With what to write instead."""
    with pytest.raises(QueryError, match="add or subtract counts"):
        ranking(f"COUNT(*) FILTER (WHERE {condition})")

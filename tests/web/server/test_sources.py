"""Rows in engines and in other files, over the real server: answers, what fails when paid, what is not told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from dpselect.web.server.settings import SettingsError, read_settings
from dpselect.web.server.state import ServerState
from tests.warehouse.engines import Server
from tests.web.server.conftest import write
from tests.web.server.served import Office

_NUMBERS = count()
# Eight in ten are nurses aged 30, so at this epsilon every answer is known.
JOBS = ("nurse", "nurse", "nurse", "nurse", "smith") * 200
AGES = (30, 30, 30, 30, 70) * 200
SURE = 4
CANARY = "canary-5177"
CONFIG = """
[server]
port = 0

[datasets.survey]
source = "{source}"
{table}
budget = {{epsilon = 40}}
shares = {{ann = 40}}
columns.age = {{lower = 0, upper = 100, step = 1}}
columns.job = ["clerk", "nurse", "smith"]
"""
MEDIAN = {"query": "median", "column": "age", "epsilon": SURE}
COMMON = {"query": "most_common", "column": "job", "epsilon": SURE}
QUESTIONS = [
    MEDIAN,
    COMMON,
    {"query": "histogram", "column": "job", "epsilon": SURE},
    {"query": "quantiles", "column": "age", "q": [0.5], "epsilon": SURE},
    {"query": "median", "column": "age", "by": "job", "epsilon": SURE},
]


def _duckdb(folder: Path, *statements: str) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB needs the extra warehouse")
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement)


def _inserted(jobs: str = "text") -> list[str]:
    rows = ", ".join(f"({age}, '{job}')" for age, job in zip(AGES, JOBS, strict=True))
    return [f"CREATE TABLE people (age integer, job {jobs})", f"INSERT INTO people VALUES {rows}"]


Made = tuple[Office, Callable[..., None]]


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A running server with its rows in an engine, and what runs statements in that engine."""
    pytest.importorskip("ibis", reason="engines need the extra warehouse")
    if request.param == "duckdb":
        _duckdb(tmp_path, *_inserted())
        source = f"duckdb://{tmp_path}/rows.duckdb"

        def run(*statements: str) -> None:
            _duckdb(tmp_path, *statements)
    else:
        server: Server = request.getfixturevalue("running")
        server.run("DROP TABLE IF EXISTS people", *_inserted())
        passwords = tmp_path / "passwords"
        passwords.write_text("127.0.0.1:*:*:*:hidden\n")
        passwords.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(passwords))
        source, run = f"postgres://keeper@127.0.0.1:{server.port}/postgres", server.run
    office = Office(tmp_path, CONFIG.format(source=source, table='table = "people"'))
    office.start()
    yield office, run
    office.kill()


both = pytest.mark.parametrize("made", ["duckdb", "postgres"], indirect=True)


def answers(office: Office) -> None:
    """Ask everything, and look at what is sure."""
    for place, question in enumerate(QUESTIONS):
        reply = office.ask("ann", f"k{place}", question)
        assert 200 == reply.status, (question, reply.body, office.log())
    assert 30 == office.ask("ann", "k0", MEDIAN).json["answer"]["candidates"][0]
    assert ["nurse"] == office.ask("ann", "k1", COMMON).json["answer"]["candidates"]


@both
def test_an_engine_answers(made) -> None:
    """Every kind of question about a table, with the rows where they are."""
    answers(made[0])


@pytest.mark.parametrize("suffix", ["parquet", "xlsx", "tsv"])
def test_a_file_answers(suffix, tmp_path) -> None:
    """A file of another kind gives the same answers as the one of text."""
    if suffix == "parquet":
        parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        parquet.write_table(arrow.table({"age": AGES, "job": JOBS}), tmp_path / "rows.parquet")
    elif suffix == "xlsx":
        workbook = pytest.importorskip("openpyxl", reason="Excel needs the extra excel").Workbook()
        for row in [("age", "job"), *zip(AGES, JOBS, strict=True)]:
            workbook.active.append(row)
        workbook.save(tmp_path / "rows.xlsx")
        workbook.close()
    else:
        lines = [("age", "job"), *zip(AGES, JOBS, strict=True)]
        (tmp_path / "rows.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in lines), encoding="utf-8")
    office = Office(tmp_path, CONFIG.format(source=f"rows.{suffix}", table=""))
    office.start()
    try:
        answers(office)
    finally:
        office.kill()


def _told(office: Office) -> str:
    """Return all that left the private table: the log, and what ann and carla can see."""
    seen = [office.send("ann", "GET", path).body for path in ("/history", "/datasets/survey", "/datasets")]
    seen += [office.send("carla", "GET", "/datasets/survey/spends").body]
    return office.log() + b"".join(seen).decode()


@both
def test_a_table_that_is_gone_after_the_payment(made) -> None:
    """The reply is 424 and stays so; its price stays spent, and the engine's words are nowhere."""
    office, run = made
    assert 200 == office.ask("ann", "before", MEDIAN).status
    run("DROP TABLE people")
    lost = office.ask("ann", "lost", MEDIAN)

    assert 424 == lost.status
    assert "paid" in lost.json["detail"]
    assert lost.body == office.ask("ann", "lost", MEDIAN).body
    spent = office.send("carla", "GET", "/datasets/survey/spends").json["spends"]
    assert [SURE, SURE] == [float(each["epsilon"]) for each in spent]
    told = _told(office) + lost.body.decode()
    assert not any(word in told.lower() for word in ("people", "catalog", "relation", "exist", "traceback"))
    # The same key never asks the rows again, and a new one does.
    run(*_inserted())
    assert 424 == office.ask("ann", "lost", MEDIAN).status
    assert 200 == office.ask("ann", "after", MEDIAN).status


@both
def test_cells_that_cannot_be_read_are_not_quoted(made) -> None:
    """A column of numbers became text: whatever the status, no cell is in a reply or a log."""
    office, run = made
    run("ALTER TABLE people ALTER COLUMN age TYPE text", f"UPDATE people SET age = '{CANARY}', job = '{CANARY}'")
    replies = [office.ask("ann", f"odd{place}", each) for place, each in enumerate(QUESTIONS)]

    assert {each.status for each in replies} <= {200, 424}
    told = _told(office) + json.dumps([each.json for each in replies])
    assert CANARY not in told
    spent = office.send("carla", "GET", "/datasets/survey/spends").json["spends"]
    assert len(QUESTIONS) == len(spent)


@both
def test_no_cells_are_rows_without_an_answer(made) -> None:
    """NULL in every cell, and then no row at all: the statuses are those of a full table, because rows decide none."""
    office, run = made
    run("UPDATE people SET age = NULL, job = NULL")
    statuses = [office.ask("ann", f"null{place}", each).status for place, each in enumerate(QUESTIONS)]
    assert {200} == {*statuses}
    run("DELETE FROM people")
    assert {200} == {office.ask("ann", f"none{place}", each).status for place, each in enumerate(QUESTIONS[:4])}


@both
def test_an_engine_that_is_changed_is_read_again(made) -> None:
    """Nothing of a table is kept between two questions."""
    office, run = made
    assert ["nurse"] == office.ask("ann", "one", COMMON).json["answer"]["candidates"]
    run("UPDATE people SET job = 'clerk'")
    assert ["clerk"] == office.ask("ann", "two", COMMON).json["answer"]["candidates"]


@pytest.mark.parametrize(
    "source, table, sentence",
    [
        ("duckdb://{folder}/rows.duckdb", "", "table"),
        ("duckdb://{folder}/rows.duckdb", 'table = "nobody"', "nobody"),
        ("duckdb://{folder}/nothing.duckdb", 'table = "people"', "nothing.duckdb"),
        ("rows.parquet", "", "rows.parquet"),
        ("https://example.org/rows.csv", "", "web address"),
    ],
)
def test_a_source_that_is_not_there_is_a_sentence_at_the_start(source, table, sentence, tmp_path) -> None:
    """With the name of the dataset, before anything is served or spent."""
    pytest.importorskip("ibis", reason="engines need the extra warehouse")
    _duckdb(tmp_path, *_inserted())
    text = CONFIG.format(source=source.format(folder=tmp_path), table=table)
    with pytest.raises((OSError, ValueError)) as caught:
        ServerState.open(read_settings(write(tmp_path, text)))
    error = caught.value
    (said,) = error.mistakes if isinstance(error, SettingsError) else [str(error)]
    assert said.startswith("datasets.survey")
    assert sentence in said
    assert "\n" not in said
    assert not (tmp_path / "nothing.duckdb").exists()


@pytest.mark.parametrize(
    ("how", "said"),
    [("", "looks like semicolons"), ('separator = ";"', 'add decimal = ","')],
)
def test_semicolons_must_be_declared(tmp_path, how, said) -> None:
    """A file between semicolons is not served before its separator and its decimal mark are said."""
    (tmp_path / "between.csv").write_text("age;job\n30,5;nurse\n")
    config = CONFIG.format(source="between.csv", table=how)

    with pytest.raises(ValueError, match=f"datasets.survey.*{said}"):
        ServerState.open(read_settings(write(tmp_path, config)))


def test_a_declared_decimal_mark_is_served(tmp_path) -> None:
    """With both declared the house opens."""
    (tmp_path / "between.csv").write_text("age;job\n30,5;nurse\n")
    config = CONFIG.format(source="between.csv", table='separator = ";"\ndecimal = ","')

    ServerState.open(read_settings(write(tmp_path, config))).close()


def test_a_graph_in_an_engine_answers(tmp_path) -> None:
    """By every metric, with the edges as they are at each query."""
    pytest.importorskip("ibis", reason="engines need the extra warehouse")
    edges = ", ".join(f"({one}, {other})" for one in range(6) for other in range(one))
    _duckdb(tmp_path, "CREATE TABLE edges (source integer, target integer)", f"INSERT INTO edges VALUES {edges}")
    config = f"""
[server]
port = 0

[datasets.friends]
graph = "duckdb://{tmp_path}/rows.duckdb"
table = "edges"
nodes = 40
max_degree = 39
budget = {{epsilon = 400}}
shares = {{ann = 400}}
"""
    office = Office(tmp_path, config)
    office.start()
    try:
        for metric in ("degree", "core-number", "ego-density", "triangles"):
            asked = {"query": "top_k", "metric": metric, "k": 6, "epsilon": 40}
            reply = office.ask("ann", metric, asked, "friends")
            assert 200 == reply.status, (metric, reply.body, office.log())
            if metric in ("degree", "core-number"):
                assert [0, 1, 2, 3, 4, 5] == sorted(reply.json["answer"]["candidates"])
        more = ", ".join(f"(20, {place})" for place in range(20))
        _duckdb(tmp_path, f"INSERT INTO edges VALUES {more}")
        again = office.ask("ann", "again", {"query": "top_k", "metric": "degree", "epsilon": 40}, "friends")
        assert [20] == again.json["answer"]["candidates"]
    finally:
        office.kill()


def test_what_only_descriptions_say_is_served(tmp_path) -> None:
    """Cells that stand for nothing, and the order in which the first rows of a person count."""
    lines = [f"p{place},{'west' if late else 'east'},{late},NA" for place in range(200) for late in (1, 0)]
    (tmp_path / "rows.csv").write_text("\n".join(["who,ward,day,age", *lines, ""]), encoding="utf-8")
    described = """\
source = "rows.csv"
missing = ["NA"]
person = "who"
order = "day"
budget = {epsilon = 40}
[columns]
ward = ["east", "west"]
age = {lower = 0, upper = 9}
day = {lower = 0, upper = 9}
"""
    (tmp_path / "rows.toml").write_text(described, encoding="utf-8")
    config = '[server]\nport = 0\n[datasets.rows]\ndataset = "rows.toml"\nshares = {ann = 40}\n'
    office = Office(tmp_path, config)
    office.start()
    try:
        wards = office.ask("ann", "one", {"query": "histogram", "column": "ward", "epsilon": 15}, "rows")
        assert {"east": 200, "west": 0} == wards.json["answer"]
        ages = office.ask("ann", "two", {"query": "histogram", "column": "age", "bins": [0, 9], "epsilon": 15}, "rows")
        assert [0] == [*ages.json["answer"].values()]
    finally:
        office.kill()

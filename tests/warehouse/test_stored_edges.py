"""Edge lists as they are found, in every engine: the figures are those of the same edges in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.sources.warehouse import Warehouse

NODES = 30
RNG = np.random.default_rng(23)
# Skewed, so that triangles are many; nodes 25 .. 29 have no edge, -1 and from 30 on are strangers.
DRAWN = [(int(a), int(b)) for a, b in (RNG.random((220, 2)) ** 2 * 25).astype(int)]
DIRTY: list[tuple[int | None, int | None]] = [
    *DRAWN,
    *[(b, a) for a, b in DRAWN[:40]],
    *DRAWN[:20],
    *[(None, 1), (2, None), (None, None), (3, 3), (-1, 4), (5, 30), (7, 2**40)],
]
NAMES = [f"é {i}" for i in range(NODES)]


def named(end: int | None) -> str | None:
    return None if end is None else NAMES[end] if 0 <= end < NODES else f"stranger {end}"


def columns(text: bool) -> dict[str, list[Any]]:
    """The ends, also as text."""
    ends = zip(*DIRTY, strict=True)
    return {
        name: [named(end) if text else end for end in side] for name, side in zip(("who", "whom"), ends, strict=True)
    }


def table(text: bool) -> Any:
    """The same as an Ibis table in memory."""
    import pyarrow

    kind = pyarrow.string() if text else pyarrow.int64()
    return ibis.memtable(pyarrow.table({name: pyarrow.array(side, kind) for name, side in columns(text).items()}))


def of_duckdb(text: bool, folder: Path, _: pytest.FixtureRequest) -> Any:
    backend = ibis.duckdb.connect(folder / "edges.duckdb")
    backend.create_table("edges", table(text))
    backend.disconnect()
    return f"duckdb://{folder / 'edges.duckdb'}?table=edges"


def of_parquet(text: bool, folder: Path, _: pytest.FixtureRequest) -> Any:
    table(text).to_parquet(folder / "edges.parquet")
    return folder / "edges.parquet"


def of_csv(text: bool, folder: Path, _: pytest.FixtureRequest) -> Any:
    table(text).to_csv(folder / "edges.csv")
    return folder / "edges.csv"


def of_sqlite(text: bool, folder: Path, _: pytest.FixtureRequest) -> Any:
    backend = ibis.sqlite.connect(folder / "edges.sqlite")
    backend.create_table("edges", table(text))
    backend.disconnect()
    return f"sqlite://{folder / 'edges.sqlite'}?table=edges"


def of_postgres(text: bool, _: Path, request: pytest.FixtureRequest) -> Any:
    import psycopg

    server = request.getfixturevalue("postgres")
    kind = "text" if text else "bigint"
    server.run("DROP TABLE IF EXISTS follows", f"CREATE TABLE follows (who {kind}, whom {kind})")
    rows = list(zip(*columns(text).values(), strict=True))
    with psycopg.connect(server.url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO follows VALUES (%s, %s)", rows)
    return f"{server.url}?table=follows"


def of_spark(text: bool, _: Path, request: pytest.FixtureRequest) -> Any:
    session = request.getfixturevalue("spark")
    kind = "string" if text else "bigint"
    rows = list(zip(*columns(text).values(), strict=True))
    session.createDataFrame(rows, f"who {kind}, whom {kind}").createOrReplaceTempView("follows")
    return ibis.pyspark.connect(session).table("follows")


SLOW = [pytest.param(place, marks=pytest.mark.slow) for place in (of_sqlite, of_postgres, of_spark)]
CASES = [
    pytest.param(place, text, marks=[pytest.mark.slow] if place is of_spark else [])
    for place in (of_duckdb, of_parquet, of_csv, of_sqlite, of_postgres, of_spark)
    for text in ((False, True) if place in (of_sqlite, of_spark) else (False,))
]


@pytest.mark.parametrize(("place", "text"), CASES)
def test_scores_of_edges_as_found_are_those_in_memory(
    place: Callable[..., Any], text: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Missing ends, strangers, loops, repetitions in both directions, nodes without an edge."""
    source, nodes = place(text, tmp_path, request), NAMES if text else NODES
    clean = [(a, b) for a, b in DIRTY if None not in (a, b) and 0 <= min(a, b) <= max(a, b) < NODES]
    undirected = dps.Graph.from_edges(*zip(*clean, strict=True), nodes=NODES)
    directed = dps.data.DirectedGraph.from_edges(*zip(*clean, strict=True), nodes=NODES)
    with Warehouse.open(source) as warehouse:
        stored = dps.data.StoredGraph(warehouse, nodes, ends=("who", "whom"))
        followers, degree = dps.utilities.followers(stored), dps.utilities.degree(stored)
        pairs = dps.utilities.open_pairs(stored, 29)
    expected = dps.utilities.open_pairs(undirected, 29)
    assert directed.followers.tolist() == followers.values.tolist()
    assert undirected.degrees.tolist() == degree.values.tolist()
    assert [0] * 5 == followers.values[25:].tolist() == degree.values[25:].tolist()
    assert np.array_equal(expected.values, pairs.values)
    assert np.array_equal(expected.sensitivity.at([0, 3]), pairs.sensitivity.at([0, 3]))


@pytest.mark.parametrize("place", [of_duckdb, *SLOW[1:]])
def test_triangles_are_the_same_in_any_number_of_parts(
    place: Callable[..., Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """With and without temporary tables, which are gone afterwards."""
    with Warehouse.open(place(False, tmp_path, request), temporary=True) as warehouse:
        backend = warehouse.table.get_backend()
        results = [
            dps.data.StoredGraph(source, NODES, ends=("who", "whom"), parts=parts).links.tolist()
            for source, parts in ((warehouse, 1), (warehouse, 3), (warehouse.table, 2))
        ]
        if place is of_duckdb:
            names = [name for (name,) in backend.con.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        else:
            names = backend.list_tables()
    assert results[0] == results[1] == results[2]
    assert sum(results[0]) > 100
    assert not [name for name in names if name.startswith("dpselect_")]


@pytest.mark.parametrize("parts", [0, 65, True, 1.0, "2"])
def test_parts_are_a_public_number_from_1_to_64(parts: Any) -> None:
    """Anything else is refused by the call alone."""
    with pytest.raises(ValueError, match=r"parts= is how many parts triangles are counted in"):
        dps.data.StoredGraph(table(False), NODES, ends=("who", "whom"), parts=parts)


def test_more_nodes_than_pairs_can_be_numbered_are_refused() -> None:
    """Before a query."""
    with pytest.raises(ValueError, match="counts triangles among at most 3000000000 nodes"):
        _ = dps.data.StoredGraph(table(False), 3 * 10**9 + 1, ends=("who", "whom")).links


WORDS = {"degree": [], "followers": [], "open-pairs": ["--max-degree", "29"]}


@pytest.mark.parametrize("place", [of_duckdb, *SLOW[:2]])
def test_top_k_names_the_best_of_a_table_in_a_database(
    place: Callable[..., Any],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At an epsilon that leaves no doubt, as the same edges in a file that is read into memory."""
    url = str(place(False, tmp_path, request)).partition("?")[0].replace(":hidden@", "@")
    monkeypatch.setenv("PGPASSWORD", "hidden")
    name = "follows" if place is of_postgres else "edges"
    file = of_csv(False, tmp_path, request)
    for metric, words in WORDS.items():
        command = ["--ends", "who", "whom", "--nodes", str(NODES), metric, *words]
        answers = []
        for where in ([url, "--table", name], [str(file)]):
            assert 0 == main(["top-k", *where, *command, "--k", "1", "--epsilon", "1000", "--json"])
            answers.append(json.loads(capsys.readouterr().out)["candidates"])
        assert answers[0] == answers[1]


def test_what_is_refused_in_an_engine_leaves_the_ledger_untouched(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns, types, tables, files and bounds that are not there."""
    ledger = str(tmp_path / "g.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "3", "--dataset", "edges"])
    before = Path(ledger).read_bytes()
    url = of_duckdb(False, tmp_path, request).partition("?")[0]
    tail = ["--nodes", "30", "--epsilon", "1", "--ledger", ledger]
    ends = ["--ends", "who", "whom"]
    labels = tmp_path / "names.txt"
    labels.write_text("ann\nbob\n", encoding="utf-8")
    cases = [
        ([url, "--table", "edges", *tail, "degree"], "no column 'source'"),
        ([url, "--table", "nothing", *ends, *tail, "degree"], "The table 'nothing' does not exist"),
        ([url, *ends, *tail, "degree"], "A database holds several tables"),
        ([url, "--table", "edges", *ends, *tail, "open-pairs"], "--max-degree"),
        ([url, "--table", "edges", *ends, *tail[2:], "degree"], "--nodes"),
        ([url, "--table", "edges", *ends, "--nodes", str(labels), *tail[2:], "degree"], "must be integers"),
        ([f"{url}x", "--table", "edges", *ends, *tail, "degree"], "does not exist: name a database"),
    ]
    for words, expected in cases:
        assert 2 == main(["top-k", *words])
        assert expected in capsys.readouterr().err
    assert before == Path(ledger).read_bytes()

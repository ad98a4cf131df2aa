"""Rounds of a boosted model in an engine: the same integers as in memory, one grouped query each."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import ibis
import numpy as np
import pyarrow
import pytest

from dpselect.sources.encoding import CodeDomain
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import Warehouse
from dpselect.views import Interaction, Loss, Records
from dpselect.views.gradient_sums import UNIT, WIDEST
from dpselect.views.stored_records import StoredRecords
from dpselect.views.stored_scored import MOST_CLASSES

ENGINES = ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)]
SIZES = (2, 5, 40, 3)
LOSSES = {
    "two classes": (2, Loss.binary()),
    "half the clip": (2, Loss.binary(UNIT // 2)),
    "three classes, l2": (3, Loss.several(3, 2)),
    "four classes, l1": (4, Loss.several(4, 1)),
    "a number": (9, Loss.half_squares(-3000, 700)),
}


def columns(rows: int, classes: int) -> dict[str, np.ndarray]:
    """Codes of four attributes and of a class."""
    rng = np.random.default_rng(4)
    codes = {f"c{place}": rng.integers(0, size, rows) for place, size in enumerate(SIZES)}
    return {**codes, "y": rng.integers(0, classes, rows)}


def tiles(outputs: int) -> list[tuple[Interaction, np.ndarray]]:
    """Tiles of one to three columns, and values that drive scores beyond what is read, below it and above."""
    rng, result = np.random.default_rng(6), []
    for places in ((2,), (0, 1), (3, 2, 0), (1,), (2, 3), (2,))[: 3 if outputs > 1 else 6]:
        offsets, parts = [], 1
        for place in places:
            many = min(SIZES[place], 4)
            offsets.append(rng.integers(0, many, SIZES[place]) * parts)
            parts *= many
        result.append((Interaction(places, tuple(offsets), parts), rng.integers(-5000, 5000, (parts, outputs))))
    return result


@contextmanager
def stored(engine: str, request: pytest.FixtureRequest, table: dict[str, np.ndarray]) -> Iterator[Warehouse]:
    """The table in an engine that may write temporary tables."""
    arrow = pyarrow.table(table)
    with ExitStack() as stack:
        if engine == "postgres":
            server = request.getfixturevalue("postgres")
            server.put("scores", table)
            source = stack.enter_context(Warehouse.open(server.url, "scores", temporary=True))
        elif engine == "spark":
            session = request.getfixturevalue("spark")
            session.createDataFrame(arrow.to_pandas()).createOrReplaceTempView("scores")
            source = Warehouse.open(ibis.pyspark.connect(session).table("scores"), temporary=True)
        else:
            backend = ibis.duckdb.connect()
            stack.callback(backend.disconnect)
            source = Warehouse.open(backend.create_table("scores", arrow), temporary=True)
        stack.enter_context(source.reading())
        yield source


def records(source: Warehouse, temporary: Temporary, classes: int) -> StoredRecords:
    """Its records."""
    attributes = [CodeDomain(f"c{place}", size) for place, size in enumerate(SIZES)]
    return StoredRecords(source, attributes, CodeDomain("y", classes), "error", temporary=temporary)


def in_memory(table: dict[str, np.ndarray], classes: int) -> Records:
    """The reference."""
    return Records([table[f"c{place}"] for place in range(4)], table["y"], SIZES, classes)


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        *(("duckdb", kind) for kind in LOSSES),
        ("postgres", "two classes"),
        ("postgres", "three classes, l2"),
        *(
            pytest.param(engine, kind, marks=pytest.mark.slow)
            for engine, kind in (*(("spark", kind) for kind in LOSSES), ("postgres", "a number"))
        ),
    ],
)
def test_sums_are_those_of_memory(engine: str, kind: str, request: pytest.FixtureRequest) -> None:
    """In every round, also where scores lie beyond what is read, and where additions wait for a rewritten table."""
    classes, loss = LOSSES[kind]
    table, start = columns(300, classes), np.arange(loss.outputs) * 700 - 200
    here = in_memory(table, classes).with_scores(loss, start)
    with stored(engine, request, table) as source, Temporary(source) as temporary:
        there = records(source, temporary, classes).with_scores(loss, start)
        beyond = False
        for tile, values in tiles(loss.outputs):
            one, two = here.sums(tile), there.sums(tile)
            assert one[0].tolist() == two[0].tolist()
            assert one[1].tolist() == two[1].tolist()
            for scored in (here, there):
                scored.add(tile, values)
            beyond = beyond or int(np.abs(here._scores).max()) > WIDEST
        assert beyond


def test_as_many_classes_as_are_allowed_make_a_flat_query(request: pytest.FixtureRequest) -> None:
    """A third of what Python lets a compiler nest is enough for all of them."""
    table, loss = columns(200, MOST_CLASSES), Loss.several(MOST_CLASSES)
    start, (tile, _) = np.arange(MOST_CLASSES) * 70, tiles(1)[1]
    with stored("duckdb", request, table) as source, Temporary(source) as temporary:
        there = records(source, temporary, MOST_CLASSES).with_scores(loss, start)
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(_depth() + 330)
        try:
            sums = there.sums(tile)
        finally:
            sys.setrecursionlimit(before)
    expected = in_memory(table, MOST_CLASSES).with_scores(loss, start).sums(tile)
    assert [each.tolist() for each in expected] == [each.tolist() for each in sums]


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


def test_cuts_of_a_wide_column_make_a_short_query(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offsets that change a few times are comparisons, whatever the number of codes; also for what waits."""
    wide, ask, lengths = 40_000, Warehouse.ask, []
    cut = np.searchsorted([7, 500, 39_998], np.arange(wide), side="right")
    cut[-1] = 0
    rng, tile = np.random.default_rng(8), Interaction((0,), (cut,), 4)
    codes, labels = np.append(rng.integers(0, wide, 300), [6, 7, 8, 39_997, 39_998, 39_999]), rng.integers(0, 2, 306)
    here = Records([codes], labels, (wide,), 2).with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))

    def measured(self: Warehouse, expression: Any) -> Any:
        lengths.append(len(str(ibis.to_sql(expression))))
        return ask(self, expression)

    with stored("duckdb", request, {"c0": codes, "y": labels}) as source, Temporary(source) as temporary:
        one = StoredRecords(source, [CodeDomain("c0", wide)], CodeDomain("y", 2), "error", temporary=temporary)
        there = one.with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
        monkeypatch.setattr(Warehouse, "ask", measured)
        for _ in range(2):
            for ours, theirs in zip(here.sums(tile), there.sums(tile), strict=True):
                assert ours.tolist() == theirs.tolist()
            for scored in (here, there):
                scored.add(tile, np.array([[100], [-3000], [7], [900]]))
    assert 2 == len(lengths)
    assert max(lengths) < 5000


@pytest.mark.parametrize("engine", ENGINES)
def test_every_score_is_worth_what_it_is_in_memory(engine: str, request: pytest.FixtureRequest) -> None:
    """All that are read and some beyond, with both labels, one part each."""
    scores = np.repeat(np.concatenate((np.arange(-WIDEST, WIDEST + 1, 97), [-7000, -WIDEST, WIDEST, 7000])), 2)
    labels, many = np.tile([0, 1], scores.size // 2), scores.size
    tile, loss = Interaction((0,), (np.arange(many),), many), Loss.binary()
    here = Records([np.arange(many)], labels, (many,), 2).with_scores(loss, np.zeros(1, dtype=np.int64))
    with stored(engine, request, {"c0": np.arange(many), "y": labels}) as source, Temporary(source) as temporary:
        one = StoredRecords(source, [CodeDomain("c0", many)], CodeDomain("y", 2), "error", temporary=temporary)
        there = one.with_scores(loss, np.zeros(1, dtype=np.int64))
        for scored in (here, there):
            scored.add(tile, scores[:, None])
        for ours, theirs in zip(here.sums(tile), there.sums(tile), strict=True):
            assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("kind", ["two classes", "three classes, l2", "a number"])
def test_an_empty_table_and_a_single_class_are_summed_too(kind: str, request: pytest.FixtureRequest) -> None:
    """Zeros of nobody; of one class what memory says."""
    classes, loss = LOSSES[kind]
    start = np.zeros(loss.outputs, dtype=np.int64)
    for rows in (0, 40):
        table = columns(rows, 1)
        here = in_memory(table, classes).with_scores(loss, start)
        with stored("duckdb", request, table) as source, Temporary(source) as temporary:
            there = records(source, temporary, classes).with_scores(loss, start)
            for tile, values in tiles(loss.outputs)[:2]:
                one, two = here.sums(tile), there.sums(tile)
                assert [each.tolist() for each in one] == [each.tolist() for each in two]
                assert one[0].any() == bool(rows)
                here.add(tile, values)
                there.add(tile, values)


def test_a_round_is_one_query_of_as_many_bytes_however_many_records(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each part that occurs, never more than there are; adding asks for nothing."""
    ask: Callable[..., Any] = Warehouse.ask
    home: list[list[int]] = []

    def counted(self: Warehouse, expression: Any) -> Any:
        rows = ask(self, expression)
        home[-1].append(sum(np.asarray(values).nbytes for values in rows.values()))
        return rows

    monkeypatch.setattr(Warehouse, "ask", counted)
    for many in (3000, 12000):
        table = columns(many, 2)
        with stored("duckdb", request, table) as source, Temporary(source) as temporary:
            home.append([])
            there = records(source, temporary, 2).with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
            home[-1].clear()
            for tile, values in tiles(1):
                there.sums(tile)
                there.add(tile, values)
    assert home[0] == home[1]
    assert len(tiles(1)) == len(home[0])
    assert all(size <= tile.parts * 3 * 8 for size, (tile, _) in zip(home[0], tiles(1), strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_left_in_the_engine(engine: str, request: pytest.FixtureRequest) -> None:
    """Also of tables that were rewritten on the way."""
    with stored(engine, request, columns(50, 2)) as source:
        backend = source.table.get_backend()
        before = {name for name in _everything(backend, engine) if name.startswith("dpselect")}
        with Temporary(source) as temporary:
            there = records(source, temporary, 2).with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
            for tile, values in tiles(1):
                there.sums(tile)
                there.add(tile, values)
            held = {name for name in _everything(backend, engine) if name.startswith("dpselect")}
            # The records and the public table.
            assert 2 == len(held - before)
        assert before == {name for name in _everything(backend, engine) if name.startswith("dpselect")}


def _everything(backend: Any, engine: str) -> list[str]:
    if engine == "postgres":
        return [name for (name,) in backend.con.execute("SELECT tablename FROM pg_tables").fetchall()]
    if engine == "duckdb":
        return [name for (name,) in backend.con.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
    return list(backend.list_tables())


def test_rewriting_in_one_transaction_does_not_fill_the_disk(request: pytest.FixtureRequest) -> None:
    """PostgreSQL keeps what is dropped until the transaction ends, but not what was emptied before."""
    with stored("postgres", request, columns(20000, 2)) as source, Temporary(source) as temporary:
        there = records(source, temporary, 2).with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
        there._most = 0
        backend, sizes = source.table.get_backend(), []
        for _ in range(2):
            for tile, values in tiles(1):
                there.sums(tile)
                there.add(tile, values)
            sizes.append(_bytes_of_temporary_files(backend))
    # Six copies of what is a megabyte.
    assert sizes[1] < sizes[0] + 2**20


def _bytes_of_temporary_files(backend: Any) -> int:
    """Files of temporary tables begin with t; those that are dropped stay in their folder until the end."""
    query = """SELECT coalesce(sum((pg_stat_file(folder || '/' || file)).size), 0) FROM (
        SELECT 'base/' || oid AS folder FROM pg_database WHERE datname = current_database()) AS f,
        pg_ls_dir(folder) AS file WHERE file LIKE 't%'"""
    return int(backend.con.execute(query).fetchone()[0])


def test_an_engine_that_may_not_write_is_refused() -> None:
    """Before anything is read, by one sentence that says how to allow it; files are read by our own DuckDB."""
    table = ibis.memtable(pyarrow.table(columns(20, 2)))
    for source in (Warehouse.open(table), Warehouse.open(table, key="c2")):
        with Temporary(source) as temporary, pytest.raises(ValueError, match="allow it by"):
            records(source, temporary, 2).require_scores(())
    with Temporary(Warehouse.open(table, temporary=True)) as temporary:
        temporary.require()
    other = ibis.sqlite.connect().create_table("scores", pyarrow.table(columns(20, 2)))
    words = "DuckDB, PostgreSQL and Spark, and this is SQLite: read the table"
    with Temporary(Warehouse.open(other, temporary=True)) as temporary, pytest.raises(ValueError, match=words):
        records(Warehouse.open(other), temporary, 2).require_scores(())


def test_a_table_that_changes_before_its_copy_is_refused(request: pytest.FixtureRequest) -> None:
    """The copy is compared with the first counts; afterwards nothing is read from the table itself."""
    with stored("duckdb", request, columns(100, 2)) as source, Temporary(source) as temporary:
        there = records(source, temporary, 2)
        there.level(1)
        backend = source.table.get_backend()
        backend.con.execute("INSERT INTO scores VALUES (0, 0, 0, 0, 1)")
        with pytest.raises(ValueError, match="other counts"):
            there.with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
        backend.con.execute("DELETE FROM scores WHERE c0 + c1 + c2 + c3 = 0 AND y = 1")
        scored, tile = there.with_scores(Loss.binary(), np.zeros(1, dtype=np.int64)), tiles(1)[0][0]
        first = scored.sums(tile)
        backend.con.execute("DELETE FROM scores")
        assert [each.tolist() for each in first] == [each.tolist() for each in scored.sums(tile)]


def test_errors_and_logs_hold_no_sums(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> None:
    """A table that is gone stops a round by the kind of failure alone."""
    caplog.set_level(logging.DEBUG)
    with stored("duckdb", request, columns(100, 2)) as source, Temporary(source) as temporary:
        there = records(source, temporary, 2).with_scores(Loss.binary(), np.zeros(1, dtype=np.int64))
        tile = tiles(1)[0][0]
        gradients, _ = there.sums(tile)
        source.table.get_backend().con.execute(f'DROP TABLE "{there._table.op().name}"')
        with pytest.raises(ConnectionError, match="stays spent") as caught:
            there.sums(tile)
    assert caught.value.__context__ is None
    words = str(caught.value) + repr(there) + caplog.text
    assert not any(str(abs(each)) in words for each in gradients.ravel().tolist())

"""The same persons per item from DuckDB, PostgreSQL and Spark, and from memory."""

from __future__ import annotations

import numpy as np
import pytest

import dpselect as dps
from dpselect.views.stored_events import stored_names, stored_popularity
from tests.warehouse.test_candidates_everywhere import ENGINES, stored

WHO = np.array(["ann", "ann", "bob", "bob", "eve", "eve", "", "nan", "dan", "Dan"], dtype=object)
WHAT = np.array(["tea", "tea", "tea", "milk", "tea", "it's", "tea", "milk", "rum", ""], dtype=object)
NUMBER = np.array([1, 1, 2, 2, 3, 3, 2, 2, 9, 1])
SHELF = ["it's", "milk", "soy", "tea"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_persons_of_a_public_list(engine: str, request) -> None:
    """Text and integers; who is named by nothing is left out, and an item without a row counts."""
    table = stored(engine, "events", {"who": WHO, "what": WHAT, "number": NUMBER}, request)

    with stored_popularity(table, "who", "what", SHELF) as candidates:
        scores = candidates.scores()
    assert dict(zip(SHELF, [1, 1, 0, 3], strict=True)) == dict(zip(scores.candidates, scores.values, strict=True))
    assert ("person", 1, "i") == (scores.neighbours, scores.range_bound, scores.values.dtype.kind)
    in_memory = dps.utilities.popularity({"who": WHO, "what": WHAT}, person="who", item="what", domain=SHELF)
    assert in_memory.values.tolist() == scores.values.tolist()

    with stored_popularity(table, "who", "number", range(1, 5)) as candidates:
        assert [2, 1, 1, 0] == candidates.scores().values.tolist()
    for kind in (range(1, 5), [1, 2, 3, 4]):
        release = dps.most_common(table, 1, epsilon=60, person="who", item="number", domain=kind)
        assert ((1,), "person") == (release.value, release.guarantee.neighbours)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_fetches_the_names_before_a_wall(engine: str, request) -> None:
    """The most frequent ones, with their numbers of different persons."""
    table = stored(engine, "names", {"who": WHO, "what": WHAT, "number": NUMBER}, request)

    assert ([3], ["tea"]) == tuple(part.tolist() for part in _two(table, "what", 1))
    assert ([2, 1], [1, 2]) == tuple(part.tolist() for part in _two(table, "number", 2))
    assert () == dps.most_common(table, 1, epsilon=1, person="who", item="what", delta=1e-9, kept=2).value


def _two(table, item: str, most: int):
    counts, names, _ = stored_names(table, "who", item, most)
    return counts, np.array(names, dtype=object)


def test_a_longer_list_is_drawn_by_the_group(monkeypatch) -> None:
    """Only how many items have which count is fetched, and the winners' names."""
    import ibis
    import pyarrow

    monkeypatch.setattr("dpselect.release.most_common._MOST_LISTED", 2)
    table = ibis.memtable(pyarrow.table({"who": WHO.tolist(), "what": WHAT.tolist()}))
    release = dps.most_common(table, 1, epsilon=60, person="who", item="what", domain=SHELF)

    assert ("tea",) == release.value


def test_a_connection_that_was_opened_for_a_release_is_closed_after_it(tmp_path, monkeypatch) -> None:
    """Of a list, and of names above a threshold."""
    import duckdb

    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.sql("create table events as select 'u' || range as who, 'tea' as what from range(90)")
    closed, close = [], dps.data.Warehouse.close
    monkeypatch.setattr(
        dps.data.Warehouse, "close", lambda place: closed.append(place.opened is not None) or close(place)
    )
    url = f"duckdb://{tmp_path}/shop.duckdb?table=events"

    for more in ({"domain": ["tea", "milk"]}, {"delta": 1e-9, "kept": 3}):
        closed.clear()
        assert ("tea",) == dps.most_common(url, 1, epsilon=60, person="who", item="what", **more).value
        assert any(closed)


def test_a_collation_that_takes_items_for_equal_is_refused_without_a_row(tmp_path) -> None:
    """Else one person's "TEA" might give the group of "tea" its name, and all counts of "tea" would be nobody's."""
    duckdb = pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis")
    with duckdb.connect(tmp_path / "p.duckdb") as own:
        own.execute("CREATE TABLE p (who BIGINT, what VARCHAR COLLATE nocase)")
    backend = ibis.duckdb.connect(tmp_path / "p.duckdb")
    table = backend.table("p")
    with (
        pytest.raises(ValueError, match="takes different texts for equal in what"),
        stored_popularity(table, "who", "what", ["tea"]),
    ):
        pass
    with pytest.raises(ValueError, match="takes different texts for equal in what"):
        stored_names(table, "who", "what", 3)
    backend.disconnect()

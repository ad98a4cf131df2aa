"""The same candidates, groups and winners from DuckDB, PostgreSQL and Spark."""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pytest

import dpselect as dps
from dpselect.sources import ordinals

ENGINES = ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)]
FLIP = dps.mechanism("permute-and-flip")
IDS = np.array([5, -7, 2**62, 0, 12, 13, -(2**62)])
WHOLE = np.array([3, 3, -1, 8, 3, 8, 3])
REAL = np.array([0.1, 1 / 3, 5e-324, -0.0, 0.1, 0.0, -0.12345678901234568])
NAMES = np.array(["b", "A", "a", "ä", "it's", "B", ""], dtype=object)


def stored(engine: str, name: str, columns: dict[str, np.ndarray], request: pytest.FixtureRequest) -> Any:
    """A table in an engine; tables of one engine share a connection."""
    if engine == "duckdb":
        import pyarrow

        backend = _connection(engine, request, ibis.duckdb.connect)
        return backend.create_table(name, pyarrow.table(columns), overwrite=True)
    if engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.put(name, columns)
        return _connection(engine, request, lambda: ibis.connect(server.url)).table(name)
    import pandas

    session = request.getfixturevalue("spark")
    frame = pandas.DataFrame(columns)
    return _connection(engine, request, lambda: ibis.pyspark.connect(session)).create_view(
        name, ibis.memtable(frame), overwrite=True
    )


def _connection(engine: str, request: pytest.FixtureRequest, connect: Any) -> Any:
    known = request.node.__dict__.setdefault("connections", {})
    if engine not in known:
        known[engine] = connect()
        # Tests live as long as the session, and no connection may outlive its engine.
        request.addfinalizer(lambda: closed(engine, known.pop(engine)))
    return known[engine]


def closed(engine: str, connection: Any) -> None:
    """Close a connection that is not the session of all Spark tests."""
    if engine != "spark":
        connection.disconnect()


def everyone(candidates: dps.data.Candidates) -> dict[Any, float]:
    """Each candidate and its score, by asking for every ordinal of every group."""
    values: list[float] = []

    def pick(grouped: Any) -> list[tuple[int, int]]:
        places = [(g, i) for g, count in enumerate(grouped.counts.tolist()) for i in range(count)]
        values[:] = [grouped.scores.values[g].item() for g, _ in places]
        return places

    names = candidates.answer(pick)
    assert len(set(names)) == len(names)
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pairs", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_engine_finds_the_same_candidates(
    engine: str, pairs: int, monkeypatch, request: pytest.FixtureRequest
) -> None:
    """Integers of both signs and text, whole and real scores, by every rank."""
    slow = engine == "spark"
    monkeypatch.setattr(ordinals, "_FEW", 4 if slow else 2)
    columns = {"id": IDS, "name": NAMES, "whole": WHOLE, "real": REAL}
    columns = {name: values[:5] if slow else values for name, values in columns.items()}
    table = stored(engine, "scored", columns, request)

    for column, score in (("id", "real"), ("name", "whole"), ("id", "whole"), ("name", "real"))[: 2 if slow else pairs]:
        found = everyone(dps.data.Candidates(table, column, score, 1, domain="rows"))
        assert dict(zip(columns[column].tolist(), columns[score].tolist(), strict=True)) == found


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_knows_who_is_absent(engine: str, monkeypatch, request: pytest.FixtureRequest) -> None:
    """Ranges, lists and public tables of the same engine; a stranger and a twin are refused."""
    monkeypatch.setattr(ordinals, "_FEW", 2)
    table = stored(engine, "few", {"id": np.array([3, 9, 4]), "score": np.array([1, 7, -2])}, request)
    public = stored(engine, "public_ids", {"node": np.arange(1, 12)}, request)
    expected = dict.fromkeys(range(1, 12), 0) | {3: 1, 9: 7, 4: -2}

    for domain in (public, range(1, 12), list(range(1, 12)), public.node)[: 1 if engine == "spark" else 4]:
        candidates = dps.data.Candidates(table, "id", "score", 1, domain=domain)
        assert engine == "spark" or expected == everyone(candidates)
        assert 11 == candidates.check()
        assert 9 == dps.select(candidates, epsilon=1000, mechanism=FLIP).value
    with pytest.raises(ValueError, match="not in the public domain"):
        dps.data.Candidates(table, "id", "score", 1, domain=range(9)).check()
    twins = stored(engine, "twins", {"id": np.array([3, 3]), "score": np.array([1, 2])}, request)
    with pytest.raises(ValueError, match="two rows"):
        dps.data.Candidates(twins, "id", "score", 1, domain="rows").check()


def test_postgres_holds_one_state(request: pytest.FixtureRequest) -> None:
    """Another connection writes between count and look-up; the winners are of the state that was counted."""
    table = stored("postgres", "held", {"id": np.array([1, 2]), "score": np.array([5, 5])}, request)
    server = request.getfixturevalue("postgres")
    candidates, calls = dps.data.Candidates(table, "id", "score", 1, domain="rows"), []

    def pick(_: Any) -> list[tuple[int, int]]:
        calls.append(1)
        server.run("UPDATE held SET id = id + 10, score = 9")
        return [(0, 0), (0, 1)]

    assert [1, 2] == candidates.answer(pick)
    assert [1] == calls
    assert {11: 9, 12: 9} == everyone(candidates)


def test_sums_in_postgres_are_scores(request: pytest.FixtureRequest) -> None:
    """A sum of integers is a decimal there; candidates may be an expression, and it is recorded without values."""
    visits = {"page": np.array([1, 1, 2, 3, 3, 3]), "seconds": np.array([4, 5, 1, 2, 2, 2])}
    table = stored("postgres", "visits", visits, request)
    scores = table.group_by("page").agg(score=lambda t: t.seconds.sum())

    assert {1: 9, 2: 1, 3: 6, 4: 0} == everyone(dps.data.Candidates(scores, "page", "score", 5, domain=range(1, 5)))

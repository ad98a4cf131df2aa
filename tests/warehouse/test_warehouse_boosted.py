"""Boosted trees from engines: with the same coins the same model from everywhere, and refusals before the spend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import polars
import pytest

import dpselect as dps
from dpselect.sources.warehouse import Warehouse
from dpselect.views import stored_scored
from dpselect.views.stored_scored import MOST_CLASSES

ENGINES = [
    "csv",
    "duckdb",
    "postgres",
    *(pytest.param(engine, marks=pytest.mark.slow) for engine in ("parquet", "spark")),
]
DOMAINS = {"age": (0, 100), "share": (0, 1), "job": ["nurse", "smith", "o'neill"]}
CLASSES = {"two": ["no", "yes"], "three": ["no", "perhaps", "yes"]}


def table(rows: int = 600) -> polars.DataFrame:
    """Numbers with gaps and beyond their bounds, words with gaps and without a code, labels with gaps and unknown."""
    rng = np.random.default_rng(10)
    age, share = rng.normal(50, 30, rows).round(1), rng.choice([-1.0, 0.0, 0.1, 0.30000000000000004, 1.0, 7.5], rows)
    job = rng.choice(np.array(["nurse", "smith", "o'neill", "spy", None], dtype=object), rows)
    label = np.where((age > 50) ^ (job == "nurse"), "yes", "no").astype(object)
    label[::7], label[::31], label[::29] = "perhaps", None, "never"
    ages = [None if place % 13 == 0 else value for place, value in enumerate(age.tolist())]
    columns = {"age": ages, "share": share.tolist(), "job": job.tolist(), "label": label.tolist()}
    return polars.DataFrame(columns, strict=False)


def model(classes: str = "two", **more: Any) -> Any:
    """Few rounds at a small price: what is released depends on every sum."""
    given = {"rounds": 6, "bins": 10, "unknown": "ignore", "missing": "category", "classes": CLASSES[classes]}
    return dps.learn.DPBoostedTreesClassifier(5, domains=DOMAINS, **(given | more))


@contextmanager
def stored(engine: str, request: pytest.FixtureRequest, folder: Path, **more: Any) -> Iterator[Warehouse]:
    """The table in an engine; in a database, temporary tables are allowed."""
    frame = table()
    if engine in ("csv", "parquet"):
        path = folder / f"people.{engine}"
        frame.write_csv(path) if engine == "csv" else frame.write_parquet(path)
        opened = Warehouse.open(path, **more)
    elif engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.put("people", {name: _plain(frame[name]) for name in frame.columns})
        opened = Warehouse.open(server.url, "people", **{"temporary": True, **more})
    elif engine == "spark":
        frame.write_parquet(folder / "people.parquet")
        session = request.getfixturevalue("spark")
        backend = ibis.pyspark.connect(session)
        source = backend.read_parquet(str(folder / "people.parquet"))
        opened = Warehouse.open(source, **{"temporary": True, **more})
    else:
        backend = ibis.duckdb.connect(folder / "one.duckdb")
        opened = Warehouse.open(backend.create_table("people", frame), **{"temporary": True, **more})
    with opened:
        yield opened


def _plain(column: polars.Series) -> np.ndarray:
    numeric = column.dtype.is_numeric()
    return np.array(
        [np.nan if numeric and v is None else v for v in column.to_list()], dtype=float if numeric else object
    )


def alike(one: Any, two: Any) -> bool:
    """Whether every integer of two models is the same."""
    first, second = one.model_, two.model_
    tiles = zip(first.tiles, second.tiles, strict=True)
    return (
        first.start.tolist() == second.start.tolist()
        and all(a.columns == b.columns for a, b in tiles)
        and [values.tolist() for values in first.values] == [values.tolist() for values in second.values]
    )


@pytest.mark.parametrize(
    ("engine", "classes", "delta"),
    [
        *((engine, "two", 1e-6) for engine in ("csv", "duckdb", "postgres")),
        ("duckdb", "three", 0),
        *(
            pytest.param(engine, classes, delta, marks=pytest.mark.slow)
            for engine, classes, delta in (
                ("parquet", "two", 0),
                ("postgres", "three", 1e-6),
                ("spark", "two", 1e-6),
                ("spark", "three", 0),
            )
        ),
    ],
)
def test_the_same_coins_make_the_same_model(
    engine: str,
    classes: str,
    delta: float,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    replayed: Callable[[], None],
) -> None:
    """From a frame and from every engine, for two classes and several, by rho and pure."""
    given = {"delta": delta, "unknown": "clip" if engine == "csv" else "ignore"}
    if classes == "three":
        given["rounds"] = 2
    replayed()
    here = model(classes, **given).fit(table(), "label")
    with stored(engine, request, tmp_path) as source:
        there = model(classes, **given).fit(source, "label")
    assert alike(here, there)
    assert any(values.any() for values in here.model_.values)
    replayed()
    assert here.predict_proba(table().head(50)).tolist() == there.predict_proba(table().head(50)).tolist()


def test_the_ledger_knows_where_the_records_were(postgres: Any, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """One spend, with the source and the table, and no password."""
    with dps.budget(epsilon=5, delta=1e-6) as book, stored("postgres", request, tmp_path) as source:
        model().fit(source, "label")
    (event,) = book.events
    assert {"source": f"postgres://127.0.0.1:{postgres.port}/postgres", "table": "people"} == event.metadata


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_an_engine_that_may_not_write_is_refused_before_the_spend(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """By a sentence that says how to allow it; and a table that cannot be written fails before the spend as well."""
    with dps.budget(epsilon=50, delta=1e-5) as book:
        with (
            stored(engine, request, tmp_path, temporary=False) as source,
            pytest.raises(ValueError, match="allow it by"),
        ):
            model().fit(source, "label")
        if engine == "postgres":
            _without_right_to_write(request.getfixturevalue("postgres"))
    assert () == book.events


def test_domains_that_make_rounds_too_long_are_refused_before_the_spend(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes and categories, of which the one for missing values is one too; bins of numbers may be as many."""
    many = [f"class {place}" for place in range(MOST_CLASSES + 1)]
    with dps.budget(epsilon=50, delta=1e-5) as book, stored("duckdb", request, tmp_path) as source:
        with pytest.raises(ValueError, match="at most 20 classes, and 21 are declared: read the table"):
            model().set_params(classes=many).fit(source, "label")
        monkeypatch.setattr(stored_scored, "MOST_CATEGORIES", 3)
        with pytest.raises(ValueError, match="at most 3 categories per column, and 'job' has 4: read the table"):
            model().fit(source, "label")
    assert () == book.events


def _without_right_to_write(server: Any) -> None:
    server.run(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'hidden'",
        "GRANT SELECT ON people TO reader",
        "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
    )
    with (
        Warehouse.open(server.url.replace("keeper", "reader"), "people", temporary=True) as source,
        pytest.raises(ConnectionError, match="may be read"),
    ):
        model().fit(source, "label")
    server.run("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC", "DROP OWNED BY reader", "DROP ROLE reader")


def test_persons_are_for_frames(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """As for the trees: a warehouse has no order in which a person's first rows come first."""
    with (
        dps.budget(epsilon=5, delta=1e-6) as book,
        stored("duckdb", request, tmp_path) as source,
        pytest.raises(ValueError, match="goes with frames"),
    ):
        model(person="job", rows_per_person=2).fit(source, "label")
    assert () == book.events


def test_a_file_that_changes_between_the_rounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spend stays; rounds read the copy, and the end looks at the file."""
    path, ask, asked = tmp_path / "people.parquet", Warehouse.ask, [0]
    table().write_parquet(path)

    def meddled(self: Warehouse, expression: Any) -> Any:
        asked[0] += 1
        if asked[0] == 4:
            table(900).write_parquet(path)
        return ask(self, expression)

    monkeypatch.setattr(Warehouse, "ask", meddled)
    with dps.budget(epsilon=5, delta=1e-6) as book, pytest.raises(ValueError, match="other counts"):
        model().fit(str(path), "label")
    assert 1 == len(book.events)

"""Trees from counts of an engine: the same counts, and with the same entropy the same model, from everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import dpselect as dps
from dpselect.learn.domains import Attribute, attribute
from dpselect.papers import RandomDecisionForestClassifier
from dpselect.sources.warehouse import Warehouse
from dpselect.views.records import Records
from dpselect.views.stored_records import StoredRecords

# A parquet file and a table of DuckDB are read by the same engine as memory and csv.
ENGINES = [
    "memory",
    "csv",
    "postgres",
    *(pytest.param(engine, marks=pytest.mark.slow) for engine in ("duckdb", "parquet", "spark")),
]
WORDS = ["o'neill", "back\\slash", "é", "a b", "a"]
DOMAINS = {
    "share": (0, 1),
    "score": np.array([-1, 0, 1e-300, 0.1, 0.30000000000000004, 2.5]),
    "word": WORDS,
    "rank": [3, 2.0, 1, False],
    "label": ["yes", "no"],
}


def table(rows: int = 2000) -> dict[str, np.ndarray]:
    """Values on every edge and one step beside it, both zeros, every word, missing numbers and missing words."""
    rng = np.random.default_rng(10)
    edges = np.linspace(0, 1, 11)
    near = np.concatenate([edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], 1), [-0.0, np.nan]])
    marks = DOMAINS["score"]
    close = np.concatenate([marks, np.nextafter(marks[1:], -9), np.nextafter(marks[:-1], 9), [-0.0, np.nan]])
    word = rng.choice(np.array([*WORDS, None], dtype=object), rows)
    share, score = rng.choice(near, rows), rng.choice(close, rows)
    label = np.where((np.nan_to_num(share) > 0.45) ^ (word == "é") ^ (rng.random(rows) < 0.1), "yes", "no")
    return {
        "id": np.arange(rows) - 700,
        "share": share,
        "score": score,
        "word": word,
        "rank": rng.integers(0, 4, rows),
        "label": label.astype(object),
    }


@pytest.fixture
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Warehouse]]:
    """Put columns into an engine and open them."""
    opened: list[Warehouse] = []

    def made(engine: str, columns: dict[str, np.ndarray], **more: Any) -> Warehouse:
        import ibis

        if engine == "postgres":
            server = request.getfixturevalue("postgres")
            server.put("records", columns)
            return Warehouse.open(server.url, "records", **more)
        frame = polars.DataFrame({name: values.tolist() for name, values in columns.items()}, strict=False)
        if engine == "memory":
            return Warehouse.open(ibis.memtable(frame), **more)
        if engine == "duckdb":
            backend = ibis.duckdb.connect(tmp_path / "one.duckdb")
            return Warehouse.open(backend.create_table("records", frame), **more)
        if engine == "csv":
            frame.write_csv(tmp_path / "records.csv", quote_style="non_numeric")
            return Warehouse.open(tmp_path / "records.csv", **more)
        frame.write_parquet(tmp_path / "records.parquet")
        if engine == "parquet":
            return Warehouse.open(str(tmp_path / "records.parquet"), **more)
        session = request.getfixturevalue("spark")
        backend = ibis.pyspark.connect(session)
        return Warehouse.open(backend.read_parquet(str(tmp_path / "records.parquet")), **more)

    def put(engine: str, columns: dict[str, np.ndarray], **more: Any) -> Warehouse:
        opened.append(made(engine, columns, **more))
        return opened[-1]

    yield put
    for each in opened:
        each.close()


def known(columns: dict[str, np.ndarray]) -> tuple[list[Attribute], Attribute]:
    """The attributes of the table and its target."""
    names = [name for name in columns if name not in ("id", "label")]
    found = [attribute(name, DOMAINS[name], bins=10, missing=True) for name in names]
    return found, attribute("label", DOMAINS["label"], bins=2, missing=False)


def in_memory(columns: dict[str, np.ndarray], attributes: list[Attribute], target: Attribute) -> Records:
    """The reference: codes of arrays."""
    codes = [each.encode(columns[each.name], "error") for each in attributes]
    sizes = tuple(each.size for each in attributes)
    return Records(codes, target.encode(columns["label"], "error"), sizes, target.size)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_are_those_of_arrays(engine: str, stored: Callable[..., Warehouse]) -> None:
    """At the root, and after splits of every kind: at an edge, one word against the rest, a child a value, an end."""
    columns = table()
    attributes, target = known(columns)
    here, there = (
        in_memory(columns, attributes, target),
        StoredRecords(stored(engine, columns, key="id"), attributes, target, "error"),
    )
    nodes = 1
    for level, split in enumerate(([0], [1, 2], [3, -1, 2, 0])):
        for one, two in zip(here.level(nodes), there.level(nodes), strict=True):
            assert np.array_equal(one, two)
        routes, start = [], 0
        for node, place in enumerate(split):
            size = attributes[place].size if place >= 0 else 0
            cut = np.arange(size) > 3 if place < 2 else np.arange(size) != node
            route = np.arange(size) if place == 3 else cut.astype(np.int64)
            routes.append(route + start)
            start += int(route.max()) + 1 if size else 0
        nodes = start
        for records in (here, there):
            records.descend(np.array(split), routes)
        if level != 1:
            assert np.array_equal(here.totals(nodes), there.totals(nodes))
    assert np.array_equal(here.level(nodes)[2], there.level(nodes)[2])
    there.confirm()


MODELS = {
    "tree": lambda **given: dps.learn.DPTreeClassifier(4, bins=10, max_depth=3, **given),
    "id3": lambda **given: dps.learn.DPID3Classifier(4, 2, n_trees=2, **given),
    "evolutionary": lambda **given: dps.learn.DPEvolutionaryTreeClassifier(
        9, population=12, generations=1, selected=4, depth=2, bins=10, **given
    ),
    "forest": lambda **given: RandomDecisionForestClassifier(4, 2, max_depth=3, sharing="budget", bins=10, **given),
}


# Files and memory are read by DuckDB too, and one tree is enough for Spark.
PAIRS = [("csv", "tree"), *(("duckdb", model) for model in MODELS if model != "tree"), ("postgres", "tree")]


MORE = [(engine, "tree") for engine in ("memory", "parquet", "duckdb", "spark")]
MORE += [("postgres", model) for model in MODELS if model != "tree"]


@pytest.mark.parametrize(("engine", "model"), [*PAIRS, *(pytest.param(*pair, marks=pytest.mark.slow) for pair in MORE)])
def test_the_same_entropy_grows_the_same_model(
    engine: str, model: str, stored: Callable[..., Warehouse], replayed: Callable[[], None]
) -> None:
    """From a pandas frame, a polars frame and every engine."""
    columns = table(20_000 if engine == "spark" else 2000)
    source = stored(engine, columns, key="id")
    plain = {name: values for name, values in columns.items() if name != "id"}
    replayed()
    make = MODELS[model]
    grown = [
        make(domains=DOMAINS, missing="category").fit(each, "label")
        for each in (pandas.DataFrame(plain), polars.DataFrame({n: v.tolist() for n, v in plain.items()}), source)
    ]
    texts = [each.export_text() for each in grown]

    assert texts[0] == texts[1] == texts[2]
    # An evolved tree may well do without the words.
    assert model == "evolutionary" or "word" in texts[0]
    assert ["no", "yes"] == grown[2].classes_.tolist()
    shares = [each.predict_proba(pandas.DataFrame(plain)) for each in grown]
    assert np.array_equal(shares[0], shares[1])
    assert np.array_equal(shares[0], shares[2])


@pytest.mark.parametrize("engine", ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_chunks_of_a_forest_depend_on_the_key_alone(engine: str, stored: Callable[..., Warehouse]) -> None:
    """The same integer arithmetic everywhere, for negative keys as well; chunks are disjoint and cover the table."""
    columns = table()
    attributes, target = known(columns)
    drawn = iter([6, 123_456_789])
    records = StoredRecords(stored(engine, columns, key="id"), attributes, target, "error")
    chunks = records.chunks(5, lambda bounds: np.array([next(drawn)]))
    prime = 2**31 - 1
    place = (7 * (columns["id"] % prime) + 123_456_789) % prime % 5
    here = in_memory(columns, attributes, target)

    for chunk, records in enumerate(chunks):
        assert np.array_equal(
            np.bincount(here.labels[place == chunk].astype(np.int64), minlength=2), records.totals(1)[0]
        )


@pytest.mark.parametrize("engine", [pytest.param("parquet", marks=pytest.mark.slow), "postgres"])
def test_a_temporary_table_of_codes_changes_nothing(
    engine: str, stored: Callable[..., Warehouse], replayed: Callable[[], None]
) -> None:
    """The same models, and the table is gone afterwards."""
    columns = table()
    replayed()
    for make in (
        MODELS["tree"],
        lambda **given: RandomDecisionForestClassifier(4, 2, max_depth=2, **given),
    ):
        texts = []
        for temporary in (False, True):
            source = stored(engine, columns, key="id", temporary=temporary)
            texts.append(make(domains=DOMAINS, missing="category").fit(source, "label").export_text())
            found = source.opened.raw_sql("SELECT table_name FROM information_schema.tables").fetchall()
            assert not [name for (name,) in found if name.startswith("dpselect_")]
        assert texts[0] == texts[1]


def test_a_forest_in_chunks_needs_a_key(stored: Callable[..., Warehouse]) -> None:
    """Row numbers would move other records when one is added."""
    columns = table(500)
    given = {"domains": DOMAINS, "missing": "category", "max_depth": 2}
    with dps.budget(epsilon=9) as book, pytest.raises(ValueError, match="declare it by"):
        RandomDecisionForestClassifier(4, 3, **given).fit(stored("memory", columns).table.drop("id"), "label")
    forest = RandomDecisionForestClassifier(4, 2, **given).fit(stored("memory", columns, key="id"), "label")

    assert () == book.events
    assert 2 == len(forest.trees_)


def test_every_kind_of_column_counts_as_in_arrays() -> None:
    """Decimals, narrow and unsigned integers, single precision, truth values; names that queries use themselves."""
    import ibis

    rng = np.random.default_rng(2)
    picked = rng.integers(0, 11, 500)
    cents = np.array([f"0.{i}" if i < 10 else "1.0" for i in picked])
    backend = ibis.duckdb.connect()
    frame = polars.DataFrame(
        {
            "node": cents,
            "n": picked.astype(np.uint8),
            "value": (picked / 10).astype(np.float32),
            "a0": picked % 2 == 0,
            "attribute": picked.astype(np.int16),
            'a "name"': picked % 3 == 0,
            "label": rng.integers(0, 2, 500),
        }
    )
    raw = backend.create_table("raw", frame)
    table = raw.mutate(node=raw.node.cast("decimal(20, 17)"))
    columns = {name: frame[name].to_numpy() for name in frame.columns} | {"node": cents.astype(float)}
    domains = {
        "node": (0, 1),
        "n": (0, 10),
        "value": (0, 1),
        "a0": [True, False],
        "attribute": [*range(10), 10.0],
        'a "name"': [0, 1],
    }
    attributes = [attribute(name, domain, bins=10, missing=False) for name, domain in domains.items()]
    target = attribute("label", [0, 1], bins=2, missing=False)
    here = in_memory(columns, attributes, target)
    there = StoredRecords(Warehouse.open(table), attributes, target, "error")

    for one, two in zip(here.level(1), there.level(1), strict=True):
        assert np.array_equal(one, two)


def test_a_table_in_memory_is_used_again(replayed: Callable[[], None]) -> None:
    """What Ibis registers for one fit is there for the next; an empty table is a table."""
    import ibis

    columns = table(300)
    source = ibis.memtable(polars.DataFrame({name: values.tolist() for name, values in columns.items()}))
    source = source.drop("id")
    replayed()
    texts = {MODELS["tree"](domains=DOMAINS, missing="category").fit(source, "label").export_text() for _ in range(2)}
    none = MODELS["tree"](domains=DOMAINS, missing="category").fit(source.limit(0), "label")

    assert 1 == len(texts)
    assert (1, 2) <= none.trees_[0].counts.shape

"""What a warehouse records, what it never says, and what it refuses."""

from __future__ import annotations

import builtins
import gc
import logging
import os
import pickle
import traceback
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import polars
import pyarrow as pa
import pytest

import dpselect as dps
from dpselect.sources.urls import without_secrets
from dpselect.sources.warehouse import Warehouse
from tests.warehouse.engines import Server

DOMAINS = {"age": (0, 100), "job": ["nurse", "smith"], "rich": ["no", "yes"]}


def people(rows: int = 400) -> dict[str, np.ndarray]:
    """A small table of old rich nurses."""
    rng = np.random.default_rng(0)
    age, job = rng.integers(0, 101, rows), rng.choice(np.array(["nurse", "smith"], dtype=object), rows)
    return {"age": age, "job": job, "rich": np.where((age > 50) & (job == "nurse"), "yes", "no").astype(object)}


def frame(rows: int = 400) -> polars.DataFrame:
    """The same, as a frame."""
    return polars.DataFrame({name: values.tolist() for name, values in people(rows).items()})


def tree(**given: Any) -> Any:
    """A tree of two levels at least."""
    return dps.learn.DPTreeClassifier(20, **({"domains": DOMAINS, "n_records": 400, "max_depth": 3} | given))


def written(path: Path) -> Path:
    """The table as parquet."""
    frame().write_parquet(path / "people.parquet")
    return path / "people.parquet"


@pytest.fixture
def book(tmp_path: Path) -> dps.Ledger:
    """A budget of two trees."""
    return dps.Ledger.open(tmp_path / "b.ledger", epsilon=40, dataset="people of 2026")


def test_facts_are_recorded_and_open_no_budget(tmp_path: Path, book: dps.Ledger, postgres: Server) -> None:
    """A file and a table in a server are the same people to the ledger; it knows where the counts came from."""
    postgres.put("people", people())
    tree(ledger=book).fit(str(written(tmp_path)), "rich")
    with Warehouse.open(postgres.url, "people", snapshot="export 7") as source:
        tree(ledger=book).fit(source, "rich")
        with pytest.raises(dps.BudgetError):
            tree(ledger=book).fit(source, "rich")
    one, two = (event.metadata for event in book.events)

    assert {"people of 2026"} == {event.dataset for event in book.events}
    assert str(tmp_path / "people.parquet") == one["source"]
    assert one["snapshot"].startswith("files ")
    place = f"postgres://127.0.0.1:{postgres.port}/postgres"
    assert {"source": place, "table": "people", "snapshot": "export 7"} == two


def test_the_row_filter_is_recorded(book: dps.Ledger) -> None:
    """As the query that Ibis makes of it."""
    table = ibis.duckdb.connect().create_table("people", frame())
    tree(ledger=book).fit(table.filter(table.age >= 18), "rich")

    assert '"age" >= 18' in book.events[0].metadata["query"]


def test_secrets_are_nowhere(postgres: Server, book: dps.Ledger, caplog: pytest.LogCaptureFixture) -> None:
    """Not in a repr, a log, the ledger, or an error with its traceback."""
    postgres.put("people", people())
    caplog.set_level(logging.DEBUG)
    seen = []
    with Warehouse.open(postgres.url, "people") as source:
        tree(ledger=book).fit(source, "rich")
        seen += [repr(source), str(source.metadata)]
    wrong = postgres.url.replace("hidden", "hidden2")
    for url, table in ((wrong, "people"), (postgres.url, "nobody"), (postgres.url.replace(":", "!:", 1), "people")):
        with pytest.raises((ConnectionError, ValueError)) as caught:
            Warehouse.open(url, table)
        seen.append("".join(traceback.format_exception(caught.value)).replace(url, ""))
        assert caught.value.__context__ is None
    everything = "".join(seen) + caplog.text + book.path.read_bytes().decode("latin-1")

    assert "hidden" not in everything


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://ann:hidden@host:5432/d?password=hidden#hidden", "postgres://host:5432/d"),
        ("postgres://ann:hid@den@Host/d", "postgres://Host/d"),
        ("postgres://ann:hidden?/#hidden@host/d", "postgres://"),
        ("postgres://host/d?password=x@hidden", "postgres://"),
        ("duckdb:///data/People.duckdb", "duckdb:///data/People.duckdb"),
        ("/data/tokens/passwords.parquet", "/data/tokens/passwords.parquet"),
    ],
)
def test_urls_lose_their_secrets(text: str, expected: str) -> None:
    """Escaped or not; paths stay as they are, queries lose what looks like a secret."""
    assert expected == without_secrets(text)
    assert "hidden" not in without_secrets("SELECT * FROM f('s3://k:hidden@b', secret='hidden', token = hidden)")


def test_an_engine_error_never_quotes_data(book: dps.Ledger) -> None:
    """What engines say of a bad cast holds the value."""
    table = ibis.duckdb.connect().create_table("people", frame())
    bad = table.mutate(age=table.job.cast("int64"))
    with pytest.raises(ConnectionError, match="refused a query") as caught:
        tree(ledger=book).fit(bad, "rich")
    words = "".join(traceback.format_exception(caught.value))

    assert "smith" not in words.partition("ConnectionError")[2]
    assert caught.value.__context__ is None
    assert () == book.events


def test_a_connection_lost_in_training_leaves_the_spend(
    postgres: Server, book: dps.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says so, and a second try spends anew."""
    postgres.put("people", people())
    ask, asked = Warehouse.ask, []

    def cut(self: Warehouse, expression: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            postgres.run(f"{others} AND backend_type = 'client backend'")
        return ask(self, expression)

    monkeypatch.setattr(Warehouse, "ask", cut)
    model = tree(ledger=book)
    with pytest.raises(ConnectionError, match="stays spent"):
        model.fit(f"{postgres.url}?table=people", "rich")
    assert 1 == len(book.events)
    assert not hasattr(model, "trees_")

    monkeypatch.setattr(Warehouse, "ask", ask)
    model.fit(f"{postgres.url}?table=people", "rich")
    assert 2 == len(book.events)


@pytest.mark.parametrize("engine", ["postgres", "duckdb"])
def test_one_state_of_the_table_is_read(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, book: dps.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that others add during training are not seen, and nothing is written."""
    more = "INSERT INTO people SELECT 1, 'smith', 'yes' FROM generate_series(1, 50)"
    if engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.put("people", people())
        source, add = Warehouse.open(server.url, "people"), lambda: server.run(more)
    else:
        backend = ibis.duckdb.connect(tmp_path / "d.duckdb")
        source = Warehouse.open(backend.create_table("people", frame()))
        add = lambda: backend.con.cursor().execute(more)  # noqa: E731
    ask, totals = Warehouse.ask, []

    def meddled(self: Warehouse, expression: Any) -> Any:
        add()
        rows = ask(self, expression)
        totals.append(int(rows["n"][rows.get("attribute", np.zeros(rows["n"].size)) == 0].sum()))
        return rows

    monkeypatch.setattr(Warehouse, "ask", meddled)
    tree(ledger=book).fit(source, "rich")
    source.close()

    assert len(totals) > 2
    assert 1 == len(set(totals[1:]))


@pytest.mark.parametrize("how", ["another connection of Ibis", "a random view", "a rewritten file"])
def test_a_table_that_changes_is_refused(
    how: str, tmp_path: Path, book: dps.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the spend recorded."""
    ask, asked = Warehouse.ask, []
    backend = ibis.duckdb.connect()
    table = backend.create_table("people", frame())
    source: Any = table

    def meddle() -> None:
        if how == "a rewritten file":
            frame(500).write_parquet(tmp_path / "people.parquet")
        elif how.startswith("another"):
            backend.con.execute("INSERT INTO people SELECT 1, 'smith', 'yes' FROM range(50)")

    def meddled(self: Warehouse, expression: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            meddle()
        return ask(self, expression)

    if how == "a random view":
        source = table.filter(ibis.random() < 0.9)
    elif how == "a rewritten file":
        source = written(tmp_path)
    monkeypatch.setattr(Warehouse, "ask", meddled)
    with pytest.raises((ValueError, ConnectionError), match="stays spent"):
        tree(ledger=book).fit(source, "rich")

    assert 1 == len(book.events)


def test_a_change_after_the_last_level_is_refused(book: dps.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row count and first level are compared once more at the end."""
    ask, asked = Warehouse.ask, []
    backend = ibis.duckdb.connect()
    table = backend.create_table("people", frame())

    def meddled(self: Warehouse, expression: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            backend.con.execute("UPDATE people SET age = 3 WHERE age = 77")
        return ask(self, expression)

    monkeypatch.setattr(Warehouse, "ask", meddled)
    with pytest.raises(ValueError, match="other counts"):
        tree(ledger=book, max_depth=1).fit(table, "rich")

    assert (2, 1) == (len(asked), len(book.events))


def test_a_search_notices_a_change_between_rounds(book: dps.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its counts are compared with those of the first level, more rows as well as fewer."""
    for meddling in (
        "INSERT INTO people SELECT 1, 'smith', 'yes' FROM range(5000)",
        "DELETE FROM people WHERE age < 9",
    ):
        ask, asked = Warehouse.ask, []
        backend = ibis.duckdb.connect()
        table = backend.create_table("people", frame())

        def meddled(
            self: Warehouse,
            expression: Any,
            ask: Any = ask,
            asked: Any = asked,
            con: Any = backend.con,
            do: str = meddling,
        ) -> Any:
            asked.append(1)
            if len(asked) == 2:
                con.execute(do)
            return ask(self, expression)

        model = dps.learn.DPEvolutionaryTreeClassifier(Fraction(1, 10), population=5, domains=DOMAINS, ledger=book)
        with monkeypatch.context() as patch:
            patch.setattr(Warehouse, "ask", meddled)
            with pytest.raises(ValueError, match="other counts"):
                model.fit(table, "rich")

    assert 2 == len(book.events)


def test_bad_tables_are_refused_before_anything_is_spent(book: dps.Ledger) -> None:
    """Each with one sentence that says what to do."""
    good = frame()
    gap = good.with_columns(age=polars.when(polars.col("age") > 3).then(polars.col("age")))
    cases: list[tuple[polars.DataFrame, dict[str, Any], str]] = [
        (good.drop("rich"), {}, "no column 'rich'"),
        (good.with_columns(extra=1), {}, "domains lacks 'extra'"),
        (gap, {"missing": "error"}, "'age' has missing values"),
        (good.with_columns(age=polars.col("age") + 1), {"unknown": "error"}, "'age' has a value outside"),
        (good.with_columns(job=polars.lit("spy")), {"unknown": "error"}, "'job' has a value outside"),
        (good.with_columns(rich=polars.lit("maybe")), {"unknown": "error"}, "labels are not among"),
        (good.with_columns(rich=polars.lit(None, dtype=polars.String)), {"missing": "error"}, "labels are missing"),
        (good.with_columns(job=polars.lit(3)), {}, "'job' lists text in domains and is int32"),
        (good.with_columns(job=polars.date(2026, 1, 1)), {}, "which no domain lists"),
        (good, {"domains": DOMAINS | {"job": ["nurse", "smith\0"]}}, "NUL character"),
        (
            good.with_columns(age=polars.col("age").cast(polars.Float64)),
            {"domains": DOMAINS | {"age": [2**53 + 1, 1]}},
            "integers beyond 2",
        ),
    ]
    for table, given, words in cases:
        with pytest.raises((ValueError, dps.PrivacyError), match=words):
            tree(ledger=book, **given).fit(ibis.memtable(table), "rich")
    with pytest.raises(ValueError, match="pass fit"):
        tree(ledger=book).fit(ibis.memtable(good.drop("rich")), good["rich"])
    with pytest.raises(dps.PrivacyError, match="declared, not observed"):
        tree(domains="observed-not-private").fit(ibis.memtable(good), "rich")
    with pytest.raises(ValueError, match="goes with frames"):
        tree(person="age").fit(ibis.memtable(good), "rich")
    model = dps.learn.DPID3Classifier(1, domains=DOMAINS, max_records=10, criterion="information-gain", ledger=book)
    with pytest.raises(ValueError, match="max_records"):
        model.fit(ibis.memtable(good), "rich")

    assert () == book.events


def test_values_outside_are_left_out_or_clipped(replayed: Any) -> None:
    """As in frames."""
    wide = frame().with_columns(age=polars.col("age") * 2 - 50)
    odd = wide.with_columns(
        job=polars.when(polars.col("age") > 90).then(polars.lit("spy")).otherwise(polars.col("job"))
    )
    replayed()
    for unknown in ("ignore", "clip"):
        one, two = (tree(unknown=unknown).fit(each, "rich") for each in (odd, ibis.memtable(odd)))
        assert one.export_text() == two.export_text()


def test_sources_that_are_none() -> None:
    """A path or a URL that leads nowhere, and what is no source at all."""
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Warehouse.open("nobody.parquet")
    with pytest.raises(ValueError, match="end in"):
        Warehouse.open("nobody.xlsx")
    with pytest.raises(TypeError, match="is an Ibis table"):
        Warehouse.open(7)
    with pytest.raises(ValueError, match="Which table"):
        Warehouse.open("duckdb://")
    with pytest.raises(ValueError, match="The table 'x' does not exist"):
        Warehouse.open("duckdb://", "x")
    with pytest.raises(ConnectionError, match="postgres://127.0.0.1:1/d cannot be reached"):
        Warehouse.open("postgres://ann:pw@127.0.0.1:1/d", "x")
    with pytest.raises(ValueError, match="holds no integers"):
        Warehouse.open(ibis.memtable({"a": ["x"]}), key="a")


def test_files_that_are_none(tmp_path: Path) -> None:
    """A parquet file that is cut short; many files at once are one table."""
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ValueError, match="not a complete parquet file"):
        Warehouse.open(tmp_path / "bad.parquet")
    for part in range(3):
        frame(100).write_parquet(tmp_path / f"part-{part}.parquet")
    with Warehouse.open(str(tmp_path / "part-*.parquet")) as source:
        assert 300 == source.ask(source.table.aggregate(n=source.table.count()))["n"][0]


def test_absent_engines_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ibis itself, and Spark."""
    load = builtins.__import__

    def without(missing: str) -> None:
        def find(name: str, *rest: Any) -> Any:
            if name.partition(".")[0] == missing:
                raise ImportError(name=missing)
            return load(name, *rest)

        monkeypatch.setattr(builtins, "__import__", find)

    without("ibis")
    with pytest.raises(ImportError, match=r"\.\[warehouse\]"):
        Warehouse.open("postgres://h/d", "x")
    without("pyspark")
    monkeypatch.delitem(__import__("sys").modules, "ibis.backends.pyspark", raising=False)
    with pytest.raises(ImportError, match=r"\.\[spark\]"):
        Warehouse.open("pyspark://local", "x")


def test_a_fitted_model_holds_no_connection(tmp_path: Path) -> None:
    """It pickles, predicts from frames, and refuses to label a warehouse, which would bring records home."""
    model = tree().fit(written(tmp_path), "rich")
    again = pickle.loads(pickle.dumps(model))

    assert again.predict(frame()).tolist() == model.predict(frame()).tolist()
    with pytest.raises(ValueError, match="stay there"):
        model.predict(ibis.memtable(frame()))


def test_recorded_facts_do_not_tell_the_size_of_a_file(tmp_path: Path) -> None:
    """Two tables written at one moment, one with a record more, leave the same facts; a change is still noticed."""
    path, facts = tmp_path / "people.csv", []
    for rows in (20, 21):
        path.write_text("age,rich\n" + "30,no\n" * rows, encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        with Warehouse.open(path) as source:
            facts.append(dict(source.metadata))
            path.write_text("age,rich\n", encoding="utf-8")
            os.utime(path, (1_700_000_000, 1_700_000_000))
            assert source.is_unchanged() is False
    assert facts[0] == facts[1]


def test_columns_wider_than_codes_and_files_that_are_not_there(tmp_path: Path) -> None:
    """Unsigned columns of 64 bits are refused by their type, whatever stands in them; DuckDB makes no empty file."""
    table = ibis.memtable(pa.table({"x": pa.array([1, 2], pa.uint64()), "y": ["a", "b"]}))
    model = dps.learn.DPTreeClassifier(1, domains={"x": [1, 2], "y": ["a", "b"]})
    with dps.budget(epsilon=1) as book, pytest.raises(ValueError, match="cast it to int64"):
        model.fit(table, "y")
    assert () == book.events
    with pytest.raises(ValueError, match="holds no integers of 64 bits"):
        Warehouse.open(table, key="x")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Warehouse.open(f"duckdb://{tmp_path}/none.duckdb", "people")
    assert [] == list(tmp_path.iterdir())


def test_rows_beyond_memory_go_to_a_folder_of_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unasked, DuckDB writes them into the working folder, and leaves them there when it is killed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Warehouse.open(written(tmp_path)) as source:
        connection = source.table.get_backend().con
        folder = Path(connection.execute("SELECT current_setting('temp_directory')").fetchone()[0])
        assert tmp_path == folder.parent
        assert 0o700 == folder.stat().st_mode & 0o777
    del source, connection
    gc.collect()
    assert not folder.exists()


def test_no_place_for_rows_beyond_memory_is_no_reason_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most tables need none."""
    path = written(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with Warehouse.open(path) as source:
        assert 400 == source.table.count().execute()

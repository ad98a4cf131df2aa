"""The engines, each with what it does beyond what Ibis makes alike: ``EVERY_ENGINE`` is the whole list.

An engine that is not in the list works too, as far as Ibis reaches: it is asked for counts, query by query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from dpselect._optional import install
from dpselect.sources import sqlite_text

_BATCH = 10**6
_WAREHOUSE = install("warehouse")


@contextmanager
def _nothing(_connection: Any, _only_reads: bool) -> Iterator[None]:
    """Hold nothing: every query sees the table as it is then."""
    yield


@contextmanager
def _repeatable_read(connection: Any, only_reads: bool) -> Iterator[None]:
    """Hold one transaction of PostgreSQL; one that the caller has begun holds whatever it holds, and is left alone."""
    import psycopg

    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        yield
        return
    before = connection.isolation_level, connection.read_only
    connection.isolation_level, connection.read_only = psycopg.IsolationLevel.REPEATABLE_READ, only_reads
    try:
        with connection.transaction():
            yield
    finally:
        # A connection that was lost takes no settings.
        with suppress(Exception):
            connection.isolation_level, connection.read_only = before


@contextmanager
def _snapshot(connection: Any, _only_reads: bool) -> Iterator[None]:
    """Hold one transaction of DuckDB; one that the caller has begun is left alone."""
    import duckdb

    try:
        connection.begin()
    except duckdb.TransactionException:
        yield
        return
    try:
        yield
    finally:
        # Nothing was written but views that Ibis makes of tables in memory, and it counts on them afterwards.
        try:
            connection.commit()
        except Exception:
            with suppress(Exception):
                connection.rollback()


def _holds_nothing(_connection: Any, _names: set[str]) -> bool:
    return False


def _postgres_holds(connection: Any, _names: set[str]) -> bool:
    # A transaction that the caller has begun may hold nothing.
    return bool(connection.info.transaction_status == 0)


def _duckdb_holds(connection: Any, names: set[str]) -> bool:
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() EXCEPT SELECT view_name FROM duckdb_views() WHERE NOT internal"
    )
    return names <= {name for (name,) in rows.fetchall()}


def _no_address(_connection: Any) -> str:
    return ""


def _postgres_address(connection: Any) -> str:
    info = connection.info
    return f"postgres://{info.host}:{info.port}/{info.dbname}"


def _create_table(backend: Any, name: str, rows: Any) -> Any:
    return backend.create_table(name, rows, temp=True)


def _checkpoint(backend: Any, name: str, rows: Any) -> Any:
    # A checkpoint that is lost fails, where a cache would read a table anew that may have changed.
    backend._session.sql(backend.compile(rows)).localCheckpoint().createOrReplaceTempView(name)
    return backend.table(name)


def _create_from_columns(backend: Any, name: str, columns: Mapping[str, Any]) -> Any:
    import ibis
    import pyarrow

    return backend.create_table(name, ibis.memtable(pyarrow.table(dict(columns))), temp=True)


def _broadcast(backend: Any, name: str, columns: Mapping[str, Any]) -> Any:
    from pyspark.sql.functions import broadcast

    rows = list(zip(*(values.tolist() for values in columns.values()), strict=True))
    kinds = ", ".join(f"{column} int" for column in columns)
    # Otherwise every join with it sorts the other side.
    broadcast(backend._session.createDataFrame(rows, kinds)).createOrReplaceTempView(name)
    return backend.table(name)


def _drop_table(backend: Any, name: str) -> None:
    backend.drop_table(name)


def _empty_table(backend: Any, name: str) -> None:
    # Until the transaction ends, what is dropped keeps its room; what is emptied by the transaction that made it, not.
    backend.con.execute(f'TRUNCATE TABLE "{name}"')
    backend.drop_table(name)


def _release_memory(backend: Any, name: str) -> None:
    with suppress(Exception):
        backend._session.table(name)._jdf.queryExecution().analyzed().child().rdd().unpersist(False)
    backend.drop_view(name)


def _as_it_is(table: Any) -> Any:
    return table


def _arrows(expression: Any) -> Any:
    return expression.to_pyarrow()


def _sqlite_arrows(expression: Any) -> Any:
    return sqlite_text.batches(expression).read_all()


def _batches(expression: Any) -> Any:
    return expression.to_pyarrow_batches(chunk_size=_BATCH)


def _duckdb_batches(expression: Any) -> Any:
    # Ibis 12 asks DuckDB 2 for batches by a name that is gone; this first registers tables in memory, if any.
    expression.limit(0).to_pyarrow()
    backend = expression.get_backend()
    relation = backend.con.sql(backend.compile(expression))
    # From new to old; a relation has its columns as attributes too.
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    name = next(each for each in names if hasattr(type(relation), each))
    return getattr(relation, name)(_BATCH)


@dataclass(frozen=True)
class Engine:
    """Abilities of one engine; those that every engine of Ibis has are left out.

    Attributes:
        name: what Ibis calls it, which also begins its URLs.
        title: what people call it.
        install: how to install it.
        in_files: its databases are files of this machine, named by URLs.
        temporary: its temporary tables are written once, and not computed again for every query.
        casts_any_text: it has a cast that cannot fail, so that any text may be read as a number.
        counts_by_bitmap: it counts distinct integers by bitmaps.
        joins_arrays: it joins an array of this process without copying it.
        knows_nan: it tells NaN from NULL.
        has_dates: it has a type of dates, and does not hold them as text.
        writes_money: its type of money becomes text with the sign of a currency.
        shares_session: all connections of a process are one session, which outlives them.
        one_state: holds one state of its tables, on a connection that should only read, or may write.
        holds: whether that transaction holds the state of the tables of these names.
        address: where a connection leads, without secrets; empty where it has no address.
        opens: the table with the cells that its columns declare.
        arrows: the rows of an expression.
        batches: the same, a million at a time.
        keeps: writes the rows of an expression to a temporary table of that name.
        lists: the same for arrays of public integers, to be joined again and again.
        drops: ends a temporary table, and frees its room at once.
        updates: rewrites columns where they are, without room for both.
        arrays: makes rows of an array of columns.
        inlines: writes a subquery's expression out wherever its column is used, unless the subquery has a limit.
        dialect: what sqlglot calls its SQL, where that is not its name.
    """

    name: str
    title: str = ""
    install: str = ""
    in_files: bool = False
    temporary: bool = False
    casts_any_text: bool = False
    counts_by_bitmap: bool = False
    joins_arrays: bool = False
    knows_nan: bool = True
    has_dates: bool = True
    writes_money: bool = False
    shares_session: bool = False
    one_state: Callable[[Any, bool], AbstractContextManager[None]] = _nothing
    holds: Callable[[Any, set[str]], bool] = _holds_nothing
    address: Callable[[Any], str] = _no_address
    opens: Callable[[Any], Any] = _as_it_is
    arrows: Callable[[Any], Any] = _arrows
    batches: Callable[[Any], Any] = _batches
    keeps: Callable[[Any, str, Any], Any] = _create_table
    lists: Callable[[Any, str, Mapping[str, Any]], Any] = _create_from_columns
    drops: Callable[[Any, str], None] = _drop_table
    updates: bool = False
    arrays: bool = False
    inlines: bool = False
    dialect: str = ""


EVERY_ENGINE = (
    Engine(
        "duckdb",
        "DuckDB",
        _WAREHOUSE,
        in_files=True,
        temporary=True,
        casts_any_text=True,
        counts_by_bitmap=True,
        joins_arrays=True,
        one_state=_snapshot,
        holds=_duckdb_holds,
        batches=_duckdb_batches,
        updates=True,
        arrays=True,
        inlines=True,
    ),
    Engine(
        "postgres",
        "PostgreSQL",
        _WAREHOUSE,
        temporary=True,
        writes_money=True,
        one_state=_repeatable_read,
        holds=_postgres_holds,
        address=_postgres_address,
        drops=_empty_table,
        arrays=True,
        inlines=True,
    ),
    Engine(
        "pyspark",
        "Spark",
        f"{install('spark')} (and Java 17)",
        temporary=True,
        keeps=_checkpoint,
        lists=_broadcast,
        drops=_release_memory,
        shares_session=True,
        arrays=True,
        dialect="spark",
    ),
    Engine(
        "sqlite",
        "SQLite",
        'python -m pip install "ibis-framework[sqlite]"',
        in_files=True,
        knows_nan=False,
        has_dates=False,
        opens=sqlite_text.sound_table,
        arrows=_sqlite_arrows,
        batches=sqlite_text.batches,
    ),
)


def engine(name: str) -> Engine:
    """Return the engine of that name; one that is not in the list can do what all can.

    >>> engine("postgres").title, engine("mysql").install[:50]
    ('PostgreSQL', 'python -m pip install "ibis-framework[mysql]" (dps')
    """
    for each in EVERY_ENGINE:
        if each.name == name:
            return each
    *most, last = [each.title for each in EVERY_ENGINE]
    untested = f"dpselect is tested with {', '.join(most)} and {last} only"
    return Engine(name, name, f'python -m pip install "ibis-framework[{name}]" ({untested})')


def engine_of(expression: Any) -> Engine:
    """Return the engine in which an Ibis table or column lives."""
    return engine(expression.get_backend().name)

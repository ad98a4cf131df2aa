"""Tables that stay where they live: a database or files, asked through Ibis for counts and nothing else.

Whatever an engine says when it fails may quote data or secrets, so none of it is passed on: errors name the kind of
failure only. What is recorded with a spend are metadata without secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import (
    Advice,
    InputError,
    InputTypeError,
    LostConnectionError,
    MissingFileError,
    MissingLibraryError,
)
from dpselect.sources import duckdb_files
from dpselect.sources.engines import engine, engine_of
from dpselect.sources.missing_column import no_column
from dpselect.sources.urls import file_of, is_url, require_plain, without_secrets
from dpselect.sources.web import is_web

Answer = TypeVar("Answer")
Rows = dict[str, NDArray[Any]]

# Where a message names the kind of the failure.
_KIND = "<kind>"
CONNECTION_LOST = (
    f"The warehouse stopped answering or refused a query{_KIND}: what was spent before stays spent, and another try "
    "spends anew; check that it runs, and that the table and its columns may be read."
)
TABLE_CHANGED = (
    "The table gave other counts when it was asked again: what was spent before stays spent; use a snapshot, or a "
    "table that nobody writes to and that is not a random view."
)


# Where files are kept, and no engine answers.
STORES = frozenset(("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "hdfs", "dbfs", "ftp", "sftp", "webdav"))


@dataclass(frozen=True, repr=False, eq=False)
class Warehouse:
    """A table in its engine. Make one with :meth:`open`.

    Attributes:
        table: the Ibis table; private, as what it holds is.
        key: the column of integers that tells records apart, if one was declared.
        metadata: what a ledger records of where the data came from, without secrets.
        files: the files that were opened, where the table is in files.
        state: what they looked like then.
        opened: the connection that was opened here, which :meth:`close` or leaving a ``with`` block closes.
        temporary: whether training may write a temporary table.

    Limits: A warehouse trusts its engine. Its counts are believed, and its log shows the released splits and steps
    before you publish them. Changes of a table are detected where counts or files show them, not where they cancel out.
    """

    table: Any
    key: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    state: str = ""
    opened: Any = None
    temporary: bool = False

    @classmethod
    def open(
        cls,
        source: Any,
        table: str | None = None,
        *,
        key: str | None = None,
        snapshot: str = "",
        temporary: bool = False,
    ) -> Warehouse:
        """Return a table without reading it.

        Args:
            source: an Ibis table; a path to ``.parquet`` or ``.csv`` files (``*`` allowed), which DuckDB reads where
                they are; or a URL that Ibis knows, such as ``postgres://host/database`` or ``duckdb://file.duckdb``.
                Passwords belong in the engine's own files and variables (``PGPASSFILE``), not in a URL.
            table: the table, for URLs, as ``name`` or ``schema.name``; may also end the URL as ``?table=name``.
            key: the column of integers that identifies a record. Forests make chunks by it; it is not an attribute.
            snapshot: what the engine calls the state of the table, recorded as a fact.
            temporary: let training write the codes of all records into a temporary table (DuckDB, PostgreSQL, Spark),
                which makes levels cheaper, and which boosted trees need; otherwise nothing is written.

        Raises:
            ImportError: Ibis or the engine is not installed (which extra).
            ConnectionError: the engine cannot be reached.
            FileNotFoundError, ValueError: no such file or table, another kind of file, no such key column.
            TypeError: none of these sources.
        """
        files: tuple[Path, ...] = ()
        state, opened = "", None
        if isinstance(source, Warehouse):
            expression, metadata, files, state = source.table, dict(source.metadata), source.files, source.state
            key, temporary = source.key if key is None else key, temporary or source.temporary
        elif is_expression(source):
            expression = source
            metadata = _facts_of(expression)
        elif not isinstance(source, (str, Path)):
            raise InputTypeError("A warehouse is an Ibis table, a path to .parquet or .csv files, or the URL of one.")
        elif is_url(source):
            expression, metadata, opened = _at_url(str(source), table)
        else:
            if table is not None:
                raise InputError(
                    Advice(
                        "A file is one table: leave {table=|--table} out; a DuckDB database is named as duckdb://FILE."
                    )
                )
            expression, metadata, files = _in_files(source)
            opened = expression.get_backend()
            state = duckdb_files.state(files)
            expression = _with_key(expression, key, files)
        if not isinstance(source, Warehouse):
            expression = guard_engine(lambda: engine_of(expression).opens(expression), CONNECTION_LOST)
        if snapshot:
            metadata["snapshot"] = snapshot
        result = cls(expression, key, metadata, files, state, opened, temporary)
        if key is not None:
            result._require_key(key)
        return result

    def _require_key(self, key: str) -> None:
        self.require([key])
        kind = self.table[key].type()
        if not kind.is_integer() or str(kind).lstrip("!") == "uint64":
            raise InputError(f"The key column {key!r} holds no integers of 64 bits with a sign: declare one that does.")

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns: a schema, or the first line of csv files, which no message may quote."""
        return [name for name in self.table.columns if name != self.key]

    @property
    def is_csv(self) -> bool:
        """Return whether the table is in csv files, whose columns are text."""
        return duckdb_files.is_csv(self.files)

    def require(self, names: list[Any]) -> None:
        """Refuse columns that the table does not have.

        Raises:
            ValueError: which one.
        """
        there = list(self.table.columns)
        for name in names:
            if name not in there:
                raise no_column(name, there, self.files)

    def only(self, names: Iterable[str]) -> Warehouse:
        """Return the table with these columns, as far as it has them, and its key.

        Raises:
            ValueError: it has none of them.
        """
        wanted = {*names, self.key}
        there = [name for name in self.table.columns if name in wanted]
        if not there:
            raise InputError("The table has none of the columns that have a domain: check their names.")
        if not self.is_csv:
            return replace(self, table=self.table[there])
        # Of lines of text only these cells are read.
        table = duckdb_files.read(self.table.get_backend(), self.files, there)
        return replace(self, table=_with_key(table, self.key, self.files))

    def ask(self, expression: Any) -> Rows:
        """Return the rows of an expression over the table, one array per column: numbers, or objects for text.

        Raises:
            ConnectionError: the engine failed, whatever the reason; nothing that it said is passed on.
        """
        return {name: _array(column) for name, column in self.arrows(expression).items()}

    def arrows(self, expression: Any) -> dict[str, Any]:
        """Return the rows of an expression over the table as arrow columns: Python holds no days of every engine.

        Raises:
            ConnectionError: as :meth:`ask`.
        """
        result = guard_engine(lambda: engine_of(expression).arrows(expression), CONNECTION_LOST)
        return {name: result[name] for name in result.column_names}

    def close(self) -> None:
        """Close the connection if it was opened here."""
        if self.opened is not None:
            with suppress(Exception):
                self.opened.disconnect()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def is_unchanged(self) -> bool | None:
        """Return whether the files are as they were when they were opened, ``None`` for tables elsewhere."""
        if not self.files:
            return None
        try:
            return duckdb_files.state(self.files) == self.state
        except OSError:
            return False

    def batches(self, expression: Any) -> Iterator[Rows]:
        """Return the rows of an expression a million at a time, so that no more need memory at once.

        Raises:
            ConnectionError: as :meth:`ask`.
        """
        stream = iter(guard_engine(lambda: engine_of(expression).batches(expression), CONNECTION_LOST))
        while (batch := guard_engine(lambda: next(stream, None), CONNECTION_LOST)) is not None:
            yield {name: _array(batch[name]) for name in batch.schema.names}

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold one state of the table where the engine can: PostgreSQL and DuckDB by one transaction.

        In PostgreSQL it only reads, unless a temporary table was asked for.
        """
        backend = guard_engine(self.table.get_backend, CONNECTION_LOST)
        transaction = engine(backend.name).one_state(getattr(backend, "con", None), not self.temporary)
        guard_engine(transaction.__enter__, CONNECTION_LOST)
        try:
            yield
        finally:
            with suppress(Exception):
                transaction.__exit__(None, None, None)

    def __reduce__(self) -> NoReturn:
        raise InputTypeError(
            "A warehouse stays in its process, because its connection may hold a password: open it again."
        )

    def __repr__(self) -> str:
        return f"Warehouse({self.metadata.get('table', self.metadata.get('source', 'expression'))!r})"


def is_expression(source: Any) -> bool:
    """Return whether this is an Ibis table or column; imports nothing."""
    return type(source).__module__.startswith("ibis.expr.types")


def is_source(source: Any) -> bool:
    """Return whether this is a table in its engine, and no frame: a Warehouse, an Ibis table, a path or a URL."""
    return isinstance(source, (Warehouse, str, Path)) or is_expression(source)


def guard_engine(action: Callable[[], Answer], words: str) -> Answer:
    """Return what an action of an engine returns, or say that it failed without repeating what the engine said.

    Raises:
        ConnectionError: it failed; the engine's own error, which may quote data, is not attached.
    """
    failed = ""
    try:
        return action()
    except (KeyboardInterrupt, SystemExit, MemoryError, ImportError):
        raise
    except Exception as error:
        failed = f" ({type(error).__name__})"
    # Outside of the handler, so that the engine's error is not even the context of this one.
    raise LostConnectionError(words.replace(_KIND, failed))


def _ibis() -> Any:
    try:
        import ibis
    except ImportError:
        raise not_installed("Warehouses need Ibis", "warehouse") from None
    return ibis


def _at_url(url: str, table: str | None) -> tuple[Any, dict[str, str], Any]:
    if is_web(url):
        raise InputError(
            Advice(
                "A file at a web address is not counted where it is: "
                "{pass dpselect.data.TableFile.of(address)|leave out --in-place and --table}, or download it first."
            )
        )
    parts = urlsplit(url)
    if parts.scheme.lower() in STORES:
        raise InputError(
            f"Files at {parts.scheme}:// are not read: copy the file to this machine, or pass an https:// address."
        )
    ibis = _ibis()
    options = parse_qsl(parts.query, keep_blank_values=True)
    named = [value for name, value in options if name == "table"]
    table = table or (named[0] if named else None)
    if not table:
        raise InputError(Advice("Which table? Pass {table=|--table}, or end the URL with ?table=name."))
    file = file_of(url)
    if file is not None and not file.exists():
        # The engine would make an empty one.
        # Who writes three slashes for a relative path, as SQLAlchemy does, names the root of the disk.
        hint = ", with two slashes before a path from here, and three before one from the root" if ":///" in url else ""
        raise MissingFileError(f"The file {without_secrets(url)} does not exist: name a database that exists{hint}.")
    others = [pair for pair in options if pair[0] != "table"]
    plain = urlunsplit(parts._replace(query=urlencode(others))) if named else url
    try:
        backend = guard_engine(
            lambda: ibis.connect(plain),
            f"{without_secrets(url)} cannot be reached{_KIND}: check that the server runs, its address, and "
            "that user and password are right.",
        )
    except ImportError:
        raise MissingLibraryError(f"This engine is not installed: {engine(parts.scheme).install}.") from None
    opened = None if engine(backend.name).shares_session else backend
    try:
        return _table_of(backend, table), {"source": without_secrets(url), "table": table}, opened
    except (ValueError, ConnectionError):
        Warehouse(None, opened=opened).close()
        raise


def _table_of(backend: Any, table: str) -> Any:
    schema, _, name = table.rpartition(".")
    exceptions = _ibis().common.exceptions
    try:
        return backend.table(name, database=schema or None)
    except exceptions.TableNotFound:
        missing = True
    except Exception:
        missing = False
    if missing:
        raise InputError(f"The table {table!r} does not exist in this database: pass its name, or schema.name.")
    raise LostConnectionError(f"The table {table!r} cannot be opened: check its name, and that it may be read.")


def _in_files(source: str | Path) -> tuple[Any, dict[str, str], tuple[Path, ...]]:
    require_plain(str(source))
    path = Path(str(source).removeprefix("file://"))
    files = duckdb_files.files(path)
    _ibis()
    backend = duckdb_files.open_duckdb()
    columns = duckdb_files.columns(files)
    try:
        expression = guard_engine(lambda: duckdb_files.read(backend, files, columns), _KIND)
    except ConnectionError:
        expression = None
    if expression is None:
        raise InputError(f"{path.name} is not a complete parquet file, or not a csv file with a header line.")
    return expression, {"source": str(path), "snapshot": duckdb_files.write_times(files)}, tuple(files)


def _with_key(table: Any, key: str | None, files: Sequence[Path]) -> Any:
    """Return a table with its key as integers: csv files are text, and a key that is not an integer is missing."""
    if key is None or not duckdb_files.is_csv(files) or key not in table.columns:
        return table
    return table.mutate(**{key: table[key].try_cast("int64")})


def _facts_of(table: Any) -> dict[str, str]:
    """Return what an Ibis table says of itself: its engine, and its name or its query."""
    backend = guard_engine(table.get_backend, CONNECTION_LOST)
    metadata = {"source": backend.name}
    with suppress(Exception):
        metadata["source"] = engine(backend.name).address(backend.con) or backend.name
    operation = table.op()
    if hasattr(operation, "name") and hasattr(operation, "namespace"):
        metadata["table"] = str(operation.name)
    else:
        with suppress(Exception):
            metadata["query"] = without_secrets(" ".join(str(backend.compile(table)).split()))[:2000]
    return metadata


def _array(column: Any) -> NDArray[Any]:
    if str(column.type).startswith(("int", "uint", "float", "double")) and not column.null_count:
        return np.asarray(column.to_numpy())
    return np.array(column.to_pylist(), dtype=object)

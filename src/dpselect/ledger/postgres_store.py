"""A ledger in PostgreSQL: a schema of its own in a database that a team shares, with the tables that a file has.

Every transaction sets what it needs within itself: nothing is left to what the server, the database or the user have as
defaults, and a pool that lends out connections by the transaction does no harm.
Writers take turns by a lock on the one row of totals, which other ledgers do not know; readers see one state and wait
for nobody.

Limits: A ledger in PostgreSQL is as durable as its server says. ``fsync`` and ``synchronous_commit`` are checked; a
disk that lies about a sync, and a standby that takes over without the last commits, are not. Programs that are open
notice rows that went missing; those that start later cannot. A spend asks the server eight times, mostly while it holds
the lock of its ledger, so a server 50 ms away takes about three spends per second. Analysts who may spend may also
write rows that fit nothing, which stops the ledger until its owner restores a backup. Tested with PostgreSQL 15, and
with none of its successors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dpselect.kernel.errors import FileError, ForbiddenFileError, InputError, LostConnectionError, MissingFileError
from dpselect.ledger.chain import RESTORE
from dpselect.ledger.postgres_address import PostgresAddress
from dpselect.ledger.postgres_connections import PostgresConnections, psycopg
from dpselect.ledger.transaction import Row, Sums, Transaction, UncertainSpendError

# How long a writer waits for its turn, and how long it may keep the others waiting without a word.
_WAIT = 60.0
_TABLES = Path(__file__).with_name("postgres.sql")
_ANSWERS = """
CREATE TABLE answers (request text PRIMARY KEY, hash text NOT NULL);
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON answers
    FOR EACH STATEMENT EXECUTE FUNCTION only_grows();
"""
_FACTS = """
SELECT current_setting('server_encoding') = 'UTF8', current_setting('fsync') = 'on',
    current_setting('synchronous_commit') <> 'off', schema.oid IS NOT NULL,
    coalesce(has_schema_privilege(schema.oid, 'USAGE'), false),
    EXISTS (SELECT FROM pg_class WHERE relnamespace = schema.oid),
    ARRAY(SELECT oid::bigint FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r' AND relpersistence = 'p'
        AND relname IN ('terms', 'events', 'totals') ORDER BY relname),
    base.oid::bigint
FROM pg_database base LEFT JOIN pg_namespace schema ON nspname = %s WHERE datname = current_database()
"""
# Errors that say that the outcome of a commit is not known, and one that says that it came too late to be heard.
_UNKNOWN, _UNHEARD = ("08007", "40003"), "25P03"


class _Facts(NamedTuple):
    """The server and the schema as a transaction sees them."""

    unicode: bool
    fsync: bool
    waits: bool
    schema: bool
    usable: bool
    holds_anything: bool
    tables: list[int]
    database: int

    @property
    def ledger(self) -> bool:
        """Return whether the tables of a ledger are there, none of them temporary, unlogged or a view."""
        return len(self.tables) == 3


class PostgresTransaction(Transaction):
    """A transaction of a connection that has begun it.

    Args:
        connection: of psycopg.
        facts: whose tables, by number, are the identity: a ledger that was made again has others.
        sums: what the totals say, where they are locked.
    """

    def __init__(self, connection: Any, facts: _Facts, sums: list[Sums] | None = None) -> None:
        self._connection, self._sums = connection, sums
        self.identity = facts.database, *facts.tables

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """Run a statement; return a cursor."""
        return self._connection.execute(statement.replace("?", "%s"), parameters)

    def sums(self) -> list[Sums]:
        """Return what the totals say, which were read when they were locked."""
        return super().sums() if self._sums is None else self._sums

    def insert(self, rows: Iterable[Row]) -> None:
        """Write rows of events."""
        with self._connection.cursor() as cursor:
            cursor.executemany("INSERT INTO events (row, body, hash) VALUES (%s, %s, %s)", rows)

    def make_answers(self) -> None:
        """Make the table of answers."""
        self._connection.execute(_ANSWERS)

    def require_answers(self) -> None:
        """Refuse a table of answers that cannot be written to, and one that a crash empties."""
        super().require_answers()
        durable = "SELECT relkind = 'r' AND relpersistence = 'p' FROM pg_class WHERE oid = to_regclass('answers')"
        if self.execute(durable).fetchone() != (True,):
            raise InputError(f"The answers of this ledger are not kept on disk: {RESTORE}")


class PostgresStore:
    """A ledger in a schema of a database.

    Args:
        address: as :class:`PostgresAddress` reads it.

    Raises:
        ValueError: it is none, or holds a password.
        ImportError: psycopg is not installed.
    """

    def __init__(self, address: str) -> None:
        self._address = PostgresAddress.of(address)
        self._connections = PostgresConnections(self._address)
        psycopg()

    @property
    def name(self) -> str:
        """Return the name of the ledger in its database."""
        return self._address.ledger

    @property
    def address(self) -> str:
        """Return the address, which has no password."""
        return str(self._address)

    def exists(self) -> bool:
        """Return whether there is such a ledger."""
        with self._transaction(_READS) as connection:
            return self._facts(connection).ledger

    def make(self, fill: Callable[[Transaction], None]) -> bool:
        """Make the schema, unless an empty one is there, and its tables."""
        errors = psycopg().errors
        with self._transaction(_WRITES) as connection:
            facts = self._facts(connection)
            if facts.ledger:
                return False
            if facts.holds_anything:
                raise InputError(
                    f"The schema of {self._display_name} holds other things, and is not a ledger: name another one."
                )
            if not facts.unicode:
                raise InputError(
                    f"The database of {self._display_name} is not in UTF-8: make one with ENCODING 'UTF8'."
                )
            self._require_durable(facts)
            try:
                if not facts.schema:
                    connection.execute(f'CREATE SCHEMA "{self.name}"')
                connection.execute(_TABLES.read_text(encoding="utf-8"))
            except (errors.DuplicateSchema, errors.DuplicateTable, errors.DuplicateObject, errors.UniqueViolation):
                # Another one has made it meanwhile.
                return False
            fill(PostgresTransaction(connection, self._facts(connection)))
            self._commit(connection)
        return True

    @contextmanager
    def reading(self) -> Iterator[PostgresTransaction]:
        """Yield a transaction that sees one state."""
        with self._transaction(_READS) as connection:
            facts = self._facts(connection)
            self._require(facts)
            yield PostgresTransaction(connection, facts)

    @contextmanager
    def writing(self) -> Iterator[PostgresTransaction]:
        """Yield a transaction that no other writer shares; it is on the disk of the server when the block has ended."""
        with self._transaction(_WRITES) as connection:
            facts = self._facts(connection)
            self._require(facts)
            self._require_durable(facts)
            # What is read from here on is the last state, for as long as the row is locked.
            sums = connection.execute("SELECT rows, tail, body FROM totals FOR UPDATE").fetchall()
            yield PostgresTransaction(connection, facts, sums)
            self._commit(connection)

    @property
    def _display_name(self) -> str:
        return self._address.display_name

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[Any]:
        settings = {"search_path": f'"{self.name}", pg_temp'}
        if mode == _WRITES:
            limit = f"'{int(1000 * _WAIT)}ms'"
            settings |= {"lock_timeout": limit, "idle_in_transaction_session_timeout": limit}
        local = (f"SET LOCAL {name} = {value}" for name, value in settings.items())
        lost = True
        try:
            with self._connections.one("; ".join([f"BEGIN ISOLATION LEVEL {mode}", *local])) as connection:
                try:
                    yield connection
                finally:
                    lost = connection.closed
        except psycopg().Error as error:
            raise self._refusal(error, lost) from None

    def _facts(self, connection: Any) -> _Facts:
        return _Facts(*connection.execute(_FACTS, (self.name,)).fetchone())

    def _require(self, facts: _Facts) -> None:
        if not facts.holds_anything:
            raise MissingFileError(
                f"The ledger {self._display_name} does not exist: create it with dpselect budget create."
            )
        if not facts.ledger:
            raise InputError(f"The schema of {self._display_name} is not a ledger, or a damaged one: {RESTORE}")
        if not facts.usable:
            raise self._forbidden()

    def _require_durable(self, facts: _Facts) -> None:
        """Refuse to write where a commit may be lost: what was drawn for it could not be taken back."""
        if not facts.fsync:
            raise FileError(
                f"The server of {self._display_name} does not wait for its disk: set fsync to on; nothing was spent."
            )
        if not facts.waits:
            raise FileError(
                f"Sessions of this user do not wait until the ledger {self._display_name} is on disk: set "
                "synchronous_commit to on, for the user or the database; nothing was spent."
            )

    def _commit(self, connection: Any) -> None:
        try:
            outcome = connection.execute("COMMIT").statusmessage
        except psycopg().Error as error:
            # A server that answers and stays has said that nothing was committed.
            answered = not connection.closed and error.sqlstate is not None and error.sqlstate not in _UNKNOWN
            if answered or error.sqlstate == _UNHEARD:
                raise
            raise UncertainSpendError(
                f"The connection to the ledger {self._display_name} was lost while a spend was being committed: it may "
                "be recorded, and then it stays spent; nothing was drawn. Ask again to spend anew."
            ) from None
        if outcome != "COMMIT":
            raise FileError(f"The server of {self._display_name} did not commit; nothing was spent.")

    def _forbidden(self) -> PermissionError:
        return ForbiddenFileError(
            f"This user may not do that with the ledger {self._display_name}: its owner can grant the rights that "
            "docs/how-to/budget.md lists for reading and for spending; nothing was spent."
        )

    def _refusal(self, error: Any, lost: bool) -> Exception:
        """Return the sentence for an error of the server, whose own words are not repeated."""
        match "" if lost else error.sqlstate or "":
            case "42501":
                return self._forbidden()
            case "55P03":
                return FileError(
                    f"Others have kept the ledger {self._display_name} locked for {_WAIT:g} seconds: try again when "
                    "they are done; nothing was spent."
                )
            case "25006":
                return FileError(
                    f"The ledger {self._display_name} is read-only here, on a standby server or for this user: spend "
                    "where it can be written; nothing was spent."
                )
            case "53100":
                return FileError(
                    f"The disk of {self._display_name}'s server is full: free some space; nothing was spent."
                )
            case "23505" | "42P01" | "42703" | "P0001":
                return InputError(f"{self._display_name} is not a ledger, or a damaged one: {RESTORE}")
            case "":
                return LostConnectionError(
                    f"The connection to the ledger {self._display_name} was lost; nothing was spent."
                )
        return FileError(f"The ledger {self._display_name} cannot be used ({type(error).__name__}); nothing was spent.")


_READS, _WRITES = "REPEATABLE READ, READ ONLY", "READ COMMITTED"

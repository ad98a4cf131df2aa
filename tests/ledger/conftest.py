"""Places for ledgers: a file, and a database of a real PostgreSQL that waits for its disk, as a team's must."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.warehouse.engines import Server, durable_postgres

_NUMBERS = count()


@dataclass(frozen=True)
class Database:
    """A database of its own for one test; every user there has the password of the password file."""

    server: Server
    name: str

    def address(self, ledger: str = "survey", user: str = "keeper", port: int | None = None) -> str:
        """Where a ledger is, or may be made."""
        return f"postgresql://{user}@127.0.0.1:{port or self.server.port}/{self.name}?ledger={ledger}"

    def connected(self) -> psycopg.Connection:
        """A connection of the owner of everything."""
        return psycopg.connect(self.server.url.removesuffix("postgres") + self.name, autocommit=True)

    def run(self, *statements: str) -> None:
        """Run statements as the owner of everything."""
        with self.connected() as connection:
            for statement in statements:
                connection.execute(statement)

    def asked(self, question: str) -> list[tuple]:
        """The rows that the owner of everything sees."""
        with self.connected() as connection:
            return connection.execute(question).fetchall()


@pytest.fixture(scope="session")
def ledger_server() -> Iterator[Server]:
    """The PostgreSQL of all tests of ledgers."""
    with durable_postgres() as server:
        yield server


@pytest.fixture
def database(ledger_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An empty database, and a password file for all of its users."""
    passwords = tmp_path / "passwords"
    passwords.write_text("127.0.0.1:*:*:*:hidden\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    name = f"test_{next(_NUMBERS)}"
    ledger_server.run(f"CREATE DATABASE {name}")
    yield Database(ledger_server, name)
    ledger_server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger may be made: a file, and then a database."""
    if request.param == "sqlite":
        return str(tmp_path / "survey.ledger")
    place: Database = request.getfixturevalue("database")
    return place.address()

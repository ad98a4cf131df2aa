"""Users have one role, and of tokens only hashes are kept."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from dpselect.web.server.audit_log import changes
from dpselect.web.server.database import Database
from dpselect.web.server.users import Users


def test_a_token_is_its_users_until_it_expires(server_state) -> None:
    """One second before its end it works, and at its end it does not."""
    clock = [1000.0]
    people = Users(server_state.database, lambda: clock[0])
    token = people.new_token("ann", 1, "carla")

    clock[0] = token.expires - 1
    user = people.user_of(token.secret)
    assert user is not None
    assert ("ann", "analyst", token.id) == (user.name, user.role, user.token)
    clock[0] = token.expires
    assert people.user_of(token.secret) is None


def test_a_revoked_token_is_none(server_state) -> None:
    """From the next request on; to revoke it again changes nothing."""
    token = server_state.people.new_token("ann", 1, "carla")

    assert server_state.people.revoke(token.id, "carla")
    assert server_state.people.user_of(token.secret) is None
    assert not server_state.people.revoke(token.id, "carla")


def test_the_secret_is_nowhere_in_the_database(server_state) -> None:
    """Whoever copies the file cannot ask."""
    token = server_state.people.new_token("ann", 1, "carla")
    with server_state.database.reading() as statements:
        tables = [row["name"] for row in statements.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        held = "".join(str(statements.rows(f"SELECT * FROM {name}")) for name in tables)

    assert token.id in held
    assert token.secret not in held


def test_a_role_never_changes(server_state) -> None:
    """An analyst does not become a curator by being added again."""
    with pytest.raises(ValueError, match="another role"):
        server_state.people.add("ann", "curator", "carla")
    assert not server_state.people.add("ann", "analyst", "carla")


@pytest.mark.usefixtures("server_state")
def test_only_the_owner_reads_the_database(settings) -> None:
    """Whatever the umask was."""
    assert 0o600 == Path(settings.server.database).stat().st_mode & 0o777


def test_a_database_of_an_older_server_keeps_its_records(tmp_path) -> None:
    """It is opened under today's names, and its records still only grow."""
    folder, path = files("dpselect.web.server").joinpath("migrations"), tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE versions (number INTEGER PRIMARY KEY)")
        for number in range(1, 6):
            for script in (folder / f"{number:04}.sql", folder / f"{number:04}.sqlite.sql"):
                old.executescript(script.read_text(encoding="utf-8") if script.is_file() else "")
            old.execute("INSERT INTO versions VALUES (?)", [number])
        old.execute("INSERT INTO changes VALUES ('1', 0, 'carla', 'survey', 'was paused')")
    old.close()
    database = Database(str(path))

    assert ["was paused"] == [row["what"] for row in changes(database, "survey")]
    with pytest.raises(IntegrityError), database.writing() as statements:
        statements.run("DELETE FROM audit_log")
    database.close()


@pytest.mark.parametrize(
    "statement", ["DELETE FROM audit_log", "UPDATE audit_log SET who = 'x'", "DELETE FROM requests"]
)
def test_records_only_grow(server_state, settings, statement) -> None:
    """The database itself refuses to forget who changed what, and what was asked."""
    server_state.requests.open("ann", "k", "survey", "{}")
    with sqlite3.connect(settings.server.database) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()

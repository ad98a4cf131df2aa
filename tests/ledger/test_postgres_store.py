"""A ledger in PostgreSQL: rights, locks, what a server must promise, and connections that are lost."""

from __future__ import annotations

import pickle
import re
import threading
import time
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

import dpselect as dps
from dpselect.ledger import UncertainSpendError, postgres_store
from dpselect.ledger.verification import sums_of
from tests.ledger.conftest import Database
from tests.ledger.ledgers import EACH, filled, tamper
from tests.ledger.wire import wire
from tests.warehouse.engines import Server, postgres  # noqa: F401

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "budget.md"
# As the page has them: what lets somebody look comes first.
SPENDING = re.findall(r"^(GRANT .* TO )analysts;$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
READING = SPENDING[:2]
SCORES = dps.Scores([9, 5, 1], sensitivity=1)


@pytest.fixture
def role(database: Database):
    """A user of this test, without any right."""
    name = f"ann_{database.name}"
    database.run(f"CREATE ROLE {name} LOGIN PASSWORD 'hidden'")
    yield name
    database.run(f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}")


def test_two_ledgers_in_one_database(database: Database) -> None:
    """Each has its own terms, rows and lock."""
    one, two = filled(database.address("one"), 1), filled(database.address("two"), 2, epsilon=5, dataset="other")
    with database.connected() as other, other.transaction():
        other.execute("SELECT FROM one.totals FOR UPDATE")
        assert 3 == two.spend(EACH, mechanism="x")

    assert (Fraction(9, 10), Fraction(47, 10)) == (one.remaining.epsilon, two.remaining.epsilon)
    assert ("one", "two") == (one.name, two.name)


def test_the_server_refuses_to_change_or_drop_rows(database: Database) -> None:
    """Even to the owner: only a whole new row goes through."""
    ledger = filled(database.address())
    for statement in (
        "UPDATE survey.events SET hash = ''",
        "DELETE FROM survey.events",
        "TRUNCATE survey.events",
        "UPDATE survey.totals SET body = '{}'",
        "UPDATE survey.totals SET rows = rows - 1",
        "DELETE FROM survey.totals",
        "TRUNCATE survey.totals",
        "INSERT INTO survey.totals SELECT * FROM survey.totals",
        "UPDATE survey.terms SET body = '{}', format = format + 1",
        "UPDATE survey.terms SET format = 1",
        "DELETE FROM survey.terms",
        "TRUNCATE survey.terms",
        "INSERT INTO survey.terms SELECT * FROM survey.terms",
    ):
        with pytest.raises((psycopg.errors.RaiseException, psycopg.errors.UniqueViolation)):
            database.run(statement)

    assert 3 == ledger.verify().spends


def test_a_user_who_may_read_verifies_and_does_not_spend(database: Database, role: str) -> None:
    """With the rights that the page lists; and one who may spend cannot edit."""
    filled(database.address())
    address = database.address(user=role)
    with pytest.raises(PermissionError, match=r"its owner can grant .* nothing was spent"):
        dps.Ledger.read(address)
    database.run(*(each + role for each in READING))
    ledger = dps.Ledger.read(address)
    assert (3, 3) == (ledger.verify().spends, len(ledger.events))
    with pytest.raises(PermissionError, match="nothing was spent"):
        ledger.spend(EACH, mechanism="x")
    with pytest.raises(PermissionError, match="nothing was spent"):
        dps.Ledger.open(database.address("mine", user=role), epsilon=1)
    assert 3 == ledger.totals.spends

    database.run(*(each + role for each in SPENDING))
    assert 4 == ledger.spend(EACH, mechanism="x")
    with psycopg.connect(database.address(user=role).partition("?")[0], autocommit=True) as mine:
        for statement in ("DELETE FROM survey.events", "UPDATE survey.terms SET body = ''", "TRUNCATE survey.totals"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                mine.execute(statement)


def test_an_empty_schema_may_wait_for_its_ledger(database: Database, role: str) -> None:
    """So that a user who may make no schema can make a ledger."""
    database.run(f"CREATE SCHEMA survey AUTHORIZATION {role}")

    assert 1 == filled(database.address(user=role), 1).totals.spends


def test_a_schema_of_something_else_is_left_alone(database: Database) -> None:
    """Its tables are not ours to change."""
    database.run("CREATE SCHEMA survey", "CREATE TABLE survey.people (name text)")
    with pytest.raises(ValueError, match="holds other things, and is not a ledger: name another"):
        dps.Ledger.open(database.address(), epsilon=1)
    with pytest.raises(ValueError, match="is not a ledger"):
        dps.Ledger.read(database.address())
    with pytest.raises(FileNotFoundError, match="The ledger none in .* does not exist: create it"):
        dps.Ledger.read(database.address("none"))


def test_a_turn_that_does_not_come_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, and nothing is spent; readers wait for nobody."""
    ledger = filled(database.address(), 1)
    with database.connected() as other, other.transaction():
        other.execute("SELECT FROM survey.totals FOR UPDATE")
        with monkeypatch.context() as patch:
            patch.setattr(postgres_store, "_WAIT", 2)
            with pytest.raises(OSError, match=r"locked for 2 seconds: .*nothing was spent"):
                ledger.spend(EACH, mechanism="x")
        assert 1 == ledger.verify().spends

    assert 2 == ledger.spend(EACH, mechanism="x")


def test_whoever_waits_sees_what_was_spent_meanwhile(database: Database) -> None:
    """The budget was enough when it began to wait, and is not when its turn comes."""
    ledger, other = filled(database.address(), 0), filled(database.address(), 0)
    refused: list[str] = []

    def late() -> None:
        try:
            other.spend(dps.Guarantee(Fraction(1, 2), "add-remove"), mechanism="x")
        except dps.BudgetError as error:
            refused.append(str(error))

    waiting = threading.Thread(target=late)
    with ledger._at(ledger._store.writing()) as transaction:
        waiting.start()
        while not database.asked("SELECT FROM pg_locks WHERE NOT granted"):
            assert waiting.is_alive(), "nobody waits"
            time.sleep(0.01)
        event = dps.ledger.Event.of(dps.Guarantee(Fraction(3, 4), "add-remove"), dataset="survey", mechanism="x")
        after = ledger._reach.tail.after(event, ledger.terms.admit(ledger._reach.tail.totals, event))
        transaction.append((1, event.as_text(), after.link), sums_of(after))
    waiting.join()

    assert "left epsilon 0.25" in refused[0]
    assert Fraction(3, 4) == ledger.verify().epsilon


def test_a_session_that_does_not_wait_for_the_disk_spends_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash could take the row back, and not what was drawn for it; to read is harmless."""
    filled(database.address(), 1)
    monkeypatch.setenv("PGOPTIONS", "-c synchronous_commit=off")
    ledger = dps.Ledger.read(database.address())
    for use in (lambda: ledger.spend(EACH, mechanism="x"), lambda: filled(database.address("new"), 0)):
        with pytest.raises(OSError, match="set synchronous_commit to on.*nothing was spent"):
            use()

    assert 1 == ledger.verify().spends


def test_a_server_that_does_not_wait_for_its_disk_makes_no_ledger(
    postgres: Server,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As servers for tests are often set."""
    monkeypatch.setenv("PGPASSWORD", "hidden")
    with pytest.raises(OSError, match="does not wait for its disk: set fsync to on"):
        dps.Ledger.open(f"postgresql://keeper@127.0.0.1:{postgres.port}/postgres?ledger=survey", epsilon=1)


def test_tables_that_a_crash_empties_are_refused(database: Database) -> None:
    """An unlogged table is not on disk when a commit returns."""
    ledger = filled(database.address(), 1)
    database.run("ALTER TABLE survey.totals SET UNLOGGED")
    with pytest.raises(ValueError, match="is not a ledger, or a damaged one"):
        ledger.spend(EACH, mechanism="x")


def test_settings_of_a_user_change_nothing(database: Database, role: str) -> None:
    """Another isolation, another search path with tables of the same names."""
    filled(database.address(), 1)
    database.run(
        *(each + role for each in SPENDING),
        f"CREATE SCHEMA decoy AUTHORIZATION {role}",
        "CREATE TABLE decoy.totals AS SELECT * FROM survey.totals",
        "CREATE TABLE decoy.events AS SELECT * FROM survey.events LIMIT 0",
        f"ALTER ROLE {role} SET search_path = decoy, pg_catalog",
        f"ALTER ROLE {role} SET default_transaction_isolation = serializable",
        f"ALTER ROLE {role} SET standard_conforming_strings = off",
    )
    ledger = dps.Ledger.read(database.address(user=role))

    assert 2 == ledger.spend(EACH, mechanism="x", note="a\\b")
    assert 2 == ledger.verify().spends


def test_where_it_may_only_be_read(database: Database) -> None:
    """A standby, or a user whose transactions are read-only."""
    filled(database.address(), 1)
    database.run(f"ALTER DATABASE {database.name} SET default_transaction_read_only = on")
    ledger = dps.Ledger.read(database.address())
    with pytest.raises(OSError, match="read-only here.*nothing was spent"):
        ledger.spend(EACH, mechanism="x")

    assert 1 == ledger.verify().spends


def test_a_database_of_another_encoding_is_refused(database: Database) -> None:
    """It could not hold every note."""
    name = f"{database.name}_latin"
    database.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    try:
        with pytest.raises(ValueError, match="not in UTF-8"):
            dps.Ledger.open(database.address().replace(database.name, name), epsilon=1)
    finally:
        database.run(f"DROP DATABASE {name}")


def test_another_ledger_in_its_place_is_refused(database: Database, tmp_path: Path) -> None:
    """Even a true copy, put back from a backup: whoever goes on must open it anew."""
    ledger = filled(database.address(), 2)
    ledger.backup(tmp_path / "copy")
    database.run("ALTER SCHEMA survey RENAME TO lost")
    with pytest.raises(FileNotFoundError, match="The ledger survey"):
        ledger.spend(EACH, mechanism="x")
    dps.Ledger.read(tmp_path / "copy").backup(database.address())
    for use in (lambda: ledger.spend(EACH, mechanism="x"), ledger.verify):
        with pytest.raises(ValueError, match="Another ledger is now in the place of this one"):
            use()

    assert 3 == dps.Ledger.read(database.address()).spend(EACH, mechanism="x")
    with pytest.raises(FileExistsError, match="exists already"):
        dps.Ledger.read(tmp_path / "copy").backup(database.address())


def test_a_damaged_file_does_not_move_into_a_database(database: Database, tmp_path: Path) -> None:
    """Nothing is left there, not even the schema."""
    ledger = filled(tmp_path / "survey.ledger", 2)
    tamper(tmp_path / "survey.ledger", "UPDATE events SET body = replace(body, '1/10', '1/11') WHERE row = 1")
    with pytest.raises(ValueError, match="Row 1 of this ledger was edited"):
        ledger.backup(database.address())

    assert [] == database.asked("SELECT FROM pg_namespace WHERE nspname = 'survey'")


def test_a_commit_that_the_server_refuses_spends_nothing(database: Database) -> None:
    """It is known, and no uncertainty: nothing is there."""
    ledger = filled(database.address(), 1)
    database.run(
        "CREATE FUNCTION survey.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1/0; END $$",
        "CREATE CONSTRAINT TRIGGER no AFTER INSERT ON survey.events DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION survey.no()",
    )
    with pytest.raises(OSError, match=r"cannot be used \(DivisionByZero\); nothing was spent") as caught:
        ledger.spend(EACH, mechanism="x")

    assert not isinstance(caught.value, UncertainSpendError)
    assert 1 == ledger.verify().spends


@pytest.mark.parametrize("delivered", [True, False], ids=["committed", "not committed"])
def test_a_connection_that_is_lost_at_the_commit_draws_nothing(
    database: Database, delivered: bool, entropy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was committed is not known: it counts as spent, and the ledger knows when it is reached again."""
    drawn: list[int] = []

    def bytes_of_the_system(count: int) -> bytes:
        drawn.append(count)
        return entropy(count)

    monkeypatch.setattr(dps.kernel.bernoulli_exp.os, "urandom", bytes_of_the_system)
    with wire(database.server.port) as line:
        ledger = filled(database.address(port=line.port), 1)
        line.cut_at(b"COMMIT\0", delivered=delivered)
        with pytest.raises(UncertainSpendError, match="may be recorded, and then it stays spent; nothing was drawn"):
            dps.select(SCORES, epsilon=0.25, mechanism=dps.mechanism("exponential"), ledger=ledger)
        assert (1, []) == (line.cuts, drawn)
        line.word = None
        if delivered:
            assert line.answered.wait(60)

        assert 1 + delivered == ledger.verify().spends
        assert 2 + delivered == ledger.spend(EACH, mechanism="x")


@pytest.mark.parametrize("word", [b"BEGIN", b"FOR UPDATE", b"INSERT", b"UPDATE totals"])
def test_a_connection_that_is_lost_before_spends_nothing(database: Database, word: bytes) -> None:
    """And says so."""
    with wire(database.server.port) as line:
        ledger = filled(database.address(port=line.port), 1)
        line.cut_at(word, delivered=True)
        with pytest.raises(ConnectionError, match=r"was lost; nothing was spent\.$") as caught:
            ledger.spend(EACH, mechanism="x")
        line.word = None

        assert not isinstance(caught.value, UncertainSpendError)
        assert 1 == ledger.verify().spends


def test_no_password_is_in_anything_that_is_shown(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is right or wrong."""
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGPASSWORD", "hidden")
    ledger = filled(database.address(), 1)
    texts = [repr(ledger), ledger._repr_html_(), repr(vars(ledger)), repr(vars(ledger._store)), ledger.address]
    assert not any("hidden" in text for text in texts)
    assert b"hidden" not in pickle.dumps(ledger)

    monkeypatch.setenv("PGPASSWORD", "s3cr3t")
    with pytest.raises(ConnectionError, match="The ledger survey in .* cannot be reached") as caught:
        dps.Ledger.read(database.address())
    assert "s3cr3t" not in f"{caught.value!r} {caught.value.__context__!r}"


def test_a_service_file_says_where_and_who(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may hold the password too; the address names the service and the ledger, and that is all that is kept."""
    services = tmp_path / "services"
    place = f"host=127.0.0.1\nport={database.server.port}\ndbname={database.name}\nuser=keeper\n"
    services.write_text(f"[team]\n{place}password=hidden\n")
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    ledger = filled("postgresql://?service=team&ledger=survey", 1)

    assert "postgresql://?service=team&ledger=survey" == ledger.address
    assert 2 == pickle.loads(pickle.dumps(ledger)).spend(EACH, mechanism="x")
    assert b"hidden" not in pickle.dumps(ledger) + repr(vars(ledger._store)).encode()


def test_a_socket_of_this_machine_is_an_address(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is an option, as the client library has it."""
    monkeypatch.setenv("PGPASSWORD", "hidden")
    folder, port = database.server.folder, database.server.port
    address = f"postgresql://keeper@/{database.name}?host={folder}&port={port}&ledger=survey"

    assert address == filled(address, 1).address
    assert 1 == dps.Ledger.read(database.address()).totals.spends


def test_what_only_a_file_has(database: Database) -> None:
    """A path, and a log to settle."""
    ledger = filled(database.address(), 0)
    with pytest.raises(AttributeError, match="has no path: use its address"):
        _ = ledger.path
    with pytest.raises(ValueError, match="only files are settled"):
        dps.Ledger.settle(database.address())


@pytest.mark.parametrize("look", [lambda book: book.totals, lambda book: book.entry(1), lambda book: book.verify()])
def test_a_spend_of_another_thread_while_one_reads_is_no_damage(database: Database, look, monkeypatch) -> None:
    """The state that is read is older than what the spend knows: the ledger was not edited, and is whole."""
    ledger = filled(database.address(), 2)
    reading = ledger._reading

    @contextmanager
    def overtaken():
        with reading() as state:
            # The state is that of the first question.
            state.header()
            thread = threading.Thread(target=ledger.spend, args=(EACH,), kwargs={"mechanism": "x"})
            thread.start()
            thread.join()
            yield state

    monkeypatch.setattr(ledger, "_reading", overtaken)
    look(ledger)
    monkeypatch.undo()

    assert 3 == ledger.verify().spends

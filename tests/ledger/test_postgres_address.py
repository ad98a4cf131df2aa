"""Addresses in PostgreSQL: what they name, what they refuse, and that a password is never repeated."""

import sys
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.ledger.postgres_address import PostgresAddress
from dpselect.ledger.store import store_of

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("text", "url", "ledger"),
    [
        ("postgresql://ann@db/people?ledger=survey", "postgresql://ann@db/people", "survey"),
        ("postgres://db:5432/people?ledger=a_1", "postgresql://db:5432/people", "a_1"),
        ("PostgreSQL:///people?host=/run/postgresql&ledger=survey", "postgresql:///people", "survey"),
        ("postgresql://one:1,two:2/people?ledger=survey", "postgresql://one:1,two:2/people", "survey"),
        ("postgresql://[::1]:5432/people?ledger=survey", "postgresql://[::1]:5432/people", "survey"),
        (
            "postgresql://ann%40example.org@db/people?ledger=survey",
            "postgresql://ann%40example.org@db/people",
            "survey",
        ),
        ("postgresql://?service=team&ledger=survey", "postgresql://", "survey"),
    ],
)
def test_an_address_names_a_database_and_a_ledger(text: str, url: str, ledger: str) -> None:
    """And reads the same when it was written by us."""
    address = PostgresAddress.of(text)

    assert (url, ledger) == (address.url, address.ledger)
    assert address == PostgresAddress.of(str(address))


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}@db/people?ledger=survey",
        f"postgres://ann:{SECRET}@db:5432/people?ledger=survey",
        f"postgresql://:{SECRET}@db/people?ledger=survey",
        f"postgresql://ann:12/{SECRET}@db/people?ledger=survey",
        f"postgresql://ann:{SECRET}/x@db/people?ledger=survey",
        f"postgresql://ann:{SECRET}#@db/people?ledger=survey",
        f"postgresql://ann:?{SECRET}@db/people?ledger=survey",
        f"postgresql://ann:@{SECRET}@db/people?ledger=survey",
        f"postgresql:/ann:{SECRET}@db/people?ledger=survey",
        f"postgresql%3A//ann:{SECRET}@db/people?ledger=survey",
        f"postgresql://ann@db/people?password={SECRET}&ledger=survey",
        f"postgresql://ann@db/people?ledger=survey&sslpassword={SECRET}",
        f"postgresql://ann@db/people?ledger=survey&passwort={SECRET}",
        f"postgresql://ann@db/people?ledger={SECRET}!",
        f"postgresql://ann@db/people@{SECRET}?ledger=survey",
        f"host=db user=ann password={SECRET} dbname=people",
        f"mysql://ann:{SECRET}@db/people",
    ],
)
def test_a_password_is_refused_and_not_repeated(text: str) -> None:
    """Wherever somebody puts it: neither the message nor anything that hangs on the error has it."""
    for use in (dps.Ledger.read, lambda address: dps.Ledger.open(address, epsilon=1)):
        with pytest.raises(ValueError, match=r"address|file") as caught:
            use(text)
        error = caught.value
        assert SECRET not in f"{error!r} {error.__context__!r} {error.__cause__!r}"


@pytest.mark.parametrize(
    "name", ["", "Survey", "1st", "pg_survey", "public", "information_schema", "a b", 'a"b', "a" * 64, "é", "a;b"]
)
def test_names_that_are_no_schema_of_its_own(name: str) -> None:
    """Refused before anything is asked."""
    with pytest.raises(ValueError, match="name of a schema of its own"):
        PostgresAddress.of(f"postgresql://db/people?ledger={name}")


def test_an_address_without_a_ledger() -> None:
    """Says how to name it."""
    for text in ("postgresql://db/people", "postgresql://db/people?ledger=a&ledger=b"):
        with pytest.raises(ValueError, match=r"End the address with \?ledger=NAME"):
            PostgresAddress.of(text)


@pytest.mark.parametrize("option", ["options=-csynchronous_commit%3Doff", "client_encoding=latin1", "dbname=x"])
def test_options_that_would_change_the_session_are_refused(option: str) -> None:
    """Only where the server is and who asks may be said."""
    with pytest.raises(ValueError, match="no other option"):
        PostgresAddress.of(f"postgresql://db/people?ledger=survey&{option}")


def test_a_path_is_no_address() -> None:
    """It has lost a slash."""
    with pytest.raises(ValueError, match="pass it as a string"):
        store_of(Path("postgresql://db/people?ledger=survey"))


@pytest.mark.parametrize("address", ["", " ", "survey\0.ledger", "postgresql://db/people?ledger=survey\0"])
def test_an_address_without_a_name_is_refused(address: str) -> None:
    """Also one that no file system can keep: the message says what to pass."""
    with pytest.raises(ValueError, match=r"empty or holds a NUL: pass the name of a file"):
        store_of(address)


def test_without_psycopg_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """And files need nothing."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r'Ledgers in PostgreSQL need psycopg: .*"\.\[postgres\]"'):
        dps.Ledger.read("postgresql://db/people?ledger=survey")


def test_no_password_is_asked_of_a_file() -> None:
    """A file may be called what it likes."""
    assert "postgres" == store_of("postgres").name

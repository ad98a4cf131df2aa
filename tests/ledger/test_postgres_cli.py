"""The command line with a ledger in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.certificates.certificate import Certificate
from dpselect.cli import main
from tests.ledger.conftest import Database
from tests.ledger.wire import wire

MEDIAN = ["quantiles", "people.csv", "age", "--p", "50", "--lower", "0", "--upper", "100"]


@pytest.fixture
def address(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A ledger of epsilon 2, and a table beside us."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n" + "\n".join(str(age % 90) for age in range(400)) + "\n")
    assert 0 == main(["budget", "create", database.address(), "--epsilon", "2", "--dataset", "people"])
    return database.address()


def test_a_budget_from_its_making_to_its_last_release(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Make, plan, release, certify, show, spend by hand, verify, export and back up."""
    other = address.replace("survey", "other")
    assert 0 == main(["budget", "create", other, "--epsilon", "1", "--dataset", "others"])
    assert f"{other}: a budget of epsilon 1 for others\n" == capsys.readouterr().out
    paid = [*MEDIAN, "--epsilon", "0.5", "--ledger", address]
    assert 0 == main([*paid, "--dry-run"])
    assert f"ledger     {address}: epsilon 2 left, epsilon 1.5 afterwards" in capsys.readouterr().out
    assert 0 == main([*paid, "--certificate", "median.json", "--question", "How old?"])
    assert 0 == main(["budget", "spend", address, "--epsilon", "1", "--note", "table 3"])
    assert 2 == main(["budget", "spend", address, "--epsilon", "1"])
    assert "left epsilon 0.5" in capsys.readouterr().err

    assert 0 == main(["verify", "median.json", "--ledger", address])
    assert 0 == main(["budget", "verify", address, "--json"])
    assert 0 == main([*MEDIAN, "--error", "60", "--dry-run", "--ledger", address])
    shown = capsys.readouterr().out
    assert f"{address}: has row 1, with the same hash and cost" in shown
    assert '"entries": 2' in shown
    assert "survey" == Certificate.read("median.json").content["ledger"]["name"]
    assert 0 == main(["budget", "show", address, "--answers"])
    assert "table 3" in capsys.readouterr().out
    assert 0 == main(["budget", "export", address, "--backup", "copy.ledger"])
    assert 0 == main(["verify", "median.json", "--ledger", "copy.ledger"])
    assert dps.Ledger.read(address).events == dps.Ledger.read("copy.ledger").events


def test_a_file_moves_into_a_database(database: Database, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With its whole chain; what is there is never written over."""
    assert 0 == main(["budget", "create", "old.ledger", "--epsilon", "1", "--dataset", "old"])
    assert 0 == main(["budget", "spend", "old.ledger", "--epsilon", "0.25"])
    assert 0 == main(["budget", "export", "old.ledger", "--backup", database.address("old")])
    assert "0.75" == str(float(dps.Ledger.read(database.address("old")).remaining.epsilon))
    capsys.readouterr()
    for line in (
        ["budget", "export", "old.ledger", "--backup", address],
        ["budget", "create", address, "--epsilon", "2", "--dataset", "people"],
    ):
        assert 2 == main(line)
        assert "exists already" in capsys.readouterr().err


def test_what_a_server_refuses_is_one_sentence(database: Database, address: str, capsys) -> None:
    """No ledger, no server, no password; nothing of the server's own words."""
    dead = database.address(port=1)
    for place, words in (
        (database.address("none"), "The ledger none in "),
        (dead, "cannot be reached"),
        (database.address(user="nobody"), "the password in PGPASSFILE or a service file are right"),
    ):
        for line in (["budget", "show", place], [*MEDIAN, "--epsilon", "0.5", "--ledger", place]):
            capsys.readouterr()
            assert 2 == main(line)
            said = capsys.readouterr().err
            assert words in said
            assert 1 == said.count("\n")
            assert "FATAL" not in said
    assert 2 == main(["budget", "settle", address])


@pytest.mark.usefixtures("address")
def test_a_spend_of_unknown_outcome_ends_with_status_1(database: Database, capsys) -> None:
    """As something that was spent and not answered."""
    capsys.readouterr()
    with wire(database.server.port) as line:
        line.cut_at(b"COMMIT\0", delivered=True)
        place = database.address(port=line.port)
        assert 1 == main([*MEDIAN, "--epsilon", "0.5", "--ledger", place])
    said = capsys.readouterr()

    assert "" == said.out
    assert "it may be recorded, and then it stays spent; nothing was drawn" in said.err
    assert 1 == said.err.count("stays spent")

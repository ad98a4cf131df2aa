"""The command that names candidates of a table where it lives."""

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli.inputs import changed
from tests.cli.test_commands import refusal

pytest.importorskip("ibis")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def votes(tmp_path: Path) -> str:
    """Votes for pages 3, 7 and 8."""
    return written(tmp_path, [3, 7, 8], [40, 900, -5])


def written(folder: Path, pages: list, votes: list[int]) -> str:
    """Write a table of votes; return where."""
    arrow = pytest.importorskip("pyarrow")
    path = str(folder / "votes.parquet")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"page": pages, "votes": votes}), path)
    return path


COLUMNS = ["--candidate", "page", "--score", "votes", "--sensitivity", "1"]


def test_the_ranking_at_a_large_epsilon(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One name a line, and what it cost."""
    assert 0 == main(["select", votes, *COLUMNS, "--domain", "rows", "--k", "3", "--epsilon", "3000"])

    expected = "  1  7\n  2  3\n  3  8\nin order of selection; epsilon = 3000 per record added or removed, by "
    assert f"{expected}permute-and-flip\n" == capsys.readouterr().out


def test_a_public_domain_and_a_ledger(votes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The spend is recorded with the table; JSON says what was promised."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=500, neighbours="substitution")
    options = ["--domain", "100", "--epsilon", "400", "--neighbours", "substitution", "--range-bound", "1", "--json"]
    arguments = ["select", votes, *COLUMNS, *options, "--mechanism", "exponential", "--ledger", str(ledger.path)]

    assert 0 == main(arguments)
    answer = json.loads(capsys.readouterr().out)
    assert ([7], "exponential", "400", "substitution") == tuple(
        {**answer, **answer["guarantee"]}[name] for name in ("candidates", "mechanism", "epsilon", "neighbours")
    )
    assert {"command": "select", "file": votes, "candidate": "page"}.items() <= ledger.events[0].metadata.items()
    assert "budget" in refusal(arguments, capsys)


def test_a_list_of_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text names, some without a row."""
    votes = written(tmp_path, ["home"], [900])
    (tmp_path / "names.txt").write_text("home\nabout\n", encoding="utf-8")
    domain = ["--domain", str(tmp_path / "names.txt"), "--k", "2", "--epsilon", "900"]

    assert 0 == main(["select", votes, *COLUMNS, *domain])
    assert ["  1  home", "  2  about"] == capsys.readouterr().out.splitlines()[:2]


@pytest.mark.parametrize(
    "change, message",
    [
        ([], "must not depend on the data: pass --domain"),
        (["--domain", "none.txt"], "--domain takes a number or a file"),
        (["--domain", "rows", "--mechanism", "noisy-max-laplace"], "adds noise to every candidate"),
        (["--domain", "rows", "--score", "likes"], "no column 'likes'"),
    ],
)
def test_refusals(votes: str, change: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence and status 2."""
    assert message in refusal(changed(["select", votes, *COLUMNS, "--epsilon", "1"], change), capsys)


def test_a_row_outside_the_domain_is_left_out(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether there is an answer does not depend on one row."""
    assert 0 == main(["select", votes, *COLUMNS, "--epsilon", "1", "--domain", "8"])
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize(
    "change, message",
    [
        (["--domain", "rows", "--k", "4"], "there are 3 candidates"),
    ],
)
def test_what_only_the_data_can_refuse_is_paid_for(votes: str, change: list[str], message: str, capsys) -> None:
    """Status 1, and the sentence says that the spend stays."""
    said = refusal(["select", votes, *COLUMNS, "--epsilon", "1", *change], capsys, status=1)

    assert message in said
    assert "stays spent" in said

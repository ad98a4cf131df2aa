"""The command that names candidates of a table where it lives."""

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli.inputs import changed
from tests.cli.test_command_registry import refusal

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
    unknown = "no bound on the error: how many candidates there are is counted in the table"
    assert capsys.readouterr().out.startswith(f"{expected}permute-and-flip, one-shot\n{unknown}")


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


COUNTS = ["--candidate", "name", "--score", "count", "--sensitivity", "1", "--range-bound", "1"]


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """Counts of four names; one cell spells none."""
    path = tmp_path / "counts.csv"
    path.write_text("name,count\nflu,900\npox,4000\ncold,10\nrash,x\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("kind", ["integer", "real"])
def test_a_csv_file_is_selected_from_in_memory(counts: str, kind: str, tmp_path: Path, capsys) -> None:
    """In one pass, with its gaps, p-value and accuracy, and one spend that names the file."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=600)
    asked = ["--domain", "rows", "--kind", kind, "--k", "2", "--epsilon", "500", "--ledger", str(ledger.path), "--json"]

    assert 0 == main(["select", counts, *COUNTS, *asked])
    answer = json.loads(capsys.readouterr().out)
    assert ["pox", "flu"] == answer["candidates"]
    assert "permute-and-flip, one-shot" == answer["mechanism"]
    assert answer["p_value"] < 1e-6
    assert 0 < answer["accuracy"]["error_below"] < 9
    (event,) = ledger.events
    assert {"file": counts, "candidate": "name", "score": "count"}.items() <= event.metadata.items()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--domain", "rows"], "pass --kind integer or --kind real"),
        (["--kind", "integer"], "must not depend on the data: pass --domain rows"),
        (["--kind", "integer", "--domain", "4"], "pass --domain rows"),
        (["--kind", "integer", "--domain", "rows", "--score", "likes"], "no column 'likes'"),
        (["--kind", "integer", "--domain", "rows", "--candidate", "who"], "no column 'who'"),
        (["--kind", "integer", "--domain", "rows", "--k", "5"], "4"),
    ],
)
def test_what_a_csv_file_lacks_is_refused(counts: str, more: list[str], message: str, tmp_path: Path, capsys) -> None:
    """Before anything is spent."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=9)
    words = changed(["select", counts, *COUNTS, "--epsilon", "1", "--ledger", str(ledger.path)], more)

    assert message in refusal(words, capsys)
    assert not ledger.events


def test_other_tables_declare_their_types(votes: str, capsys) -> None:
    """So nothing is said of them."""
    words = ["select", votes, *COLUMNS, "--domain", "rows", "--kind", "integer", "--epsilon", "1"]
    assert "--kind goes with a csv file" in refusal(words, capsys)


@pytest.mark.parametrize("verb", ["select", "above-threshold"])
def test_an_empty_line_is_refused_before_the_spend(verb: str, counts: str, tmp_path: Path, capsys) -> None:
    """It would be a score without a name."""
    with Path(counts).open("a", encoding="utf-8") as file:
        file.write("\n")
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=9)
    asked = [*COUNTS, "--kind", "integer", "--domain", "rows"] if verb == "select" else ["--threshold", "10000000"]

    assert "has empty cells" in refusal([verb, counts, *asked, "--epsilon", "1", "--ledger", str(ledger.path)], capsys)
    assert not ledger.events


def test_a_list_has_a_p_value_in_one_pass_only(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As for scores in memory; peeled, it has none."""
    asked = ["select", votes, *COLUMNS, "--domain", "10", "--k", "2", "--epsilon", "3000", "--json"]
    assert 0 == main(asked)
    answer = json.loads(capsys.readouterr().out)
    assert (["permute-and-flip, one-shot"], 2, [7, 3]) == (
        [answer["mechanism"]],
        len(answer["gaps"]),
        answer["candidates"],
    )
    assert answer["p_value"] < 1e-9
    assert 0 == main([*asked, "--method", "peeling"])
    assert "p_value" not in json.loads(capsys.readouterr().out)

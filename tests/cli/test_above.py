"""The command that asks named counts, one after the other, against public thresholds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli.test_command_registry import refusal


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """Four names; a cell is not a count."""
    path = tmp_path / "counts.csv"
    path.write_text("name,count,limit\nflu,4000,3000\npox,many,900\ncold,50000,900\nrash,3,4\n", encoding="utf-8")
    return str(path)


def test_answers_in_the_order_of_the_file(counts: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Until what was paid is used up; names are not asked twice, and the rest is not asked."""
    assert 0 == main(["above-threshold", counts, "--threshold", "1000", "--positives", "2", "--epsilon", "500"])
    printed = capsys.readouterr().out.splitlines()

    assert ["flu   above, noisy gap 3000", "pox   below", "cold  above, noisy gap 49000"] == printed[:3]
    assert "3 of 4 answered: the answers above have used up what was paid" == printed[3]
    assert "epsilon = 500 per record added or removed, by above-threshold" == printed[4]


def test_one_spend_and_a_threshold_for_each(counts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ledger has one line for all questions; JSON says the gaps; clear answers cost half."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=600)
    options = ["--thresholds", "limit", "--margin", "2000", "--epsilon", "500", "--json", "--ledger", str(ledger.path)]

    assert 0 == main(["above-threshold", counts, *options])
    answer = json.loads(capsys.readouterr().out)
    asked = [(each["name"], each["above"], each["level"]) for each in answer["answers"]]
    # 1000 above its limit: not clear, so it costs the whole.
    assert [("flu", True, 1)] == asked
    assert (4, "500") == (answer["names"], answer["guarantee"]["epsilon"])
    assert {"command": "above-threshold", "threshold": "limit"}.items() <= ledger.events[0].metadata.items()
    assert 1 == len(ledger.events)


def test_a_dry_run_states_the_error(counts: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As threshold_bound does, for as many questions as there are names."""
    assert 0 == main(["above-threshold", counts, "--threshold", "9", "--positives", "2", "--epsilon", "1", "--dry-run"])

    assert (
        f"accuracy   {dps.accuracy.threshold_bound(epsilon=1, positives=2, questions=4).describe()}\n"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Pass --threshold"),
        (["--threshold", "1", "--thresholds", "limit"], "Pass --threshold, or --thresholds"),
        (["--thresholds", "gone"], "The column 'gone' does not exist"),
        (["--thresholds", "name"], "is a whole number"),
        (["--threshold", str(2**61)], "beyond 2^60"),
        (["--threshold", "1", "--positives", "0"], "positives must be"),
        (["--threshold", "1", "--label", "limit"], "holds a name twice"),
        (["--threshold", "1", "--value", "gone"], "Name the right one by --value"),
        (["--threshold", "1", "--label", "disease"], "Name the right one by --label"),
    ],
)
def test_what_is_refused_spends_nothing(counts: str, options: list[str], sentence: str, tmp_path: Path, capsys) -> None:
    """In one sentence, with status 2."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=1)

    told = refusal(["above-threshold", counts, *options, "--epsilon", "1", "--ledger", str(ledger.path)], capsys)
    assert sentence in told
    assert not ledger.events


def test_a_table_without_names_is_refused(tmp_path: Path, capsys) -> None:
    """There is nothing to ask, and nothing to pay for."""
    path = tmp_path / "counts.csv"
    path.write_text("name,count\n", encoding="utf-8")

    assert "nothing to ask" in refusal(["above-threshold", str(path), "--threshold", "1", "--epsilon", "1"], capsys)


def test_every_cell_counts_as_the_nearest_whole_number(tmp_path: Path, capsys) -> None:
    """Of two the lower, and one that spells none as 0, as the page says."""
    path = tmp_path / "counts.csv"
    path.write_text("name,count\na,\nb,many\nc,1000012.5\n", encoding="utf-8")
    thresholds = ["--threshold", "1000000", "--epsilon", "900", "--json"]

    assert 0 == main(["above-threshold", str(path), *thresholds])
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [False, False, True] == [each["above"] for each in answers]
    assert abs(answers[-1]["gap"] - 12) <= 1

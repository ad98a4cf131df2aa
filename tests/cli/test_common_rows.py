"""dpselect most-common without persons: every row is one record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

LINE = ["most-common", "survey.csv", "status", "--domain", "a,b,c", "--epsilon", "1"]
GROUPS = ["--by", "region", "--groups", "n,s"]


@pytest.fixture(autouse=True)
def survey(folder) -> None:  # noqa: ARG001
    """One row per person, and nothing that names them."""
    rows = ["a,n"] * 60 + ["b,s"] * 40 + ["c,s"] * 9 + [",n", "odd,n"]
    Path("survey.csv").write_text("\n".join(["status,region", *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("more", [[], ["--in-place"]])
def test_rows_are_counted_without_a_column_of_persons(more: list[str], capsys) -> None:
    """In memory and in place; the words are about records."""
    assert 0 == main([*LINE, *more])
    printed = capsys.readouterr().out
    assert "  1  a" == printed.splitlines()[0]
    assert "epsilon = 1 per record" in printed
    assert "records behind the best" in printed
    assert "person" not in printed


def test_the_dry_run_says_what_the_release_says(capsys) -> None:
    """Cost and error, of one list and of each group; and nothing is spent."""
    assert 0 == main(["budget", "create", "book", "--epsilon", "99", "--dataset", "survey"])
    for more in ([], GROUPS):
        words = [*LINE, *more, "--ledger", "book"]
        capsys.readouterr()
        assert 0 == main([*words, "--dry-run", "--json"])
        plan = json.loads(capsys.readouterr().out)
        before = len(dps.Ledger.read("book").events)
        assert 0 == main([*words, "--json"])
        answer = json.loads(capsys.readouterr().out)

        assert plan["accuracy"] == answer["accuracy"]
        assert ("records", "add-remove") == (answer["accuracy"]["unit"], answer["guarantee"]["neighbours"])
        assert before + 1 == len(dps.Ledger.read("book").events)
    first, second = dps.Ledger.read("book").events
    assert "person" not in first.metadata
    assert ("status", "region") == (second.metadata["item"], second.metadata["by"])


def test_groups_of_rows_answer_at_all_of_epsilon(capsys) -> None:
    """One line per group."""
    assert 0 == main([*LINE, *GROUPS, "--certificate", "groups.json"])
    printed = capsys.readouterr().out
    assert ["n: a", "s: b"] == printed.splitlines()[:2]
    assert "each group: less than 3 records behind the best" in printed
    assert 0 == main(["verify", "groups.json"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([*GROUPS, "--groups-per-person", "1"], "--groups-per-person says in how many groups a person counts"),
        (["--delta", "1e-6", "--kept", "2"], "the items need a public list"),
        (["--items-per-person", "1"], "the items need a public list"),
        (["--by", "region"], "pass --groups, their public list"),
    ],
)
def test_what_only_persons_have_is_refused(more: list[str], message: str, capsys) -> None:
    """Before anything is spent, in one sentence, dry run or not."""
    for words in ([*LINE, *more], [*LINE, *more, "--dry-run"]):
        assert 2 == main(words)
        assert message in capsys.readouterr().err


def test_a_plan_knows_it(capsys) -> None:
    """It finds the epsilon for an error in records."""
    assert 0 == main([*LINE[:-2], "--error", "4", "--dry-run"])
    assert "less than 4 records behind the best" in capsys.readouterr().out


def test_a_selection_of_a_column_says_which_command_counts_rows(capsys) -> None:
    """Where candidates have scores in the file."""
    scores = ["--score", "x", "--sensitivity", "1", "--epsilon", "1"]
    assert 2 == main(["select", "survey.csv", "--column", "status", *scores])
    assert "ask dpselect most-common for the most frequent value" in capsys.readouterr().err

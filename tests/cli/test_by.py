"""Groups and persons on the command line: one line per group, and whom the promise protects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

# Everybody has a row in each region, and one in a region that is not listed.
ROWS = [(who, region, pay) for region, pay in (("n", 10), ("s", 30), ("x", 90)) for who in range(60)]
BOUNDS = ["pay", "--lower", "0", "--upper", "100"]
BY = ["--by", "region", "--groups", "n,s"]
VERBS = {
    "median": ["median", "pay.csv", *BOUNDS],
    "percentile": ["quantiles", "pay.csv", *BOUNDS, "--p", "50"],
    "quantiles": ["quantiles", "pay.csv", *BOUNDS, "--p", "50", "--method", "halving"],
}


@pytest.fixture(autouse=True)
def pay(folder: Path) -> None:
    """A table of persons with several rows."""
    lines = ["who,region,pay", *(",".join(map(str, row)) for row in ROWS)]
    (folder / "pay.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("verb", VERBS)
def test_one_line_per_group(verb: str, capsys) -> None:
    """And the cost of all of them together."""
    assert 0 == main([*VERBS[verb], *BY, "--epsilon", "60", "--yes"])
    printed = capsys.readouterr().out

    assert "n: 10\ns: 30\n" in printed
    assert "epsilon = 60 per record added or removed" in printed
    assert ("each group: less than 1" in printed or "each group: as good as" in printed) == (verb != "quantiles")
    assert 0 == main([*VERBS[verb], *BY, "--epsilon", "60", "--yes", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert [{"group": "n", "candidates": [10]}, {"group": "s", "candidates": [30]}] == facts["groups"]


@pytest.mark.parametrize("verb", VERBS)
def test_an_engine_counts_groups_of_persons_too(verb: str, capsys) -> None:
    """Where the file is, which is not read into memory."""
    pytest.importorskip("ibis")
    asked = [*VERBS[verb], *BY, "--person", "who", "--rows-per-person", "2", "--in-place", "--epsilon", "100"]
    assert 0 == main([*asked, "--yes"])
    assert "n: 10\ns: 30\n" in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_persons_are_said_in_the_plan_and_kept_in_the_ledger(verb: str, capsys) -> None:
    """The dry run spends nothing; groups and persons together, and persons alone."""
    assert 0 == main(["budget", "create", "book", "--epsilon", "400", "--neighbours", "person", "--dataset", "x"])
    line = [*VERBS[verb], "--person", "who", "--rows-per-person", "2", "--epsilon", "100", "--yes", "--ledger", "book"]
    assert 0 == main([*line, *BY, "--dry-run"])
    planned = capsys.readouterr().out
    assert "epsilon = 100 per person, of whom 2 rows count" in planned
    assert "accuracy   each group, of the rows that count: " in planned
    assert () == dps.Ledger.read("book").events

    assert 0 == main([*line, *BY])
    assert 0 == main(line)
    printed = capsys.readouterr().out
    assert "n: 10\ns: 30\n" in printed
    grouped, alone = dps.Ledger.read("book").events
    assert ("person", "person") == (grouped.neighbours, alone.neighbours)
    facts = {"by": "region", "person": "who", "groups": "2", "rows_per_person": "2"}
    assert facts.items() <= dict(grouped.metadata).items()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--by", "region"], "pass --groups, their public list"),
        (["--groups", "n,s"], "pass --by"),
        (["--rows-per-person", "2"], "pass --person too"),
        (["--person", "who", "--rows-per-person", "0"], "at least 1"),
        (["--by", "place", "--groups", "n,s"], "Name the right one by --by"),
        (["--person", "name"], "Name the right one by --person"),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_refused_is_refused_in_one_sentence(verb: str, more: list[str], message: str, capsys) -> None:
    """Before anything is spent."""
    assert 2 == main([*VERBS[verb], *more, "--epsilon", "1"])
    said = capsys.readouterr()
    assert message in said.err
    assert ("", 1) == (said.out, said.err.count("\n"))


def test_records_that_are_named_have_no_persons(capsys) -> None:
    """Their number is public, and it is their values that are protected."""
    asked = ["median-record", "pay.csv", *BOUNDS, "--label", "who", "--person", "who"]
    assert 2 == main([*asked, "--epsilon", "1"])
    assert "the option --person does not exist" in capsys.readouterr().err


SELECT = ["select", "votes.csv", "--candidate", "page", "--score", "votes", "--kind", "integer", "--sensitivity", "1"]


@pytest.fixture
def votes(folder: Path) -> None:
    """Ready-made counts: every line is a public page of a region."""
    lines = ["region,page,votes", "n,1,900", "n,2,3", "s,1,1", "s,2,800", "x,1,5", "x,1,6"]
    (folder / "votes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("votes")
def test_ready_made_scores_have_groups_too(capsys) -> None:
    """The best page of each region; lines of other regions go nowhere, twice named or not."""
    line = [*SELECT, "--domain", "rows", *BY, "--epsilon", "9"]
    assert 0 == main(line)
    assert "n: 1\ns: 2\nin order of selection; epsilon = 9 per record" in capsys.readouterr().out
    assert 0 == main([*line, "--dry-run"])
    assert "accuracy   each group: as good as the best" in capsys.readouterr().out
    assert 0 == main([*line, "--neighbours", "person", "--groups-per-person", "2", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert ["person", [1], [2]] == [facts["guarantee"]["neighbours"], *(each["candidates"] for each in facts["groups"])]


@pytest.mark.usefixtures("votes")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--by", "region"], "pass --groups, their public list"),
        (["--groups", "n,s"], "pass --by"),
        (["--groups-per-person", "2"], "pass --by"),
        (["--by", "region", "--groups", "n,w"], "no line for the group 'w'"),
        (["--by", "region", "--groups", "n,x"], "listed twice"),
        (["--by", "votes", "--groups", "900,"], "the cells of 'votes' are private"),
        ([*BY, "--neighbours", "person"], "pass --groups-per-person"),
        ([*BY, "--neighbours", "substitution"], "may be in two"),
        ([*BY, "--groups-per-person", "2"], "leave --groups-per-person out"),
        ([*BY, "--method", "peeling"], "leave it out"),
        ([*BY, "--k", "3"], "there are 2 candidates"),
    ],
)
def test_groups_of_scores_are_refused_in_one_sentence(more: list[str], message: str, capsys) -> None:
    """Before anything is spent."""
    assert 2 == main([*SELECT, "--domain", "rows", *more, "--epsilon", "1"])
    said = capsys.readouterr()
    assert message in said.err
    assert ("", 1) == (said.out, said.err.count("\n"))


@pytest.mark.parametrize("of", [BY, ["--person", "who"]], ids=["groups", "persons"])
def test_a_total_is_of_the_whole_column(of: list[str], capsys) -> None:
    """Fewer records count in a group, or of persons; a dry run is refused as the release is."""
    for more in ([], ["--dry-run"]):
        assert 2 == main([*VERBS["quantiles"], *of, "--total", "6", "--epsilon", "1", *more])
        assert "leave --total out" in capsys.readouterr().err

"""What a public number or a number of names may be mistaken for is said in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpselect.cli import main

COUNTS = ["histogram", "jobs.csv", "job", "--epsilon", "1"]


@pytest.fixture(autouse=True)
def jobs(folder: Path) -> None:
    """A table with text and numbers."""
    (folder / "jobs.csv").write_text("job,region,pay\nnurse,north,10\nsmith,south,20\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--upper", "100.000", "--epsilon", "1"], "--upper: 100.000 is read as 100: write 100000 or 100."),
        (["--upper", "9", "--epsilon", "1.000"], "--epsilon: 1.000 is read as 1: write 1000 or 1."),
        (["--upper", "9", "--step", "1.000", "--epsilon", "1"], "--step: 1.000 is read as 1: write 1000 or 1."),
    ],
)
def test_three_zeros_after_a_point_are_questioned(words, sentence: str, capsys) -> None:
    """In much of Europe they are thousands."""
    assert 2 == main(["median", "jobs.csv", "pay", "--lower", "0", *words])
    assert f"dpselect median: {sentence}\n" == capsys.readouterr().err


@pytest.mark.parametrize("upper", ["100.0", "100.00", "1000.000", "100.500", "0.001"])
def test_other_fractions_are_numbers(upper: str, capsys) -> None:
    """Neither fewer zeros nor a long whole part looks like thousands."""
    bounds = ["--lower", "0", "--upper", upper, "--step", upper]
    assert 0 == main(["median", "jobs.csv", "pay", *bounds, "--epsilon", "1", "--dry-run"])
    assert "Dry run" in capsys.readouterr().out


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_numbers_of_names_say_which_names_they_are(more, capsys) -> None:
    """Text in the column would otherwise be counted nowhere without a word."""
    assert 0 == main([*COUNTS, "--domain", "4", "--by", "region", "--groups", "2", *more])
    lines = capsys.readouterr().out.splitlines()

    assert [
        "the public names of --domain 4 are the whole numbers 0 to 3",
        "the groups of --groups 2 are the whole numbers 0 to 1",
    ] == lines[-2:]


def test_programs_read_the_same_note(capsys) -> None:
    """And lists of names have none."""
    assert 0 == main([*COUNTS, "--domain", "4", "--json"])
    assert ["the public names of --domain 4 are the whole numbers 0 to 3"] == json.loads(capsys.readouterr().out)[
        "notes"
    ]
    assert 0 == main([*COUNTS, "--domain", "nurse,smith", "--json"])
    assert "notes" not in json.loads(capsys.readouterr().out)

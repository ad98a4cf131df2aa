"""The first commands of somebody who has read little: each refusal says the one thing to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> None:
    """A table with text and numbers."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,job\n31,nurse\n44,smith\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told", "untold"),
    [
        (["most-common", "people.csv", "job"], "pass --domain, their public list, or --person", "without"),
        (["histogram", "people.csv", "job"], "of numbers, or --domain, the public list of names", "bins"),
        (["median", "people.csv", "age"], "pass --lower and --upper, the public bounds of numbers.", "--domain"),
    ],
)
def test_what_is_public_is_asked_for_by_its_option(words, told, untold, capsys) -> None:
    """That which such a column needs, and no option that was not passed."""
    assert 2 == main([*words, "--epsilon", "1"])
    said = capsys.readouterr().err
    assert told in said
    assert untold not in said


def test_a_missing_ledger_is_described_once(capsys) -> None:
    """By what it may be."""
    assert 2 == main(["budget", "show"])
    assert "the ledger is required: a file or postgresql://" in capsys.readouterr().err

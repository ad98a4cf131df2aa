"""dpselect compare formulas: which mechanism and prior serve a formula, on a table that may be looked at."""

import json
from pathlib import Path

import pytest

from dpselect.cli import main, schemas
from tests.cli.schema import faults, unnamed

WORDS = ["compare", "formulas", "ratings.toml", "avg(stars)", "--by", "place", "--prior", "20:3", "--epsilon", "1"]


@pytest.fixture(autouse=True)
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings of three places by persons, and their description."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{row // 2},{place},{stars}" for row, (place, stars) in enumerate([("N", 2), ("S", 4), ("S", 5)] * 99)]
    Path("rows.csv").write_text("\n".join(["who,place,stars", *rows]) + "\n", encoding="utf-8")
    columns = '[columns]\nplace = ["N", "S", "W"]\nstars = {lower = 1, upper = 5}\n'
    head = 'source = "rows.csv"\nperson = "who"\nrows_per_person = 2\n'
    Path("ratings.toml").write_text(f"{head}{columns}", encoding="utf-8")


def test_a_table_and_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each prior and size with each mechanism, as Python has it; nothing is spent."""
    assert 0 == main([*WORDS, "--priors", "50:3", "1:3", "--sizes", "20"])
    shown = capsys.readouterr().out
    assert shown.startswith("Use margins")
    assert shown.count("smooth-noisy-max") == shown.count("margins  ") == 4
    assert max(map(len, shown.splitlines())) <= 80
    assert not [*Path().glob("*.ledger")]

    assert 0 == main([*WORDS, "--priors", "50:3", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert not faults(facts, schemas.answer("compare formulas"))
    assert not unnamed(facts, schemas.answer("compare formulas"))
    assert {row["small_groups"] for row in facts["formulas"]} == {"20:3", "50:3"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--priors", "many"], "such as 5:3 or 20:0.1"),
        (["--out", "x.svg"], "--out"),
        (["--min-rows", "20"], "two ways to do the same"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(words: list[str], message: str, capsys) -> None:
    """Nothing is computed."""
    assert 2 == main([*WORDS, *words])
    said = capsys.readouterr()
    assert "" == said.out
    assert message in said.err
    assert 1 == said.err.count("\n")

"""A csv file without the line of names begins with somebody's record: no command prints a cell of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli.inputs import description

pytestmark = pytest.mark.usefixtures("folder")

CELLS = ("Zacharias", "48211.55", "Xylitol")
EVENTS = ["--person", "user", "product"]
GRID = ["salary", "--lower", "0", "--upper", "9", "--epsilon", "1"]
KIND = ["--kind", "integer", "--epsilon", "1"]
COMMANDS = [
    ["median", "bare.csv", *GRID],
    ["median", "bare.csv", *GRID, "--in-place"],
    ["median-record", "bare.csv", *GRID, "--label", "name"],
    ["median", "bare.csv", *GRID[2:]],
    ["quantiles", "bare.csv", *GRID, "--p", "50"],
    ["histogram", "bare.csv", *GRID],
    ["quantiles", "bare.csv", *GRID, "--p", "50", "--in-place"],
    ["compare", "percentile", "bare.csv", *GRID[:-2], "--p", "50", "--epsilons", "1"],
    ["most-common", "bare.csv", *EVENTS, "--domain", "products.txt", "--epsilon", "1"],
    ["most-common", "bare.csv", *EVENTS, "--domain", "products.txt", "--epsilon", "1", "--in-place"],
    ["most-common", "bare.csv", *EVENTS, "--kept", "9", "--delta", "1e-6", "--epsilon", "1"],
    ["partitions", "bare.csv", "--person", "u", "k", "--per-person", "1", "--delta", "1e-6", "--epsilon", "1"],
    ["above-threshold", "bare.csv", "--threshold", "3", "--epsilon", "1"],
    ["snp", "bare.csv", "--families", "9", "--label", "snp", "--epsilon", "1"],
    ["top-k", "bare.csv", "degree", "--nodes", "4", "--epsilon", "1"],
    ["top-k", "bare.csv", "degree", "--nodes", "4", "--epsilon", "1", "--in-place"],
    ["train", "bare.toml", "rich", "--epsilon", "1", "--out", "new.json"],
    ["train", "in_place.toml", "rich", "--epsilon", "1", "--out", "new.json"],
    ["check", "bare.csv", "salary"],
    ["check", "bare.toml"],
    ["predict", "model.json", "bare.csv"],
    ["select", "bare.csv", "--candidate", "a", "--score", "b", "--sensitivity", "1", "--domain", "3", "--epsilon", "1"],
    ["select", "bare.csv", *["--candidate", "a", "--score", "b", "--sensitivity", "1", "--domain", "rows"], *KIND],
    ["choose", "tree", "bare.toml", "rich", "--epsilon", "1", "--traces", "cells.parquet", "--out", "new.json"],
]


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "line", [",".join(CELLS), CELLS[1], ",".join([*CELLS, CELLS[0]])], ids=["three", "one", "twice"]
)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_message_quotes_the_first_line(command: list[str], line: str, as_json: list[str], capsys) -> None:
    """Refused or not, and whatever the verb."""
    Path("bare.csv").write_text(f"{line}\n{line}\n", encoding="utf-8")
    Path("bare.toml").write_text(description(source="bare.csv"), encoding="utf-8")
    Path("in_place.toml").write_text(description(more="in_place = true\n", source="bare.csv"), encoding="utf-8")
    if as_json and command[0] in {"check", "predict"}:
        as_json = []
    try:
        status = main([*command, *as_json])
    except SystemExit as end:
        status = int(end.code or 0)
    printed = "".join(capsys.readouterr())

    assert printed
    assert status in {0, 2}
    assert not any(cell in printed for cell in CELLS)


def test_a_message_says_how_many_columns_the_first_line_names(capsys) -> None:
    """And of a single one, which separator it looks like."""
    Path("bare.csv").write_text("a;b;c\n1;2;3\n", encoding="utf-8")
    assert 2 == main(["median", "bare.csv", *GRID])
    assert "its first line looks like semicolons: --separator ';'" in capsys.readouterr().err
    assert 2 == main(
        ["most-common", "events.csv", "product", "--person", "userr", "--domain", "products.txt", "--epsilon", "1"]
    )
    assert "has no column 'userr': the first line of the file must name the columns, and none of the 3 here" in (
        capsys.readouterr().err
    )


def test_a_fit_in_place_counts_the_columns_without_a_domain() -> None:
    """A model that is fitted to a csv file in place needs a domain for every column of it."""
    Path("bare.csv").write_text(f"rich,{CELLS[1]}\nyes,{CELLS[0]}\n", encoding="utf-8")
    model = dps.learn.DPTreeClassifier(1, domains={"rich": ["no", "yes"]})
    with dps.data.Warehouse.open("bare.csv") as table, pytest.raises(dps.PrivacyError) as error:
        model.fit(table, "rich")

    assert "lacks 1 of the 1 columns" in str(error.value)
    assert CELLS[1] not in str(error.value)

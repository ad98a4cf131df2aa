"""csv tables on the command line: cells as they are written, and what the curator is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpselect.cli import main
from tests.cli.inputs import changed

pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")

PLACES = ["", "in_place = true\n"]


def described(folder: Path, columns: str, place: str = "") -> str:
    """A description of d.csv in the folder."""
    text = f'source = "d.csv"\n{place}[columns]\n{columns}'
    (folder / "d.toml").write_text(text, encoding="utf-8")
    return str(folder / "d.toml")


def trained(folder: Path, lines: list[str], domain: str, place: str) -> list[float]:
    """The noisy class counts of the root of a tree over column a, at a large epsilon."""
    (folder / "d.csv").write_text("\n".join(["a,y", *lines]) + "\n", encoding="utf-8")
    words = [described(folder, f"a = {domain}\ny = [0, 1]\n", place), "y", "--epsilon", "20", "--overwrite"]
    assert 0 == main(["train", *words, "--out", str(folder / "m.json")])
    return json.loads((folder / "m.json").read_text())["trees"][0]["counts"][0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("domain", ['["1", "2", "3", "x"]', '[1, 2, 3, "x"]'])
def test_one_line_more_moves_one_record(tmp_path: Path, domain: str, place: str) -> None:
    """600 rows of grades, and one "x": the counts of the root hardly move."""
    lines = [f"{1 + row % 3},{row % 3 == 0:d}" for row in range(600)]
    for rows in (lines, [*lines, "x,1"]):
        counts = trained(tmp_path, rows, domain, place)
        assert abs(counts[0] - 400) < 15
        assert abs(counts[1] - 200) < 15


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("domain", "cells"),
    [
        ('["01000", "02000"]', ("01000", "02000")),
        ('["2020-01-01", "2020-01-02"]', ("2020-01-01", "2020-01-02")),
        ('["true", "false"]', ("true", "false")),
        ("[true, false]", ("true", "False")),
        ("[true, false]", ("1", "0")),
        ("[5, 0.1]", ("0.10", "05")),
        ("[9007199254740993, 9007199254740992]", ("9007199254740993", " 9007199254740992")),
        ("{lower = 0, upper = 4}", ("1e0", "+3")),
    ],
)
def test_what_a_csv_file_writes_can_be_trained_on(
    tmp_path: Path, domain: str, cells: tuple[str, str], place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Codes with leading zeros, dates, truth values, numbers however they are written; predict reads them too."""
    lines = [f"{cells[row % 2]},{row % 2}" for row in range(400)]
    counts = trained(tmp_path, lines, domain, place)
    assert abs(counts[0] - 200) < 15
    assert abs(counts[1] - 200) < 15
    capsys.readouterr()
    assert 0 == main(["predict", str(tmp_path / "m.json"), str(tmp_path / "d.csv")])
    assert ["label", *(str(row % 2) for row in range(400))] == capsys.readouterr().out.split()


def test_check_counts_for_the_curator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Per column what is outside and missing, of labels too; and that nobody else may see it."""
    (tmp_path / "d.csv").write_text("a,b,y\n1,5,0\n2,50,1\n3,,1\nx,nan,2\n,text,\n1,-1,1\n", encoding="utf-8")
    columns = 'a = [1, 2, "x"]\nb = {lower = 0, upper = 9}\ny = [0, 1]\n'
    assert 0 == main(["check", described(tmp_path, columns)])
    shown = capsys.readouterr().out.splitlines()

    assert shown[0].startswith("Private: these counts are for the curator alone")
    assert [
        "rows: 6",
        "a: 4 listed, 1 empty, 1 not in the list, such as '3'",
        "b: 3 numbers, 2 empty, 1 not a number, such as 'text'; 2 outside of the bounds, such as '50'; '-1'",
        "y: 4 listed, 1 empty, 1 not in the list, such as '2'",
    ] == shown[1:]


@pytest.mark.parametrize("place", PLACES)
def test_two_columns_of_one_name_are_refused(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In memory and in place."""
    (tmp_path / "d.csv").write_text("a,a,y\n1,2,0\n", encoding="utf-8")
    path = described(tmp_path, "a = [1, 2]\ny = [0, 1]\n", place)
    assert 2 == main(["train", path, "y", "--epsilon", "1", "--out", str(tmp_path / "m.json")])
    assert "same name twice" in capsys.readouterr().err


def test_one_column_is_checked_for_the_curator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is empty, is not a number, or lies outside the bounds; marked as private, in text and JSON."""
    file = tmp_path / "d.csv"
    file.write_text("v;w\n1,5;a\n;a\nnan;a\nx;a\n1.5;a\n-3;a\n99;b\n10;b\n", encoding="utf-8")
    words = ["check", str(file), "v", "--separator", ";", "--lower", "0", "--upper", "10"]
    declared = [*words, "--decimal", ","]

    assert 0 == main(declared)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("Private: these counts are for the curator alone")
    assert [
        "rows: 8",
        "v: 4 numbers, 2 empty, 2 not a number, such as 'x'; '1.5'; 2 outside of the bounds, such as '-3'; '99'",
    ] == shown[1:]
    assert 0 == main([*declared, "--json", "--where", "w = a"])
    facts = json.loads(capsys.readouterr().out)
    assert (6, 2, 2, 1) == (
        facts["rows"],
        *(facts["columns"]["v"][name] for name in ("empty", "not_a_number", "outside")),
    )
    assert "for the curator alone" in facts["private"]
    for wrong, said in {
        ("--lower", "10", "--upper", "10"): "--lower must be below --upper",
        ("--in-place",): "leave it out, or leave --in-place out",
    }.items():
        assert 2 == main(changed(declared, [*wrong]))
        assert said in capsys.readouterr().err
    assert 2 == main(words)
    assert "pass --decimal" in capsys.readouterr().err
    assert 2 == main(["check", str(file)])
    assert "Name a column after the file, with --lower and --upper for numbers or --domain" in capsys.readouterr().err


def test_numbers_of_a_typed_column_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in it spells something else, and NaN is missing too."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"v": [1.0, None, float("nan"), 50.0]}), tmp_path / "d.parquet")

    assert 0 == main(["check", str(tmp_path / "d.parquet"), "v", "--lower", "0", "--upper", "10"])
    shown = capsys.readouterr().out.splitlines()
    assert [
        "rows: 4",
        "v: 2 numbers, 2 empty, 0 not a number; 1 outside of the bounds, such as '50.0'",
    ] == shown[1:]


def test_a_column_of_which_nothing_is_public_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As partitions read it."""
    (tmp_path / "d.csv").write_text("who,v\na,1\nb,\n,x\n", encoding="utf-8")
    assert 0 == main(["check", str(tmp_path / "d.csv"), "v", "--person", "who"])
    shown = capsys.readouterr().out.splitlines()
    assert ["rows: 3", "v: 2 filled, 1 empty; 1 are numbers"] == shown[1:3]
    assert shown[3].startswith("who: 2 persons, at most 1 row each;")

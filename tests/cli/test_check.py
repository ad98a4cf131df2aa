"""csv tables on the command line: cells as they are written, and what the curator is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpselect.cli import main

pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")

PLACES = [[], ["--in-place"]]


def trained(folder: Path, lines: list[str], domain: str, *more: str) -> list[float]:
    """The noisy class counts of the root of a tree over column a, at a large epsilon."""
    (folder / "d.csv").write_text("\n".join(["a,y", *lines]) + "\n", encoding="utf-8")
    (folder / "d.toml").write_text(f"a = {domain}\ny = [0, 1]\n", encoding="utf-8")
    words = ["--target", "y", "--domains", str(folder / "d.toml"), "--epsilon", "20", "--overwrite"]
    assert 0 == main(["train", str(folder / "d.csv"), *words, "--out", str(folder / "m.json"), *more])
    return json.loads((folder / "m.json").read_text())["trees"][0]["counts"][0]


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
@pytest.mark.parametrize("domain", ['["1", "2", "3", "x"]', '[1, 2, 3, "x"]'])
def test_one_line_more_moves_one_record(tmp_path: Path, domain: str, place: list[str]) -> None:
    """600 rows of grades, and one "x": the counts of the root hardly move."""
    lines = [f"{1 + row % 3},{row % 3 == 0:d}" for row in range(600)]
    for rows in (lines, [*lines, "x,1"]):
        counts = trained(tmp_path, rows, domain, *place)
        assert abs(counts[0] - 400) < 15
        assert abs(counts[1] - 200) < 15


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
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
        ("{low = 0, high = 4}", ("1e0", "+3")),
    ],
)
def test_what_a_csv_file_writes_can_be_trained_on(
    tmp_path: Path, domain: str, cells: tuple[str, str], place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Codes with leading zeros, dates, truth values, numbers however they are written; predict reads them too."""
    lines = [f"{cells[row % 2]},{row % 2}" for row in range(400)]
    counts = trained(tmp_path, lines, domain, *place)
    assert abs(counts[0] - 200) < 15
    assert abs(counts[1] - 200) < 15
    capsys.readouterr()
    assert 0 == main(["predict", str(tmp_path / "m.json"), str(tmp_path / "d.csv")])
    assert ["label", *(str(row % 2) for row in range(400))] == capsys.readouterr().out.split()


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_check_counts_for_the_curator(tmp_path: Path, place: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Per column what is outside and missing, of labels too; and that nobody else may see it."""
    (tmp_path / "d.csv").write_text("a,b,y\n1,5,0\n2,50,1\n3,,1\nx,nan,2\n,text,\n1,-1,1\n", encoding="utf-8")
    (tmp_path / "d.toml").write_text('a = [1, 2, "x"]\nb = {low = 0, high = 9}\ny = [0, 1]\n', encoding="utf-8")
    words = ["check", str(tmp_path / "d.csv"), "--target", "y", "--domains", str(tmp_path / "d.toml"), *place]
    assert 0 == main(words)
    shown = capsys.readouterr().out.splitlines()

    assert shown[0].startswith("Private: these counts are for the curator alone")
    assert [
        "a: 1 outside of the domain, 1 missing",
        "b: 3 outside of the domain, 2 missing",
        "labels: 1 outside of the classes, 1 missing",
        "rows: 6, of which training leaves out 3",
    ] == shown[1:]
    assert 0 == main([*words, "--unknown", "ignore"])
    assert "leaves out 5" in capsys.readouterr().out
    assert 0 == main([*words, "--missing", "category"])
    shown = capsys.readouterr().out
    assert "a: 1 outside of the domain, 1 missing" in shown
    assert "leaves out 3" in shown


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_two_columns_of_one_name_are_refused(
    tmp_path: Path, place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """In memory and in place."""
    (tmp_path / "d.csv").write_text("a,a,y\n1,2,0\n", encoding="utf-8")
    (tmp_path / "d.toml").write_text("a = [1, 2]\ny = [0, 1]\n", encoding="utf-8")
    words = ["--target", "y", "--domains", str(tmp_path / "d.toml")]
    assert 2 == main(["check", str(tmp_path / "d.csv"), *words, *place])
    assert "the same name twice" in capsys.readouterr().err


def test_one_column_is_checked_for_the_curator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is empty, is not a number, or lies outside the bounds; marked as private, in text and JSON."""
    file = tmp_path / "d.csv"
    file.write_text("v;w\n1,5;a\n;a\nnan;a\nx;a\n1.5;a\n-3;a\n99;b\n10;b\n", encoding="utf-8")
    words = ["check", str(file), "--column", "v", "--separator", ";"]
    declared = [*words, "--decimal", ","]

    assert 0 == main([*declared, "--lower", "0", "--upper", "10"])
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("Private: these counts are for the curator alone")
    assert ["empty: 2", "not a number: 2", "outside the bounds: 2", "rows: 8"] == shown[1:]
    assert 0 == main([*declared, "--upper", "10", "--json", "--where", "w = a"])
    facts = json.loads(capsys.readouterr().out)
    assert (6, 2, 2, 0) == tuple(facts[name] for name in ("rows", "empty", "not_a_number", "outside_the_bounds"))
    assert "for the curator alone" in facts["private"]
    for wrong, said in {
        ("--lower", "3", "--upper", "3"): "--lower must be below --upper",
        ("--target", "w"): "leave --target, --domains",
        ("--in-place",): "leave --in-place and --table out",
    }.items():
        assert 2 == main([*declared, *wrong])
        assert said in capsys.readouterr().err
    assert 2 == main(words)
    assert "pass --decimal" in capsys.readouterr().err
    assert 2 == main(["check", str(file)])
    assert "--column for one of numbers, with --domain for one of names, --target with" in capsys.readouterr().err


def test_numbers_of_a_typed_column_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in it spells something else, and NaN is missing too."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"v": [1.0, None, float("nan"), 50.0]}), tmp_path / "d.parquet")

    assert 0 == main(["check", str(tmp_path / "d.parquet"), "--column", "v", "--upper", "10"])
    shown = capsys.readouterr().out.splitlines()
    assert ["empty: 2", "not a number: 0", "outside the bounds: 1", "rows: 4"] == shown[1:]


def test_targets_beyond_their_bounds_are_not_called_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number has no classes."""
    (tmp_path / "d.csv").write_text("a,y\n1,5\n2,500\n", encoding="utf-8")
    (tmp_path / "d.toml").write_text("a = [1, 2]\ny = {low = 0, high = 9}\n", encoding="utf-8")
    assert 0 == main(["check", str(tmp_path / "d.csv"), "--target", "y", "--domains", str(tmp_path / "d.toml")])
    assert "targets: 1 outside of the bounds, 0 missing" in capsys.readouterr().out

"""Titles before the names of columns, sheets that are not the first, hidden rows, and percents of Excel."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.data import TableFile
from dpselect.dataset import Dataset, check_dataset
from dpselect.sources.table_batches import batches

pytest.importorskip("pyarrow")


def cells(file: TableFile) -> list[object]:
    """The column of incomes, read at once and in parts."""
    parts = [each for part in batches(file.path, ["income"], file.reading) for each in part["income"].to_pylist()]
    assert parts == [*file.columns()["income"]]
    return parts


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_lines_before_the_names_are_skipped(break_: str, tmp_path: Path) -> None:
    """Whatever they hold, a quote that is never closed included."""
    path = tmp_path / "a.csv"
    path.write_bytes(f'Stand: "31.12.2025;;;{break_}{break_}Quelle{break_}region;income{break_}N;1{break_}S;2'.encode())

    assert ["1", "2"] == cells(TableFile.of(path, separator=";", decimal=",", skip_rows=3))


def test_long_lines_before_the_names_are_skipped(tmp_path: Path) -> None:
    """Longer than what is read at a time."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * (5 * 2**20) + b"\r\nregion,income\r\nN,1\r\n")

    assert ["1"] == cells(TableFile.of(path, skip_rows=1))


def test_a_file_without_a_line_behind_them_is_refused(tmp_path: Path) -> None:
    """In the words of an empty file."""
    (tmp_path / "a.csv").write_text("one\ntwo\n")
    with pytest.raises(ValueError, match="its first line must name the columns"):
        TableFile.of(tmp_path / "a.csv", skip_rows=2).columns()


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "1", 10**6])
def test_a_number_of_rows_is_declared(wrong: object, tmp_path: Path) -> None:
    """A whole number that is not too large."""
    with pytest.raises(ValueError, match="skip_rows is a whole number from 0 to 1000"):
        TableFile.of(tmp_path / "a.csv", skip_rows=wrong)  # type: ignore[arg-type]


def office_book(folder: Path) -> Path:
    """A workbook as offices write them: notes first, then a title, hidden rows, and percents."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Hinweise"
    book.active.append(["Stand: 31.12.2025"])
    sheet = book.create_sheet("Daten")
    sheet["A1"] = "Einkommen nach Region"
    for place, name in enumerate(["region", "income", "share"], 1):
        sheet.cell(4, place, name)
    for row in range(5, 105):
        sheet.cell(row, 1, "N")
        sheet.cell(row, 2, row)
        sheet.cell(row, 3, 0.07 if row % 2 else "12 %").number_format = '0.0%;"(%)"0'
        sheet.row_dimensions[row].hidden = row % 4 == 0
    sheet.cell(105, 3, 0.5).number_format = '0"%"'
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


def test_a_sheet_and_its_rows_before_the_names_are_declared(tmp_path: Path) -> None:
    """Rows that are not written are rows, as people see them; hidden ones are read."""
    file = TableFile.of(office_book(tmp_path), sheet="Daten", skip_rows=3)

    assert [*map(str, range(5, 105)), None] == cells(file)


def test_a_column_is_read_alike(tmp_path: Path) -> None:
    """With the same options in one call."""
    column = dps.data.Column.read(office_book(tmp_path), "share", sheet="Daten", skip_rows=3, unit="%")

    assert [7, 12] * 50 + [0.5] == column.values.tolist()


def test_what_stands_before_the_names_is_named_in_the_refusal(tmp_path: Path) -> None:
    """With what to declare."""
    path = office_book(tmp_path)
    for how in ({}, {"sheet": "Daten"}):
        with pytest.raises(ValueError, match=r"names only one here \(skip_rows or --skip-rows says how many"):
            TableFile.of(path, **how).columns(numbers=["income"])
    with pytest.raises(ValueError, match="sheet names another sheet, and skip_rows says how many rows"):
        TableFile.of(path, sheet="Daten", skip_rows=104).columns()
    (tmp_path / "a.csv").write_text("Stand: 2025;;;\nregion;income;a;b\n")
    with pytest.raises(ValueError, match="and skip_rows says how many lines stand before it"):
        TableFile.of(tmp_path / "a.csv", separator=";").columns()


def test_percents_of_a_sheet_are_what_people_see_where_the_unit_is_declared(tmp_path: Path) -> None:
    """Exactly a hundred times the number; a percent sign in quotes is text."""
    path = office_book(tmp_path)
    seen = TableFile.of(path, sheet="Daten", skip_rows=3, unit="%").columns(numbers=["share"])["share"]
    held = TableFile.of(path, sheet="Daten", skip_rows=3).columns(numbers=["share"])["share"]

    assert ["7", "12"] * 50 + ["0.5"] == [*seen]
    assert ["0.07", "12 %"] * 50 + ["0.5"] == [*held]


def test_the_check_says_what_a_sheet_shows_otherwise(tmp_path: Path) -> None:
    """Hidden rows that are read, and fractions that are shown as percents."""
    columns = {"income": {"lower": 0, "upper": 200}, "share": {"lower": 0, "upper": 100}}
    facts = {"source": str(office_book(tmp_path)), "sheet": "Daten", "skip_rows": 3, "columns": columns}
    held, seen = check_dataset(Dataset(**facts)), check_dataset(Dataset(**facts, unit="%"))

    assert "hidden rows: 25, which are read as all others" in held.lines
    assert (
        'share: 50 numbers are shown as percents and read as fractions, 0.42 for 42 %: for 42 add unit = "%"'
        in held.lines
    )
    assert any(line.startswith("share: 51 numbers, 0 empty, 50 not a number, such as '12 %'") for line in held.lines)
    assert any(line.startswith("share: 101 numbers, 0 empty, 0 not a number") for line in seen.lines)


def test_a_description_says_all_of_it(tmp_path: Path) -> None:
    """In TOML, where it is dumped and loaded again."""
    described = Dataset(
        source="a.csv", separator=";", decimal=",", unit="€", skip_rows=2, date_order="dmy",
        columns={"income": {"lower": 0, "upper": 10}},
    )  # fmt: skip
    (tmp_path / "a.toml").write_text(described.dump(), encoding="utf-8")

    assert 'unit = ["€"]' in described.dump()
    assert described.facts == Dataset.load(tmp_path / "a.toml").facts

"""Sheets are read to their end and cell by cell, whatever they say of themselves."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from dpselect.cli import main
from dpselect.data import Column, TableFile
from dpselect.sources import sheets

openpyxl = pytest.importorskip("openpyxl", reason="Excel files need the extra excel")

ROWS = 1000
# Cells that no Excel writes and other programs may: each is one missing cell.
WRONG = [
    "<v>nan</v>", "<v>INF</v>", "<v>abc</v>", "<v>1.2.3</v>", "<v>0x1</v>", "<v>1E</v>", f"<v>{'9' * 5000}</v>",
    "<v>1e999</v>", '|t="s"|<v>99</v>', '|t="s"|<v>-1</v>', '|t="s"|<v>x</v>', '|t="b"|<v>maybe</v>',
    '|t="d"|<v>yesterday</v>', '|t="e"|<v>#DIV/0!</v>', '|s="77x"|<v>3</v>', '|t="nothing"|<v></v>', "<v/>",
    "<f>1/0</f>",
]  # fmt: skip


def written(path: Path, sheet: str) -> Path:
    """Write an Excel file with the XML of its sheet."""
    plain = path.with_name("plain.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["income", "job"])
    book.save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for item in source.infolist():
            content = source.read(item)
            if item.filename.endswith("sheet1.xml"):
                content = sheet.encode()
            target.writestr(item, content)
    return path


def sheet_of(rows: list[str], dimension: str = "") -> str:
    """Return a sheet with these rows behind a header."""
    names = (
        f'<c r="{place}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for place, name in zip("AB", ("income", "job"), strict=True)
    )
    head = f'<row r="1">{"".join(names)}</row>'
    size = f'<dimension ref="{dimension}"/>' if dimension else ""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}">{size}<sheetData>{head}{"".join(rows)}</sheetData></worksheet>'


def row(number: int, income: str = "", *, stated: str | None = None) -> str:
    """Return a row; the income is XML, with attributes between bars before it."""
    _, attributes, content = income.split("|") if income.startswith("|") else ("", "", income)
    job = f'<c r="B{number}" t="inlineStr"><is><t>{"nurse" if number % 2 else "smith"}</t></is></c>'
    return f'<row r="{stated or number}"><c r="A{number}" {attributes}>{content}</c>{job}</row>'


@pytest.mark.parametrize("dimension", ["", "A1", "A1:B2", "A1:B500", "A1:A1001", "A1:XFD1048576"])
def test_a_sheet_is_read_to_its_end(tmp_path, dimension) -> None:
    """Whatever size it declares: writers that stream declare it before they know."""
    rows = [row(place, f"<v>{30 + place % 11}</v>") for place in range(2, ROWS + 2)]
    path = written(tmp_path / "t.xlsx", sheet_of(rows, dimension))
    cells = sheets.columns(path, ["income", "job"])

    assert ["income", "job"] == sheets.header(path)
    assert [str(30 + place % 11) for place in range(2, ROWS + 2)] == cells["income"].to_pylist()
    assert {"nurse": 500, "smith": 500} == Counter(cells["job"].to_pylist())


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_a_wrong_cell_is_one_missing_cell(tmp_path, wrong) -> None:
    """All others, in its row and in every other, are as they are without it."""
    rows = [row(place, f"<v>{place}</v>") for place in range(2, 8)]
    changed = [*rows[:2], row(4, wrong), *rows[3:]]
    before, after = (
        sheets.columns(written(tmp_path / f"{name}.xlsx", sheet_of(each)), ["income", "job"])
        for name, each in (("before", rows), ("after", changed))
    )

    assert before["job"] == after["job"]
    assert ["2", "3", None, "5", "6", "7"] == after["income"].to_pylist()


@pytest.mark.parametrize("stated", ["1", "3", "1048576", "-5", "x", "2.5", "9" * 400])
def test_the_number_of_a_row_moves_no_other(tmp_path, stated) -> None:
    """A row that states another one is a record, the only one, in its place."""
    rows = [row(place, f"<v>{place}</v>", stated=stated if place == 4 else None) for place in range(2, 8)]
    cells = sheets.columns(written(tmp_path / "t.xlsx", sheet_of(rows)), ["income"])

    assert [str(place) for place in range(2, 8)] == cells["income"].to_pylist()


@pytest.mark.parametrize("reference", ["", "4", "ZZZZ4", "A0", "$$", "XFD4"])
def test_a_wrong_reference_spoils_its_own_row_alone(tmp_path, reference) -> None:
    """It is a record still."""
    rows = [row(place, f"<v>{place}</v>") for place in range(2, 8)]
    rows[2] = re.sub(r'<c r="A4"', f'<c r="{reference}"', rows[2])
    cells = sheets.columns(written(tmp_path / "t.xlsx", sheet_of(rows)), ["income"])["income"].to_pylist()

    assert ["2", "3", "5", "6", "7"] == [*cells[:2], *cells[3:]]


def test_a_wrong_cell_refuses_no_question(tmp_path, capsys) -> None:
    """Where the table without it has an answer, it has one, too."""
    rows = [row(place, "<v>nan</v>" if place == 9 else "<v>40</v>") for place in range(2, 400)]
    path = written(tmp_path / "t.xlsx", sheet_of(rows, "A1"))

    words = ["median", str(path), "income", "--lower", "0", "--upper", "100", "--epsilon", "50", "--yes"]
    assert 0 == main(words)
    assert capsys.readouterr().out.startswith("median: 40\n")


def test_half_a_sheet_is_refused(tmp_path) -> None:
    """A file that was cut is no table."""
    sheet = sheet_of([row(place, f"<v>{place}</v>") for place in range(2, 8)])
    path = written(tmp_path / "t.xlsx", sheet[: len(sheet) // 2])

    with pytest.raises(ValueError, match="not a complete Excel file"):
        sheets.columns(path, ["income"])


def test_cells_without_a_reference_keep_their_places(tmp_path) -> None:
    """Also behind one that names no string: -1 is none, though to a list it would be the last."""
    cells = '<c t="s"><v>-1</v></c><c><v>7</v></c>'
    path = written(tmp_path / "t.xlsx", sheet_of([f"<row>{cells}</row>"]))

    assert {"income": [None], "job": ["7"]} == {
        name: column.to_pylist() for name, column in sheets.columns(path, ["income", "job"]).items()
    }


@pytest.mark.parametrize(
    ("declared", "numbers"),
    [
        ({}, [1234.5, None, None, None, 2.0]),
        ({"decimal": "."}, [1234.5, 1234.5, 1234.0, 1234.0, 2.0]),
        ({"thousands": ","}, [1234.5, 1234.5, None, None, 2.0]),
        ({"thousands": "space"}, [1234.5, None, 1234.0, 1234.0, 2.0]),
    ],
)
def test_text_of_a_sheet_is_grouped_as_text_of_a_csv_file_is(tmp_path: Path, declared, numbers) -> None:
    """A cell that holds a number needs no declaration, and stays what it is under any."""
    book = openpyxl.Workbook()
    book.active.append(["income"])
    spelled = ["1,234.50", "1 234", "1\u2009234"]
    for cell in (1234.5, *spelled, 2):
        book.active.append([cell])
    book.save(tmp_path / "d.xlsx")
    rows = "\n".join(["income", "1234.5", *(f'"{each}"' for each in spelled), "2"])
    (tmp_path / "d.csv").write_text(rows + "\n", encoding="utf-8")

    for name in ("d.xlsx", "d.csv"):
        values = Column.read(tmp_path / name, "income", kind="real", **declared).values.tolist()
        assert numbers == [None if value != value else value for value in values], name
        asked = TableFile.of(tmp_path / name, where="income > 1000", **declared).columns()["income"]
        assert sum((number or 0) > 1000 for number in numbers) == len(asked), name


@pytest.mark.parametrize("declared", [{"decimal": ","}, {"separator": ";"}, {"decimal": ",", "thousands": "."}])
def test_a_comma_marks_no_fraction_of_a_sheet(tmp_path: Path, declared) -> None:
    """Its numbers are no text, and are spelled with a point."""
    openpyxl.Workbook().save(tmp_path / "d.xlsx")
    with pytest.raises(ValueError, match="says itself how it is written: separator, decimal comma and encoding"):
        Column.read(tmp_path / "d.xlsx", "income", kind="real", **declared)

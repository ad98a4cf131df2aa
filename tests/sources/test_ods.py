"""Sheets of OpenDocument: each cell by its value, each row by itself."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from pathlib import Path

import pytest

from dpselect.data import TableFile
from dpselect.dataset import Dataset, check_dataset
from dpselect.sources import sheets
from tests.sources.ods_files import cell, ods_file, row, sheet

pytest.importorskip("pyarrow")
_ERROR = (
    '<table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>'
)
_PERCENT = (
    '<table:table-cell office:value-type="percentage" office:value="0.07"><text:p>7 %</text:p></table:table-cell>'
)
_EURO = '<table:table-cell office:value-type="currency" office:value="12.5"><text:p>12,50 €</text:p></table:table-cell>'
_SPANS = (
    '<table:table-cell office:value-type="string"><office:annotation><text:p>a note</text:p></office:annotation>'
    '<text:p>a<text:s text:c="2"/>b<text:span>c</text:span></text:p><text:p>d</text:p></table:table-cell>'
)
# A cell, and the text of it.
CELLS = [
    (5, "5"), (5.0, "5"), (-0.25, "-0.25"), ("x", "x"), ("007", "007"), (True, "true"), (None, None), ("", None),
    (date(2025, 12, 31), "2025-12-31"), (datetime(2025, 12, 31), "2025-12-31"),
    (datetime(2025, 12, 31, 8, 30), "2025-12-31T08:30:00"), (_ERROR, None), (_PERCENT, "0.07"), (_EURO, "12.5"),
    (_SPANS, "a  bc\nd"),
    ('<table:table-cell office:value-type="float" office:value="abc"/>', None),
    ('<table:table-cell office:value-type="float"/>', None),
    ('<table:table-cell office:value-type="float" office:value="1e999"/>', "inf"),
    ('<table:table-cell office:value-type="date"/>', None),
    (f'<table:table-cell office:value-type="string"><text:p>{"<text:span>" * 3000}x{"</text:span>" * 3000}</text:p>'
     "</table:table-cell>", None),
]  # fmt: skip


def test_every_kind_of_cell_is_spelled_by_itself(tmp_path: Path) -> None:
    """The value counts, not what is shown; a cell that says none of its kind is empty, alone."""
    path = ods_file(tmp_path / "a.ods", [["v", "w"], *([each, "kept"] for each, _ in CELLS)])
    read = sheets.columns(path, ["v", "w"])

    assert [text for _, text in CELLS] == read["v"].to_pylist()
    assert ["kept"] * len(CELLS) == read["w"].to_pylist()


def test_cells_and_rows_are_repeated_as_they_say(tmp_path: Path) -> None:
    """And empty rows behind the last one are none."""
    three = '<table:table-cell table:number-columns-repeated="3" office:value-type="float" office:value="7"/>'
    rows = [
        ["a", "b", "c"], [three], row(["x"], ' table:number-rows-repeated="2"'),
        row([], ' table:number-rows-repeated="2"'),
        ['<table:table-cell table:number-columns-repeated="2"/>', "z"],
        ['<table:table-cell table:number-columns-repeated="99999999999999999999"/>', "beyond"],
    ]  # fmt: skip
    read = sheets.columns(ods_file(tmp_path / "a.ods", rows), ["a", "c"])

    assert ["7", "x", "x", None, None, None, None] == read["a"].to_pylist()
    assert ["7", None, None, None, None, "z", None] == read["c"].to_pylist()


def test_a_sheet_is_named_skipped_into_and_checked(tmp_path: Path) -> None:
    """As in Excel files: titles, percents and hidden rows."""
    notes = sheet([["Stand: 31.12.2025"]], "Hinweise")
    data = sheet(
        [["Anteile"], [], ["region", "share"], ["N", _PERCENT], row(["S", "12 %"], ' table:visibility="filter"')],
        "Daten",
    )
    path = ods_file(tmp_path / "a.ods", [["x"]], notes, data)
    seen = TableFile.of(path, sheet="Daten", skip_rows=2, unit="%").columns(numbers=["share"])
    columns = {"share": {"lower": 0, "upper": 100}}
    lines = check_dataset(Dataset(source=str(path), sheet="Daten", skip_rows=2, columns=columns)).lines

    assert ["7", "12"] == [*seen["share"]]
    assert "hidden rows: 1, which are read as all others" in lines
    assert any(line.startswith("share: 1 numbers are shown as percents") for line in lines)
    with pytest.raises(ValueError, match="has no sheet 'Data'"):
        TableFile.of(path, sheet="Data").columns()


@pytest.mark.parametrize("content", [b"", b"<a>", b"<a/>", b"no zip"])
def test_what_is_no_such_file_is_refused(content: bytes, tmp_path: Path) -> None:
    """In one sentence that quotes nothing."""
    path = tmp_path / "a.ods"
    if content == b"no zip":
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("content.xml", content)
    with pytest.raises(ValueError, match=r"^a.ods is not a complete OpenDocument file with a sheet\.$"):
        TableFile.of(path).columns()


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    """Whatever was read before."""
    whole = ods_file(tmp_path / "a.ods", [["v"], [1]])
    with zipfile.ZipFile(whole) as packed:
        content = packed.read("content.xml")
    with zipfile.ZipFile(whole, "w") as packed:
        packed.writestr("content.xml", content[: content.index(b"</table:table-row>") + 60])
    with pytest.raises(ValueError, match="is not a complete OpenDocument file"):
        TableFile.of(whole).columns()
    assert cell(None) == "<table:table-cell/>"


@pytest.mark.parametrize("more", ["", "<table:shapes>{}</table:shapes>"])
def test_a_table_within_a_cell_or_a_picture_ends_no_sheet(tmp_path: Path, more: str) -> None:
    """What stands in a cell is that cell's own: the rows behind it are read, and its rows are none of the sheet."""
    inner = sheet([["inner"], ["7"]], "Inner")
    held = more.format(inner) or row([f"<table:table-cell><text:p>own</text:p>{inner}</table:table-cell>"])
    path = ods_file(tmp_path / "a.ods", [["x"], ["1"], held, ["2"]])

    assert ["1", *([] if more else ["own"]), "2"] == list(TableFile.of(path).columns()["x"])

"""A csv file is text, whatever its rows hold."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from dpselect.data import TableFile
from dpselect.dataset import Dataset, check_dataset
from dpselect.sources import csv_text, duckdb_files
from dpselect.sources.dialects import Dialect

pytest.importorskip("pyarrow")

BREAKS = Dialect(line_breaks=True)


def written(folder: Path, content: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_every_cell_is_text_and_an_empty_one_is_missing(tmp_path: Path, name: str) -> None:
    """Numbers, dates, truth values and codes with leading zeros stay as they are written."""
    path = written(tmp_path, 'zip,day,ok\n01000,2020-01-01,true\n"",NA,nan\n,"a\nb",1.0\n', name)
    columns = csv_text.columns(path, ["ok", "zip", "day"], BREAKS)

    assert {name: column.to_pylist() for name, column in columns.items()} == {
        "zip": ["01000", None, None],
        "day": ["2020-01-01", "NA", "a\nb"],
        "ok": ["true", "nan", "1.0"],
    }


def test_a_header_is_read_without_its_mark_and_names_are_unique(tmp_path: Path) -> None:
    """The mark of UTF-8 belongs to no name; two columns of one name are refused."""
    assert csv_text.header(written(tmp_path, "\ufeffa,b\n1,2\n")) == ["a", "b"]
    assert csv_text.columns(written(tmp_path, "a,b\n1,2\n"), ["c"]) == {}
    with pytest.raises(ValueError, match="the same name twice"):
        csv_text.header(written(tmp_path, "a,a\n1,2\n"))


def test_what_is_not_a_csv_file_is_refused(tmp_path: Path) -> None:
    """Another ending, or no file."""
    with pytest.raises(ValueError, match="is not a table"):
        csv_text.header(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        csv_text.header(tmp_path / "none.csv")


@pytest.mark.parametrize("line", [b"3\n", b"3,4,5\n", b"\xff\xfe,4\n", b'"3"x,4\n', b'3,4"x\n', b"\n", b",\n"])
def test_a_malformed_line_takes_no_other_with_it(tmp_path: Path, line: bytes) -> None:
    """Too few cells, too many, bytes that are not UTF-8, stray quotes: all other lines are read, here and in DuckDB."""
    import ibis

    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n" + line + b"6,7\n8,9\n")
    held = csv_text.columns(path, ["a", "b"])
    table = duckdb_files.read(ibis.duckdb.connect(), [path], ["a", "b"]).to_pyarrow()

    for rows in (
        list(zip(*(held[name].to_pylist() for name in "ab"), strict=True)),
        [row.values() for row in table.to_pylist()],
    ):
        rest = [tuple(row) for row in rows if tuple(row) in {("1", "2"), ("6", "7"), ("8", "9")}]
        assert [("1", "2"), ("6", "7"), ("8", "9")] == rest
        assert len(rows) <= 4
    assert 4 == len(held["a"])


def test_a_malformed_line_keeps_its_place(tmp_path: Path) -> None:
    """One record replaced by a line of another length: all others stand where they stood, over many blocks."""
    lines = [f"{row},{row}" for row in range(300_000)]
    lines[7], lines[1000], lines[150_000], lines[150_001], lines[299_999] = "7", '"a\nb",1', "1,2,3", "", "x,y,z"
    read = csv_text.columns(written(tmp_path, "a,b\n" + "\n".join(lines) + "\n"), ["b"], BREAKS)["b"].to_pylist()
    expected: list[str | None] = [str(row) for row in range(300_000)]
    expected[1000] = "1"
    for row in (7, 150_000, 150_001, 299_999):
        expected[row] = None

    assert expected == read


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line", [b"\xff", b"\xe9,\xe9,\xe9", b'"\xff\n",1,2'])
def test_a_malformed_line_may_hold_any_bytes(tmp_path: Path, mark: bytes, line: bytes) -> None:
    """A line of another length that is not UTF-8 is a record without cells, and no cell of others changes."""
    path = tmp_path / "t.csv"
    path.write_bytes(mark + '"a, b",b\nä,1\n'.encode() + line + "\n\u20ac,2\n".encode() + b"\xff,3\n")
    columns = csv_text.columns(path, ["a, b", "b"], BREAKS)

    assert ["ä", None, "€", None] == columns["a, b"].to_pylist()
    assert ["1", None, "2", "3"] == columns["b"].to_pylist()


def test_texts_that_spell_numbers() -> None:
    """Decimals in ASCII digits, infinities, and what is missing; nothing else."""
    spelled = {"1": 1, "01": 1, "+1.0": 1, " 1\t": 1, ".5": 0.5, "5.": 5, "1e400": math.inf, "-Infinity": -math.inf}

    assert {text: csv_text.number(text) for text in spelled} == spelled
    assert all(math.isnan(csv_text.number(text)) for text in ("", " ", "nan", "NaN", "-nan"))  # type: ignore[arg-type]
    assert [csv_text.number(text) for text in ("1_0", "١", "0x10", "1 0", "1,5", "true", "\n1", "e5", ".")] == [
        None
    ] * 9


def test_an_ending_says_tabs_in_place_too(tmp_path: Path) -> None:
    """DuckDB reads .tsv as the reader in memory does; a pattern names files of one kind."""
    import ibis

    path = written(tmp_path, "a\tb\n1\tx,y\n", "t.tsv")
    assert ["x,y"] == csv_text.columns(path, ["b"])["b"].to_pylist()
    table = duckdb_files.read(ibis.duckdb.connect(), [path], duckdb_files.columns([path])).to_pyarrow()
    assert [{"a": "1", "b": "x,y"}] == table.to_pylist()
    with pytest.raises(ValueError, match="of one kind"):
        duckdb_files.columns([path, written(tmp_path, "a,b\n1,2\n")])


def test_a_header_of_many_columns_is_read_once(tmp_path: Path) -> None:
    """A hundred thousand names: comparing each with each would take minutes."""
    names = [f"c{place}" for place in range(10**5)]
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(names)}\n{','.join(names)}\n", encoding="utf-8")

    assert names == csv_text.header(path)
    assert {"c7": ["c7"], "c99999": ["c99999"]} == {
        name: cells.to_pylist() for name, cells in csv_text.columns(path, ["c99999", "c7"]).items()
    }
    path.write_text(f"{','.join([*names, 'c7'])}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the same name twice"):
        csv_text.header(path)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("written", ["utf-16-le", "utf-16-be"])
def test_a_file_of_two_bytes_a_letter_is_named_as_such(tmp_path: Path, encoding: str, written: str) -> None:
    """Excel saves "Unicode text" so; no encoding that could be declared reads it."""
    path = tmp_path / "a.tsv"
    path.write_bytes("\ufeffname\tage\nann\t31\n".encode(written))

    with pytest.raises(ValueError, match=r"^a\.tsv is in UTF-16, which is not read here: save the table as UTF-8\.$"):
        TableFile.of(path, encoding=encoding).columns()


TRAILING = {
    "1,2,": ("1", "2"),
    "1,2,,,": ("1", "2"),
    ",,": (None, None),
    "1,,": ("1", None),
    '"x,y","z",': ("x,y", "z"),
    '"x""y",z,': ('x"y', "z"),
    'x"y,z,': ('x"y', "z"),
    "1,2": ("1", "2"),
    "1,2,3": (None, None),
    "1,2,3,": (None, None),
    "1,2, ": (None, None),
    '"1,2,': (None, None),
    '1,"2,': ("1", "2,"),
    "1": (None, None),
    "": (None, None),
    "ä,ö,": ("ä", "ö"),
}


@pytest.mark.parametrize("separator", [",", ";", "tab"])
@pytest.mark.parametrize("breaks", [False, True])
def test_empty_cells_behind_the_last_column_do_not_count(separator: str, breaks: bool, tmp_path: Path) -> None:
    """Of each line by itself, wherever it stands; a cell that is not empty makes a line of another length."""
    # Between tabs quotes do not quote, and with line breaks an open quote takes lines along.
    cases = {line: cells for line, cells in TRAILING.items() if '"' not in line or (separator != "tab" and not breaks)}
    sign = "\t" if separator == "tab" else separator
    lines = [*cases, *reversed(cases), *["7,8,"] * 3, *cases]
    text = "\n".join(["a,b", *lines, ""]).replace(",", sign)
    expected = [cases.get(line, ("7", "8")) for line in lines]
    path = written(tmp_path, text)
    held = csv_text.columns(path, ["a", "b"], Dialect(separator, ",", line_breaks=breaks) if sign != "," else Dialect())

    assert [tuple(each and each.replace(",", sign) for each in row) for row in expected] == [
        *zip(*(held[name].to_pylist() for name in "ab"), strict=True)
    ]


def test_check_says_of_what_length_lines_are(tmp_path: Path) -> None:
    """Those that are not read; names of rows as R writes them are told."""
    path = written(tmp_path, "a,b\n" + "1,2,\n" * 9 + "1\n\n" + '1,"2,3",x\n' * 3)
    columns = {"a": ["1"], "b": {"lower": 0, "upper": 5}}
    found = check_dataset(Dataset(source=str(path), columns=columns))

    assert (
        "lines of another length: 3 of 3 cells; 2 of 1 cell, where the first line has 2: their cells are all empty"
    ) in found.lines
    assert {"3": 3, "1": 2} == found.facts["lines_by_cells"]
    assert "a: 9 listed, 5 empty, 0 not in the list" in found.lines
    written(tmp_path, "a,b\n" + "".join(f"{row},1,2\n" for row in range(9)))
    assert any("as R writes it" in line for line in check_dataset(Dataset(source=str(path), columns=columns)).lines)
    written(tmp_path, "a,b,,\n" + "1,2,,\n" * 9)
    assert "a: 9 listed, 0 empty, 0 not in the list" in check_dataset(Dataset(source=str(path), columns=columns)).lines
    assert ["a", "b", ""] == [*TableFile.of(path).columns()]

"""Tables in files: one reading for text, parquet and Excel."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.sources import duckdb_files, tables
from dpselect.sources.conditions import Condition

pytest.importorskip("pyarrow")

GERMAN = "straße;einkommen\nAllee;1000,5\nHöhe;2000\n;\nWeg;1.2345\nWeg;x\n"


def written(folder: Path, text: str, name: str = "t.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "iso8859-15"])
def test_a_declared_dialect_is_read(tmp_path: Path, encoding: str) -> None:
    """Semicolons, decimal commas and umlauts; a point is no mark of fractions there."""
    path = written(tmp_path, GERMAN, encoding=encoding)
    reading = tables.FileOptions.of(";", ",", encoding)
    column = dps.data.Column.read(path, "einkommen", separator=";", decimal=",", encoding=encoding)

    assert ["straße", "einkommen"] == tables.names(path, reading)
    assert ["Allee", "Höhe", None, "Weg", "Weg"] == [*tables.table(path, ["straße"], reading)["straße"]]
    assert [1000.5, 2000] == column.values[:2].tolist()
    assert all(map(math.isnan, column.values[2:]))


def test_a_cell_of_another_encoding_is_missing_alone(tmp_path: Path) -> None:
    """One cell that does not decode decides nothing about the others, nor whether there is an answer."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,x\n2,\xff\xfe\n3,\xc3\xa4\n")

    assert ["x", None, "ä"] == [*tables.table(path, ["b"])["b"]]
    assert [1, 2, 3] == dps.data.Column.read(path, "a", kind="integer").values.tolist()


@pytest.mark.parametrize(("separator", "name"), [(";", "t.csv"), ("|", "t.csv"), ("tab", "t.csv"), (None, "t.tsv")])
def test_every_separator_is_declared_and_an_ending_says_tabs(tmp_path: Path, separator: str, name: str) -> None:
    """A tab is written as a word, and .tsv needs none."""
    sign = separator if separator in (";", "|") else "\t"
    path = written(tmp_path, f"a{sign}b\n1{sign}2,5\n", name)

    assert [2.5] == dps.data.Column.read(path, "b", separator=separator, decimal=",").values.tolist()


@pytest.mark.parametrize(
    "dialect",
    [
        {"separator": "x"},
        {"separator": ",", "decimal": ","},
        {"decimal": "'"},
        {"encoding": "utf-16"},
        {"encoding": "utf-7"},
        {"encoding": "hex"},
        {"encoding": "no such"},
    ],
)
def test_a_dialect_that_cannot_be_read_is_refused(tmp_path: Path, dialect: dict[str, Any]) -> None:
    """An unknown separator, one sign for two things, and encodings whose letters are not bytes of their own."""
    with pytest.raises(ValueError, match=r"separat|fraction|encoding|read here"):
        dps.data.Column.read(written(tmp_path, "a\n1\n"), "a", **dialect)


@pytest.mark.parametrize(
    ("first", "advised"),
    [("a;b", "looks like semicolons: --separator ';'"), ("a\tb", "looks like tabs: --separator tab")],
)
@pytest.mark.parametrize("column", ["b", None])
def test_a_wrong_separator_is_advised_from_the_header(
    tmp_path: Path, first: str, advised: str, column: str | None
) -> None:
    """The first line alone says it, whatever the rows hold, and it is not quoted."""
    for rows in ("", "1;2\n", "1,2,3\n"):
        with pytest.raises(ValueError, match=advised):
            dps.data.Column.read(written(tmp_path, f"{first}\n{rows}"), column)


def test_a_wrong_encoding_is_advised_from_the_header(tmp_path: Path) -> None:
    """Bytes in the first line that are no UTF-8."""
    with pytest.raises(ValueError, match="not in this encoding: --encoding"):
        dps.data.Column.read(written(tmp_path, GERMAN, encoding="latin-1"), "einkommen!", separator=";")


@pytest.mark.parametrize("name", ["alter", None])
@pytest.mark.parametrize("rows", [b"", b"Nord;18\n", b"S\xfcd;18\n"])
def test_a_header_of_another_encoding_is_refused_whatever_is_asked(
    tmp_path: Path, name: str | None, rows: bytes
) -> None:
    """Also where the wanted name is ASCII: cells of such a file would be missing, and the answer chance."""
    (tmp_path / "t.csv").write_bytes("Région;alter\n".encode("latin-1") + rows)
    file = dps.data.TableFile.of(tmp_path / "t.csv", separator=";", decimal=".")
    advised = r"^The first line of t\.csv is not in this encoding: --encoding, such as --encoding cp1252\.$"

    with pytest.raises(ValueError, match=advised):
        dps.data.Column.read(tmp_path / "t.csv", name, separator=";", decimal=".")
    with pytest.raises(ValueError, match=advised):
        file.columns()
    with pytest.raises(ValueError, match=advised):
        dps.counts(file, epsilon=1, column="alter", domain=["18"])
    assert ["Région", "alter"] == tables.names(tmp_path / "t.csv", tables.FileOptions.of(";", encoding="cp1252"))


def test_a_header_may_hold_the_sign_for_what_was_lost(tmp_path: Path) -> None:
    """It is UTF-8 as any other letter, as is the mark before it."""
    assert ["R\ufffdgion", "a"] == tables.names(written(tmp_path, '\ufeff"R\ufffdgion",a\nx,1\n'))


@pytest.mark.parametrize("kind", ["integer", "real", None])
@pytest.mark.parametrize("rows", ["", "x;1\n", "x;1,5\n", "x;1.5\n"])
def test_numbers_between_semicolons_need_their_decimal_mark(tmp_path: Path, rows: str, kind: str | None) -> None:
    """Whatever the rows hold: with the wrong mark none of them is a number, and nothing may say so."""
    path = written(tmp_path, f"name;age\n{rows}")
    file, asks = dps.data.TableFile.of(path, separator=";"), "fractions mostly have a comma: pass decimal=','"

    with pytest.raises(ValueError, match=asks):
        dps.data.Column.read(path, "age", separator=";", kind=kind)
    with pytest.raises(ValueError, match=asks):
        dps.counts(file, epsilon=1, column="age", bins=[0, 18, 65])
    with pytest.raises(ValueError, match=asks):
        file.columns(numbers=["age"])
    assert ["name", "age"] == [*file.columns()]
    assert ["x"] == [*dps.counts(file, epsilon=1, column="name", domain=["x"]).value]
    for mark in (".", ","):
        assert len(rows.splitlines()) == len(
            dps.data.Column.read(path, "age", separator=";", decimal=mark, kind=kind).values
        )


@pytest.mark.parametrize("decimal", [".", ",", None])
def test_a_condition_that_orders_a_decimal_comma_says_how_to_write_it(tmp_path: Path, decimal: str | None) -> None:
    """Numbers in a condition have a point, whatever marks fractions in the file."""
    path = written(tmp_path, "a;b\n1000,5;1\n999,5;2\n")
    with pytest.raises(ValueError, match=r"numbers in a condition have a point: write 1000\.50"):
        dps.data.TableFile.of(path, separator=";", decimal=decimal, where="a > 1000,50")
    with pytest.raises(ValueError, match="orders text"):
        dps.data.TableFile.of(path, separator=";", decimal=decimal, where="a > 1.000,50")
    assert [1.0] == [*dps.data.Column.read(path, "b", separator=";", decimal=",", where="a > 1000.4").values]


@pytest.mark.parametrize("name", ["INCOME", " income", "Income "])
def test_capitals_and_blanks_of_a_name_matter(tmp_path: Path, name: str) -> None:
    """A message says so, and does not quote the first line, which may be a record."""
    path = written(tmp_path, "region,income\nN,3\n")
    with pytest.raises(ValueError, match="capitals and blanks matter") as error:
        dps.data.Column.read(path, name)
    assert "'income'" not in str(error.value)
    with pytest.raises(ValueError, match="none of the 2 here is called that"):
        dps.data.Column.read(path, "incom")


PEOPLE = "region,age,note\nNorth,17,a\nNorth,18,b\nSouth,30,c\nSouth,x,d\n,40,e\nNorth East,018,f\n"


@pytest.mark.parametrize(
    ("where", "notes"),
    [
        ("region = North", "ab"),
        ("region == 'North East'", "f"),
        ("region != North", "cdf"),
        ("age >= 18", "bcef"),
        ("age=18", "bf"),
        ("age = '18'", "b"),
        ("region = South and age < 99 or note = a", "ac"),
        ("region = South and (age < 99 or note = d)", "cd"),
        ("age <> 18", "ace"),
        ("age > 99", ""),
    ],
)
def test_a_condition_tests_every_row_by_itself(tmp_path: Path, where: str, notes: str) -> None:
    """Numbers, text, and, or, parentheses; what is missing or of another kind fulfils no comparison."""
    reading = tables.FileOptions.of(where=where)
    path = written(tmp_path, PEOPLE)

    assert [*notes] == [*tables.table(path, ["note"], reading)["note"]]
    for note in notes:
        alone = written(tmp_path, "\n".join(line for line in PEOPLE.split("\n") if line[-1:] in ("e", note)), "one.csv")
        assert note in [*tables.table(alone, ["note"], reading)["note"]]


def test_a_quote_between_tabs_takes_no_other_record_along(tmp_path: Path) -> None:
    """In memory and in place: a line is a record, and its quotes are letters."""
    path = written(tmp_path, 'note\tage\n"3.5 inch\t7\n' + "ok\t2\n" * 50 + 'a"b"\t3\n', "t.tsv")

    assert [7, *[2] * 50, 3] == dps.data.Column.read(path, "age").values.tolist()
    assert ['"3.5 inch', 'a"b"'] == sorted({*tables.table(path, ["note"])["note"].tolist()} - {"ok"})
    pytest.importorskip("ibis")
    table = duckdb_files.read(duckdb_files.open_duckdb(), [path], ["note", "age"]).to_pyarrow()
    assert ["7", *["2"] * 50, "3"] == table["age"].to_pylist()
    with pytest.raises(ValueError, match="do not quote between tabs"):
        tables.names(written(tmp_path, '"note"\tage\n', "q.tsv"))


@pytest.mark.parametrize("kind", ["date32", "date64", "timestamp[us]", "timestamp[us, tz=UTC]", "timestamp[ns]"])
def test_a_date_beyond_all_years_decides_nothing(tmp_path: Path, kind: str) -> None:
    """It equals no other, and refuses no table; what is compared with dates is refused by the type alone."""
    import pyarrow as pa
    from pyarrow import parquet

    arrow = pa.type_for_alias(kind) if "tz" not in kind else pa.timestamp("us", "UTC")
    zone = "Z" if "tz" in kind else ""
    first = f"2024-01-31T10:00:00{zone}" if kind.startswith("timestamp") else "2024-01-31"
    whole = pa.int32() if kind == "date32" else pa.int64()
    far = pa.array([2**31 - 1 if kind == "date32" else 86_400_000 * 10**10], whole).cast(arrow)
    cells = pa.chunked_array([pa.array([first, None]).cast(arrow), far])
    parquet.write_table(pa.table({"x": cells, "v": [1, 2, 3]}), tmp_path / "t.parquet")

    def rows(where: str) -> list[int]:
        return dps.data.Column.read(tmp_path / "t.parquet", "v", where=where).values.tolist()

    assert [1] == rows(f"x = '{first}'")
    assert [3] == rows(f"x != '{first}'")
    with pytest.raises(ValueError, match="write dates as"):
        rows("x = q")


@pytest.mark.parametrize(
    "where",
    ["", "age", "age >", "= 3", "age > North", "age > 3 and", "(age > 3", "age > 3)", "age ~ 3", "a = 'x", "a = b c",
     "__import__('os')", "(" * 99 + "a = 1" + ")" * 99],
)  # fmt: skip
def test_what_is_not_a_condition_is_refused(where: str) -> None:
    """Half a comparison, unknown signs, order of text, open quotes and parentheses, calls."""
    with pytest.raises(ValueError, match=r"is not a condition|orders text"):
        Condition.of(where)


def test_a_condition_on_no_column_is_refused(tmp_path: Path) -> None:
    """Which columns there are is said by the first line."""
    with pytest.raises(ValueError, match="no column 'job'"):
        dps.data.Column.read(written(tmp_path, PEOPLE), "age", where="job = nurse")


def test_a_parquet_file_keeps_its_types(tmp_path: Path) -> None:
    """Conditions read typed columns too, and a dialect goes with text only."""
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"a": [1, 2, None], "ok": [True, False, True]}), path)

    assert [2] == dps.data.Column.read(path, "a", where="a >= 2").values.tolist()
    assert [1] == dps.data.Column.read(path, "a", where="ok = 'true' and a > 0").values.tolist()
    with pytest.raises(ValueError, match="leave them out"):
        dps.data.Column.read(path, "a", separator=";")


def test_an_excel_file_is_read_as_text(tmp_path: Path) -> None:
    """The first sheet; each cell is spelled by itself, and what is empty, short or an error is missing."""
    openpyxl = pytest.importorskip("openpyxl")
    from datetime import date

    book = openpyxl.Workbook()
    for row in [("name", "age", "born"), ("a", 1, date(2001, 2, 3)), ("#N/A", 2.5), ("07", "x", None), (None, True)]:
        book.active.append(row)
    path = tmp_path / "people.xlsx"
    book.save(path)
    table = tables.table(path, ["born", "name"], tables.FileOptions.of(where="age < 99"))

    assert {"name": ["a", None, None], "born": ["2001-02-03", None, None]} == {k: [*v] for k, v in table.items()}
    assert ["1", "2.5", "x", "true"] == [*tables.table(path, ["age"])["age"]]
    assert [1, 2, 0, 1] == dps.data.Column.read(path, "age", kind="integer").values.tolist()
    with pytest.raises(ValueError, match="first line of the file must name"):
        dps.data.Column.read(path, "income")


def test_a_broken_excel_file_is_refused_without_a_word_of_it(tmp_path: Path) -> None:
    """What the reader says may quote cells."""
    pytest.importorskip("openpyxl")
    with pytest.raises(ValueError, match="not a complete Excel file"):
        dps.data.Column.read(written(tmp_path, "secret", "t.xlsx"), "age")


HOSTILE = [b"", b";;;;", b'"', b"\xff;\x80", b"x;'", b"1,5;1.5", b"a,b;#", b"\x81\x8d;\x90", b"9" * 5000 + b";2"]


@pytest.mark.parametrize("line", HOSTILE)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("where", [None, "b >= 2 or a = ä"])
def test_one_line_decides_nothing_about_the_others(
    tmp_path: Path, line: bytes, encoding: str, where: str | None
) -> None:
    """The rows before it are read as they are without it, and there is an answer; what a quote opens is that line's."""
    reading = tables.FileOptions.of(";", ",", encoding, where)
    rows = "a;b\nä;1,5\nx;2,5\ny;1\n".encode(encoding)
    path, other = tmp_path / "t.csv", tmp_path / "u.csv"
    path.write_bytes(rows)
    other.write_bytes(rows + line + b"\n")
    plain, more = (tables.table(file, ["a", "b"], reading, {"b"}) for file in (path, other))

    assert 0 <= len(more["a"]) - len(plain["a"]) <= 1
    assert all([*plain[name]] == [*more[name][: len(plain[name])]] for name in "ab")


def test_a_file_gives_its_columns(tmp_path: Path) -> None:
    """All of them, as an estimator takes them; a name that is not there is refused."""
    file = dps.data.TableFile.of(written(tmp_path, GERMAN), separator=";", decimal=",", where="einkommen > 1000.5")

    assert {"straße": ["Höhe"], "einkommen": ["2000"]} == {
        name: [*cells] for name, cells in file.columns(["einkommen"]).items()
    }
    with pytest.raises(ValueError, match="no column 'income'"):
        file.columns(["income"])


def test_text_of_a_typed_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Whatever mark is declared: the column alone, and all of them."""
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": ["1,234.50", "2"]}), path)
    reading = tables.FileOptions.of(decimal=".")

    assert ["1,234.50", "2"] == tables.column(path, "a", reading).to_pylist()
    assert ["1,234.50", "2"] == [*tables.table(path, ["a"], reading, ["a"])["a"]]

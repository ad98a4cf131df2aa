"""One hostile row of a file moves no other row and no refusal, of whichever kind; and faults that do are caught.

Files of lines get hostile lines as they are; of files of cells, each column of text gets them as its cell, and each
column of numbers what its type can hold.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from dpselect.data import Periods, StoredGraph, TableFile, Warehouse
from dpselect.sources import json_lines, ods, sheets, spelled_files, statistics_files
from dpselect.sources.public_names import PublicNames
from dpselect.views.grid import EvenGrid
from dpselect.views.row_question import RowQuestion
from dpselect.views.row_source import RowSource
from dpselect.views.table_counts import table_histograms
from tests.contracts.hostile_lines import HOSTILE_LINES
from tests.sources.ods_files import ods_file

pytest.importorskip("pyarrow")

GROUPS = PublicNames.of([f"g{each}" for each in range(5)], "groups")
COLUMNS = ("id", "g", "v", "d")
Row = tuple[Any, ...]
HONEST: list[Row] = [
    (f"p{row % 40}", f"g{row % 5}", row * 37 % 100, str(date(2025, 1, 1) + timedelta(days=3 * row)))
    for row in range(90)
]
LINES = {name: line for name, line in HOSTILE_LINES.items() if len(line) < 10**5}
QUESTIONS = {
    "values": RowQuestion("g", GROUPS),
    "numbers": RowQuestion("v", EvenGrid(0, 10, 11)),
    "dates": RowQuestion("d", Periods.between("2025-02-01", "2025-08-31", "month").moving()),
    "persons in groups of dates": RowQuestion(
        "v", EvenGrid(0, 10, 11), "d", Periods.between("2025-01-01", "2025-12-31", "quarter"), "id", 2
    ),
}
OF_PERSONS = tuple(name for name, question in QUESTIONS.items() if question.person is not None)
OF_ROWS = tuple(name for name in QUESTIONS if name not in OF_PERSONS)
# JSON that is none of the objects of three keys that a file has.
JSON_LINES = {
    "no keys": b"{}", "another key": b'{"w": 1}', "a list": b"[1]", "a number": b"7", "null": b"null",
    "not closed": b'{"id": "p1", "g": "g1"', "twice": b'{"g": "g1"} {"g": "g2"}', "deep": b"[" * 50_000,
    "lists in cells": b'{"id": [1], "g": {"a": 1}, "v": [], "d": null}', "half a pair": b'{"id": "\\ud800", "g": "g1"}',
    "long": b'{"v": ' + b"9" * 5000 + b"}", "no number": b'{"v": NaN, "d": Infinity}',
    "truth": b'{"g": true, "v": false}',
    "breaks in it": '{"id": "a\u2028b\x85c", "g": "\x1c"}'.encode(),
    "objects with a break between": '{"g": "g1"}\u2028{"g": "g2"}\u2028{"g": "g3"}'.encode(),
}  # fmt: skip


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _lines(separator: str) -> Callable[[list[Any], Path], Any]:
    def write(rows: list[Any], path: Path) -> Any:
        lines = [row if isinstance(row, bytes) else separator.join(map(str, row)).encode() for row in rows]
        path.write_bytes(b"\n".join([separator.join(COLUMNS).encode(), *lines]))
        return TableFile.of(path)

    return write


def _jsonl(rows: list[Any], path: Path) -> Any:
    lines = [
        row if isinstance(row, bytes) else json.dumps(dict(zip(COLUMNS, row, strict=True))).encode() for row in rows
    ]
    path.write_bytes(b"\n".join(lines))
    return TableFile.of(path)


def _cells(rows: list[Any], number: bool) -> list[Row]:
    """Rows whose hostile ones have their text in each column, and a number that is none where the column has them."""
    return [
        (text := _text(row), text, float("inf") if number else text, text) if isinstance(row, bytes) else row
        for row in rows
    ]


def _xlsx(rows: list[Any], path: Path) -> Any:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [COLUMNS, *_cells(rows, False)]:
        book.active.append([*row])
    book.save(path)
    return path


def _ods(rows: list[Any], path: Path) -> Any:
    written = _cells(rows, False)
    if any(
        not (each.isprintable() or each.strip(" \t\r\n").isprintable()) for row in written for each in map(str, row)
    ):
        raise ValueError("XML does not hold it")
    return ods_file(path, [[*COLUMNS], *written])


def _typed(rows: list[Any]) -> Any:
    import pyarrow

    columns = [*zip(*_cells(rows, True), strict=True)]
    arrays = [
        pyarrow.array(each) if place != 2 else pyarrow.array(each, "float64") for place, each in enumerate(columns)
    ]
    return pyarrow.table(dict(zip(COLUMNS, arrays, strict=True)))


def _feather(rows: list[Any], path: Path) -> Any:
    from pyarrow import feather

    feather.write_feather(_typed(rows), path)
    return path


def _parquet(rows: list[Any], path: Path) -> Any:
    from pyarrow import parquet

    parquet.write_table(_typed(rows), path)
    return path


def _in_place(rows: list[Any], path: Path) -> Any:
    pytest.importorskip("ibis")
    _lines(",")(rows, path)
    return Warehouse.open(path)


def _sqlite(rows: list[Any], path: Path) -> Any:
    pytest.importorskip("ibis")
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE t (id TEXT, g TEXT, v INTEGER, d DATE)")
        # Bytes that are not text are a blob, which SQLite keeps wherever it is put.
        held = [(row,) * 4 if isinstance(row, bytes) and b"\xff" in row else _cells([row], False)[0] for row in rows]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", held)
    connection.close()
    return RowSource(f"sqlite://{path}", "t")


# Eight letters that are these bytes in a file.
_MARK = "QZJXQZJX"


def _statistics(rows: list[Any], path: Path) -> Any:
    pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
    written = [
        (_MARK, _MARK, 8e307, _MARK) if isinstance(row, bytes) and b"\xff" in row else _cells([row], True)[0]
        for row in rows
    ]
    frame = pandas.DataFrame(written, columns=[*COLUMNS])
    frame["v"] = frame["v"].astype("float64").clip(upper=8e307)
    getattr(pyreadstat, f"write_{path.suffix[1:]}")(frame, str(path))
    path.write_bytes(path.read_bytes().replace(_MARK.encode(), b"\xff\xfe\xc3(\xa0\x00\x80\xf0"))
    return path


@dataclass(frozen=True)
class FileKind:
    """A kind of file: what writes its rows, and what one row more may be."""

    write: Callable[[list[Any], Path], Any]
    hostile: dict[str, bytes]
    ending: str = ""


KINDS = {
    "csv": FileKind(_lines(","), LINES),
    "tsv": FileKind(_lines("\t"), LINES),
    "tdt": FileKind(_lines(" "), LINES),
    "jsonl": FileKind(_jsonl, LINES | JSON_LINES),
    "xlsx": FileKind(_xlsx, LINES),
    "ods": FileKind(_ods, LINES),
    "parquet": FileKind(_parquet, LINES),
    "feather": FileKind(_feather, LINES),
    "sav": FileKind(_statistics, LINES),
    "dta": FileKind(_statistics, LINES),
    "csv in place": FileKind(_in_place, LINES, "csv"),
    "sqlite": FileKind(_sqlite, LINES),
}


def counted(table: Any, question: RowQuestion) -> Counter[tuple[int, int]]:
    """Counts by group and cell."""
    histograms, _ = table_histograms(table if isinstance(table, RowSource) else RowSource(table), question)
    return Counter(
        {
            (group, cell): many
            for group, held in enumerate(histograms)
            for cell, many in zip(*(each.tolist() for each in held), strict=True)
        }
    )


def moves(kind: str, folder: Path, asked: tuple[str, ...]) -> list[str]:
    """The hostile rows that move another row, or a refusal; and how many rows the file could hold at all."""
    each, wrong, held = KINDS[kind], [], 0
    path = folder / f"t.{each.ending or kind}"
    honest = {name: counted(each.write(HONEST, path), QUESTIONS[name]) for name in asked}
    assert all(sum(counts.values()) > 50 for counts in honest.values())
    for place, (name, line) in enumerate(each.hostile.items()):
        at = (0, len(HONEST) // 2, len(HONEST))[place % 3]
        try:
            table = each.write([*HONEST[:at], line, *HONEST[at:]], path)
        except Exception:
            # No such row: the file cannot hold it.
            continue
        held += 1
        for question in asked:
            try:
                more = counted(table, QUESTIONS[question])
            except Exception as error:
                wrong.append(f"{name}: {question} is refused: {error}")
                continue
            if honest[question] - more or sum((more - honest[question]).values()) > 1:
                wrong.append(f"{name}: {question}")
    assert held > 25, "nearly all of the rows are held"
    return wrong


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind == "csv in place" else ()) for kind in KINDS]
)
def test_a_hostile_row_moves_no_other_and_no_refusal(kind: str, tmp_path: Path) -> None:
    """Whatever is asked of rows; it counts once at most itself."""
    assert len(KINDS[kind].hostile) >= 40
    assert [] == moves(kind, tmp_path, OF_ROWS)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind != "csv" else ()) for kind in KINDS]
)
def test_a_hostile_row_moves_no_person(kind: str, tmp_path: Path) -> None:
    """Whatever is asked of persons, whom an engine counts."""
    assert [] == moves(kind, tmp_path, OF_PERSONS)


def test_all_hostile_lines_together_move_nothing_in_place(tmp_path: Path) -> None:
    """An open quote takes no line along, and no line is lost, where an engine counts a file of text."""
    rows = [each for row, line in zip(HONEST, [*LINES.values()] * 3, strict=False) for each in (line, row)]
    together, question = _in_place(rows, tmp_path / "t.csv"), QUESTIONS["numbers"]
    lines = len(rows)
    honest = counted(_in_place(rows[1::2], tmp_path / "h.csv"), question)

    assert Counter() == honest - counted(together, question)
    assert lines <= int(together.ask(together.table.aggregate(n=together.table.count()))["n"][0])


def test_every_kind_of_file_is_among_them() -> None:
    """One that is added is asked, too; compressed ones and others of the same reader apart."""
    others = {".jsonl.gz", ".ndjson", ".zsav"}

    assert {each[1:] for each in {*spelled_files.ENDINGS, *sheets.ENDINGS} - others} <= {*KINDS}


def _strict(read: Any) -> Any:
    def wrong(decoder: Any, line: bytes) -> Any:
        found = decoder.decode(line.decode("utf-8"))
        if not isinstance(found, dict):
            raise ValueError
        return found

    del read
    return wrong


def _of_letters(read: Any) -> Any:
    return lambda path: (each.encode() for each in b"\n".join(read(path)).decode("utf-8", "replace").splitlines())


def _of_the_first_line(read: Any) -> Any:
    del read
    return lambda path: [*json.loads(path.read_bytes().split(b"\n")[0])]


def _as_declared(read: Any) -> Any:
    return lambda path, **how: read(path, **{name: each for name, each in how.items() if name != "encoding"})


def _narrow(read: Any) -> Any:
    widest = [0]

    def cells(row: Any) -> Any:
        texts, percents = read(row)
        # The longest row that was seen decides what a row is.
        widest[0] = max(widest[0], sum(map(len, texts.values())))
        return (texts, percents) if widest[0] < 1000 else ({}, percents)

    return cells


FAULTS: dict[str, tuple[str, Any, str, Callable[[Any], Any]]] = {
    "a line that is not JSON refuses the file": ("jsonl", json_lines, "_object", _strict),
    "lines end where letters say so": ("jsonl", json_lines, "_lines", _of_letters),
    "the first line names the columns": ("jsonl", json_lines, "names", _of_the_first_line),
    "bytes of another encoding refuse the file": ("sav", statistics_files, "_read", _as_declared),
    "one long row hides those behind it": ("ods", ods, "_cells", _narrow),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same contract."""
    kind, module, name, made = FAULTS[fault]
    monkeypatch.setattr(module, name, made(getattr(module, name)))

    assert [] != moves(kind, tmp_path, ("values",))


@pytest.mark.parametrize("where", ["csv in place", "sqlite"])
def test_hostile_lines_are_no_edges_of_an_engine(where: str, tmp_path: Path) -> None:
    """Degrees are those of the honest edges, by integers and by text."""
    pytest.importorskip("ibis")
    pairs = [(at, at + 1, f"n{at}", f"n{at + 1}") for at in range(len(LINES))]
    names = ("a", "b", "s", "t")
    if where == "sqlite":
        with sqlite3.connect(tmp_path / "e.db") as connection:
            connection.execute("CREATE TABLE t (a INTEGER, b INTEGER, s TEXT, t TEXT)")
            rows = [row for pair, line in zip(pairs, LINES.values(), strict=True) for row in ((line,) * 4, pair)]
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.close()
    else:
        lines = [",".join(map(str, pair)).encode() for pair in pairs]
        mixed = [each for pair in zip(LINES.values(), lines, strict=True) for each in pair]
        (tmp_path / "e.csv").write_bytes(b"\n".join([",".join(names).encode(), *mixed]))
    for ends, nodes in ((names[:2], len(pairs) + 1), (names[2:], [f"n{at}" for at in range(len(pairs) + 1)])):
        table = Warehouse.open(tmp_path / "e.csv") if where != "sqlite" else f"sqlite://{tmp_path / 'e.db'}?table=t"
        assert [1, *[2] * (len(pairs) - 1), 1] == StoredGraph(table, nodes, ends=ends).degrees.tolist()

"""One hostile line of a file moves no count but its own, and no refusal, whatever is asked and of whichever format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dpselect.sources.public_names import PublicNames
from dpselect.sources.tables import TableFile
from dpselect.views.grid import EvenGrid
from dpselect.views.row_question import Bins, RowQuestion
from dpselect.views.row_source import RowOrder, RowSource
from dpselect.views.table_counts import table_histograms
from tests.contracts.hostile_lines import HOSTILE_LINES

pytest.importorskip("pyarrow")

GROUPS = PublicNames.of([f"g{each}" for each in range(7)], "groups")
HONEST = [f"p{row % 900},g{row % 7},{row * 37 % 1000}".encode() for row in range(3000)]
QUESTIONS = {
    "values": RowQuestion("g", GROUPS),
    "numbers": RowQuestion("v", EvenGrid(0, 10, 101)),
    "tenths": RowQuestion("v", EvenGrid(0, 1, 10001, 10, True)),
    "bins in groups": RowQuestion("v", Bins.of([0, 100, 500, 1000]), "g", GROUPS),
    "persons": RowQuestion("v", EvenGrid(0, 10, 101), "g", GROUPS, "id", 2),
    "ordered persons": RowQuestion("v", EvenGrid(0, 10, 101), "g", GROUPS, "id", 1, "v"),
}


def counted(table: Any, question: RowQuestion) -> Counter[tuple[int, int]]:
    """Counts by group and cell."""
    order = None if question.order is None else RowOrder(question.order, True)
    histograms, _ = table_histograms(RowSource(table, order=order), question)
    return Counter(
        {
            (group, cell): many
            for group, held in enumerate(histograms)
            for cell, many in zip(*(each.tolist() for each in held), strict=True)
        }
    )


def file_of(lines: list[bytes], folder: Path, ending: str, **how: Any) -> Any:
    """A file of these lines."""
    path = folder / f"t{ending}"
    rows = [b"id,g,v", *lines]
    if ending == ".tsv":
        rows = [row.replace(b",", b"\t") for row in rows]
    path.write_bytes(b"\n".join(rows))
    return TableFile.of(path, **how)


# Persons are counted by one expression of an engine: quick runs ask the longer one, of one kind of file.
LONG = (("persons", ".tsv"), ("persons", ".csv"), ("ordered persons", ".csv"))


@pytest.mark.parametrize(
    ("asked", "ending"),
    [
        pytest.param(asked, ending, marks=pytest.mark.slow if (asked, ending) in LONG else ())
        for asked in QUESTIONS
        for ending in (".csv", ".tsv")
    ],
)
def test_a_hostile_line_adds_at_most_one_row(asked: str, ending: str, tmp_path: Path) -> None:
    """And takes none away; no line is refused."""
    question = QUESTIONS[asked]
    honest = counted(file_of(HONEST, tmp_path, ending), question)
    wrong = []
    for name, line in HOSTILE_LINES.items():
        if len(line) < 10**6:
            more = counted(file_of([*HONEST[:1700], line, *HONEST[1700:]], tmp_path, ending), question)
            # The person of the line may be there already, and put it in the place of another row of theirs.
            if honest - more or sum((more - honest).values()) > 1:
                wrong.append(name)

    assert [] == wrong


@pytest.mark.parametrize(
    "asked", [pytest.param(asked, marks=pytest.mark.slow if asked == "persons" else ()) for asked in QUESTIONS]
)
def test_hostile_cells_of_numbers_change_no_other(asked: str, tmp_path: Path) -> None:
    """Cells that are no plain numbers, with a decimal comma and groups of digits declared too."""
    cells = [
        "1e999",
        "-",
        "1.000,5",
        "1,000.5",
        "nan",
        "inf",
        "\u2212 5",
        "+7",
        " 7 ",
        "0x10",
        "1_0",
        "٣",
        "true",
        "9" * 400,
    ]
    for how in ({}, {"separator": ";", "decimal": ","}):
        lines = [line.replace(b",", b";") if how else line for line in HONEST]
        head = ["id;g;v" if how else "id,g,v"]
        path = tmp_path / "t.csv"

        def held(rows: list[bytes], head: list[str] = head, path: Path = path, how: Any = how) -> Counter:
            path.write_bytes(b"\n".join([head[0].encode(), *rows]))
            return counted(TableFile.of(path, **how), QUESTIONS[asked])

        honest = held(lines)
        for cell in (*cells, "9" * 400):
            odd = (f"odd;g1;{cell}" if how else f'odd,g1,"{cell}"').encode()
            more = held([*lines[:9], odd, *lines[9:]])
            assert not honest - more
            assert sum((more - honest).values()) <= 1


def test_bytes_of_parquet_that_are_not_text_spoil_their_own_cell(tmp_path: Path) -> None:
    """In the column of groups, of persons and of values."""
    import pyarrow
    from pyarrow import parquet

    def written(extra: list[bytes]) -> Path:
        rows = [line.split(b",") for line in HONEST] + [[each, each, b"7"] for each in extra]
        raw = {name: pyarrow.array([row[place] for row in rows]) for place, name in enumerate("igv")}
        text = {name: pyarrow.Array.from_buffers(pyarrow.string(), len(rows), raw[name].buffers()) for name in "ig"}
        numbers = pyarrow.array([int(row[2]) for row in rows])
        table = pyarrow.table({"id": text["i"], "g": text["g"], "v": numbers})
        parquet.write_table(table, tmp_path / "t.parquet")
        return tmp_path / "t.parquet"

    for asked, question in QUESTIONS.items():
        honest, more = counted(written([]), question), counted(written([b"\xff\xfe"]), question)
        assert not honest - more, asked
        assert sum((more - honest).values()) <= 1

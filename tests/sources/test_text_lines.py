"""One line of text is one record: no line decides how another is read, whatever quotes, bytes or cells it holds."""

from __future__ import annotations

import collections
import gzip
from pathlib import Path
from typing import Any

import pytest

from dpselect.sources import csv_text, tables, text_blocks
from dpselect.sources.dialects import Dialect
from dpselect.sources.tables import FileOptions
from tests.contracts.hostile_lines import BROKEN_LINES, HOSTILE_LINES

pytest.importorskip("pyarrow")

NAMES = ["id", "g", "v"]
HONEST = [f"{row},g{row % 7},{row * 3 % 1000}".encode() for row in range(2000)]


def records(lines: list[bytes], folder: Path, dialect: Dialect | None = None, name: str = "t.csv") -> Any:
    """The records of a file with these lines, and how often each occurs."""
    path, content = folder / name, b"id,g,v\n" + b"\n".join(lines) + b"\n"
    path.write_bytes(gzip.compress(content, 1) if name.endswith(".gz") else content)
    columns = csv_text.columns(path, NAMES, dialect or Dialect())
    cells = [columns[name].to_pylist() for name in NAMES]
    short = [[each if each is None or len(each) < 50 else (each[:9], len(each)) for each in column] for column in cells]
    return collections.Counter(zip(*short, strict=True))


@pytest.mark.parametrize("line", HOSTILE_LINES)
def test_a_hostile_line_is_one_record_and_moves_no_other(line: str, tmp_path: Path) -> None:
    """Wherever it stands: first, in the middle, or last."""
    honest = records(HONEST, tmp_path)
    for at in (0, 1000, 2000):
        more = records([*HONEST[:at], HOSTILE_LINES[line], *HONEST[at:]], tmp_path)

        assert not honest - more
        assert 1 == sum((more - honest).values())


@pytest.mark.parametrize("line", BROKEN_LINES)
def test_a_line_break_makes_two_records_and_moves_no_other(line: str, tmp_path: Path) -> None:
    """Unless it is declared that cells have line breaks, a line ends where it ends, quoted or not."""
    honest = records(HONEST, tmp_path)
    more = records([*HONEST[:1000], BROKEN_LINES[line], *HONEST[1000:]], tmp_path)

    assert not honest - more
    assert 2 == sum((more - honest).values())


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_forty_hostile_lines_together_move_no_other(name: str, tmp_path: Path) -> None:
    """All of them in one file, next to each other."""
    honest = records(HONEST, tmp_path, name=name)
    more = records([*HONEST[:9], *HOSTILE_LINES.values(), *HONEST[9:]], tmp_path, name=name)

    assert len(HOSTILE_LINES) >= 40
    assert not honest - more
    assert len(HOSTILE_LINES) == sum((more - honest).values())


def test_a_quote_that_stands_wrong_spoils_its_own_line_at_most(tmp_path: Path) -> None:
    """A line with such quotes is read alone, as Python reads csv."""
    lines = [b'7,a"b,x', b'8,"ab,x', b'9,"ab"c,x', b'10,"a""b",x', b'11,a"b,"x', b'12,"a\\"b",x', b'"13","","x"']
    expected = {
        ("7", 'a"b', "x"): 1,
        (None, None, None): 1,
        ("9", "abc", "x"): 1,
        ("10", 'a"b', "x"): 1,
        ("11", 'a"b', "x"): 1,
        ("12", 'a\\b"', "x"): 1,
        ("13", None, "x"): 1,
    }

    assert expected == records(lines, tmp_path)


@pytest.mark.parametrize("break_", [b"\n", b"\r\n", b"\r"])
def test_cells_have_line_breaks_where_that_is_declared(
    break_: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record of several lines, however lines end; and nothing is lost over many blocks."""
    monkeypatch.setattr(text_blocks, "_BLOCK", 2**16)
    lines = [b'%d,"a%sb ""c"", %d",x' % (row, break_, row % 3) for row in range(20_000)]
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,g,v" + break_ + break_.join(lines))
    read = csv_text.columns(path, NAMES, Dialect(line_breaks=True))

    assert [str(row) for row in range(20_000)] == read["id"].to_pylist()
    assert {f'a\nb "c", {rest}' for rest in range(3)} == {*read["g"].to_pylist()}
    assert 40_000 == sum(records(lines, tmp_path).values())


@pytest.mark.parametrize("line", [b'7,"a\nb"c,x', b'7,a"b,"x\ny"', b"1,2,3,4", b"", b'"\n\n"'])
def test_a_record_of_several_lines_may_be_malformed(line: bytes, tmp_path: Path) -> None:
    """Where quotes close, all other records are read, and the malformed one is one record."""
    declared = Dialect(line_breaks=True)
    honest = records(HONEST, tmp_path, declared)
    more = records([*HONEST[:900], line, *HONEST[900:]], tmp_path, declared)

    assert not honest - more
    assert 1 == sum((more - honest).values())


def test_a_first_line_whose_quotes_stay_open_is_refused(tmp_path: Path) -> None:
    """A header of several lines needs the declaration; without it nothing of the records is taken for a name."""
    path = tmp_path / "t.csv"
    path.write_bytes(b'"income\n(EUR)",b\n1,2\n')

    assert ["income\n(EUR)", "b"] == csv_text.header(path, Dialect(line_breaks=True))
    assert ["1"] == csv_text.columns(path, ["income\n(EUR)"], Dialect(line_breaks=True))["income\n(EUR)"].to_pylist()
    with pytest.raises(ValueError, match=r"closes no quote.*line_breaks") as refusal:
        csv_text.header(path)
    assert "income" not in str(refusal.value)


def test_blocks_are_read_in_order_and_few_at_a_time(tmp_path: Path) -> None:
    """Over many blocks: each record at its place, and the memory of a few of them."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,g,v\n" + b"".join(b"%d,g,%d\n" % (row, row) for row in range(10**6)))
    batches = list(csv_text.batches(path, ["v", "id"]))

    assert len(batches) > 2
    assert all(["v", "id"] == batch.column_names for batch in batches)
    assert [str(row) for row in range(10**6)] == [cell for batch in batches for cell in batch["id"].to_pylist()]


def test_a_line_beyond_all_measure_is_a_record_without_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are not kept, so no line decides how much memory a table takes."""
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 2**23)
    line = b"7," + b"z" * 2**24 + b",x"

    assert {(None, None, None): 1, **dict(records(HONEST, tmp_path))} == dict(
        records([*HONEST[:9], line, *HONEST[9:]], tmp_path)
    )


@pytest.mark.parametrize("last", [b'3,"c', b'3,"c\n', b"3," + b"z" * 3_000_000 + b"\n"])
def test_a_last_record_is_counted_once(last: bytes, tmp_path: Path) -> None:
    """Though its quote stays open, or it is longer than a block."""
    (tmp_path / "t.csv").write_bytes(b"x,y\n1,a\n2,b\n" + last)
    read = tables.arrows(tmp_path / "t.csv", ["x"], FileOptions.of(line_breaks=True), ["x"])["x"].to_pylist()
    assert ["1", "2"] == read[:2]
    assert 3 == len(read)


LAST = ["1,2,3,,", "1,2,3", "1,2,3,4,", '1,2,3,"",', "1,,,,", ",,,,", "", "1,2,3,,,", '1,"2",3,,', "1,2"]


@pytest.mark.parametrize("last", LAST)
def test_equal_ends_of_a_block_are_read_as_records_are_read_alone(
    last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks whose records all end in two separators are read at once: another record in them moves none of theirs."""
    lines = [b"%d,%d,%d,," % (each, each, each) for each in range(50)]
    quick, without, passed = records([*lines, last.encode()], tmp_path), records(lines, tmp_path), list[bytes]()
    monkeypatch.setattr(csv_text, "_of_equal_ends", lambda block, *_: passed.append(block))

    assert records([*lines, last.encode()], tmp_path) == quick
    assert passed
    assert without <= quick
    assert quick.total() == without.total() + 1 == 51


def test_equal_ends_are_read_without_a_look_at_each_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow way is for blocks with other records."""
    ways, sound = list[dict[str, bool]](), text_blocks.sound
    monkeypatch.setattr(csv_text, "sound", lambda *of, **how: ways.append(how) or sound(*of, **how))

    assert records([b"1,2,3,", b"4,5,6,"], tmp_path).total() == 2
    assert ways == [{}]

"""Blocks of an edge file: whichever reader takes one, the lines are read alike."""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.sources import edge_lines, edges
from dpselect.sources.csv_text import integer

PLAIN = st.from_regex(r"\A(0{0,2}[0-9]{1,4}[ \t]{1,2}[0-9]{1,4}|[0-9][\t][0-9])\Z").map(str.encode)
ODD = (
    [b"", b"  ", b"\t", b"7", b"7 ", b" 7\t8 ", b"7 8 9", b"7\t8\t9", b"7\t8 9", b"7 \t8", b"# 1 2", b"  #", b"% 3",
     b"7#8 9", b"7 #8", b"7,8", b"7;8", b"+7 8", b"-7 8", b"0x10 2", b"1e3 2", b"1.0 2", b"9223372036854775807 1",
     b"9223372036854775808 1", b"0" * 30 + b"7 8", b'"7 8"', b"'7' 8", b"7\x008 9", b"\xe9 7", b"7 8\xe9",
     b"\xef\xbb 1",
     b"\xef\xbb\xbf7 8", "\u0663 4".encode(), "7\u00a08".encode(), "7\u20288 9".encode(), b"7\x0b8 9", b"7\x0c8",
     b"null 3", b"NaN 2", b"\x1a", b",", b",,8"]
)  # fmt: skip
LINES = st.lists(
    st.tuples(st.one_of(PLAIN, PLAIN, PLAIN, st.sampled_from(ODD)), st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"]))
)


def one_by_one(path: Path) -> tuple[list[tuple[int | None, ...]], int]:
    """The edges of a file, a line at a time; and how many lines are none."""
    pairs: list[tuple[int | None, ...]] = []
    dropped = 0
    with edge_lines.opened(path) as lines:
        for line in lines:
            found = re.match(edge_lines._EDGE, line.rstrip("\n"))
            ends = [] if found is None else [integer(end) for end in found.groups()]
            if ends and None not in ends:
                pairs.append(tuple(ends))
            else:
                dropped += ends != [] or not re.match(edge_lines._NOTHING, line.rstrip("\n"))
    return pairs, dropped


def require_alike(data: bytes, block: int, name: str = "a.txt") -> None:
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(edge_lines, "_BLOCK", block):
        path = Path(folder) / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        source, target, dropped = edges.read(path, kind=int)
        assert one_by_one(path) == ([*zip(source.tolist(), target.tolist(), strict=True)], dropped)
    assert np.int64 == source.dtype == target.dtype


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@settings(deadline=None)
@given(lines=LINES, block=st.sampled_from([1, 7, 40, 2**20]), last=st.booleans())
def test_blocks_are_read_as_lines_are(name: str, lines: list[tuple[bytes, bytes]], block: int, last: bool) -> None:
    """Hostile lines among plain ones: the same rows in the same order, and the same number of lines left out."""
    data = b"".join(part for line in lines for part in line)
    require_alike(data if last else data.rstrip(b"\r\n"), block, name)


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_line_is_read_alike_among_plain_ones(odd: bytes) -> None:
    """In their block or in one of its own, wherever it stands, and whatever ends it."""
    for plain in (b"1 2", b"1\t2"):
        for end in (b"\n", b"\r\n", b"\r"):
            for at in range(3):
                lines = [plain, plain]
                lines.insert(at, odd)
                for block in (1, 2**20):
                    require_alike(end.join(lines), block)


@pytest.mark.parametrize(
    "block, plain",
    [
        (b"1 2\n3 4", True),
        (b"# SNAP\n1\t2\n% more\n3\t4\n", True),
        (b" 1\t2 \n\n007\t4", True),
        (b"1 2 3\n4 5", False),
        (b"1 2\n3", False),
        (b"1 2\n-3 4", False),
        (b"1 2\n3,4", False),
        (b"1 2\n9223372036854775808 4", False),
        (b"# nothing\n", False),
    ],
)
def test_a_block_of_pairs_is_read_at_once(block: bytes, plain: bool) -> None:
    """Where it is nothing but pairs of digits and comments; then the other reader reads the same."""
    table = edge_lines._pairs(block)
    assert plain == (table is not None)
    if table is not None:
        slow, dropped = edge_lines._fields(block)
        assert 0 == dropped
        as_numbers = {name: [*map(int, cells)] for name, cells in slow.to_pydict().items()}
        assert as_numbers == table.to_pydict()

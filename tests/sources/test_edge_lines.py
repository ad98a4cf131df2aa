"""Blocks of an edge file: whichever reader takes one, the lines are read alike."""

from __future__ import annotations

import gzip
import itertools
import re
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.sources import edge_lines, edges
from dpselect.sources.csv_text import integer

PLAIN = st.from_regex(r"\A(0{0,2}[0-9]{1,4}[ \t]{1,2}[0-9]{1,4}|[0-9][\t][0-9])\Z").map(str.encode)
ODD = (
    [b"", b"  ", b"\t", b"7", b"7 ", b" 7\t8 ", b"7 8 9", b"7\t8\t9", b"7\t8 9", b"7 \t8", b"# 1 2", b"  #", b"% 3",
     b"7#8 9", b"7 #8", b"7,8", b"7;8", b"+7 8", b"-7 8", b"0x10 2", b"1e3 2", b"1.0 2", b"9223372036854775807 1",
     b"9223372036854775808 1", b"0" * 30 + b"7 8", b'"7 8"', b"'7' 8", b"7\x008 9", b"\xe9 7", b"7 8\xe9",
     b"\xef\xbb 1",
     b"\xef\xbb\xbf7 8", "\u0663 4".encode(), "7\u00a08".encode(), "7\u20288 9".encode(), b"7\x0b8 9", b"7\x0c8",
     b"null 3", b"NaN 2", b"\x1a", b",", b",,8", b"7 8 ", b"7  8", b"7 8  9", b"7,8,9", b"7, 8, 9", b"7,8,", b"7,,9",
     b"7 8,9", b"7\t8\t", b"7\t8\t\t9", b"7 8 -0.5", b"7 8 1e5 1", b"7 8 2.5;1", b"7 8 nan", b"7. 8", b"7 8.", b"+ 8",
     b"-0 8", b"7 8 0x10", b"1e3,2,3", b"--7 8", b"7 8 .", b"7 8 {'weight': 3}", b"7 8 \xff", b"7 8 9 10 11"]
)  # fmt: skip
# Most lines of a file are of one form, of which every quick reader is for one.
FORMS = [
    PLAIN,
    st.from_regex(r"\A[0-9]{1,3} [0-9]{1,3} -?[0-9]{0,2}[.]?[0-9]{1,2}(e-?[0-9])?\Z").map(str.encode),
    st.from_regex(r"\A[0-9]{1,3}\t[0-9]{1,3}\t[0-9]\t[0-9]{3}\Z").map(str.encode),
    st.from_regex(r"\A[0-9]{1,3},[0-9]{1,3},-?[0-9],[0-9]{3}\Z").map(str.encode),
]
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
LINES = st.one_of(
    *(st.lists(st.tuples(st.one_of(form, form, form, st.sampled_from(ODD)), ENDS)) for form in (PLAIN, *FORMS))
)


def one_by_one(path: Path, skipped: int) -> tuple[list[tuple[int, int, str]], int]:
    """The edges of a file with their third fields, a line at a time; and how many lines are none."""
    edges_there: list[tuple[int, int, str]] = []
    dropped = 0
    with edge_lines.open_text(path) as lines:
        for line in itertools.islice(lines, skipped, None):
            text = line.rstrip("\n").lstrip(" \t")
            if not text or text[0] in "#%":
                continue
            # By hand: a comma or a semicolon with the blanks around it, or else blanks, end a field.
            cells = re.split(r"[ \t]*[,;][ \t]*|[ \t]+", text)
            ends = [integer(cell) for cell in cells[:2]]
            if len(ends) == 2 and None not in ends:
                edges_there.append((*ends, cells[2] if len(cells) > 2 else ""))
            else:
                dropped += 1
    return edges_there, dropped


def require_alike(data: bytes, block: int, name: str = "a.txt", skipped: int = 0) -> None:
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(edge_lines, "_BLOCK", block):
        path = Path(folder) / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        pairs, dropped = one_by_one(path, skipped)
        for weights in (False, True):
            tables, wrong = edge_lines.fields(path, integers=True, weights=weights, skipped=skipped)
            found: list[tuple[int, int, str]] = []
            for table in tables:
                for row in zip(*table.to_pydict().values(), strict=True):
                    ends = [each if isinstance(each, int) else integer(each) for each in row[:2]]
                    found += [(*ends, row[2] if weights else "")] if None not in ends else []
                    wrong += None in ends
            assert dropped == wrong
            assert [(a, b, third if weights else "") for a, b, third in pairs] == found
        source, target, wrong = edges.read(path, kind=int)
        if not skipped:
            assert [each[:2] for each in pairs] == [*zip(source.tolist(), target.tolist(), strict=True)]
            assert dropped == wrong
    assert np.int64 == source.dtype == target.dtype


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.edges"])
@settings(deadline=None)
@given(lines=LINES, block=st.sampled_from([1, 7, 40, 2**20]), last=st.booleans(), skipped=st.sampled_from([0, 0, 1, 3]))
def test_blocks_are_read_as_lines_are(
    name: str, lines: list[tuple[bytes, bytes]], block: int, last: bool, skipped: int
) -> None:
    """Hostile lines among plain ones: the same rows in the same order, and the same number of lines left out."""
    data = b"".join(part for line in lines for part in line)
    require_alike(data if last else data.rstrip(b"\r\n"), block, name, skipped)


AMONG, ENDS = (b"1 2", b"1\t2\t3\t4", b"1,2,-1"), (b"\n", b"\r\n", b"\r")


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param([*zip(AMONG, ENDS, strict=True)], id="few"),
        pytest.param([*itertools.product(AMONG, ENDS)], id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_line_is_read_alike_among_plain_ones(odd: bytes, kinds: list[tuple[bytes, bytes]]) -> None:
    """In their block or in one of its own, wherever it stands, and whatever ends it."""
    for plain, end in kinds:
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
        (b"1 2 3\n4 5 0.5", True),
        (b"1,2,-3,1e9\n4,5,.5,0", True),
        (b"1 2 3\n4 5", False),
        (b"1 2\n3", False),
        (b"1 2\n3,4", False),
        (b"1 2 0x1", False),
        (b"1 2\n9223372036854775808 4", False),
        (b"# nothing\n", False),
    ],
)
def test_a_block_of_numbers_is_read_at_once(block: bytes, plain: bool) -> None:
    """Where it is nothing but numbers in columns and comments; then the other reader reads the same."""
    table = edge_lines._numbers(block)
    assert plain == (table is not None)
    if table is not None:
        slow, dropped = edge_lines._fields(block)
        assert 0 == dropped
        as_numbers = {name: [*map(int, cells)] for name, cells in slow.to_pydict().items()}
        assert as_numbers == table.to_pydict()


@pytest.mark.parametrize(("first", "directed"), [("% sym unweighted", False), ("% asym positive", True), ("# x", None)])
def test_the_first_line_of_a_konect_file_says_its_directions(first: str, directed: bool | None, tmp_path: Path) -> None:
    """And only that line; where it says none, there are none to be counted."""
    path = tmp_path / "a.edges"
    path.write_text(f"{first}\n% 3 2 2\n1 2\n2 1\n% bip weighted\n", encoding="utf-8")
    assert directed is edges.direction(path)
    if directed:
        with pytest.warns(UserWarning, match="Directions are dropped"):
            assert [0, 1, 1] == dps.Graph.read(path, 3).degrees.tolist()
    if directed is False:
        with pytest.raises(ValueError, match="no direction"):
            dps.data.DirectedGraph.read(path, 3)
    else:
        assert [0, 1, 1] == dps.data.DirectedGraph.read(path, 3).followers.tolist()


def test_two_numberings_in_one_file_are_refused(tmp_path: Path) -> None:
    """Node 1 of the left is not node 1 of the right."""
    path = tmp_path / "a.txt"
    path.write_text("% bip unweighted\n1 1\n2 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="nodes of two kinds"):
        dps.Graph.read(path, 3)


def test_the_third_field_of_a_line_is_its_weight(tmp_path: Path) -> None:
    """As numbers are written everywhere; missing ones weigh nothing."""
    for name, lines in (
        ("a.txt", "1 2 0.5\n2 1 1.25 1082040961\n2 3 x\n3 2\n9 1 7\nx 1 1\n"),
        ("a.edges", "1,2,0.5\n2,1,1.25,1082040961\n2,3,x\n3,2\n9,1,7\nx,1,1\n"),
        ("b.edges", "% sym weighted\n1\t2\t.5\n2\t1\t1.25\t10\n2\t3\tnan\n3\t2\n9\t1\t7\nx\t1\n"),
    ):
        (tmp_path / name).write_text(lines, encoding="utf-8")
        graph = dps.data.WeightedGraph.read(tmp_path / name, 4, cap=10)
        assert [0, 1.75, 1.75, 0] == dps.utilities.weighted_degree(graph).values.tolist()
        assert (2, 2) == (graph.zero_weights_dropped, graph.unknown_nodes_dropped)
    with pytest.raises(ValueError, match="have no names"):
        dps.data.WeightedGraph.read(tmp_path / "a.edges", 4, weight="w", cap=10)
    (tmp_path / "c.edges").write_text("% sym unweighted\n1 2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="its edges have no weights"):
        dps.data.WeightedGraph.read(tmp_path / "c.edges", 4, cap=10)

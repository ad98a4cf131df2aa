"""Edges from files."""

import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpselect.dataset import Dataset, check_dataset
from dpselect.sources import edges


def written(path: Path, text: str) -> Path:
    """Write a text file, compressed when its name says so."""
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "source,target\n3,1\n2,0\n"),
        ("a.csv.gz", "source,target\n3,1\n2,0\n"),
        ("b.csv", "weight,target,source\n.5,1,3\n.1,0,2\n"),
        ("c.csv", '"source","target"\n"3","1"\n"2","0"\n'),
        ("d.csv", "# exported\nsource,target\n3,1\n# half way\n2,0\n"),
        ("a.txt", "# SNAP\n# nodes 4\n3\t1\n2\t0\n"),
        ("a.txt.gz", "3 1\n2 0\n"),
        ("b.txt", "3 1\n\n# in between\n2   0\n"),
        ("c.txt", "  3 \t 1 \r\n2 0\r\n"),
        ("e.csv", "\ufeffsource,target\n3,1\n2,0\n"),
        ("f.csv", "source,target\n3,1\n# a comment, with a comma\n2,0\n"),
        ("g.csv", "  # indented\n\nweight,source,target\n1,3,1\n# 9,9\n# 9,9,9\n1,2,0\n"),
        ("D.CSV", "source,target\n3,1\n2,0\n"),
        ("weights.txt", "3 1 0.42\n2 0 .5\n"),
        ("signed.txt", "3\t1\t4\t1082040961\n2\t0\t-1\t1082040962\n"),
        ("networkx.txt", "3 1 {'weight': 3}\n2 0 {}\n"),
        ("commas.txt", "3,1\n2, 0\n"),
        ("semicolons.txt", "3;1;x\n2 ; 0;\n"),
        ("konect.txt", "% sym unweighted\n% 2 4 4\n3 1\n2 0\n"),
        ("konect.txt.gz", "%3 2\n3 1 1 1082040961\n2 0 1\n"),
        ("mixed.txt", "3 1\n2,0;7\n"),
        ("marked.txt", "\ufeff3\t1\t1\r\n2\t0\t1\r\n"),
    ],
)
def test_every_form_gives_the_same_edges(tmp_path: Path, name: str, text: str) -> None:
    """Comments, blank lines, spacing, quotes, other columns and compression do not matter."""
    source, target, _ = edges.read(written(tmp_path / name, text), kind=int)

    assert ([3, 2], [1, 0]) == (source.tolist(), target.tolist())


def test_parquet_with_numbers_and_with_text(tmp_path: Path) -> None:
    """Integer, text and dictionary columns."""
    for column in (
        pa.array([3, 2], pa.int32()),
        pa.array(["x", "y"]),
        pa.array(["x", "y"]).dictionary_encode(),
    ):
        pq.write_table(pa.table({"source": column, "target": column}), tmp_path / "a.parquet")
        source, target, _ = edges.read(tmp_path / "a.parquet", kind=int if pa.types.is_integer(column.type) else str)
        assert column.to_pylist() == source.tolist() == target.tolist()


def test_text_labels_in_csv(tmp_path: Path) -> None:
    """Labels with spaces stay whole."""
    source, target, _ = edges.read(written(tmp_path / "a.csv", "source,target\nann lee,bob\nbob,eve\n"), kind=str)

    assert (["ann lee", "bob"], ["bob", "eve"]) == (source.tolist(), target.tolist())


def test_text_labels_in_txt(tmp_path: Path) -> None:
    """Two words a line are two labels."""
    source, target, _ = edges.read(written(tmp_path / "a.txt", "ann bob\nbob eve\n"), kind=str)

    assert (["ann", "bob"], ["bob", "eve"]) == (source.tolist(), target.tolist())


def test_a_file_of_comments_has_no_edges(tmp_path: Path) -> None:
    """No edge is not an error."""
    source, target, _ = edges.read(written(tmp_path / "a.txt", "# nothing yet\n"), kind=int)

    assert ([], []) == (source.tolist(), target.tolist())


def test_a_csv_with_a_header_only_has_no_edges(tmp_path: Path) -> None:
    """The same for a header without lines."""
    source, target, _ = edges.read(written(tmp_path / "a.csv", "source,target\n"), kind=str)

    assert ([], []) == (source.tolist(), target.tolist())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "1 2\n3\n"),
        ("a.txt", "# c\n1 2\n\n3 secret 4\n"),
        ("a.txt", "1 2\nnull 3\n"),
        ("a.txt", "1,2\n3,,4\n"),
        ("a.txt", "1,2\n,3\n"),
        ("a.txt", "1 2 5\n3 x 5\n"),
        ("a.csv", "source,target\n1,2\n3\n"),
        ("a.csv", "source,target\n1,2\n3,\n"),
        ("a.csv", "source,target\n,secret\n1,2\n"),
        ("a.csv", "source,target\n1,2\n3,4,secret\n"),
        ("a.csv", 'source,target\n1,2\n"secret,2\n'),
        ("a.csv", "source,target\n1_0,4\n1,2\n"),
        ("a.csv", "source,target\n1,2\n1.0,NaN\n"),
        ("a.csv", "source,target\n1,2\n\u0663,4\n"),
        ("a.csv", f"source,target\n1,2\n{2**63},4\n"),
        ("a.csv.gz", "source,target\n1,2\n\n,\n"),
    ],
)
def test_a_line_that_is_not_an_edge_is_left_out(tmp_path: Path, name: str, text: str) -> None:
    """By itself, and counted: its neighbours are read as if it were not there."""
    source, target, dropped = edges.read(written(tmp_path / name, text), kind=int)
    assert ([1], [2], 1) == (source.tolist(), target.tolist(), dropped)


def test_a_line_that_is_not_text_is_left_out(tmp_path: Path) -> None:
    """No byte of one line spoils another."""
    for name, head in (("a.csv", b"source,target\n"), ("a.txt", b"")):
        separator = b"," if head else b" "
        (tmp_path / name).write_bytes(head + separator.join([b"1", b"2\n"]) + separator.join([b"s\xe9", b"4\n"]))
        assert [[1], [2]] == [end.tolist() for end in edges.read(tmp_path / name, kind=int)[:2]]
        assert "2" == edges.read(tmp_path / name, kind=str)[1].tolist()[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "from,to\n1,2\n", "needs the columns source and target once each.*otherwise, pass ends="),
        ("a.csv", "", "needs the columns"),
        ("a.ods", "x", "a.ods is not an edge file: pass one that ends in .parquet"),
        ("a.duckdb", "x", "is a DuckDB database: pass duckdb://"),
        ("a.csv", "source,target,source\n1,2,3\n", "named in its header"),
    ],
)
def test_headers_and_endings_are_public(tmp_path: Path, name: str, text: str, message: str) -> None:
    """What is refused is the form of the file, not a line."""
    with pytest.raises(ValueError, match=message):
        edges.read(written(tmp_path / name, text), kind=int)


def test_parquet_refusals(tmp_path: Path) -> None:
    """Missing columns, and types that no id has."""
    pq.write_table(pa.table({"a": [1], "target": [2]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="once each, named in its header"):
        edges.read(tmp_path / "a.parquet", kind=int)
    for wrong in ([1.5, float("nan")], [[1], [2]], [True, False]):
        pq.write_table(pa.table({"source": wrong, "target": wrong}), tmp_path / "c.parquet")
        with pytest.raises(ValueError, match="integers or text"):
            edges.read(tmp_path / "c.parquet", kind=int)
    empty = pa.array([], pa.string())
    pq.write_table(pa.table({"source": empty, "target": empty}), tmp_path / "d.parquet")
    assert 0 == edges.read(tmp_path / "d.parquet", kind=str)[0].size


@pytest.mark.parametrize(
    "source",
    [
        pa.array([1, None, 7]),
        pa.array(["1", None, "7"]),
        pa.array(["1", "x", "7"]),
        pa.array(["1", "", "7"]).dictionary_encode(),
        pa.array([1, 2**63 + 5, 7], pa.uint64()),
    ],
)
def test_parquet_edges_are_read_one_by_one(tmp_path: Path, source: pa.Array) -> None:
    """The caller says the kind; the types of the file are what its cells are read from."""
    pq.write_table(pa.table({"source": source, "target": [2, 3, 8]}), tmp_path / "a.parquet")

    assert [[1, 7], [2, 8]] == [end.tolist() for end in edges.read(tmp_path / "a.parquet", kind=int)[:2]]
    assert {"1", "7"} <= set(edges.read(tmp_path / "a.parquet", kind=str)[0].tolist())


def test_text_is_left_as_it_is_when_asked(tmp_path: Path) -> None:
    """Leading zeros are part of a label."""
    for name, text in (("a.csv", "source,target\n007,7\n"), ("a.txt", "007 7\n")):
        source, target, _ = edges.read(written(tmp_path / name, text), kind=str)
        assert (["007"], ["7"]) == (source.tolist(), target.tolist())


def test_commas_and_hashes_in_quotes_belong_to_the_label(tmp_path: Path) -> None:
    """Quotes protect a comma, and a # that would begin a comment."""
    source, target, _ = edges.read(written(tmp_path / "a.csv", 'source,target\n"a,b",c\n"#d",e\n'), kind=str)

    assert (["a,b", "#d"], ["c", "e"]) == (source.tolist(), target.tolist())


def test_both_readers_agree(tmp_path: Path) -> None:
    """A comment at the end sends the same lines to the careful reader."""
    for kind in (int, str):
        for name, text in (("a.csv", "source,target\n3,1\n 2 , 0\n"), ("a.txt", "3 1\n2 0\n")):
            fast = edges.read(written(tmp_path / name, text), kind=kind)
            slow = edges.read(written(tmp_path / name, text + "# end\n"), kind=kind)
            assert [end.tolist() for end in fast[:2]] == [end.tolist() for end in slow[:2]]
            assert [end.dtype for end in fast[:2]] == [end.dtype for end in slow[:2]]
            assert 0 == fast[2] == slow[2]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv.gz", b"source,target\n1,2\n", "not a complete gzip"),
        ("a.txt.gz", gzip.compress(b"1 2\n" * 9999, mtime=0)[:-9], "not a complete gzip"),
        ("a.parquet", b"PAR1", "not a complete parquet"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    """Without a word of what is inside, and without the chain of errors that led there."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=message) as refusal:
        edges.read(tmp_path / name, kind=int)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edge files are optional, and the message names the extra."""
    written(tmp_path / "a.csv", "source,target\n1,2\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[graph\]"'):
        edges.read(tmp_path / "a.csv", kind=int)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is the user's own."""
    with pytest.raises(FileNotFoundError, match="does not exist"):
        edges.read(tmp_path / "nowhere.csv", kind=int)


def test_a_separator_that_was_not_declared_is_advised(tmp_path: Path) -> None:
    """From the header line alone, of which nothing is quoted."""
    (tmp_path / "e.csv").write_text("from;to\na;b\n")
    with pytest.raises(ValueError, match="columns from and to, and its first line looks like semicolons: --separator"):
        edges.read(tmp_path / "e.csv", kind=str, ends=("from", "to"))


@pytest.mark.parametrize(
    "hostile",
    ["7", "7 x", "x 7", ",", ";;", "7,,8", '"7 8', "'7 8", "% 7 8", "# 7 8", "7\x008", "7 8 \x00", "\x1a", "0x1 2",
     "1e3 2", "7\u00a08x", "9" * 400 + " 1", "7 8 " + "9 " * 10_000, "7" + ";" * 10_000, "\ufffd 7"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_hostile_line_moves_no_other(tmp_path: Path, name: str, hostile: str) -> None:
    """Wherever it stands, and whatever form the others have."""
    for form in ("{} {}", "{}\t{}", "{},{}", "{} {} 0.5", "{};{};x"):
        lines = [form.format(place, place + 1) for place in range(0, 40, 2)]
        for at in (0, 7, 20):
            text = "\n".join([*lines[:at], hostile, *lines[at:]])
            source, target, _ = edges.read(written(tmp_path / name, text), kind=int)
            pairs = [*zip(source.tolist(), target.tolist(), strict=True)]
            own = [pair for pair in pairs if pair[0] >= 40 or pair[1] != pair[0] + 1 or pair[0] % 2]
            assert [(place, place + 1) for place in range(0, 40, 2)] == [pair for pair in pairs if pair not in own]
            assert len(own) <= 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_edges_of_two_bytes_a_letter_are_named_as_such(tmp_path: Path, encoding: str) -> None:
    """Refused where the first line says what the file is; where it may be an edge, check says so."""
    for ending, text in {
        ".csv": "source,target\n1,2\n",
        ".mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n",
        ".net": "*Vertices 3\n*Edges\n1 2\n",
        ".gml": "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]\n",
    }.items():
        path = tmp_path / f"a{ending}"
        path.write_bytes(f"\ufeff{text}".encode(encoding))
        with pytest.raises(ValueError, match="is in UTF-16, which is not read here: save the edges as UTF-8"):
            edges.read(path, kind=int)
    for ending in ("txt", "edges"):
        (tmp_path / f"a.{ending}").write_bytes("\ufeff1 2\n2 3\n".encode(encoding))
        lines = check_dataset(Dataset(graph=f"a.{ending}", folder=tmp_path, nodes=5)).lines
        assert "probably: the file is in UTF-16, which is not read here: save it as UTF-8" in lines

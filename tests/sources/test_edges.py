"""Edges from files."""

import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
    ],
)
def test_every_form_gives_the_same_edges(tmp_path: Path, name: str, text: str) -> None:
    """Comments, blank lines, spacing, quotes, other columns and compression do not matter."""
    source, target = edges.read(written(tmp_path / name, text))

    assert ([3, 2], [1, 0]) == (source.tolist(), target.tolist())


def test_parquet_with_numbers_and_with_text(tmp_path: Path) -> None:
    """Integer, text and dictionary columns."""
    for column in (
        pa.array([3, 2], pa.int32()),
        pa.array(["x", "y"]),
        pa.array(["x", "y"]).dictionary_encode(),
    ):
        pq.write_table(pa.table({"source": column, "target": column}), tmp_path / "a.parquet")
        source, target = edges.read(tmp_path / "a.parquet")
        assert column.to_pylist() == source.tolist() == target.tolist()


def test_text_labels_in_csv(tmp_path: Path) -> None:
    """Labels with spaces stay whole."""
    source, target = edges.read(written(tmp_path / "a.csv", "source,target\nann lee,bob\nbob,eve\n"))

    assert (["ann lee", "bob"], ["bob", "eve"]) == (source.tolist(), target.tolist())


def test_text_labels_in_txt(tmp_path: Path) -> None:
    """Two words a line are two labels."""
    source, target = edges.read(written(tmp_path / "a.txt", "ann bob\nbob eve\n"))

    assert (["ann", "bob"], ["bob", "eve"]) == (source.tolist(), target.tolist())


def test_a_file_of_comments_has_no_edges(tmp_path: Path) -> None:
    """No edge is not an error."""
    source, target = edges.read(written(tmp_path / "a.txt", "# nothing yet\n"))

    assert ([], []) == (source.tolist(), target.tolist())


def test_a_csv_with_a_header_only_has_no_edges(tmp_path: Path) -> None:
    """The same for a header without lines."""
    source, target = edges.read(written(tmp_path / "a.csv", "source,target\n"))

    assert ([], []) == (source.tolist(), target.tolist())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "1 2\n3\n", "line 2"),
        ("a.txt", "# c\n1 2\n\n3 secret 4\n", "line 4"),
        ("a.csv", "source,target\n1,2\n3\n", "line 3"),
        ("a.csv", "source,target\n1,2\n3,\n", "line 3"),
        ("a.csv", "source,target\n1,2\n3,4,secret\n", "line 3"),
        ("a.csv", "from,to\n1,2\n", "needs the columns source and target"),
        ("a.csv", "", "needs the columns"),
        ("a.xlsx", "x", "not an edge file"),
        ("a.csv", "source,target,source\n1,2,3\n", "named in its header"),
        ("a.csv", 'source,target\n1,2\n"secret,2\n', "line 3"),
        ("a.csv", "source,target\n,secret\n", "line 2"),
        ("a.txt", "1 2 0.5\n", "line 1"),
    ],
)
def test_malformed_files_are_refused_by_line_number(tmp_path: Path, name, text, message: str) -> None:
    """The number of the line, never its content."""
    with pytest.raises(ValueError, match=message) as refusal:
        edges.read(written(tmp_path / name, text))
    assert "secret" not in str(refusal.value)


def test_parquet_refusals(tmp_path: Path) -> None:
    """Missing columns and empty cells."""
    pq.write_table(pa.table({"a": [1], "target": [2]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="once each, named in its header"):
        edges.read(tmp_path / "a.parquet")
    pq.write_table(pa.table({"source": [1, None], "target": [2, 3]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="empty source or target"):
        edges.read(tmp_path / "b.parquet")
    for wrong in ([1.5, float("nan")], [[1], [2]], [True, False]):
        pq.write_table(pa.table({"source": wrong, "target": wrong}), tmp_path / "c.parquet")
        with pytest.raises(ValueError, match="integers or text"):
            edges.read(tmp_path / "c.parquet")
    empty = pa.array([], pa.string())
    pq.write_table(pa.table({"source": empty, "target": empty}), tmp_path / "d.parquet")
    assert 0 == edges.read(tmp_path / "d.parquet")[0].size


def test_integers_are_digits_only(tmp_path: Path) -> None:
    """A column with one label is text as a whole; "1_0" is not ten, and 2^63 is not an id."""
    for odd in ("1_0", "1.0", "NaN", "null", "٣", str(2**63)):
        source, target = edges.read(written(tmp_path / "a.csv", f"source,target\n{odd},2\n3,4\n"))
        assert ([odd, "3"], ["2", "4"]) == (source.tolist(), target.tolist())
        with pytest.raises(ValueError, match="line 2: source and target must be integers"):
            edges.read(tmp_path / "a.csv", kind=int)


def test_text_is_left_as_it_is_when_asked(tmp_path: Path) -> None:
    """Leading zeros are part of a label."""
    for name, text in (("a.csv", "source,target\n007,7\n"), ("a.txt", "007 7\n")):
        source, target = edges.read(written(tmp_path / name, text), kind=str)
        assert (["007"], ["7"]) == (source.tolist(), target.tolist())


def test_commas_and_hashes_in_quotes_belong_to_the_label(tmp_path: Path) -> None:
    """Quotes protect a comma, and a # that would begin a comment."""
    source, target = edges.read(written(tmp_path / "a.csv", 'source,target\n"a,b",c\n"#d",e\n'))

    assert (["a,b", "#d"], ["c", "e"]) == (source.tolist(), target.tolist())


def test_both_readers_agree(tmp_path: Path) -> None:
    """A comment at the end sends the same lines to the careful reader."""
    for kind in (int, str, None):
        for name, text in (("a.csv", "source,target\n3,1\n 2 , 0\n"), ("a.txt", "3 1\n2 0\n")):
            fast = edges.read(written(tmp_path / name, text), kind=kind)
            slow = edges.read(written(tmp_path / name, text + "# end\n"), kind=kind)
            assert [end.tolist() for end in fast] == [end.tolist() for end in slow]
            assert [end.dtype for end in fast] == [end.dtype for end in slow]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", "source,target\ns\xe9cret,1\n".encode("latin-1"), "not UTF-8"),
        ("a.csv.gz", b"source,target\n1,2\n", "not a complete gzip"),
        ("a.txt.gz", gzip.compress(b"1 2\n" * 9999, mtime=0)[:-9], "not a complete gzip"),
        ("a.parquet", b"PAR1", "not a complete parquet"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    """Without a word of what is inside, and without the chain of errors that led there."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=message) as refusal:
        edges.read(tmp_path / name)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edge files are optional, and the message names the extra."""
    written(tmp_path / "a.csv", "source,target\n1,2\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "dpselect\[graph\]"'):
        edges.read(tmp_path / "a.csv")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is the user's own."""
    with pytest.raises(FileNotFoundError, match="There is no file"):
        edges.read(tmp_path / "nowhere.csv")

"""Edges from files."""

import gzip
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
        ("a.csv", "from,to\n1,2\n", "needs the columns source and target; this one has from, to"),
        ("a.csv", "", "needs the columns"),
        ("a.xlsx", "x", "not an edge file"),
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
    with pytest.raises(ValueError, match="this one has a, target"):
        edges.read(tmp_path / "a.parquet")
    pq.write_table(pa.table({"source": [1, None], "target": [2, 3]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="empty source or target"):
        edges.read(tmp_path / "b.parquet")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is the user's own."""
    with pytest.raises(FileNotFoundError, match="There is no file"):
        edges.read(tmp_path / "nowhere.csv")

"""Lines of JSON: an object on each line, whose keys are the names of columns."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dpselect.data import TableFile
from dpselect.dataset import Dataset, check_dataset
from dpselect.dataset.skeleton import skeleton
from dpselect.sources import json_lines, tables

pytest.importorskip("pyarrow")

# A line, and the cells a and b of it.
LINES = {
    '{"a": 1, "b": "x"}': ("1", "x"),
    '{"b": "x"}': (None, "x"),
    '{"a": 1.50, "b": true}': ("1.50", "true"),
    '{"a": null, "b": [1]}': (None, None),
    '{"a": {"b": 1}, "b": ""}': (None, None),
    '{"a": 1, "a": 2}': ("2", None),
    '{"a": 1e999, "b": NaN}': ("1e999", "NaN"),
    '{"a": ' + "9" * 5000 + "}": ("9" * 5000, None),
    '{"a": "\\ud800", "b": "\\u00e9"}': (None, "é"),
    '{"a": "line\\nbreak"}': ("line\nbreak", None),
    '{"a": "\u2028\x0c"}': (None, None),
    '{"a": 1': (None, None),
    "[1, 2]": (None, None),
    "": (None, None),
    "  ": (None, None),
    "[" * 100_000: (None, None),
    '{"a": 3} {"a": 4}': (None, None),
    '{"a": {"b": 5}, "a.b": 6}': (None, None),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_each_line_is_a_record_of_its_own(ending: str, tmp_path: Path) -> None:
    """Whatever it holds, in one part or in several."""
    path = tmp_path / "a.jsonl"
    path.write_text(ending.join([*LINES, ""]), encoding="utf-8", newline="")
    read = tables.arrows(path, ["a", "b"])

    assert [*LINES.values()] == [*zip(read["a"].to_pylist(), read["b"].to_pylist(), strict=True)]


@pytest.mark.parametrize("at_a_time", [1, 7, 64])
def test_lines_do_not_depend_on_how_they_are_read(
    at_a_time: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Parts of bytes and of lines end anywhere; a mark of UTF-8 is none of the first line."""
    lines = [f'{{"a": {each}, "b": "é{each}"}}' for each in range(50)]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + "\n".join(lines).encode()))
    monkeypatch.setattr(json_lines, "_BYTES", max(at_a_time, 3))
    monkeypatch.setattr(json_lines, "_LINES", at_a_time)
    read = tables.arrows(tmp_path / "a.jsonl.gz", ["a", "b", "none"])

    assert [str(each) for each in range(50)] == read["a"].to_pylist()
    assert [f"é{each}" for each in range(50)] == read["b"].to_pylist()
    assert [None] * 50 == read["none"].to_pylist()


def test_no_line_names_the_columns_of_others(tmp_path: Path) -> None:
    """A first line without a key refuses nothing; check says that no line has it."""
    path = tmp_path / "a.jsonl"
    path.write_text('{}\n{"v": 1}\n{"w": 2}\n')
    lines = check_dataset(Dataset(source=str(path), columns={"v": {"lower": 0, "upper": 5}, "typo": ["a", "b"]})).lines

    assert ["1", "2"] == [
        *filter(None, tables.arrows(path, ["v"])["v"].to_pylist()),
        *filter(None, tables.arrows(path, ["w"])["w"].to_pylist()),
    ]
    assert any(line.startswith("v: 1 numbers, 2 empty") for line in lines)
    assert any(line.startswith("typo: 0 listed, 3 empty") for line in lines)
    for ask in (lambda: TableFile.of(path).columns(), lambda: skeleton(str(path))):
        with pytest.raises(ValueError, match="has no list of its columns: ask about one by its name"):
            ask()
    with pytest.raises(ValueError, match="says itself how it is written"):
        tables.names(path, tables.FileOptions.of(";"))
    with pytest.raises(ValueError, match="says itself how it is written"):
        TableFile.of(path, skip_rows=1).columns(["v"])


@pytest.mark.parametrize(
    ("line", "cell"),
    [
        ('{"a": {"b": {"c": 5}}}', "5"),
        ('{"a.b.c": 6, "a": {"b": {"c": 5}}}', "6"),
        ('{"a.b": {"c": 7}}', "7"),
        ('{"a": {"b.c": true}, "a.b": 1}', "true"),
        ('{"a": {"b": [5]}}', None),
        ('{"a": [{"b": {"c": 5}}]}', None),
        ('{"a": 5}', None),
    ],
)
def test_a_key_in_an_object_is_named_with_a_point(line: str, cell: str | None, tmp_path: Path) -> None:
    """Each line by itself; a key that is written so comes first."""
    (tmp_path / "a.jsonl").write_text(line)

    assert [cell] == tables.arrows(tmp_path / "a.jsonl", ["a.b.c"])["a.b.c"].to_pylist()


def test_check_names_the_keys_of_the_lines(tmp_path: Path) -> None:
    """And what a name that none of them has may mean; lines that hold no object are counted."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"income": 5, "user": {"age": 30}}\n[1]\n\n{"income": 6, "user": {"age": 40, "job": {}}}\n{"in')
    bounds = {"lower": 0, "upper": 90}
    found = check_dataset(
        Dataset(source=str(path), columns={"incme": bounds, "age": bounds, "user": ["x"], "z": ["x"]})
    )

    for line in (
        "keys: income in 2 lines, user.age in 2 lines, user.job in 1 lines",
        "lines that are not objects: 3, whose cells are all empty",
        "incme: no line has this key: is it 'income'?",
        "age: no line has this key: is it 'user.age'?",
        "user: no line has this key: is it 'user.age'?",
        "z: no line has this key",
    ):
        assert line in found.lines
    assert {"income": 2, "user.age": 2, "user.job": 1} == found.facts["keys"]
    right = check_dataset(Dataset(source=str(path), columns={"user.age": bounds}))
    assert "user.age: 2 numbers, 3 empty, 0 not a number; 0 outside of the bounds" in right.lines
    assert not any("no line has this key" in line for line in right.lines)


def test_check_says_that_lines_are_in_another_encoding(tmp_path: Path) -> None:
    """No line decides whether a file is refused, not even the first."""
    (tmp_path / "a.jsonl").write_bytes('\ufeff{"v": 1}\n'.encode("utf-16-le"))
    lines = check_dataset(Dataset(source="a.jsonl", folder=tmp_path, columns={"v": {"lower": 0, "upper": 5}})).lines

    assert "probably: the file is in UTF-16, which is not read here: save it as UTF-8" in lines

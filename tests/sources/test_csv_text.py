"""A csv file is text, whatever its rows hold."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from dpselect.sources import csv_text

pytest.importorskip("pyarrow")


def written(folder: Path, content: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_every_cell_is_text_and_an_empty_one_is_missing(tmp_path: Path, name: str) -> None:
    """Numbers, dates, truth values and codes with leading zeros stay as they are written."""
    path = written(tmp_path, 'zip,day,ok\n01000,2020-01-01,true\n"",NA,nan\n,"a\nb",1.0\n', name)
    columns = csv_text.columns(path, ["ok", "zip", "day"])

    assert {name: column.to_pylist() for name, column in columns.items()} == {
        "zip": ["01000", None, None],
        "day": ["2020-01-01", "NA", "a\nb"],
        "ok": ["true", "nan", "1.0"],
    }


def test_a_header_is_read_without_its_mark_and_names_are_unique(tmp_path: Path) -> None:
    """The mark of UTF-8 belongs to no name; two columns of one name are refused."""
    assert csv_text.header(written(tmp_path, "\ufeffa,b\n1,2\n")) == ["a", "b"]
    assert csv_text.columns(written(tmp_path, "a,b\n1,2\n"), ["c"]) == {}
    with pytest.raises(ValueError, match="two columns called 'a'"):
        csv_text.header(written(tmp_path, "a,a\n1,2\n"))


def test_what_is_not_a_csv_file_is_refused(tmp_path: Path) -> None:
    """Another ending, no file, lines of different lengths, another encoding."""
    with pytest.raises(ValueError, match="is not a table"):
        csv_text.header(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        csv_text.header(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="all lines equally long"):
        csv_text.columns(written(tmp_path, "a,b\n1,2\n1\n"), ["a"])
    (tmp_path / "t.csv").write_bytes(b"a,b\n\xff\xfe,2\n")
    with pytest.raises(ValueError, match="UTF-8"):
        csv_text.columns(tmp_path / "t.csv", ["a"])


def test_texts_that_spell_numbers() -> None:
    """Decimals in ASCII digits, infinities, and what is missing; nothing else."""
    spelled = {"1": 1, "01": 1, "+1.0": 1, " 1\t": 1, ".5": 0.5, "5.": 5, "1e400": math.inf, "-Infinity": -math.inf}

    assert {text: csv_text.number(text) for text in spelled} == spelled
    assert all(math.isnan(csv_text.number(text)) for text in ("", " ", "nan", "NaN", "-nan"))  # type: ignore[arg-type]
    assert [csv_text.number(text) for text in ("1_0", "١", "0x10", "1 0", "1,5", "true", "\n1", "e5", ".")] == [
        None
    ] * 9

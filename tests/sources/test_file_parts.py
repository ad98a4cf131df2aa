"""Tables in several files, named by a pattern."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import dpselect as dps
from dpselect.cli import main
from dpselect.dataset import check_dataset
from tests.sources.ods_files import ods_file

ASKED = ["age", "--lower", "0", "--upper", "100", "--epsilon", "9"]


def write(folder: Path, many: int = 3) -> None:
    """Write parts of 40 rows each, as parquet and as csv."""
    for part in range(many):
        ages = [10 * part + row % 10 for row in range(40)]
        table = pa.table({"age": ages, "job": ["nurse" if age % 2 else "smith" for age in ages]})
        parquet.write_table(table, folder / f"part-{part}.parquet")
        rows = "\n".join(f"{age},{job}" for age, job in zip(*table.to_pydict().values(), strict=True))
        (folder / f"part-{part}.csv").write_text(f"age,job\n{rows}\n", encoding="utf-8")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_pattern_reads_all_files_that_match(tmp_path: Path, ending: str) -> None:
    """One after the other by name, with conditions and persons as in one file."""
    write(tmp_path)
    column = dps.data.Column.read(tmp_path / f"part-*.{ending}", "age", kind="integer", where="job = nurse")

    assert [age for part in range(3) for age in 4 * [10 * part + odd for odd in (1, 3, 5, 7, 9)]] == [
        *column.values.tolist()
    ]
    release = dps.counts(tmp_path / f"part-*.{ending}", epsilon=60, column="job", domain=["nurse", "smith"])
    assert {"nurse": 60, "smith": 60} == dict(release.value)


def test_a_command_reads_a_pattern_without_in_place(tmp_path: Path, monkeypatch, capsys) -> None:
    """And says what to do where nothing matches."""
    write(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert 0 == main(["median", "part-*.parquet", *ASKED])
    assert 2 == main(["median", "parts-*.parquet", *ASKED])
    assert 2 == main(["median", "parts-*.parquet", *ASKED, "--in-place"])
    sentence = "dpselect median: No file matches parts-*.parquet: check the folder and the pattern, and put quotes "
    assert 2 == capsys.readouterr().err.count(sentence)


def test_parts_share_columns_and_types(tmp_path: Path) -> None:
    """By headers and schemas alone, which are public."""
    write(tmp_path, 2)
    parquet.write_table(pa.table({"age": ["x"], "job": ["nurse"]}), tmp_path / "part-9.parquet")
    (tmp_path / "part-9.csv").write_text("job,age\nnurse,3\n", encoding="utf-8")

    with pytest.raises(ValueError, match="'age' has another type in some of the files that match"):
        dps.data.Column.read(tmp_path / "part-*.parquet", "age")
    with pytest.raises(ValueError, match="have different columns"):
        dps.data.Column.read(tmp_path / "part-*.csv", "age")


def test_a_file_whose_name_holds_a_star_is_that_file(tmp_path: Path) -> None:
    """No other one is read with it."""
    (tmp_path / "a*.csv").write_text("age\n3\n", encoding="utf-8")
    (tmp_path / "ab.csv").write_text("age\n4\n", encoding="utf-8")

    assert [3] == dps.data.Column.read(tmp_path / "a*.csv", "age", kind="integer").values.tolist()


def put(path: Path, ages: list[int]) -> None:
    """A part of a kind of which a check says more than of other kinds."""
    kind = path.suffix[1:]
    if kind == "xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in [["age"], *([age] for age in ages)]:
            book.active.append(row)
        book.active["A2"].number_format = "0 %"
        book.active.row_dimensions[3].hidden = True
        book.save(path)
    elif kind == "ods":
        ods_file(path, [["age"], *([age] for age in ages)])
    elif kind == "jsonl":
        path.write_text("\n".join(f'{{"age": {age}}}' for age in ages))
    elif kind in ("sav", "dta"):
        frame = pytest.importorskip("pandas").DataFrame({"age": [float(age) for age in ages]})
        write = getattr(pytest.importorskip("pyreadstat"), f"write_{kind}")
        write(frame, str(path), variable_value_labels={"age": {99: f"refused in {path.stem}"}})
    else:
        table = pa.table({"age": ages})
        feather.write_feather(table, path) if kind == "feather" else parquet.write_table(table, path)


@pytest.mark.parametrize("ending", ["xlsx", "ods", "jsonl", "sav", "dta", "feather", "parquet"])
def test_a_check_reads_a_pattern(tmp_path: Path, ending: str) -> None:
    """Whatever it says of one file it says of all of them."""
    for part in (1, 2):
        put(tmp_path / f"part-{part}.{ending}", [7, 8, 99])
    columns = {"age": {"lower": 0, "upper": 50}}
    found = check_dataset(dps.Dataset(source=f"part-*.{ending}", folder=tmp_path, columns=columns))

    assert "age: 6 numbers, 0 empty, 0 not a number; 2 outside of the bounds" in "\n".join(found.lines)
    if ending == "xlsx":
        assert (2, {"age": 2}) == (found.facts["hidden_rows"], found.facts["percents"])
    if ending in ("sav", "dta"):
        assert any("99 is 'refused in part-" in line for line in found.lines)

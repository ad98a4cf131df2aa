"""Files of SPSS and Stata: labels are categories, and what the file declares as missing is missing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.data import TableFile
from dpselect.dataset import Dataset, check_dataset
from dpselect.ledger import InMemoryLedger
from dpselect.ledger.composition import Terms
from dpselect.sources import tables
from dpselect.sources.table_batches import batches

pytest.importorskip("pyarrow")
pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS and Stata need the extra statistics")
pandas = pytest.importorskip("pandas")

LABELS = {"sex": {1: "male", 2: "female", 9: "no answer"}, "party": {"a": "Party A"}}


def survey(folder: Path, ending: str = "sav", rows: int = 4) -> Path:
    """A file as an institute hands it out."""
    frame = pandas.DataFrame(
        {
            "income": [2420.0, 99999.0, 1999.5, None],
            "sex": [1.0, 2.0, 9.0, 3.0],
            "party": ["a", "b", "", "ZZZZ"],
            "since": [date(2025, 12, 31), None, date(1582, 10, 16), date(9999, 12, 31)],
            "at": [datetime(2025, 12, 31, 8, 5), datetime(2025, 1, 1), None, datetime(1969, 12, 31, 23, 59, 59)],
        }
    ).head(rows)
    path, how = folder / f"a.{ending}", {"variable_value_labels": LABELS}
    if ending == "sav":
        missing = {"income": [99999], "sex": [{"lo": 9, "hi": 10}]}
        pyreadstat.write_sav(frame, str(path), missing_ranges=missing, **how)
    else:
        frame["since"] = frame["since"].replace({date(1582, 10, 16): date(1960, 1, 1)})
        pyreadstat.write_dta(frame, str(path), variable_value_labels={"sex": LABELS["sex"]})
    return path


def cells(path: Path, name: str) -> list[Any]:
    """The cells of a column."""
    return list(TableFile.of(path).columns()[name])


def test_what_spss_declares_is_what_is_read(tmp_path: Path) -> None:
    """Labels, values that stand for missing ones, dates and moments of its own calendar."""
    path = survey(tmp_path)

    assert ["income", "sex", "party", "since", "at"] == tables.names(path)
    assert ["2420", None, "1999.5", None] == cells(path, "income")
    assert ["male", "female", None, "3"] == cells(path, "sex")
    assert ["Party A", "b", None, "ZZZZ"] == cells(path, "party")
    assert ["2025-12-31", None, "1582-10-16", "9999-12-31"] == cells(path, "since")
    assert ["2025-12-31 08:05:00", "2025-01-01", None, "1969-12-31 23:59:59"] == cells(path, "at")


def test_what_stata_declares_is_what_is_read(tmp_path: Path) -> None:
    """The same of another calendar."""
    path = survey(tmp_path, "dta")

    assert ["male", "female", "no answer", "3"] == cells(path, "sex")
    assert ["2025-12-31", None, "1960-01-01", "9999-12-31"] == cells(path, "since")
    assert ["2025-12-31 08:05:00", "2025-01-01", None, "1969-12-31 23:59:59"] == cells(path, "at")


def test_labels_are_asked_about(tmp_path: Path) -> None:
    """By their words; of a column of numbers, the codes are read."""
    path = survey(tmp_path, "dta")
    with dps.budget(epsilon=1000):
        counted = dps.counts(path, column="sex", domain=["female", "male", 3], epsilon=100).value

    assert {"female": 1, "male": 1, 3: 1} == counted
    assert [1, 2, 9, 3] == dps.data.Column.read(path, "sex").values.tolist()


def test_bytes_of_another_encoding_spoil_their_own_cell(tmp_path: Path) -> None:
    """And refuse no file, as the reader itself would."""
    path = survey(tmp_path)
    written = path.read_bytes()
    assert 1 == written.count(b"ZZZZ")
    path.write_bytes(written.replace(b"ZZZZ", b"\xff\xfe\xff\xfe"))

    with pytest.raises(Exception, match="encoding"):
        pyreadstat.read_sav(str(path))
    assert ["Party A", "b", None, None] == cells(path, "party")


@pytest.mark.parametrize(
    "form", ["DATE11", "ADATE10", "EDATE10", "SDATE10", "JDATE7", "QYR8", "MOYR8", "WKYR10", "DATETIME20"]
)
def test_every_format_of_dates_is_one(form: str, tmp_path: Path) -> None:
    """Whatever of a date it shows; other numbers are none."""
    pyreadstat.write_sav(
        pandas.DataFrame({"day": [13_800_067_200.0], "number": [13_800_067_200.0]}),
        str(tmp_path / "a.sav"),
        variable_format={"day": form},
    )

    assert ["2020-02-03"] == cells(tmp_path / "a.sav", "day")
    assert ["13800067200"] == cells(tmp_path / "a.sav", "number")


def test_a_date_beyond_every_calendar_is_missing_alone(tmp_path: Path) -> None:
    """A number of seconds that no date has."""
    frame = pandas.DataFrame({"day": [0.0, 1e300, -1e300, 13_800_000_000.0, None]})
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_format={"day": "DATE11"})

    assert [None, None, "2020-02-02 05:20:00", None] == cells(tmp_path / "a.sav", "day")[1:]


def test_parts_are_read_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their size."""
    from dpselect.sources import statistics_files

    whole = {name: cells(survey(tmp_path), name) for name in ("income", "since")}
    for size in (1, 2, 3, 4, 5):
        monkeypatch.setattr(statistics_files, "_ROWS", size)
        assert whole == {name: cells(tmp_path / "a.sav", name) for name in whole}


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    """In one sentence that quotes nothing."""
    path = survey(tmp_path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"^a.sav is not a complete file of SPSS or Stata\.$"):
        tables.names(path)


@pytest.mark.parametrize(
    ("unit", "days"),
    [
        ("tw", ["2025-12-24", "1959-11-26", None]),
        ("ty", ["2025", "1959", None]),
        ("tm", ["2025-12-01", "1959-12-01", None]),
        ("tq", ["2025-10-01", "1959-10-01", None]),
        ("th", ["2025-07-01", "1959-07-01", None]),
    ],
)
def test_periods_of_stata_are_their_first_day(tmp_path: Path, unit: str, days: list[str | None]) -> None:
    """Such a number counts periods since 1960, and the file says so; a year is a number. Weeks begin on January 1."""
    frame = pandas.DataFrame({"at": pandas.to_datetime(["2025-12-28", "1959-12-01", None])})
    frame.to_stata(tmp_path / "a.dta", convert_dates={"at": unit}, write_index=False)

    assert days == cells(tmp_path / "a.dta", "at")


def likert(folder: Path, ending: str) -> Path:
    """A scale of which only the ends have labels, as institutes hand it out, and one code for no answer."""
    path, labels = folder / f"b.{ending}", {"trust": {1: "not at all", 7: "fully", -9: "no answer"}}
    frame = pandas.DataFrame({"trust": [1.0, 4.0, 7.0, 7.0, 7.0, -9.0] * 50, "who": [*range(300)]})
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    write(frame, str(path), variable_value_labels=labels)
    return path


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_scale_with_labels_at_its_ends_is_one_of_numbers(ending: str, tmp_path: Path) -> None:
    """What is declared decides: with bounds a cell is its code, in a list it is its label."""
    path, bounds = likert(tmp_path, ending), {"lower": 1, "upper": 7}
    numbers = Dataset(source=str(path), columns={"trust": bounds}, missing=["no answer"])
    names = Dataset(source=str(path), columns={"trust": ["not at all", "fully", 4]})

    assert ["1", "4", "7", "7", "7", "-9"] == tables.column(path, "trust").to_pylist()[:6]
    assert ["not at all", "4", "fully"] == cells(path, "trust")[:3]
    assert "trust: 250 numbers, 50 empty, 0 not a number; 0 outside of the bounds" in check_dataset(numbers).lines
    assert (
        "trust: 300 numbers, 0 empty, 0 not a number; 50 outside of the bounds, such as '-9'; "
        "-9 is 'no answer' in the file: missing = [\"-9\"] leaves them out"
    ) in check_dataset(replace(numbers, missing=())).lines
    assert any(line.startswith("trust: 250 listed, 0 empty, 50 not") for line in check_dataset(names).lines)
    with dps.budget(epsilon=10_000):
        for table in (numbers, Dataset(source=str(path), columns={"trust": bounds}, missing=["-9"])):
            data = dps.open(table, ledger=InMemoryLedger(Terms.of(10_000, 0, table.neighbours, "", "sum")))
            assert 7 == data.quantiles("trust", p=[90], epsilon=500).value[0]
            assert 1 == data.quantiles("trust", p=[10], epsilon=500).value[0]
        counted = dps.counts(path, column="trust", domain=["not at all", "fully"], epsilon=500).value
    assert {"not at all": 50, "fully": 150} == counted


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize(
    ("where", "many"),
    [
        ("trust >= 5", 150),
        ("trust = 4", 50),
        ("trust = fully", 150),
        ("trust > 0 and trust != fully", 100),
        ("trust = 1 or trust = 'no answer'", 100),
    ],
)
def test_a_condition_compares_codes_with_numbers_and_labels_with_text(
    where: str, many: int, ending: str, tmp_path: Path
) -> None:
    """As it is written, in one part or in several."""
    path = likert(tmp_path, ending)
    reading = tables.FileOptions.of(where=where)

    assert many == len(tables.arrows(path, ["who"], reading)["who"])
    assert many == sum(len(each["who"]) for each in batches(path, ["who"], reading))
    assert {"trust", "who"} == {*tables.arrows(path, ["who", "trust", "none"], reading)}


def test_years_of_stata_are_numbers_and_check_says_how_to_ask_for_them(tmp_path: Path) -> None:
    """They are neither dates nor first days, whatever their format is called."""
    frame = pandas.DataFrame({"born": [1968.0, 1968.0, 2001.0, None]})
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), variable_format={"born": "%ty"})
    dates = {"born": {"lower": "1900-01-01", "upper": "2025-12-31", "step": "year"}}
    said = check_dataset(Dataset(source="a.dta", folder=tmp_path, columns=dates)).lines[-1]

    assert "0 dates, 1 empty, 3 not a date, such as '1968'" in said
    assert said.endswith("; years are asked as numbers: lower = 1900, upper = 2025")
    read = check_dataset(Dataset(source="a.dta", folder=tmp_path, columns={"born": {"lower": 1900, "upper": 2025}}))
    assert "born: 3 numbers, 1 empty, 0 not a number; 0 outside of the bounds" in read.lines
    release = dps.counts(tmp_path / "a.dta", epsilon=500, column="born", domain=[1968, 2001])
    assert {1968: 2, 2001: 1} == dict(release.value)

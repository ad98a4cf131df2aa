"""Dates on the command line: bounds, steps and answers of a file that no description describes."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.cli.dataset_options import STEPS
from dpselect.sources import days
from tests.cli.test_command_registry import refusal

YEAR = ["--lower", "2025-01-01", "--upper", "2025-12-31"]
SURE = ["--epsilon", "20", "--yes"]


@pytest.fixture
def visits(tmp_path: Path) -> str:
    """A visit on each of the first 300 days of a year, which two zones share in turn."""
    each = [date(2025, 1, 1) + timedelta(days=day) for day in range(300)]
    lines = ["name,when,zone", *(f"p{place},{day},{'NS'[place % 2]}" for place, day in enumerate(each))]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def titled(tmp_path: Path) -> str:
    """The same days below a title, as they are written in Germany, with percents."""
    each = [date(2025, 1, 1) + timedelta(days=day) for day in range(300)]
    lines = ["Besuche", "", "when;share", *(f"{day:%d.%m.%Y};{place % 100} %" for place, day in enumerate(each))]
    path = tmp_path / "titled.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    """Return what a command prints for programs."""
    assert 0 == main([*arguments, *SURE, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("step", "median"),
    [("week", "2025-05-26"), ("month", "2025-05-01"), ("quarter", "2025-04-01")],
)
def test_a_median_is_the_first_day_of_its_period(visits, capsys, step, median) -> None:
    """It lies in the middle of the 300 days, the 30th and 31st of May."""
    assert [median] == answer(capsys, "median", visits, "when", *YEAR, "--step", step)["candidates"]


def test_without_a_step_answers_are_days(visits, capsys) -> None:
    """So is the answer of a description."""
    (median,) = answer(capsys, "median", visits, "when", *YEAR)["candidates"]

    assert abs(date.fromisoformat(median) - date(2025, 5, 30)) <= timedelta(days=3)


def test_quantiles_of_dates(visits, capsys) -> None:
    """Several are halved, and one is chosen by a mechanism: all of them are first days of months."""
    asked = ["quantiles", visits, "when", *YEAR, "--step", "month"]

    assert ["2025-03-01", "2025-08-01"] == answer(capsys, *asked, "--p", "25", "75")["candidates"]
    assert ["2025-09-01"] == answer(capsys, *asked, "--p", "90")["candidates"]
    assert ["2025-09-01"] == answer(capsys, *asked, "--p", "90", "--mechanism", "exponential")["candidates"]


def test_counts_of_dates(visits, capsys) -> None:
    """Each period is a value, and the last one has only 27 days."""
    counts = answer(capsys, "histogram", visits, "when", *YEAR, "--step", "quarter")["counts"]

    assert [f"2025-Q{number}" for number in (1, 2, 3, 4)] == [each["value"] for each in counts]
    assert all(abs(each["count"] - days) <= 3 for each, days in zip(counts, (90, 91, 92, 27), strict=True))


def test_medians_of_dates_in_groups(visits, capsys) -> None:
    """Every public group has one."""
    said = answer(capsys, "median", visits, "when", *YEAR, "--step", "quarter", "--by", "zone", "--groups", "N,S")

    assert [("N", ["2025-04-01"]), ("S", ["2025-04-01"])] == [(g["group"], g["candidates"]) for g in said["groups"]]


def test_a_file_as_people_write_it(titled, capsys) -> None:
    """Options say a title, an order of dates and a unit, as keys of a description do."""
    how = ["--skip-rows", "2", "--separator", ";", "--decimal", ","]
    dates = ["median", titled, "when", *YEAR, "--step", "month", *how, "--date-order", "dmy"]
    shares = ["median", titled, "share", "--lower", "0", "--upper", "100", *how, "--unit", "%"]

    assert ["2025-05-01"] == answer(capsys, *dates)["candidates"]
    (share,) = answer(capsys, *shares)["candidates"]
    assert 45 <= share <= 54


def test_check_reads_dates(visits, capsys) -> None:
    """The curator sees how many cells are dates."""
    assert 0 == main(["check", visits, "when", *YEAR, "--step", "month"])

    assert "when: 300 dates, 0 empty, 0 not a date; 0 outside of the bounds" in capsys.readouterr().out


def test_describe_skips_a_title(titled, capsys) -> None:
    """The names stand in the third line, and the description says so."""
    assert 0 == main(["describe", titled, "--skip-rows", "2", "--separator", ";"])

    said = capsys.readouterr().out
    assert "skip_rows = 2\n" in said
    assert "when  = {" in said


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        (["--lower", "2025-01-01", "--upper", "7"], "or all three as numbers"),
        (["--lower", "7", "--upper", "2025-01-01"], "or all three as numbers"),
        ([*YEAR, "--step", "3"], "or all three as numbers"),
        (["--lower", "0", "--upper", "7", "--step", "month"], "or all three as numbers"),
        (["--lower", "2025-01-01"], "pass --lower and --upper"),
        ([*YEAR, "--step", "months"], "--step: 'months' is not a step"),
        (["--lower", "2025-02-30", "--upper", "2025-12-31"], "--lower: '2025-02-30' is not a day of the calendar"),
        (["--lower", "2025-12-31", "--upper", "2025-01-01"], "--lower must be below --upper"),
        (["--lower", "2025-01-01", "--upper", "2025-01-30", "--step", "year"], "--step: lower lies in an earlier year"),
    ],
)
def test_bounds_that_go_with_nothing(visits, capsys, bounds, sentence) -> None:
    """One sentence says what to write."""
    assert sentence in refusal(["median", visits, "when", *bounds, "--epsilon", "1"], capsys)


def test_steps_are_those_of_the_library() -> None:
    """A page of help names them without NumPy."""
    assert days.STEPS == STEPS


def test_the_most_common_periods(tmp_path, monkeypatch, capsys) -> None:
    """Periods of dates are values, by bounds on the command line as in a description."""
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("at,job\n" + "".join(f"2025-{2 + (row % 3 == 0):02}-03,a\n" for row in range(300)))
    line = ["most-common", "v.csv", "at", "--epsilon", "9"]
    days = ["--lower", "2025-01-01", "--upper", "2025-12-31", "--step", "month"]

    assert 0 == main([*line, *days, "--k", "2"])
    assert ["1  2025-02", "2  2025-03"] == [each.strip() for each in capsys.readouterr().out.splitlines()[:2]]
    for wrong, said in (
        (["--lower", "1", "--upper", "9"], "--lower and --upper are dates here"),
        ([*days, "--domain", "a,b"], "--domain lists other values: pass one of the two"),
        (days[:2], "pass --lower and --upper"),
    ):
        assert 2 == main([*line, *wrong])
        assert said in capsys.readouterr().err


def test_an_answer_that_no_ledger_records_is_said_to_be_none(tmp_path, monkeypatch, capsys) -> None:
    """Of a description without a budget; Python and a publication refuse it."""
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("job\n" + "a\n" * 90 + "b\n" * 9)
    Path("v.toml").write_text('source = "v.csv"\n[columns]\njob = ["a", "b"]\n')
    assert 0 == main(["most-common", "v.toml", "job", "--epsilon", "9"])
    said = "no ledger recorded this spend: add [budget] to the description, or name one by --ledger"
    assert said in capsys.readouterr().err
    main(["budget", "create", "v.ledger", "--epsilon", "20", "--dataset", "v"])
    capsys.readouterr()
    assert 0 == main(["most-common", "v.toml", "job", "--epsilon", "9", "--ledger", "v.ledger"])
    assert "" == capsys.readouterr().err
    with pytest.raises(dps.BudgetError, match="has no budget"):
        dps.open("v.toml").most_common("job", epsilon=9)

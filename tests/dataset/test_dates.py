"""Columns of dates in a description: bounds, steps, queries, the order of a person's rows, and what check says."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset, DatasetError, DateDomain, check_dataset
from dpselect.ledger import InMemoryLedger
from dpselect.ledger.composition import Terms
from dpselect.queries import LocalDataset

SAID = """
source = "a.csv"
separator = ";"
date_order = "dmy"

[columns]
since = {lower = 2024-01-01, upper = 2025-12-31, step = "quarter"}
region = ["N", "S"]
"""
DAYS = [date(2024, 1, 1) + timedelta(days=9 * each) for each in range(80)]


def described(folder: Path, more: str = "", days: list[str] | None = None) -> Dataset:
    """A table of text, of which nothing is declared but the order of day, month and year."""
    texts = [f"{day.day}.{day.month}.{day.year}" for day in DAYS] if days is None else days
    rows = [f"{text};{'NS'[place % 2]};{place % 40};{place}" for place, text in enumerate(texts)]
    (folder / "a.csv").write_text("\n".join(["since;region;who;v", *rows]), encoding="utf-8")
    head, columns = SAID.split("[columns]")
    (folder / "a.toml").write_text(f"{head}{more}\n[columns]{columns}", encoding="utf-8")
    return Dataset.load(folder / "a.toml")


def asked(dataset: Dataset) -> LocalDataset:
    """With a budget at which noise is nothing."""
    return dps.open(dataset, ledger=InMemoryLedger(Terms.of(10000, 0, dataset.neighbours, "", "sum")))


def test_dates_are_said_loaded_and_written(tmp_path: Path) -> None:
    """As TOML has them, as text, and in Python."""
    dataset = described(tmp_path)
    spelled = {"lower": "2024-01-01", "upper": "2025-12-31", "step": "quarter"}
    facts = {"source": "a.csv", "separator": ";", "date_order": "dmy"}
    same = Dataset(**facts, columns={"since": spelled, "region": ["N", "S"]}, folder=tmp_path)

    assert dataset == same
    assert dataset.digest == same.digest
    assert DateDomain(date(2024, 1, 1), date(2025, 12, 31), "quarter") == dataset.columns["since"]
    assert 'since = {lower = 2024-01-01, upper = 2025-12-31, step = "quarter"}' in dataset.dump()
    (tmp_path / "b.toml").write_text(dataset.dump(), encoding="utf-8")
    assert dataset.digest == Dataset.load(tmp_path / "b.toml").digest
    assert {"since": [date(2024, 1, 1)], "region": ["N"]} == dataset.synthetic()


WRONG: list[tuple[Any, str]] = [
    ({"lower": "2024-01-01", "upper": 7}, "columns.d.upper: upper is a real number, or a date"),
    ({"lower": "2024-02-30", "upper": "2025-01-01"}, "columns.d.lower: lower is a real number, or a date"),
    ({"lower": "2024-01-01", "upper": "2024-01-31", "step": "month"}, "columns.d.step: lower lies in an earlier month"),
    ({"lower": "2024-01-01", "upper": "2025-01-31", "step": 1}, "columns.d.step: .* is day, week, month, quarter"),
    ({"lower": "2024-01-01"}, "columns.d: upper is missing: write {lower = ..., upper = ..., step = ...}"),
    ({"lower": "2024-01-01", "upper": "2025-01-31", "to": 1}, "columns.d.to: this key does not exist"),
]


@pytest.mark.parametrize("said, sentence", WRONG, ids=str)
def test_bounds_that_are_not_dates_are_refused(said: Any, sentence: str) -> None:
    """With the key that is wrong."""
    with pytest.raises(DatasetError, match=sentence):
        Dataset(source="a.csv", columns={"d": said})


def test_queries_count_by_periods(tmp_path: Path) -> None:
    """Medians, quantiles, counts and groups, of text that no decimal mark is asked of."""
    data = asked(described(tmp_path))
    quarters = [f"{year}-Q{each}" for year in (2024, 2025) for each in range(1, 5)]
    true = {name: sum(f"{day.year}-Q{(day.month + 2) // 3}" == name for day in DAYS) for name in quarters}

    assert date(2024, 10, 1) == data.median("since", epsilon=500).value
    assert true == data.histogram("since", epsilon=500).value
    assert [*true] == [*data.by("since").histogram("region", epsilon=500).value]
    answer = data.median("since", epsilon=500).certificate().content["answer"]
    assert {"candidates": ["2024-10-01"]} == answer
    assert data.most_common("since", k=1, epsilon=500).value[0] in quarters


REFUSED = [
    {"query": "select", "candidate": "since", "score": "largest-count", "epsilon": 1},
    {"query": "train", "target": "since", "features": ["region"], "epsilon": 1},
    {"query": "train", "target": "region", "features": ["since"], "epsilon": 1},
]


@pytest.mark.parametrize("query", REFUSED, ids=str)
def test_questions_that_take_no_dates_say_which_do(query: dict[str, Any], tmp_path: Path) -> None:
    """Before anything is spent, from one place."""
    data = asked(described(tmp_path))
    with pytest.raises(ValueError, match="ask for medians, quantiles, counts or groups of it"):
        data.ask(dps.queries.query_of(query))


def test_the_check_says_what_is_not_a_date(tmp_path: Path) -> None:
    """For the curator alone."""
    days = ["31.12.2024", "2025-01-01", "31.12.1999", "1.1.2026", "12/31/2024", "", "soon"]
    check = check_dataset(described(tmp_path, days=days))
    line = (
        "since: 4 dates, 1 empty, 2 not a date, such as '12/31/2024'; 'soon'; 2 outside of the bounds, such as "
        "'31.12.1999'; '1.1.2026'"
    )

    assert line in check.lines
    assert {"dates": 4, "empty": 1, "not_a_date": 2, "outside": 2}.items() <= check.facts["columns"]["since"].items()
    text = (tmp_path / "a.toml").read_text(encoding="utf-8").replace('date_order = "dmy"', "")
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    lines = check_dataset(Dataset.load(tmp_path / "a.toml")).lines
    assert any(line.endswith('2025-12-31 is read, and 31.12.2025 with date_order = "dmy"') for line in lines)


def test_the_first_rows_of_a_person_are_first_by_date(tmp_path: Path) -> None:
    """However text writes dates, in a file and in memory."""
    more = 'person = "who"\norder = "since"\n'
    days = [f"{day.day}.{day.month}.{day.year}" for day in reversed(DAYS)]
    dataset = described(tmp_path, more, days)
    earliest = DAYS[:40]
    true = sum(day < date(2024, 10, 1) for day in earliest)

    assert true == sum([*asked(dataset).histogram("since", epsilon=500).value.values()][:3])
    frame = {name: [*map(str, cells)] for name, cells in dataset.rows(["since", "region", "who"]).items()}
    assert sorted(frame["since"], reverse=False) == frame["since"]

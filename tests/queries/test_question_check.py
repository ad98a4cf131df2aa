"""What a question understands of the rows: for the curator alone, of its own columns, and for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.ledger import InMemoryLedger
from dpselect.queries import QUERIES, Query

pytest.importorskip("pyarrow")
# Which columns each question is about, and how it is asked.
ASKED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "median": ({"column": "income"}, ["income"]),
    "quantiles": ({"column": "age", "q": [0.5], "by": "job"}, ["age", "job"]),
    "histogram": ({"column": "job"}, ["job"]),
    "most_common": ({"column": "job"}, ["job"]),
    "select": ({"candidate": "job", "score": "largest-total", "of": "age"}, ["age", "job"]),
    "train": ({"target": "job"}, ["age", "income", "job"]),
    "best": ({"score": "avg(age)", "by": "job", "prior": "5:40"}, ["job"]),
    "synthesize": ({"delta": 1e-6, "columns": ["age", "job"]}, ["age", "job"]),
    "partitions": ({"column": "word", "per_person": 1, "delta": 1e-6}, ["word"]),
}
COLUMNS = {
    "income": {"lower": 0, "upper": 10_000, "step": 100},
    "age": {"lower": 0, "upper": 120},
    "job": ["nurse", "smith"],
    "word": "unlisted",
}


def officer(folder: Path, rows: int = 2075, grouped: int = 1986, **how: Any) -> Dataset:
    """A file of which most incomes have a sign between groups of digits."""
    path = folder / "erhebung.csv"
    lines = [
        f"{'2.420,34' if row < grouped else '900,00'};{row % 90};{'nurse' if row % 2 else 'Nurse'};w{row % 3};p{row}"
        for row in range(rows)
    ]
    path.write_text("\n".join(["income;age;job;word;who", *lines]))
    return Dataset(source=str(path), columns=COLUMNS, budget={"epsilon": 10}, separator=";", **how)


def query(name: str) -> Query[Any]:
    """The question of this name, as it is asked here."""
    return QUERIES[name](epsilon=1, **ASKED[name][0])


def test_the_first_line_says_what_is_left_out(tmp_path: Path) -> None:
    """Before anything is paid for: a point in a number, and capitals."""
    data = dps.open(officer(tmp_path, decimal="."))
    line = data.check_of(query("median")).first_line

    assert "private, for you alone: 2,075 of 2,075 cells of income were not read as numbers" == line
    assert "0 of 2,075 cells of income" in dps.open(officer(tmp_path, decimal=",")).check_of(query("median")).first_line
    assert data.check_of(query("most_common")).first_line.endswith("1,038 of 2,075 cells of job were not in its list")


@pytest.mark.parametrize("name", [name for name, each in QUERIES.items() if not each.of_graph])
def test_each_question_is_checked_by_its_own_columns(name: str, tmp_path: Path) -> None:
    """And nothing is spent."""
    ledger = InMemoryLedger({"epsilon": 1})
    persons = {"person": "who"} if name == "partitions" else {}
    check = dps.open(officer(tmp_path, decimal=",", **persons), ledger=ledger).check_of(query(name))

    assert ASKED[name][1] == sorted(check.facts["columns"])
    assert () == ledger.events
    assert "1038" not in repr(check)


def test_persons_are_counted(tmp_path: Path) -> None:
    """Rows of nobody are left out too."""
    path = tmp_path / "t.csv"
    path.write_text("who,age\nann,30\n,31\nann,x\n")
    data = dps.open(
        Dataset(source=str(path), columns={"age": {"lower": 0, "upper": 120}}, person="who", rows_per_person=2)
    )
    asked = QUERIES["median"](column="age", epsilon=1)

    assert data.check_of(asked).first_line.endswith(
        "1 of 3 cells of age were not read as numbers; 1 of 3 rows are of nobody"
    )


def test_dates_are_counted(tmp_path: Path) -> None:
    """Those that are not read as dates."""
    path = tmp_path / "t.csv"
    path.write_text("day\n2025-01-31\n31.01.2025\n")
    data = dps.open(Dataset(source=str(path), columns={"day": {"lower": "2025-01-01", "upper": "2025-12-31"}}))
    asked = QUERIES["median"](column="day", epsilon=1)

    assert data.check_of(asked).first_line.endswith(": 1 of 2 cells of day were not read as dates")


def test_names_that_no_list_holds_are_left_out_where_they_are_empty(tmp_path: Path) -> None:
    """None of them is a number, and none need be."""
    path = tmp_path / "t.csv"
    path.write_text("who,word\nann,tea\nann,\nbob,7\n")
    data = dps.open(Dataset(source=str(path), columns={"word": "unlisted"}, person="who"))
    asked = QUERIES["partitions"](column="word", per_person=1, delta=1e-6, epsilon=1)

    assert ": 1 of 3 cells of word were not filled; 0 of 3 rows" in data.check_of(asked).first_line


def test_a_graph_is_checked(tmp_path: Path) -> None:
    """By the lines that are edges between its public nodes."""
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n7 9\nnothing\n")
    data = dps.open(Dataset(graph=str(path), nodes=5))
    asked = QUERIES["top_k"](metric="degree", epsilon=1)

    assert data.check_of(asked).first_line.endswith("2 of 4 lines are not edges between the public nodes")


def test_a_question_about_another_column_is_refused(tmp_path: Path) -> None:
    """Before a row is read."""
    data = dps.open(officer(tmp_path, decimal=","))

    with pytest.raises(ValueError, match="shoe"):
        data.check_of(QUERIES["median"](column="shoe", epsilon=1))


def test_the_first_line_says_how_many_numbers_lie_outside() -> None:
    """Such as codes of those who did not answer: each counts as the nearest bound."""
    columns = {"age": {"lower": 0, "upper": 120}}
    data = dps.open(Dataset.of({"age": [31, 999, 999, None]}, columns=columns, budget={"epsilon": 1}))
    said = data.check_of(QUERIES["median"](column="age", epsilon=0.5)).first_line

    assert said.endswith(": 1 of 4 cells of age were not read as numbers, and 2 lie outside of the bounds")

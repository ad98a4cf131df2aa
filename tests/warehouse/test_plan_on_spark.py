"""A described table that lives in Spark: plans, answers and publications are those of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.queries.publication import Publication

pytestmark = pytest.mark.slow
COLUMNS = {"age": {"lower": 0, "upper": 120}, "job": ["cook", "nurse", "smith"], "ward": ["A", "B"]}
ASKED: list[dict[str, Any]] = [
    {"key": "age", "query": "median", "column": "age", "by": "ward", "weight": 1},
    {"key": "jobs", "query": "histogram", "column": "job", "weight": 1},
    {"key": "wards", "query": "histogram", "column": "ward", "by": "job", "weight": 1},
]


def described(folder: Path, ledger: str, **place: Any) -> Dataset:
    """The rows of persons, wherever they are."""
    budget = {"epsilon": 10_000, "ledger": str(folder / ledger)}
    return Dataset(columns=COLUMNS, person="who", rows_per_person=2, budget=budget, **place)


def test_a_publication_of_persons_in_groups_is_answered_by_spark(tmp_path: Path, spark: Any) -> None:
    """Counted there, with the plan and the answers of the file."""
    # Most are of one age, so that no two answers tie.
    ages = [40 if at % 5 < 3 else at * 37 % 100 for at in range(3000)]
    rows = [(f"p{at % 700}", age, ("cook", "nurse", "smith")[at % 7 % 3], "AB"[at % 2]) for at, age in enumerate(ages)]
    (tmp_path / "a.csv").write_text("who,age,job,ward\n" + "".join("{},{},{},{}\n".format(*row) for row in rows))
    # A view of this session, which is not stopped by those who ask.
    spark.createDataFrame(rows, "who string, age int, job string, ward string").createOrReplaceTempView("wards")
    places = {
        "file": {"source": str(tmp_path / "a.csv")},
        "spark": {"source": "pyspark://local", "table": "wards"},
    }
    plan, answers = {}, {}
    for name, place in places.items():
        data = dps.open(described(tmp_path, f"{name}.ledger", **place))
        asked = Publication.of(total={"epsilon": 999}, query=ASKED)
        plan[name] = {key: str(each) for key, each in data.plan_publication(asked).plans.items()}
        answers[name] = {key: each["answer"] for key, each in data.publish(asked).answers.items()}

    assert 3000 == spark.table("wards").count()
    assert plan["file"] == plan["spark"]
    assert answers["file"] == answers["spark"]

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
    {"key": "common", "query": "most_common", "column": "job", "k": 2, "weight": 1},
]


def described(folder: Path, ledger: str, **place: Any) -> Dataset:
    """The rows of persons, wherever they are."""
    budget = {"epsilon": 10_000, "ledger": str(folder / ledger)}
    return Dataset(columns=COLUMNS, person="who", rows_per_person=2, budget=budget, **place)


def test_a_publication_of_persons_in_groups_is_answered_by_spark(tmp_path: Path, spark: Any) -> None:
    """Counted there, with the plan and the answers of the file."""
    rows = [(f"p{at % 700}", at * 37 % 100, ("cook", "nurse", "smith")[at % 7 % 3], "AB"[at % 2]) for at in range(3000)]
    (tmp_path / "a.csv").write_text("who,age,job,ward\n" + "".join("{},{},{},{}\n".format(*row) for row in rows))
    # Tables are those of all sessions, and views are not.
    rows_of_spark = spark.createDataFrame(rows, "who string, age int, job string, ward string")
    rows_of_spark.write.mode("overwrite").saveAsTable("persons_of_wards")
    places = {
        "file": {"source": str(tmp_path / "a.csv")},
        "spark": {"source": "pyspark://local", "table": "persons_of_wards"},
    }
    plan, answers = {}, {}
    for name, place in places.items():
        data = dps.open(described(tmp_path, f"{name}.ledger", **place))
        asked = Publication.of(total={"epsilon": 999}, query=ASKED)
        plan[name] = {key: str(each) for key, each in data.plan_publication(asked).plans.items()}
        answers[name] = {key: each["answer"] for key, each in data.publish(asked).answers.items()}

    assert plan["file"] == plan["spark"]
    assert answers["file"] == answers["spark"]

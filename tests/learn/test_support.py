"""The table of what each learner can do: every yes is tried, and every other cell is the refusal that users read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dpselect import learn
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.mechanisms.error_bound import NoBound

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "learners.md"
MANY = 400
ROWS = {
    "who": np.arange(MANY) // 2,
    "age": np.arange(MANY) % 100,
    "job": np.array(["a", "b"] * (MANY // 2)),
}
ROWS["rich"] = np.where(ROWS["age"] > 50, "yes", "no")
ROWS["pay"] = ROWS["age"] * 10.0
DOMAINS = {"age": (0, 100), "job": ["a", "b"]}
# Few trees, so that all of them together take seconds.
SMALL: dict[str, dict[str, Any]] = {
    "DPEvolutionaryTreeClassifier": {"population": 4, "generations": 1},
    "DPRandomForestClassifier": {"n_trees": 2},
    "DPBoostedTreesClassifier": {"rounds": 3},
    "DPBoostedTreesRegressor": {"rounds": 3},
}
SETTINGS = {"max_depth": [1, 2], "rounds": [1, 2]}
HEADS = ["learner", "in an engine", "persons", "DPSearch", "preview", "states an error"]


def table() -> dict[str, list[str]]:
    """The cells of the page, by learner."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"| {' | '.join(HEADS)} |") + 2
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    return {row[0].strip("`"): row[1:] for row in rows[: rows.index([""])]}


def model(name: str, epsilon: float | None = 4, **given: Any) -> Any:
    """An estimator of that name, with its public facts."""
    declared = {"target": (0, 1000)} if name.endswith("Regressor") else {"classes": ["no", "yes"]}
    return getattr(learn, name)(epsilon, domains=DOMAINS, **declared, **SMALL.get(name, {}), **given)


def target(name: str) -> str:
    """What it predicts."""
    return "pay" if name.endswith("Regressor") else "rich"


def columns(*names: str) -> dict[str, np.ndarray]:
    """These columns of the table."""
    return {name: ROWS[name] for name in names}


def in_an_engine(name: str, folder: Path) -> None:
    """From a file that an engine reads."""
    path = folder / "table.parquet"
    pa.parquet.write_table(pa.table(columns("age", "job", target(name))), path)
    model(name).fit(path, target(name))


def persons(name: str, _: Path) -> None:
    """With the column that tells people apart."""
    fitted = model(name, person="who", rows_per_person=2).fit(columns("who", "age", "job", target(name)), target(name))
    assert fitted.privacy_spent_.neighbours == "person"


def search(name: str, _: Path) -> None:
    """Over its depth or its rounds."""
    asked = model(name, None)
    if "delta" in asked.get_params():
        asked.set_params(delta=0)
    varied = next((key for key in SETTINGS if key in asked.get_params()), "depth")
    found = learn.DPSearch(asked, {varied: SETTINGS.get(varied, [1, 2])}, epsilon=8)
    found.fit(columns("age", "job", target(name)), target(name))
    assert found.privacy_spent_.epsilon == 8


def tried(name: str, _: Path) -> None:
    """On a public sample."""
    learn.preview(model(name), columns("age", "job"), ROWS[target(name)], n_records=1000, tries=1)


def states_an_error(name: str, _: Path) -> None:
    """A bound of a fitted model, or of the most that it may become."""
    fitted = model(name).fit(columns("age", "job"), ROWS[target(name)])
    bound = fitted.error_bound
    if isinstance(bound, NoBound):
        raise InputError(bound.reason)


TRIALS = dict(zip(HEADS[1:], (in_an_engine, persons, search, tried, states_an_error), strict=True))


@pytest.mark.parametrize("name", table())
def test_a_learner_does_what_the_table_says(name: str, tmp_path: Path) -> None:
    """A yes works; anything else is how the refusal begins."""
    for head, cell in zip(HEADS[1:], table()[name], strict=True):
        if cell == "yes":
            TRIALS[head](name, tmp_path)
        else:
            assert len(cell) > 20
            with pytest.raises((InputError, InputTypeError, PrivacyError)) as refusal:
                TRIALS[head](name, tmp_path)
            assert str(refusal.value).startswith(cell), f"{name}, {head}: {refusal.value}"


def test_every_learner_is_in_the_table() -> None:
    """None is left out, and none is there twice."""
    every = {name for name in learn.__all__ if name.startswith("DP") and name != "DPSearch"}

    assert set(table()) == every

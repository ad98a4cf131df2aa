"""One ledger pays for a dataset and its subsets, and says the same of a query whoever asks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Any

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.dataset import Dataset
from dpselect.ledger import Ledger

pytest.importorskip("pyarrow")

COLUMNS = {"age": {"lower": 0, "upper": 120}, "job": ["a", "b"]}
ROWS = [(at % 90, "ab"[at % 2], f"p{at}") for at in range(500)]


def described(folder: Path, epsilon: int, **more: Any) -> Dataset:
    """A table in a file with a budget."""
    (folder / "a.csv").write_text("age,job,who\n" + "".join("{},{},{}\n".format(*row) for row in ROWS))
    budget = {"epsilon": epsilon, "ledger": "a.ledger"}
    return Dataset(source="a.csv", folder=folder, columns=COLUMNS, budget=budget, **more)


def test_a_subset_that_comes_before_the_first_answer_has_the_same_ledger(tmp_path: Path) -> None:
    """Also a subset of a subset."""
    data = dps.open(described(tmp_path, 1))
    young, old = data.subset("age < 40"), data.subset("age >= 40")
    young.subset("job = a").median("age", epsilon="0.6")

    assert young.ledger is old.ledger is data.ledger
    for other in (old, data, young):
        with pytest.raises(dps.BudgetError):
            other.median("age", epsilon="0.6")


def test_subsets_that_are_asked_at_once_open_one_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly it is made: two of eight fit into the budget."""
    started, opened, make = Barrier(8), [], Dataset.open_ledger

    def open_slowly(dataset: Dataset) -> Any:
        opened.append(dataset)
        sleep(0.2)
        return make(dataset)

    monkeypatch.setattr(Dataset, "open_ledger", open_slowly)
    data = dps.open(described(tmp_path, 1))

    def ask(place: int) -> bool:
        part = data.subset(f"age < {40 + place}")
        started.wait()
        try:
            part.median("age", epsilon="0.4")
        except dps.BudgetError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert 2 == sum(pool.map(ask, range(8)))
    assert 1 == len(opened)


ASKED: dict[str, tuple[Any, list[str]]] = {
    "median": (lambda data: data.median("age", epsilon=1), ["median", "age"]),
    "groups": (lambda data: data.by("job").median("age", epsilon=1), ["median", "age", "--by", "job"]),
    "quantiles": (lambda data: data.quantiles("age", p=[25, 75], epsilon=1), ["quantiles", "age", "--p", "25", "75"]),
    "histogram": (lambda data: data.histogram("job", epsilon=1), ["histogram", "job"]),
    "most common": (lambda data: data.most_common("job", k=1, epsilon=1), ["most-common", "job", "--k", "1"]),
}


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("name", ASKED)
def test_a_row_says_the_same_from_python_and_from_a_command(tmp_path: Path, name: str, person: str | None) -> None:
    """What was asked, of what, and whom it protects."""
    more = {} if person is None else {"person": person, "rows_per_person": 3}
    description = described(tmp_path, 9, **more)
    (tmp_path / "a.toml").write_text(description.dump())
    asked, (command, *words) = ASKED[name]
    asked(dps.open(tmp_path / "a.toml"))
    assert 0 == main([command, str(tmp_path / "a.toml"), *words, "--epsilon", "1"])
    first, second = Ledger.read(tmp_path / "a.ledger").events

    assert (first.metadata, first.note, first.mechanism) == (second.metadata, second.note, second.mechanism)
    assert {"command": command, "column": words[0]}.items() <= first.metadata.items()

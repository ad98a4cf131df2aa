"""Research data for the experiments, from the repository's folder and the one that ``DPSELECT_DATA`` adds."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import datasets

WHERE = f"{datasets.WHERE} Experiments without data run all the same."


@dataclass(frozen=True)
class Table:
    """A table with a class: columns by name, the class column, public domains, and the classes."""

    columns: dict[str, NDArray[Any]]
    target: str
    domains: dict[str, Any]
    classes: list[Any]

    def __len__(self) -> int:
        return len(self.columns[self.target])

    def rows(self, chosen: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return some rows of all columns."""
        return {name: values[chosen] for name, values in self.columns.items()}


def available() -> frozenset[str]:
    """Return the names of the datasets whose files are there."""
    try:
        return frozenset(name for name, each in datasets.every().items() if each.here)
    except FileNotFoundError:
        return frozenset()


@lru_cache(maxsize=8)
def histogram(name: str) -> NDArray[np.int64]:
    """Return the counts of a histogram."""
    counts: NDArray[np.int64] = np.load(datasets.every()[name].path)
    return counts


@lru_cache(maxsize=2)
def table(name: str, target: str | None = None) -> Table:
    """Return a table, its class column the manifest's unless named."""
    import pyarrow.parquet

    dataset = datasets.every()[name]
    facts, result = dataset.facts, pyarrow.parquet.read_table(dataset.path)
    label = target or facts["target"]
    columns = {}
    for column in result.column_names:
        values = result[column]
        columns[column] = np.asarray(values.to_pylist() if "dictionary" in str(values.type) else values.to_numpy())
    domains = {
        column: (each["lo"], each["hi"]) if each["type"] == "numeric" else list(each["categories"])
        for column, each in facts["attributes"].items()
        if column != label and column in columns
    }
    columns = {column: columns[column] for column in (*domains, label)}
    return Table(columns, label, domains, np.unique(columns[label]).tolist())


@lru_cache(maxsize=1)
def markers() -> tuple[list[int], list[int]]:
    """Return the transmission counts b and c of the six markers."""
    with datasets.every()["tdt_justice2020"].path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [int(row["b"]) for row in rows], [int(row["c"]) for row in rows]

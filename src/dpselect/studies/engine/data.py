"""Research data for the experiments, from the folder that ``DPSELECT_DATA`` names."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import datasets

WHERE = (
    "Set DPSELECT_DATA to a folder with manifest.toml and the files it names (graphs/, histograms/, tabular/, "
    "genomics/); experiments without data run all the same."
)


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


def manifest() -> dict[str, dict[str, Any]]:
    """Return the facts of every dataset by name; empty when there is no data folder."""
    try:
        folder = datasets.folder()
    except FileNotFoundError:
        return {}
    result: dict[str, dict[str, Any]] = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))[
        "datasets"
    ]
    return result


def available() -> frozenset[str]:
    """Return the names of the datasets whose files are there."""
    facts = manifest()
    return frozenset(name for name, each in facts.items() if (datasets.folder() / each["file"]).is_file())


@lru_cache(maxsize=8)
def histogram(name: str) -> NDArray[np.int64]:
    """Return the counts of a histogram."""
    counts: NDArray[np.int64] = np.load(datasets.folder() / manifest()[name]["file"])
    return counts


@lru_cache(maxsize=2)
def table(name: str, target: str | None = None) -> Table:
    """Return a table, its class column the manifest's unless named."""
    import pyarrow.parquet

    facts = manifest()[name]
    result = pyarrow.parquet.read_table(datasets.folder() / facts["file"])
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
    with (datasets.folder() / manifest()["tdt_justice2020"]["file"]).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [int(row["b"]) for row in rows], [int(row["c"]) for row in rows]

"""Tables and splits on which learners are compared, as arrays that programs in another environment can read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.engine.data import Table

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
# Splits that are reported, and others on which constants may be fitted. The defaults were first chosen on 0 to 4.
REPORTED = tuple(range(100, 110))
FITTED = tuple(range(200, 203))


def trained(rows: int, split: int) -> NDArray[np.bool_]:
    """Return which rows a split trains with: four in five.

    >>> int(trained(1000, 100).sum())
    800
    """
    result = np.zeros(rows, dtype=bool)
    result[np.random.default_rng(split).permutation(rows)[: rows * 4 // 5]] = True
    return result


def coded(table: Table) -> dict[str, NDArray[Any]]:
    """Return columns as one array of numbers and codes, class codes, public bounds, and categories (0: numeric)."""
    columns, low, high, categories = [], [], [], []
    for name, domain in table.domains.items():
        values = table.columns[name]
        if isinstance(domain, list):
            code = {value: code for code, value in enumerate(domain)}
            columns.append(np.array([code[value] for value in values.tolist()], dtype=float))
            low.append(0.0), high.append(float(max(len(domain) - 1, 1))), categories.append(len(domain))
        else:
            columns.append(values.astype(float))
            low.append(float(domain[0])), high.append(float(domain[1])), categories.append(0)
    return {
        "X": np.stack(columns, axis=1),
        "y": np.searchsorted(table.classes, table.columns[table.target]),
        "low": np.array(low),
        "high": np.array(high),
        "categories": np.array(categories),
        "classes": np.array(len(table.classes)),
    }


def write(
    cells: Path,
    name: str,
    table: Table,
    splits: tuple[int, ...] = REPORTED,
    epsilons: tuple[float, ...] = EPSILONS,
) -> None:
    """Write a table and its splits for other programs."""
    folder = cells / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(cells / "epsilons.npy", np.array(epsilons))
    train = np.stack([trained(len(table), split) for split in splits])
    np.savez_compressed(folder / f"{name}.npz", splits=np.array(splits), train=train, **coded(table))

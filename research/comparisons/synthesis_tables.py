"""Tables of codes on which syntheses are compared, and what a synthesis is judged by."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.engine.data import table

Integers = NDArray[np.int64]
Codes = tuple[list[Integers], list[int]]
BINS = 20
QUERIES = 100


def shipped(name: str) -> Codes:
    """Return the codes of a table that is shipped, numbers in even bins, and how many codes each column has."""
    held = table(name)
    columns, sizes = [], []
    for column, domain in (held.domains | {held.target: held.classes}).items():
        values = held.columns[column]
        if isinstance(domain, list):
            code = {str(value): place for place, value in enumerate(domain)}
            columns.append(np.array([code[str(value)] for value in values.tolist()]))
            sizes.append(len(domain))
        else:
            edges = np.linspace(float(domain[0]), float(domain[1]), BINS + 1)
            columns.append(np.clip(np.searchsorted(edges, values.astype(float), side="right") - 1, 0, BINS - 1))
            sizes.append(BINS)
    return [each.astype(np.int64) for each in columns], sizes


def chain() -> Codes:
    """Return a made-up table in which each of twelve columns follows the one before it."""
    rng, rows, sizes = np.random.default_rng(0), 20_000, [8] * 12
    columns = [rng.integers(0, 8, rows)]
    for _ in range(11):
        columns.append(np.where(rng.random(rows) < 0.6, (columns[-1] + 1) % 8, rng.integers(0, 8, rows)))
    return columns, sizes


def triples() -> Codes:
    """Return a made-up table of four triples of columns, of which no pair says what the three together do."""
    rng, rows, sizes = np.random.default_rng(1), 20_000, [4, 4, 4] * 4
    columns = []
    for _ in range(4):
        one, other = rng.integers(0, 4, (2, rows))
        columns += [one, other, np.where(rng.random(rows) < 0.9, (one + other) % 4, rng.integers(0, 4, rows))]
    return columns, sizes


TABLES: dict[str, Callable[[], Codes]] = {
    "adult": lambda: shipped("adult"),
    "acs": lambda: shipped("acs"),
    "nltcs": lambda: shipped("nltcs"),
    "chain (made up)": chain,
    "triples (made up)": triples,
}


def file_of(folder: Path, name: str) -> Path:
    """Return the file that holds the codes of a table."""
    return folder / f"{name.split()[0]}.npz"


def shares(columns: list[Integers], sizes: list[int], clique: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the shares of rows in the cells of some columns."""
    shape = [sizes[place] for place in clique]
    cells = np.ravel_multi_index([columns[place] for place in clique], shape)
    return np.bincount(cells, minlength=int(np.prod(shape))) / len(cells)


def total_variation(true: Codes, made: list[Integers], columns: int) -> float:
    """Return the mean total variation over all sets of so many columns."""
    held, sizes = true
    cliques = [*combinations(range(len(sizes)), columns)]
    return float(np.mean([np.abs(shares(held, sizes, each) - shares(made, sizes, each)).sum() / 2 for each in cliques]))


def query_error(true: Codes, made: list[Integers]) -> float:
    """Return the mean error of 100 random queries: the share of rows that have one of half the codes of 3 columns."""
    held, sizes = true
    rng, errors = np.random.default_rng(5), []
    for _ in range(QUERIES):
        places = rng.choice(len(sizes), 3, replace=False)
        inside = [rng.random(sizes[place]) < 0.5 for place in places]
        answers = [
            np.logical_and.reduce([kept[each[place]] for place, kept in zip(places, inside, strict=True)]).mean()
            for each in (held, made)
        ]
        errors.append(abs(answers[0] - answers[1]))
    return float(np.mean(errors))


def accuracy(true: Codes, made: list[Integers]) -> float:
    """Return how often a forest that learned the last column from synthetic rows is right about true ones."""
    from sklearn.ensemble import RandomForestClassifier

    rows = slice(0, 20_000)
    forest = RandomForestClassifier(50, max_depth=12, random_state=0)
    forest.fit(np.stack(made[:-1], axis=1)[rows], made[-1][rows])
    return float((forest.predict(np.stack(true[0][:-1], axis=1)) == true[0][-1]).mean())

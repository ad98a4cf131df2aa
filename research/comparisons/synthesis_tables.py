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


def parts(table: Codes) -> tuple[Codes, list[Integers]]:
    """Return the rows that are synthesized, four of five, and the others, on which what learns from rows is judged."""
    columns, sizes = table
    order = np.random.default_rng(0).permutation(len(columns[0]))
    kept, held_out = np.split(order, [len(order) * 4 // 5])
    return ([each[kept] for each in columns], sizes), [each[held_out] for each in columns]


TABLES: dict[str, Callable[[], Codes]] = {
    "adult": lambda: shipped("adult"),
    "nltcs": lambda: shipped("nltcs"),
    "nursery": lambda: shipped("nursery"),
    "chain (made up)": chain,
    "triples (made up)": triples,
    "acs": lambda: shipped("acs"),
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
    """Return the mean error of 100 random queries: shares of rows with a code, or codes of a range, in 3 columns each.

    An equality asks about the code of a random row, so that rare codes are asked about as rarely as they are.
    """
    held, sizes = true
    rng, errors = np.random.default_rng(5), []
    for _ in range(QUERIES):
        answers = np.ones(len(held[0]), dtype=bool), np.ones(len(made[0]), dtype=bool)
        for place in rng.choice(len(sizes), 3, replace=False):
            low, high = np.sort(rng.integers(0, sizes[place], 2))
            if rng.random() < 0.5:
                low = high = held[place][rng.integers(len(held[0]))]
            for answer, columns in zip(answers, (held, made), strict=True):
                answer &= (columns[place] >= low) & (columns[place] <= high)
        errors.append(abs(answers[0].mean() - answers[1].mean()))
    return float(np.mean(errors))


def auc(made: list[Integers], held_out: list[Integers]) -> float:
    """Return how well a forest that learned the last column from synthetic rows tells true rows apart, by AUC.

    Of several classes the mean over each class against the others; 1/2 is chance.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    rows = slice(0, 20_000)
    forest = RandomForestClassifier(50, max_depth=12, random_state=0)
    forest.fit(np.stack(made[:-1], axis=1)[rows], made[-1][rows])
    shares = forest.predict_proba(np.stack(held_out[:-1], axis=1))
    score = {code: shares[:, place] for place, code in enumerate(forest.classes_)}
    truth = held_out[-1]
    known = np.unique(truth)
    each = [roc_auc_score(truth == code, score.get(code, np.zeros(len(truth)))) for code in known]
    return float(each[-1] if len(known) == 2 else np.mean(each))

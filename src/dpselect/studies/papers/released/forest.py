"""The random forest of Chaves 2024, Algorithm 5, as its program grows it. Simulated, and not private.

Every tree has a run of consecutive training rows. A node splits on an attribute drawn evenly among all continuous ones
and the discrete ones that the *whole tree* has not used yet: a discrete one into a child for each value, a continuous
one at a whole number between the bounds of the data. A leaf is labelled by noise on 1 for its commonest class and 0 for
all others, scaled by the lead of the commonest class of the *whole table* (``noise``). Of a tie of votes the class that
the earlier tree named wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.studies.engine import data
from dpselect.studies.papers.released.noise import ReleasedNoise

Rows = NDArray[np.int64]
Counts = NDArray[np.int64]

TREES = 32


@dataclass(frozen=True)
class Records:
    """A table as the forest reads it.

    Attributes:
        continuous: shape (rows, numbers), with their low and high. discrete: codes, shape (rows, categories), with
            sizes. labels: codes in order of first appearance. classes: how many.
    """

    continuous: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    discrete: Rows
    sizes: tuple[int, ...]
    labels: Rows
    classes: int

    def __len__(self) -> int:
        return self.labels.size

    def lead(self) -> int:
        """Return by how many rows the commonest class leads the second."""
        second, first = np.sort(np.bincount(self.labels, minlength=self.classes))[-2:]
        return int(first - second)


@dataclass(frozen=True)
class Tree:
    """The leaves that hold test rows: class counts of the training rows, and the leaf of every test row."""

    counts: Counts
    place: Rows


def records(table: data.Table, *, row_index: bool = False) -> Records:
    """Return a table as the forest reads it; with the index of the row among the numbers if that is asked for."""
    numbers = [table.columns[name] for name, domain in table.domains.items() if not isinstance(domain, list)]
    if row_index:
        numbers.append(np.arange(len(table)))
    continuous = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(table)).T
    codes = [_appearance(table.columns[name]) for name, domain in table.domains.items() if isinstance(domain, list)]
    labels = _appearance(table.columns[table.target])
    return Records(
        continuous,
        continuous.min(axis=0),
        continuous.max(axis=0),
        np.array(codes, dtype=np.int64).reshape(len(codes), len(table)).T,
        tuple(int(each.max()) + 1 for each in codes),
        labels,
        int(labels.max()) + 1,
    )


def _appearance(values: NDArray[np.generic]) -> Rows:
    """Return codes, numbered by first appearance."""
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return np.asarray(rank[codes.ravel()])


def grown(table: Records, train: Rows, test: Rows, depth: int, rng: np.random.Generator) -> list[Tree]:
    """Return the trees, each grown on a run of consecutive training rows; ``train`` and ``test`` are sorted."""
    run = train.size // TREES if train.size % TREES == 0 else train.size // (TREES - 1)
    return [_tree(table, train[start : start + run], test, depth, rng) for start in range(0, train.size, run)]


def _tree(table: Records, train: Rows, test: Rows, depth: int, rng: np.random.Generator) -> Tree:
    unused, numbers = list(range(len(table.sizes))), table.continuous.shape[1]
    place = np.full(len(table), -1)
    counts: list[Counts] = []

    def grow(here: Rows, asked: Rows, level: int) -> None:
        more = level <= depth and numbers + len(unused) > 0 and (here.size or asked.size or unused)
        if not more:
            if asked.size:
                place[asked] = len(counts)
                counts.append(np.bincount(table.labels[here], minlength=table.classes))
            return
        attribute = int(rng.integers(numbers + len(unused)))
        if attribute < numbers:
            column = table.continuous[:, attribute]
            at = int(rng.uniform(table.low[attribute], table.high[attribute]))
            one, two = column[here] < at, column[asked] < at
            grow(here[one], asked[two], level + 1)
            grow(here[~one], asked[~two], level + 1)
            return
        category = unused.pop(attribute - numbers)
        codes = table.discrete[:, category]
        for value in range(table.sizes[category]):
            grow(here[codes[here] == value], asked[codes[asked] == value], level + 1)

    grow(train, test, 1)
    return Tree(np.array(counts), place[test])


def labels(tree: Tree, *, noise: ReleasedNoise, lead: int, rng: np.random.Generator) -> Rows:
    """Return a label for every leaf, drawn with noise that is scaled by the lead of the whole table."""
    won = tree.counts.argmax(axis=1)
    score = (np.arange(tree.counts.shape[1]) == won[:, None]).astype(float)
    return np.asarray((score + noise.drawn(lead, score.shape, rng)).argmax(axis=1))


def voted(trees: Sequence[Tree], named: Sequence[Rows], classes: int) -> Rows:
    """Return the class that most trees give to every test row."""
    rows = np.arange(trees[0].place.size)
    votes = np.zeros((rows.size, classes))
    earliest = np.full(votes.shape, len(trees))
    for turn, (tree, of_leaves) in enumerate(zip(trees, named, strict=True)):
        label = of_leaves[tree.place]
        votes[rows, label] += 1
        earliest[rows, label] = np.minimum(earliest[rows, label], turn)
    return np.asarray((votes - earliest / (2 * len(trees))).argmax(axis=1))


def loss_of_a_leaf(noise: ReleasedNoise, lead: int) -> float:
    """Return the loss of labelling a leaf with a record of each of two classes when the second gets one more.

    The commonest class of the whole table leads by that much; the record moves its lead by one, either way.
    """
    here = noise.log_law(0, 2, lead)
    return max(float(np.abs(here - noise.log_law(1, 2, lead + step)).max()) for step in (-1, 1))

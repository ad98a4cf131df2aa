"""The random forest of Chaves 2024, Algorithm 5, as its program grows it. Simulated, and not private.

Every tree has a run of consecutive training rows. A node splits on an attribute drawn evenly among all continuous ones
and the discrete ones that the *whole tree* has not used yet: a discrete one into a child for each value, a continuous
one at a whole number between the bounds of the data. A leaf is labelled by noise on 1 for its commonest class and 0 for
all others, scaled by the lead of the commonest class of the *whole table* (``noise``). Of a tie of votes the class that
the earlier tree named wins. The bounds of the data are those of all rows, test rows too, and cost nothing: one outlier
makes cuts possible that cannot be without it, which no epsilon covers (``loss_of_a_cut``). ``described`` and ``even``
are the text's: "the split point using only the data's domains, regardless of the data itself".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.engine import data
from research.papers.released.noise import ReleasedNoise

Rows = NDArray[np.int64]
Counts = NDArray[np.int64]
# The bounds of a number, to a place between them.
Cut = Callable[[float, float, np.random.Generator], float]

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


def described(table: data.Table) -> Records:
    """Return a table as the text has it: bounds, categories and classes are those of its public domains."""
    numbers = {name: domain for name, domain in table.domains.items() if not isinstance(domain, list)}
    lists = {name: domain for name, domain in table.domains.items() if isinstance(domain, list)}
    bounds = np.array(list(numbers.values()), dtype=np.float64).reshape(len(numbers), 2)
    continuous = np.array([table.columns[name] for name in numbers], dtype=np.float64)
    codes = [_places(table.columns[name], domain) for name, domain in lists.items()]
    return Records(
        continuous.reshape(len(numbers), len(table)).T,
        bounds[:, 0],
        bounds[:, 1],
        np.array(codes, dtype=np.int64).reshape(len(codes), len(table)).T,
        tuple(map(len, lists.values())),
        _places(table.columns[table.target], table.classes),
        len(table.classes),
    )


def _places(values: NDArray[np.generic], domain: Sequence[object]) -> Rows:
    different, codes = np.unique(values, return_inverse=True)
    places = np.array([domain.index(value) for value in different.tolist()], dtype=np.int64)
    return np.asarray(places[codes.ravel()])


def _appearance(values: NDArray[np.generic]) -> Rows:
    """Return codes, numbered by first appearance."""
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return np.asarray(rank[codes.ravel()])


def whole(low: float, high: float, rng: np.random.Generator) -> float:
    """Return the program's cut: a number between the bounds without its decimals."""
    return int(rng.uniform(low, high))


def even(low: float, high: float, rng: np.random.Generator) -> float:
    """Return the text's cut: evenly drawn between the bounds."""
    return float(rng.uniform(low, high))


def runs(train: Rows, _: np.random.Generator) -> list[Rows]:
    """Return the program's parts: runs of consecutive rows."""
    run = train.size // TREES if train.size % TREES == 0 else train.size // (TREES - 1)
    return [train[start : start + run] for start in range(0, train.size, run)]


def lots(train: Rows, rng: np.random.Generator) -> list[Rows]:
    """Return parts to which every record is assigned for itself, so that no record moves another."""
    tree = rng.integers(TREES, size=train.size)
    return [train[tree == each] for each in range(TREES)]


def grown(
    table: Records,
    train: Rows,
    test: Rows,
    depth: int,
    rng: np.random.Generator,
    *,
    parts: Callable[[Rows, np.random.Generator], list[Rows]] = runs,
    cut: Cut = whole,
) -> list[Tree]:
    """Return the trees, each grown on a part of the training rows; ``train`` and ``test`` are sorted."""
    return [_tree(table, part, test, depth, rng, cut) for part in parts(train, rng)]


def _tree(table: Records, train: Rows, test: Rows, depth: int, rng: np.random.Generator, cut: Cut) -> Tree:
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
            at = cut(table.low[attribute], table.high[attribute], rng)
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


def outlier() -> tuple[Records, Records]:
    """Return two tables of one number, apart by one record: zeros and ones, and a ten more."""
    values = np.arange(64) % 2
    before, after = (_of_a_number(each) for each in (values, np.append(values, 10)))
    return before, after


def _of_a_number(values: Rows) -> Records:
    columns = {"number": values, "class": np.where(values == 1, "yes", "no")}
    return records(data.Table(columns, "class", {"number": (0, 10)}, ["no", "yes"]))


def loss_of_a_cut(one: Records, other: Records) -> float:
    """Return the exact loss of the program's cut of the first number, between two tables."""
    laws = [_law_of_a_cut(float(each.low[0]), float(each.high[0])) for each in (one, other)]
    worst = 0.0
    for at in laws[0].keys() | laws[1].keys():
        chances = [law.get(at, 0.0) for law in laws]
        worst = max(worst, math.inf if min(chances) == 0 else abs(math.log(chances[0] / chances[1])))
    return worst


def _law_of_a_cut(low: float, high: float) -> dict[int, float]:
    """Return the chance of every whole number that ``whole`` may draw between bounds that are not negative."""
    shares = {at: (min(high, at + 1) - max(low, at)) / (high - low) for at in range(math.floor(low), math.ceil(high))}
    return {at: share for at, share in shares.items() if share > 0}

"""The greedy tree of Chaves 2024 as its program grows it. Simulated, and not private.

Numbers fall into twenty even bins between the least and the largest of the table. A node spends
epsilon / (2 (depth + 1)) on its noisy size, its split and, as a leaf, its class counts. Attributes that were split on
are struck off one list that all branches share, and a node ends where its noisy size is at most sqrt 2 t C / share:
t a fifth of the most values that any column still has in the node, C the number of classes. The lead that scales the
noise of a split is that of the whole table, test rows included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.audit import privacy_loss, tables
from dpselect.mechanisms.base import Mechanism
from dpselect.scores.scores import Scores
from research.engine import data
from research.papers.released.noise import ReleasedNoise

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
# The counts of a node, shape (values of all attributes, classes); attributes that may be used; to one of them.
Choice = Callable[["CodedTable", Floats, list[int], np.random.Generator], int]

BINS = 20
# What the program takes for the global sensitivity of information gain, for at most 50 000 records.
GAIN_SENSITIVITY = math.log2(50_001) + 1 / math.log(2)


@dataclass(frozen=True)
class CodedTable:
    """A table in codes, every distinct record once.

    Attributes:
        codes: the place of every value among the values of all attributes, shape (records, attributes).
        labels: the class of each. first: the place of the first value of every attribute. classes: how many.
        place: which of these records every row of the table is.
    """

    codes: Rows
    labels: Rows
    first: Rows
    classes: int
    place: Rows

    def tally(self, records: Rows, weights: Floats) -> Floats:
        """Return how often every value and class meet among some records, shape (values, classes)."""
        flat = self.codes[records] * self.classes + self.labels[records, None]
        size = (int(self.codes[:, -1].max()) + 1) * self.classes
        # The last attribute has the last values, and every value occurs somewhere.
        repeated = np.repeat(weights[records], flat.shape[1])
        counts: Floats = np.bincount(flat.ravel(), weights=repeated, minlength=size).astype(np.float64)
        return counts.reshape(-1, self.classes)

    def by_attribute(self, of_values: Floats) -> Floats:
        """Return the sum of something over the values of every attribute."""
        return np.asarray(np.add.reduceat(of_values, self.first))

    def hits(self, tally: Floats) -> Floats:
        """Return the max operator of every attribute: how many records the commonest class of a value gets right."""
        return self.by_attribute(tally.max(axis=1))

    def lead(self) -> float:
        """Return by how much the best attribute of the whole table leads the second."""
        weights = np.bincount(self.place, minlength=len(self.codes)).astype(np.float64)
        second, first = np.sort(self.hits(self.tally(np.arange(len(self.codes)), weights)))[-2:]
        return float(first - second)


def coded(table: data.Table) -> CodedTable:
    """Return a table in codes."""
    columns, first, total = [], [], 0
    for name, domain in table.domains.items():
        values = table.columns[name]
        if not isinstance(domain, list):
            values = np.searchsorted(np.linspace(values.min(), values.max(), BINS + 1), values)
        own = np.unique(values, return_inverse=True)[1]
        columns.append(own + total)
        first.append(total)
        total += int(own.max()) + 1
    classes, labels = np.unique(table.columns[table.target], return_inverse=True)
    rows = np.stack([*columns, labels], axis=1)
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return CodedTable(distinct[:, :-1], distinct[:, -1], np.array(first), len(classes), place.ravel())


def accuracy(
    table: CodedTable,
    split: tuple[Rows, Rows],
    epsilon: float,
    depth: int,
    choice: Choice,
    rng: np.random.Generator,
) -> float:
    """Return the share of test rows that a tree grown on the training rows gets right."""
    train, test = (np.bincount(table.place[rows], minlength=len(table.codes)).astype(float) for rows in split)
    named = _predicted(table, train, epsilon / (2 * (depth + 1)), depth, choice, rng)
    return float(test[named == table.labels].sum() / test.sum())


def _predicted(
    table: CodedTable, weights: Floats, share: float, depth: int, choice: Choice, rng: np.random.Generator
) -> Rows:
    """Return the class that the tree gives to every distinct record."""
    attributes = list(range(table.first.size))
    named = np.zeros(len(table.codes), dtype=np.int64)

    def grow(records: Rows, left: int) -> None:
        own = weights[records]
        if left and attributes and own.any():
            tally = table.tally(records, weights)
            if own.sum() + rng.laplace(scale=1 / share) > _least_size(table, tally, share):
                attribute = choice(table, tally, attributes, rng)
                attributes.remove(attribute)
                column = table.codes[records, attribute]
                for value in np.unique(column).tolist():
                    grow(records[column == value], left - 1)
                return
        counts = np.bincount(table.labels[records], weights=own, minlength=table.classes)
        named[records] = (counts + rng.laplace(scale=1 / share, size=table.classes)).argmax()

    grow(np.arange(len(table.codes)), depth)
    return named


def _least_size(table: CodedTable, tally: Floats, share: float) -> float:
    """Return the noisy size that a node must exceed to be split."""
    return math.sqrt(2) / share * _values(table, tally) * table.classes


def _values(table: CodedTable, tally: Floats) -> float:
    """Return a fifth of the most values that any column has in a node."""
    most = table.by_attribute((tally.sum(axis=1) > 0).astype(float)).max()
    classes = np.count_nonzero(tally[: table.first[1] if table.first.size > 1 else None].sum(axis=0))
    return float(max(most, classes)) / 5


def by_winner(noise: ReleasedNoise, lead: float) -> Choice:
    """Return Smooth Noisy Max on 1 for the attribute that the max operator puts first and 0 for all others."""

    def choose(table: CodedTable, tally: Floats, attributes: list[int], rng: np.random.Generator) -> int:
        # The winner is one of all attributes, though it may be struck off.
        score = np.arange(table.first.size) == table.hits(tally).argmax()
        free = sorted(attributes)
        return free[int((score[free] + noise.drawn(lead, len(free), rng)).argmax())]

    return choose


def by_own_winner(noise: ReleasedNoise) -> Choice:
    """Return the same as it is described: among the attributes that are left, scaled by their lead in the node."""

    def choose(table: CodedTable, tally: Floats, attributes: list[int], rng: np.random.Generator) -> int:
        free = sorted(attributes)
        hits = table.hits(tally)[free]
        best = int(hits.argmax())
        # A rival that comes first needs one step less.
        rivals = np.delete(hits[best] - hits - (np.arange(len(free)) < best), best)
        lead = max(float(rivals.min(initial=np.inf)), 0.0)
        return free[int(((np.arange(len(free)) == best) + noise.drawn(lead, len(free), rng)).argmax())]

    return choose


def by_gain(share: float, *, flip: bool) -> Choice:
    """Return permute-and-flip, or the exponential mechanism, on information gain."""

    def choose(table: CodedTable, tally: Floats, attributes: list[int], rng: np.random.Generator) -> int:
        size = tally.sum(axis=1, keepdims=True)
        bits = np.where(tally > 0, tally * np.log2(np.maximum(tally, 1) / np.maximum(size, 1)), 0.0).sum(axis=1)
        free = sorted(attributes)
        noise = rng.exponential(size=len(free)) if flip else rng.gumbel(size=len(free))
        return free[int((table.by_attribute(bits)[free] * share / (2 * GAIN_SENSITIVITY) + noise).argmax())]

    return choose


def loss_of_a_split(noise: ReleasedNoise, records: int = 1000) -> float:
    """Return the loss of one split of a branch when a record is added to it, with noise of the whole table's lead."""
    before, after = neighbours(records)
    laws = []
    for table in (before, after):
        # The branch of the second value of the first attribute; the first attribute is struck off.
        branch = np.flatnonzero(table.codes[:, 0] == 1)
        tally = table.tally(branch, np.bincount(table.place, minlength=len(table.codes)).astype(float))
        laws.append(noise.log_law(int(table.hits(tally).argmax()) - 1, 2, table.lead()))
    return float(np.abs(laws[0] - laws[1]).max())


def loss_of_a_stop(share: float) -> float:
    """Return the exact loss of the question whether a node ends, when a record with a value of its own is added to it.

    The record adds one to the size, which is drawn with noise, and one to the number of values, which is not.
    """
    logs = [_of_going_on(_of_one_attribute(values), share) for values in ((0, 1), (0, 1, 2))]
    return max(abs(logs[0][place] - logs[1][place]) for place in (0, 1))


def _of_one_attribute(values: Sequence[int]) -> CodedTable:
    """Return a record for every value of the only attribute, of two classes in turn."""
    rows = np.array(values, dtype=np.int64)
    return CodedTable(rows[:, None], rows % 2, np.zeros(1, dtype=np.int64), 2, rows)


def _of_going_on(table: CodedTable, share: float) -> tuple[float, float]:
    """Return the logarithms of the chances that a whole table is split, and that it ends: of one Laplace number."""
    weights = np.ones(len(table.codes))
    above = share * (_least_size(table, table.tally(np.arange(len(weights)), weights), share) - weights.sum())
    rare, likely = math.log(0.5) - abs(above), math.log1p(-0.5 * math.exp(-abs(above)))
    return (rare, likely) if above >= 0 else (likely, rare)


def neighbours(records: int) -> tuple[CodedTable, CodedTable]:
    """Return two tables, one record apart, of which a branch splits on its third attribute and on its second.

    The first attribute of both is the class, but for one or two records, so that it leads by about ``records``.
    """
    rows = [(0, 0, 0, 0)] * records + [(1, 0, 0, 1)] * records + [(1, 0, 1, 0)]
    return _of_bits(rows), _of_bits([*rows, (1, 1, 0, 0)])


def _of_bits(rows: Sequence[tuple[int, ...]]) -> CodedTable:
    distinct, place = np.unique(np.array(rows), axis=0, return_inverse=True)
    first = np.arange(0, 2 * (distinct.shape[1] - 1), 2)
    codes = distinct[:, :-1] + first
    # A value that does not occur has no place of its own.
    values, codes = np.unique(codes, return_inverse=True)
    codes = codes.reshape(distinct.shape[0], -1)
    return CodedTable(codes, distinct[:, -1], np.searchsorted(values, first), 2, place.ravel())


def loss_by_gain(mechanism: Mechanism, epsilon: float) -> float:
    """Return the exact loss of one split by information gain, on all tables of two binary attributes and a class."""

    def scores(table: NDArray[np.int64]) -> Scores:
        bits = [_bits(each) for each in (table.sum(axis=1), table.sum(axis=0))]
        return Scores(np.array(bits), GAIN_SENSITIVITY, kind="real")

    return privacy_loss(mechanism, scores, tables((2, 2, 2), 3), epsilon=epsilon).worst


def _bits(counts: Floats) -> float:
    size = counts.sum(axis=1, keepdims=True)
    return float(np.where(counts > 0, counts * np.log2(np.maximum(counts, 1) / np.maximum(size, 1)), 0.0).sum())

"""Exact arithmetic of a graphical model: one column is summed out after the other, each from a small table.

Eliminating columns in an order makes one table per column: that column and its neighbours that are still there. The
largest of these tables is what a model costs; the order is chosen greedily for small tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Columns of a table, by their places, increasing.
Clique = tuple[int, ...]


@dataclass(frozen=True)
class JunctionTree:
    """An order in which columns are summed out, and the table that each is summed out of.

    Attributes:
        sizes: how many codes each column has.
        order: the columns, the first to be summed out first.
        tables: of every column, by its place: itself and those later columns that it shares a table with.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    tables: tuple[Clique, ...]

    @classmethod
    def of(cls, sizes: Sequence[int], cliques: Iterable[Clique]) -> JunctionTree:
        """Return a tree whose tables contain every clique; each step sums out the column of the smallest table.

        >>> JunctionTree.of([2, 3, 4], [(0, 1), (1, 2)]).tables
        ((0, 1), (1, 2), (2,))
        """
        neighbours: list[set[int]] = [set() for _ in sizes]
        for clique in cliques:
            for column in clique:
                neighbours[column] |= {*clique} - {column}
        cells = {column: prod(sizes[one] for one in {column, *near}) for column, near in enumerate(neighbours)}
        order = list[int]()
        tables: list[Clique] = [()] * len(sizes)
        while cells:
            column = min(cells, key=lambda each: (cells[each], each))
            around = neighbours[column]
            del cells[column]
            for each in around:
                neighbours[each] |= around
                neighbours[each] -= {column, each}
                cells[each] = prod(sizes[one] for one in neighbours[each]) * sizes[each]
            tables[column] = tuple(sorted({column, *around}))
            order.append(column)
        return cls(tuple(sizes), tuple(order), tuple(tables))

    @property
    def cells(self) -> int:
        """Return how many cells all tables have together: what one step of a fit costs."""
        return sum(prod(self.sizes[column] for column in table) for table in self.tables)

    @cached_property
    def _places(self) -> dict[int, int]:
        """Return at which step each column is summed out."""
        return {column: step for step, column in enumerate(self.order)}

    @cached_property
    def _steps(self) -> list[tuple[int, int, int, list[int]]]:
        """Return of every step its column, the axis of that, and where what remains goes: a column, and the shape."""
        steps = []
        for column in self.order:
            rest = tuple(each for each in self.tables[column] if each != column)
            following = self.holder(rest) if rest else -1
            shape = self.shape_in(rest, self.tables[following]) if rest else []
            steps.append((column, self.tables[column].index(column), following, shape))
        return steps

    @cached_property
    def parents(self) -> dict[int, int]:
        """Return of every column the one whose table takes up what is left of it; -1 where nothing is."""
        return {column: following for column, _, following, _ in self._steps}

    def first(self, clique: Iterable[int]) -> int:
        """Return the column of a clique that is summed out first."""
        return min(clique, key=self._places.__getitem__)

    def holder(self, clique: Clique) -> int:
        """Return the column whose table contains the clique.

        Raises:
            KeyError: no table does.
        """
        first = self.first(clique)
        if not {*clique} <= {*self.tables[first]}:
            raise KeyError(clique)
        return first

    def shape_in(self, clique: Clique, table: Clique) -> list[int]:
        """Return the shape of an array of a clique that has the axes of a table: of length 1 where it has none."""
        return [self.sizes[column] if column in clique else 1 for column in table]

    def calibrate(self, potentials: Mapping[Clique, Floats]) -> tuple[float, list[Floats]]:
        """Return the logarithm of the sum over all cells, and the conditional share of each column in its table.

        Args:
            potentials: logarithms of factors; the model is proportional to the product of all factors.

        Returns: the conditionals are of the shape of the tables, and sum to 1 over their column.
        """
        logs = [np.zeros([self.sizes[column] for column in table]) for table in self.tables]
        for clique, values in potentials.items():
            holder = self.holder(clique)
            logs[holder] += values.reshape(self.shape_in(clique, self.tables[holder]))
        total = 0.0
        for column, axis, following, shape in self._steps:
            held = logs[column]
            most = held.max(axis=axis, keepdims=True)
            held -= most
            np.exp(held, out=held)
            summed = held.sum(axis=axis, keepdims=True)
            held /= summed
            message = np.log(summed)
            message += most
            if following < 0:
                total += float(message.sum())
            else:
                logs[following] += message.reshape(shape)
        return total, logs

    def marginals(self, conditionals: Sequence[Floats]) -> list[Floats]:
        """Return the shares of the cells of every table, which sum to 1."""
        shares = [*conditionals]
        for column, axis, following, _ in reversed(self._steps):
            if following >= 0:
                rest = tuple(each for each in self.tables[column] if each != column)
                above = self.within(shares[following], self.tables[following], rest)
                shares[column] = conditionals[column] * np.expand_dims(above, axis)
        return shares

    @staticmethod
    def within(values: Floats, table: Clique, clique: Clique) -> Floats:
        """Return a table summed over the columns that are not in a clique."""
        axes = tuple(place for place, column in enumerate(table) if column not in clique)
        return np.asarray(values.sum(axis=axes)) if axes else values

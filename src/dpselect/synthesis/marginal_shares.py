"""Shares of the cells of any columns of a graphical model, where many sets of columns are asked about one model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dpselect.synthesis.junction_tree import Clique, Floats, JunctionTree

# What a subtree says of some columns is remembered if it has at most so many cells.
_REMEMBERED = 2**14
Columns = frozenset[int]


class MarginalShares:
    """Shares of the cells of any columns: what a subtree says of columns is computed once for all that ask.

    The column whose table takes up what is left of another is its parent. A subtree is a column with all below it.

    Args:
        tree: in which order columns are summed out.
        conditionals: of every column, the share of its codes given the other columns of its table.
    """

    def __init__(self, tree: JunctionTree, conditionals: Sequence[Floats]) -> None:
        self._tree, self._conditionals, self._tables = tree, conditionals, tree.marginals(conditionals)
        self._messages = dict[tuple[int, Columns], Floats]()
        self._parents = tree.parents
        # Of every column, through which of its children each column below it is reached; -1 is above all.
        self._branches: dict[int, dict[int, int]] = {column: {} for column in (-1, *tree.order)}
        for column in tree.order:
            below = column
            while below >= 0:
                self._branches[self._parents[below]][column] = below
                below = self._parents[below]

    def of(self, clique: Iterable[int]) -> Floats:
        """Return the shares of the cells of columns, of the shape of their sizes in the order of their places."""
        wanted, tables = frozenset(clique), self._tree.tables
        top = self._tree.first(wanted)
        if wanted <= {*tables[top]}:
            return self._tree.within(self._tables[top], tables[top], tuple(wanted))
        while top >= 0 and not wanted <= {top, *self._branches[top]}:
            top = self._parents[top]
        if top < 0:
            # Columns of different trees are independent.
            apart = self._apart(top, wanted)
            return _multiply([(tuple(sorted(each)), self.of(each)) for each in apart.values()], wanted)
        return _multiply([(tables[top], self._tables[top]), *self._below(top, wanted)], wanted)

    def _apart(self, column: int, wanted: Columns) -> dict[int, Columns]:
        """Return columns by the children of a column through which they are reached."""
        branch = self._branches[column]
        children = {branch[each] for each in wanted if each != column}
        return {child: frozenset(each for each in wanted if branch.get(each) == child) for child in children}

    def _below(self, column: int, wanted: Columns) -> list[tuple[Clique, Floats]]:
        """Return what the children of a column say of wanted columns below it."""
        return [self._message(*each) for each in self._apart(column, wanted).items()]

    def _message(self, column: int, wanted: Columns) -> tuple[Clique, Floats]:
        """Return the shares of wanted columns in the subtree of a column, given the others of its table."""
        kept = tuple(sorted(wanted | ({*self._tree.tables[column]} - {column})))
        if (column, wanted) in self._messages:
            return kept, self._messages[column, wanted]
        factors = [(self._tree.tables[column], self._conditionals[column]), *self._below(column, wanted)]
        message = _multiply(factors, kept)
        if message.size <= _REMEMBERED:
            self._messages[column, wanted] = message
        return kept, message


def _multiply(factors: Sequence[tuple[Clique, Floats]], kept: Iterable[int]) -> Floats:
    """Return the product of factors, summed over all columns but those kept; each is summed out when it can be."""
    (table, product), *others = factors
    last = tuple(sorted(kept))
    if not others:
        return JunctionTree.within(product, table, last)
    for place, (clique, values) in enumerate(others, 1):
        ahead = {*last}.union(*(each for each, _ in factors[place + 1 :]))
        names = {column: label for label, column in enumerate({*table, *clique})}
        rest = last if place == len(others) else tuple(sorted(ahead & {*names}))
        operands: list[Any] = [product, [names[each] for each in table], values, [names[each] for each in clique]]
        product, table = np.asarray(np.einsum(*operands, [names[each] for each in rest])), rest
    return product

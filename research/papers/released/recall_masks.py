"""A table as sets of records, one bit per record in one integer: how well a tree recognises either class, fast.

A categorical attribute has one set for each category (those that equal it), a numeric one for each place between its
distinct values (those below it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.engine import data

# A label, or (attribute, cut, subtree of the records in the set, subtree of the others, nodes, levels).
Tree = int | tuple[int, int, "Tree", "Tree", int, int]


@dataclass(frozen=True, eq=False)
class Masks:
    """Sets of records.

    Attributes:
        sets: for each attribute, one set per cut.
        places: for each numeric attribute where its distinct values lie, from 0 to 1; ``None`` for categories.
        positive, negative: the records of either class.
        positives, negatives: how many there are.
    """

    sets: tuple[tuple[int, ...], ...]
    places: tuple[NDArray[np.float64] | None, ...]
    positive: int
    negative: int
    positives: int
    negatives: int

    def rates(self, trees: Sequence[Tree]) -> NDArray[np.float64]:
        """Return true positive and true negative rate of every tree, shape (trees, 2)."""
        everybody = self.positive | self.negative
        result = np.empty((len(trees), 2))
        for place, tree in enumerate(trees):
            labelled = self._labelled(tree, everybody)
            result[place, 0] = (labelled & self.positive).bit_count() / self.positives
            result[place, 1] = 1 - (labelled & self.negative).bit_count() / self.negatives
        return result

    def _labelled(self, tree: Tree, reached: int) -> int:
        """Return which of the records that reach a tree it labels positive."""
        if isinstance(tree, int):
            return reached if tree else 0
        if not reached:
            return 0
        first = reached & self.sets[tree[0]][tree[1]]
        return self._labelled(tree[2], first) | self._labelled(tree[3], reached ^ first)


@lru_cache(maxsize=2)
def masks(name: str, target: str | None) -> Masks:
    """Return the sets of a table of the data folder; the class that is listed last is the positive one."""
    table = data.table(name, target)
    sets, places = list[tuple[int, ...]](), list[NDArray[np.float64] | None]()
    for column, domain in table.domains.items():
        values = table.columns[column]
        if isinstance(domain, tuple):
            distinct = np.unique(values)
            sets.append((0, *(_bits(values <= value) for value in distinct.tolist())))
            places.append((distinct - domain[0]) / (domain[1] - domain[0]))
        else:
            sets.append(tuple(_bits(values == category) for category in domain))
            places.append(None)
    positive = table.columns[table.target] == table.classes[-1]
    counts = int(positive.sum()), int((~positive).sum())
    return Masks(tuple(sets), tuple(places), _bits(positive), _bits(~positive), *counts)


def _bits(chosen: NDArray[Any]) -> int:
    return int.from_bytes(np.packbits(chosen).tobytes(), "big")

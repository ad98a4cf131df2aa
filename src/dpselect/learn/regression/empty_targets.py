"""A table without rows, as a regression tree sees it: for rehearsals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpselect.learn.dry_run import EmptyTable
from dpselect.utilities.splits import Integers


@dataclass
class EmptyTargets:
    """A table without rows, before a range is known."""

    sizes: tuple[int, ...]
    rows: int = 0

    def histogram(self, cells: int) -> Integers:
        """Return zeros for every cell."""
        return np.zeros(cells, dtype=np.int64)

    def within(self, low: int, high: int) -> EmptySides:
        """Return the same in a range."""
        return EmptySides(self.sizes, 2, high - low)


@dataclass
class EmptySides(EmptyTable):
    """A table without rows, in the nodes of a tree."""

    width: int

    def around(self, nodes: int, _: Integers, __: int) -> list[Integers]:
        """Return zeros for every attribute."""
        return self.level(nodes)

"""Public domains of the columns of a synthetic table: cells in which rows are counted, and the values behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.certificates.canonical_json import number_of
from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.dataset.description_parts import UNLISTED
from dpselect.kernel.errors import InputError
from dpselect.sources.public_names import PublicNames
from dpselect.views.row_question import Bins, PublicCells

Integers = NDArray[np.int64]
# Draws a uniform integer below each bound, at most 2^32.
Uniform = Callable[[Integers], Integers]
# Columns by their places, increasing.
Clique = tuple[int, ...]
BINS = 20
MOST_CODES = 2**12
MISSING = "(missing)"
# Values of a column of numbers, and those of them that may be drawn within one bin.
_MOST_POINTS, _MOST_DRAWN = 2**53, 2**32


@dataclass(frozen=True, eq=False)
class SynthesisColumn:
    """A column with its public cells; a last code is for cells that are missing or that no list has.

    Attributes:
        name: of the column.
        values: what each code stands for; empty for a column of bins.
        edges: of the bins of a column of numbers, increasing; empty for a column of values.
        step: how fine numbers are that are drawn within a bin.
        cells: what rows are counted in; ``None`` for a model that was saved, which reads no rows.
        rho: what choosing the edges cost; ``None`` where they are public.
    """

    name: str
    values: tuple[Any, ...] = ()
    edges: tuple[Fraction, ...] = ()
    step: Fraction = Fraction(1)
    cells: PublicCells | None = None
    rho: Fraction | None = None

    @classmethod
    def of(cls, dataset: Dataset, name: str, bins: int = BINS) -> SynthesisColumn:
        """Return a described column; numbers with more values than bins are counted in bins.

        Raises:
            DatasetError: no such column is described.
            ValueError: no public list has its names, or it has too many values.
        """
        domain = dataset.columns.get(name)
        if isinstance(domain, NumericDomain):
            return cls._of_numbers(name, domain, dataset, bins)
        if domain == UNLISTED:
            raise InputError(f"{name} has names that no public list holds: write the list, or leave the column out.")
        known = dataset.names(name)
        names = known if isinstance(domain, DateDomain) else PublicNames.of(known, "a list of values")
        assert isinstance(names, PublicNames)
        if len(names) >= MOST_CODES:
            raise InputError(f"{name} has more than {MOST_CODES} values: describe a coarser step, or leave it out.")
        return cls(name, tuple(names.names), cells=names)

    @classmethod
    def _of_numbers(cls, name: str, domain: NumericDomain, dataset: Dataset, bins: int) -> SynthesisColumn:
        points = int((domain.upper - domain.lower) / domain.step) + 1
        if points > _MOST_POINTS:
            raise InputError(f"{name} has more than 2^53 values: describe a coarser step.")
        if not domain.edges and points <= bins:
            values = tuple(_plain(domain.lower + place * domain.step) for place in range(points))
            return cls(name, values, cells=dataset.grid(name))
        # Even bins begin at a value of the grid, so that each of them has one.
        even = [domain.lower + (place * points // bins) * domain.step for place in range(bins)]
        edges = domain.edges or (*even, domain.upper)
        return cls(name, (), edges, domain.step, Bins(Bins.of([float(edge) for edge in edges]).edges, clip=True))

    @property
    def size(self) -> int:
        """Return the number of codes, with the one for what is missing."""
        return (len(self.values) if self.values else len(self.edges) - 1) + 1

    @property
    def many(self) -> int:
        """Return how many values all codes stand for, with the missing one."""
        return self.size if self.values else 1 + sum(self._steps(code)[1] for code in range(self.size - 1))

    @property
    def labels(self) -> list[str]:
        """Return what each code is called."""
        named = self.values or Bins(np.array([float(edge) for edge in self.edges])).names
        return [*map(str, named), MISSING]

    def points(self, code: int) -> list[Any]:
        """Return the values that a code stands for, missing ones as ``None``."""
        if code == self.size - 1:
            return [None]
        if self.values:
            return [self.values[code]]
        first, many = self._steps(code)
        return [_plain(self.edges[0] + (first + place) * self.step) for place in range(many)]

    def _steps(self, code: int) -> tuple[int, int]:
        """Return the first value in a bin, in steps from the lowest edge, and how many there are."""
        low, high = (-((self.edges[0] - self.edges[code + more]) // self.step) for more in (0, 1))
        last = code == self.size - 2
        return int(low), max(int(high - low) + last, 1)

    def decode(self, codes: Integers, uniform: Uniform) -> NDArray[Any]:
        """Return a value for every code, ``None`` for the last; within a bin, every value is as likely.

        Args:
            codes: shape (n,). uniform: draws integers below its bounds.

        Returns: shape (n,), of objects.
        """
        decoded = np.empty(codes.size, dtype=object)
        if self.values:
            known = np.empty(self.size, dtype=object)
            known[:-1] = [each.item() if isinstance(each, np.generic) else each for each in self.values]
            decoded[:] = known[codes]
            return decoded
        inside = codes < self.size - 1
        first, many = np.array([self._steps(code) for code in range(self.size - 1)], dtype=np.int64).T
        # Of more values than can be drawn, every second one comes back, or every third.
        apart = -(-many // _MOST_DRAWN)
        here = codes[inside]
        steps = first[here] + uniform(-(-many // apart)[here]) * apart[here]
        lower, step = self.edges[0], self.step
        if lower.denominator == step.denominator == 1:
            decoded[inside] = (int(lower) + steps * int(step)).tolist()
        elif max(map(abs, self.edges)) * (over := lower.denominator * step.denominator) < 2**62:
            whole = int(lower * over) + steps * int(step * over)
            decoded[inside] = (whole / over).tolist()
        else:
            # What is as fine as that, a double rounds.
            decoded[inside] = np.minimum(float(lower) + steps * float(step), float(self.edges[-1])).tolist()
        return decoded

    def as_dict(self) -> dict[str, Any]:
        """Return the column for JSON."""
        if self.values:
            return {"name": self.name, "values": [*self.values]}
        chosen = {} if self.rho is None else {"rho": str(self.rho)}
        return {"name": self.name, "edges": [str(edge) for edge in self.edges], "step": str(self.step)} | chosen

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SynthesisColumn:
        """Return the column of :meth:`as_dict`.

        Raises:
            LookupError, TypeError, ValueError: it is not one.
        """
        name = content["name"]
        if not isinstance(name, str):
            raise InputError("A column has a name.")
        if "values" in content:
            values = tuple(content["values"])
            if not values or not all(isinstance(each, (str, int, float)) for each in values):
                raise InputError(f"The values of {name} are not a list of text and numbers.")
            return cls(name, values)
        edges, step = tuple(map(number_of, content["edges"])), number_of(content["step"])
        if len(edges) < 2 or step <= 0 or any(one >= other for one, other in pairwise(edges)):
            raise InputError(f"The edges of {name} do not increase.")
        if max(map(abs, edges)) > _MOST_POINTS or (edges[-1] - edges[0]) / step > _MOST_POINTS:
            raise InputError(f"{name} has too many values.")
        return cls(name, (), edges, step, rho=number_of(content["rho"]) if "rho" in content else None)


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


@dataclass(frozen=True, eq=False)
class TableDomain:
    """The columns of a synthetic table.

    Attributes:
        columns: in the order of the table.
    """

    columns: tuple[SynthesisColumn, ...]

    @classmethod
    def of(cls, dataset: Dataset, names: Sequence[str] | None = None, bins: int = BINS) -> TableDomain:
        """Return the described columns, or some of them; those without a public list are left out unless named.

        Raises:
            ValueError: this is a graph, or there are no such columns; a column is named twice.
        """
        if dataset.graph is not None or dataset.is_histogram:
            raise InputError("A synthetic table is made of rows: describe a table with its columns.")
        wanted = [name for name, each in dataset.columns.items() if each != UNLISTED] if names is None else [*names]
        if len({*wanted}) != len(wanted):
            raise InputError("A column is named twice: name each once.")
        if not wanted:
            raise InputError("A synthetic table has at least one column: describe one with bounds or a list.")
        return cls(tuple(SynthesisColumn.of(dataset, name, bins) for name in wanted))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(each.name for each in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many codes each column has."""
        return tuple(each.size for each in self.columns)

    def cells(self, clique: Clique) -> int:
        """Return how many cells the counts of some columns have."""
        return prod(self.columns[column].size for column in clique)

    def words(self, clique: Clique) -> str:
        """Return the names of some columns in words."""
        return " x ".join(self.columns[column].name for column in clique)

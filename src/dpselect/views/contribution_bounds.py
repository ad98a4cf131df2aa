"""The groups and persons that the rows of a column count for: the public group of each, and the few rows of one person
that count at all.

Every row is read by itself: one of no listed group, of nobody, or without a number is left out alone. Of the rows that
are left, a few of each person count, over all groups together: which ones follows from that person's rows alone.
Proof: ``contribution_bounds.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import whole
from dpselect.sources import identity
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames
from dpselect.views.column import Column
from dpselect.views.grid import Grid, tally
from dpselect.views.row_question import codes_of
from dpselect.views.rows_of_persons import rows_that_count
from dpselect.views.stored_column import StoredColumn

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class ContributionBounds:
    """Groups and persons of the rows of a column; the columns are private, all else is public.

    Attributes:
        by: the group of every row; ``None`` without groups.
        groups: the public list of groups; ``None`` without groups.
        person: whose every row is; ``None`` where rows are protected one by one.
        per_person: how many rows of one person count, over all groups together; 1 without persons.
    """

    by: Any = None
    groups: PublicNames | None = None
    person: Any = None
    per_person: int = 1

    @classmethod
    def of(
        cls, by: Any, groups: Any, person: Any, rows_per_person: int | None, *, named: bool = False
    ) -> ContributionBounds | None:
        """Return what is declared, or ``None`` where neither groups nor persons are.

        Args:
            by, person: columns, each with one cell per value; ``None`` for none.
            groups: the public list that goes with ``by``.
            rows_per_person: goes with ``person``; ``None`` for 1.
            named: whether they are names of columns of a table that stays where it is.

        Raises:
            PrivacyError: groups without a public list.
            TypeError, ValueError: one without the other; the name of a column instead of a column; a bad list.
        """
        names = None if by is None and groups is None else public_groups(by, groups)
        most = rows_of_person(person, rows_per_person)
        if by is None and person is None:
            return None
        for name, column in (("by", by), ("person", person)):
            if isinstance(column, (str, bytes)) and not named:
                raise InputTypeError(
                    f"{name} is a column with one cell per value, such as table[{column!r}], not its name."
                )
        return cls(by, names, person, most)

    @property
    def neighbours(self) -> Neighbours:
        """Return what one step between databases is: one row, or one person with all of their rows."""
        return Neighbours.ADD_REMOVE if self.person is None else Neighbours.PERSON

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return what a ledger records."""
        grouped = {} if self.groups is None else {"groups": str(len(self.groups))}
        return grouped if self.person is None else grouped | {"rows_per_person": str(self.per_person)}

    def histograms(self, column: Column | StoredColumn, grid: Grid) -> list[tuple[Integers, Integers]]:
        """Return of every group the occupied places of a public grid and how many rows each holds.

        Without groups there is one, of all rows.

        Raises:
            ValueError: columns of different lengths; a column whose type no list names; a column without rows.
            ConnectionError: an engine failed.
        """
        if isinstance(column, StoredColumn):
            return column.histograms(grid, self.by, self.groups, self.person, self.per_person)
        places = column.row_places(grid)
        where = np.zeros_like(places) if self.groups is None else codes_of(self.groups, self.by, "by")
        self._require_aligned(places, where)
        mask = (places >= 0) & (where >= 0)
        if self.person is None:
            rows = np.flatnonzero(mask)
        else:
            who, names = identity.number_persons(distinct(self.person))
            self._require_aligned(places, who)
            rows = rows_that_count(np.where(mask, who, -1), names, where, places, self.per_person)
        return [*self._by_group(places[rows], where[rows], grid.size)]

    def _by_group(self, places: Integers, where: Integers, size: int) -> Iterator[tuple[Integers, Integers]]:
        many = 1 if self.groups is None else len(self.groups)
        # Narrow integers sort in linear time.
        order = np.argsort(where.astype(np.int16) if many < 2**15 else where, kind="stable")
        ends = np.searchsorted(where[order], np.arange(many + 1))
        for start, end in pairwise(ends.tolist()):
            yield tally([(places[order[start:end]], None)], size)

    @staticmethod
    def _require_aligned(places: Integers, other: Integers) -> None:
        if places.size != other.size:
            raise InputError("The columns have different lengths: pass one cell of by and person per value.")

    def __repr__(self) -> str:
        return f"ContributionBounds(groups={len(self.groups or ())}, neighbours={self.neighbours})"


def public_groups(by: Any, groups: Any) -> PublicNames:
    """Return the public list of groups that goes with a column.

    Raises:
        PrivacyError: there is no list.
        TypeError, ValueError: there is no column, or a bad list.
    """
    if by is None:
        raise InputError(Advice("Groups need their column: pass {by=|--by}, or leave out what is said of groups."))
    if groups is None:
        raise PrivacyError(
            Advice("Which groups there are must not depend on the data: pass {groups=|--groups}, their public list.")
        )
    return PublicNames.of(groups, "groups")


def rows_of_person(person: Any, rows_per_person: int | None) -> int:
    """Return how many rows of one person count; 1 without persons, where a row is protected by itself.

    Raises:
        TypeError, ValueError: a number without persons, or not a whole number of at least 1.
    """
    if rows_per_person is None:
        return 1
    if person is None:
        raise InputError(
            Advice(
                "{rows_per_person=|--rows-per-person} says how many rows of one person count: pass {person=|--person} "
                "too, or leave it out."
            )
        )
    return whole(rows_per_person, "rows_per_person", "how many rows count")

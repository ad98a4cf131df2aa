"""A table and its labels on the way to codes: whose rows count, and which of them have a code in every column.

Each row is kept or left out for what that row holds, or for that person's rows, so two tables that differ in a row, or
in a person, differ in the codes of no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from dpselect.kernel.errors import InputError
from dpselect.learn.domains import Attribute
from dpselect.learn.schema import ReadOptions, Schema
from dpselect.sources import frames, identity
from dpselect.sources.cell_types import OUTSIDE
from dpselect.sources.distinct import distinct
from dpselect.views.bound_contributions import bound_contributions

Integers = NDArray[np.int64]
_PANDAS_COLUMN = "is a column of pandas that NumPy holds"


@dataclass(frozen=True, repr=False, eq=False)
class LabelledRows:
    """A table and its labels, private.

    Attributes:
        names: the columns, without the target.
        columns: name to cells, shape (n,).
        target: the labels, shape (n,).
        retyped: the columns whose types rows may have changed, and ``None`` if the target is one of them.
        called: the name of the target, if it has one.
        texts: the columns that are declared to hold text, and ``None`` if the target is one of them.
        owners: whose each row is, a number of the person or of the row itself, shape (n,).
    """

    names: list[Any]
    columns: dict[Any, NDArray[Any]]
    target: NDArray[Any]
    retyped: frozenset[Any]
    owners: Integers
    called: Any = None
    texts: frozenset[Any] = frozenset()

    @classmethod
    def of(cls, X: Any, y: Any) -> LabelledRows:
        """Return a table and its labels, or a table and the target that is one of its columns.

        Raises:
            TypeError, ValueError: not a table; no such target; shapes that do not agree.
        """
        names, columns = frames.columns(X)
        retyped, texts = frames.untyped_columns(X), frames.text_columns(X)
        if isinstance(y, str):
            if y not in columns:
                raise InputError(f"The table has no column {y!r}: name the target column.")
            owners = np.arange(columns[y].shape[0])
            others = {name: cells for name, cells in columns.items() if name != y}
            excluded = frozenset([None]) if y in retyped else frozenset()
            told = texts - {y} | (frozenset([None]) if y in texts else frozenset())
            names = [name for name in names if name != y]
            return cls(names, others, columns[y], retyped - {y} | excluded, owners, y, told)
        if (called := frames.name(y)) is not None and called in columns:
            raise InputError(
                f"The target {called!r} is also a column of the table: leave it out, or pass fit(table, {called!r})."
            )
        target = frames.column(y)
        if target.ndim != 1:
            target = column_or_1d(target, warn=True)
        sizes = {values.shape[0] for values in columns.values()}
        if sizes and sizes != {target.shape[0]}:
            raise InputError("The table and the labels have different lengths: pass one label per record.")
        excluded = frozenset([None]) if frames.is_retyped(y) else frozenset()
        told = texts | (frozenset([None]) if frames.is_text(y) else frozenset())
        return cls(names, columns, target, retyped | excluded, np.arange(target.shape[0]), called, told)

    def people(self, person: Any) -> Integers:
        """Return a number for each person, ``OUTSIDE`` where a row names nobody.

        Raises:
            ValueError: there is no such column.
        """
        if person not in self.columns:
            raise InputError(f"The table has no column {person!r}: person= names the column that tells people apart.")
        column = distinct(self.columns[person])
        return identity.persons(replace(column, retyped=person in self.retyped))

    def bound_rows(self, person: Any, most: int, missing: str) -> LabelledRows:
        """Keep each person's first rows: which ones depends on that person's rows alone.

        Rows that name nobody are left out. The bound comes before rows are left out for other cells.

        Raises:
            ValueError: there is no such column; a row names nobody and ``missing="error"``.
        """
        who = self.people(person)
        if missing == "error" and (who == OUTSIDE).any():
            raise InputError(f'Column {person!r} has missing values and missing="error": say whose every row is.')
        positions = bound_contributions(who, most)
        names = [name for name in self.names if name != person]
        return replace(
            self,
            names=names,
            columns={name: self.columns[name][positions] for name in names},
            target=self.target[positions],
            owners=who[positions],
        )

    def codes(self, known: Schema, unknown: str) -> tuple[list[Integers], Integers]:
        """Return the code of every cell and of every label, with ``OUTSIDE`` and ``LACKING`` where there is none.

        A warning tells of a column that is declared to be text and whose domain lists numbers alone.

        Raises:
            ValueError: a column whose type no domain lists, or is too narrow for the domain.
        """
        label = known.label()
        for each in known.attributes:
            if each.name in self.retyped:
                each.require_exact(_PANDAS_COLUMN)
        if None in self.retyped:
            label.require_exact(_PANDAS_COLUMN)
        for each in (*(each for each in known.attributes if each.name in self.texts), *[label][: None in self.texts]):
            each.warn_of_text()
        codes = [each.encode(self.columns[each.name], unknown) for each in known.attributes]
        return codes, label.encode(self.target, unknown)

    def training_codes(self, known: Schema, reading: ReadOptions) -> tuple[list[Integers], Integers, Integers]:
        """Return codes, labels and owners of the rows that have a code in every column.

        Raises:
            ValueError: as :meth:`codes`; a cell that the curator asked to have refused.
        """
        codes, label = self.codes(known, reading.unknown)
        for each, code in zip(known.attributes, codes, strict=True):
            each.require(code, reading.unknown, reading.missing)
        known.require_target(label, reading.unknown, reading.missing)
        return _complete(codes, label, self.owners)


def _complete(
    codes: Sequence[Integers], label: Integers, owners: Integers
) -> tuple[list[Integers], Integers, Integers]:
    """Return the codes, labels and owners of the rows that have a code in every column."""
    mask = label >= 0
    for each in codes:
        mask &= each >= 0
    if mask.all():
        return [*codes], label, owners
    return [each[mask] for each in codes], label[mask], owners[mask]


def read_again(X: Any, known: Sequence[Attribute], missing: str) -> list[Integers]:
    """Return codes of records to be labelled: numbers are clipped, unknown categories stop on the way.

    Raises:
        ValueError: a column is not there; a cell is missing and ``missing="error"``.
    """
    names, columns = frames.columns(X)
    wanted = [each.name for each in known]
    if any(name not in columns for name in wanted):
        if len(columns) != len(wanted) or all(isinstance(name, str) for name in names):
            lacking = next(name for name in wanted if name not in columns)
            raise InputError(f"The table lacks column {lacking!r}: pass the columns that the model was trained on.")
        columns = dict(zip(wanted, columns.values(), strict=True))
    codes = [each.encode(columns[each.name], "clip") for each in known]
    for each, code in zip(known, codes, strict=True):
        each.require(code, "clip", missing)
    return codes

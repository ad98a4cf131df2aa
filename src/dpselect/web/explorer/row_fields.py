"""Rows of fields that can be added and emptied by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.web.explorer.form_fields import ChoiceField, NumberField, Pairs, Query

Row = Mapping[str, Any]


@dataclass(frozen=True)
class RowFields:
    """Rows of the same fields; one whose first choice is empty is left out.

    Attributes:
        columns: of each row; the first is a choice with an empty option.
        default: the rows at first.
        most: so many rows there may be.
        noun: what a row is called.
    """

    name: str
    label: str
    columns: tuple[ChoiceField | NumberField, ...]
    default: tuple[Row, ...]
    most: int
    noun: str = "row"
    help: str = ""
    macro: str = "rows"

    def read(self, query: Query) -> tuple[Row, ...]:
        """Return the values of each row by the names of its columns.

        Raises:
            ValueError: what is wrong with a row, and with which.
        """
        cells = {column.name: query.get(f"{self.name}-{column.name}", ()) for column in self.columns}
        many = len(cells[self.columns[0].name])
        if not many:
            return self.default
        if many > self.most + 1 or any(len(values) != many for values in cells.values()):
            raise InputError(f"{self.label} are up to {self.most} rows, each with all of its values.")
        rows = []
        for number, values in enumerate(zip(*cells.values(), strict=True), 1):
            if values[0]:
                rows.append(self._row(number, values))
        if not rows or len(rows) > self.most:
            raise InputError(f"{self.label} are from 1 to {self.most} rows: choose what the first one is.")
        return tuple(rows)

    def write(self, value: Iterable[Row]) -> Pairs:
        """Return every value of every row."""
        return [
            (f"{self.name}-{column.name}", text)
            for row in value
            for column in self.columns
            for _, text in column.write(row[column.name])
        ]

    @property
    def empty(self) -> Row:
        """Return the row that waits to be filled in."""
        return {column.name: column.default for column in self.columns} | {self.columns[0].name: ""}

    def _row(self, number: int, values: Iterable[str]) -> Row:
        try:
            return {
                column.name: column.read({column.name: [text]})
                for column, text in zip(self.columns, values, strict=True)
            }
        except ValueError as error:
            raise InputError(f"{self.noun.capitalize()} {number}: {error}") from None

"""Columns that are read of a file, each as it is wanted, and the rows of them that a condition wants."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpselect.sources import csv_text
from dpselect.sources.conditions import Condition
from dpselect.sources.dialects import Dialect
from dpselect.sources.file_kinds import has_schema
from dpselect.sources.statistics_files import ENDINGS, CodeColumn


@dataclass(frozen=True)
class ColumnChoice:
    """Columns as a file is asked for them. Make one with :meth:`of`.

    Attributes:
        wanted: what the file is asked for, by the names of columns.
        tested: the same of the columns that a condition compares with text or dates.
        compared: the same of those that it compares with numbers.
        where: the condition; ``None`` for all rows.
        missing: what stands for an empty cell.
        dialect: how text is written; ``None`` where columns have types.
    """

    wanted: Mapping[Any, Any]
    tested: Mapping[Any, Any]
    compared: Mapping[Any, Any]
    where: Condition | None
    missing: tuple[str, ...]
    dialect: Dialect

    @classmethod
    def of(cls, path: Path, names: Sequence[Any], reading: Any, numbers: Collection[Any] = ()) -> ColumnChoice:
        """Return the choice of columns of a file, of which ``numbers`` are declared to be of numbers."""
        codes = CodeColumn if path.name.lower().endswith(ENDINGS) else _as_it_is
        where = reading.where
        return cls(
            {name: codes(name) if name in numbers else name for name in names},
            {} if where is None else {name: name for name in where.names},
            {} if where is None else {name: codes(name) for name in where.numbers},
            where,
            reading.missing,
            Dialect() if has_schema(path) else reading.dialect,
        )

    @property
    def columns(self) -> list[Any]:
        """Return all that the file is asked for, each once."""
        keys = [*self.wanted.values(), *self.tested.values(), *self.compared.values()]
        # What stands for an empty cell may be a label.
        labels = [key.name for key in keys if isinstance(key, CodeColumn)] if self.missing else []
        return [*dict.fromkeys([*keys, *labels])]

    def rows(self, read: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return columns by their names, without the cells that stand for an empty one and the rows left out.

        Args:
            read: arrow columns by what the file was asked for, all of the tested ones among them.

        Raises:
            TypeError, ValueError: as :meth:`Condition.mask`.
        """
        there = _without_missing(read, self.missing)
        result = {name: there[key] for name, key in self.wanted.items() if key in there}
        if self.where is None:
            return result
        tested = {name: there[key] for name, key in self.tested.items()}
        numbers = {name: self.dialect.number(there[key]) for name, key in self.compared.items()}
        mask = importlib.import_module("pyarrow").array(self.where.mask(tested, numbers, self.dialect.date_order))
        return {name: cells.filter(mask) for name, cells in result.items()}


def _as_it_is(name: Any) -> Any:
    return name


def _without_missing(there: Mapping[Any, Any], missing: tuple[str, ...]) -> dict[Any, Any]:
    """Return columns without the cells that stand for a missing one: each is compared by itself."""
    if not missing:
        return {**there}
    arrow, compute = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.compute"))
    numbers = [number for each in missing if (number := csv_text.number(each)) is not None]
    result = {}
    for name, cells in there.items():
        if arrow.types.is_string(cells.type) or arrow.types.is_large_string(cells.type):
            mask = compute.is_in(compute.utf8_trim_whitespace(cells), arrow.array(missing, cells.type))
            if isinstance(name, CodeColumn):
                labels = compute.utf8_trim_whitespace(there[name.name])
                mask = compute.or_(mask, compute.is_in(labels, arrow.array(missing, cells.type)))
        elif arrow.types.is_integer(cells.type) or arrow.types.is_floating(cells.type):
            mask = compute.is_in(cells.cast("float64", safe=False), arrow.array(numbers, "float64"))
        else:
            result[name] = cells
            continue
        result[name] = compute.if_else(mask, arrow.scalar(None, cells.type), cells)
    return result

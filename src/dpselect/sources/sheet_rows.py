"""Rows of sheets, whatever kind of file they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dpselect.kernel.errors import InputError


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet.

    Attributes:
        number: which row it says it is; 0 where that is not a number.
        cells: texts by the number of their column.
        percents: the columns of numbers that are shown as percents.
        hidden: whether it is not shown.
    """

    number: int = 0
    cells: Mapping[int, str] = field(default_factory=dict)
    percents: frozenset[int] = frozenset()
    hidden: bool = False


def no_sheet(path: Path, name: str | None) -> ValueError:
    """Return the refusal of a sheet that a file does not have."""
    return InputError(f"{path.name} has no sheet {name!r}: name one that it has, or leave it out for the first.")

"""Cells of a table outside of its public domains: counts for the curator, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """Counts of cells that a fit would clip or leave out. They are private: they are for the curator alone.

    Attributes:
        rows: the rows of the table.
        outside: column to its cells outside of their domain; for numbers those beyond its ends too.
        missing: column to its missing cells.
        labels_outside: labels that are not among the classes.
        labels_missing: labels that are missing.
        nobody: rows that name no person, where ``person=`` is given.
        left_out: rows that a fit with these settings leaves out for one of these reasons.
        number: whether the target is a number, whose labels outside are those beyond its bounds.
    """

    rows: int
    outside: Mapping[Any, int]
    missing: Mapping[Any, int]
    labels_outside: int
    labels_missing: int
    nobody: int
    left_out: int
    number: bool = False

    def __str__(self) -> str:
        lines = ["Private: these counts are for the curator alone; publish none of them, and set no domain by them."]
        for name in self.outside:
            lines.append(f"{name}: {self.outside[name]} outside of the domain, {self.missing[name]} missing")
        label, place = ("targets", "bounds") if self.number else ("labels", "classes")
        lines.append(f"{label}: {self.labels_outside} outside of the {place}, {self.labels_missing} missing")
        if self.nobody:
            lines.append(f"rows that name nobody: {self.nobody}")
        lines.append(f"rows: {self.rows}, of which training leaves out {self.left_out}")
        return "\n".join(lines)

    __repr__ = __str__

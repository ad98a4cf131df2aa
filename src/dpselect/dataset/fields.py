"""Fields of a description, and the place of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dpselect.dataset.parts import BudgetLimits, ColumnDomain, WeightColumn
from dpselect.sources.locators import is_url
from dpselect.sources.web import is_database


def key(about: str, default: Any = None, *, metavar: str = "", option: str = "", of: str = "") -> Any:
    """Return a key of a description.

    Args:
        about: half a sentence for readers of help; without it no option of a command says it.
        default: what it is where it is left out.
        metavar: what a page of help shows in the place of its value.
        option: what an option is called, where that is not the key.
        of: ``"table"`` or ``"graph"`` where it is a key of one of them only.
    """
    return field(default=default, metadata={"about": about, "metavar": metavar, "option": option, "of": of})


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class DatasetFields:
    """Keys of a description; :class:`dpselect.Dataset` documents and checks them."""

    source: str | None = None
    graph: str | None = None
    table: str | None = None
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str = "utf-8"
    line_breaks: bool = False
    unit: tuple[str, ...] = key(
        "what may stand before or behind a number, such as % or EUR €", default=(), metavar="TEXT..."
    )
    skip_rows: int = key(
        "how many lines, or rows of a sheet, stand before the names of the columns (default 0)", default=0, metavar="N"
    )
    date_order: str | None = key(
        "dmy for dates such as 31.12.2025, mdy for 12/31/2025; 2025-12-31 is always read", metavar="dmy|mdy"
    )
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    where: str | None = None
    person: str | None = None
    rows_per_person: int = 1
    order: str | None = None
    columns: Mapping[str, ColumnDomain] = field(default_factory=dict)
    nodes: int | tuple[str | int, ...] | None = None
    ends: tuple[str, str] = ("source", "target")
    label: str | None = None
    max_degree: int | None = None
    weight: WeightColumn | None = None
    budget: BudgetLimits | None = None
    about: str | None = None
    folder: Path = field(default=Path(), metadata={"key": False})
    frame: Any = field(default=None, metadata={"key": False})

    @property
    def noun(self) -> str:
        """Return the key that says where the data are: ``source``, ``graph``, or ``frame``."""
        return "source" if self.source is not None else "graph" if self.graph is not None else "frame"

    @property
    def place(self) -> str:
        """Return the source or the graph as it is written; empty for a frame."""
        return self.source or self.graph or ""

    @property
    def in_engine(self) -> bool:
        """Return whether the rows are in a database."""
        return is_database(self.place)

    @property
    def address(self) -> str:
        """Return the URL, or the file with its folder."""
        return self.place if is_url(self.place) else str(self.folder / self.place)


KEYS = tuple(each.name for each in fields(DatasetFields) if each.metadata.get("key", True))
DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(DatasetFields)} | {"columns": {}}

"""Fields of a description, with what readers of help are told of each, and the place of its data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpselect.kernel.neighbours import Neighbours
from dpselect.sources.urls import is_url
from dpselect.sources.web import is_database

# A page of help reads fields, and needs no domains and no NumPy.
if TYPE_CHECKING:
    from dpselect.dataset.description_parts import BudgetLimits, ColumnDomain, WeightColumn

_COUNTS = ".npy"
# Graphs that ship with NetworkX are called so.
_WORD = re.compile("[a-z]+(?:-[a-z]+)*")
# What is said of rows that stay where they are, where codes may be kept there for a while.
TEMPORARY = "temporary-table"


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
    table: str | None = key("the table, where a database is named, such as duckdb://FILE", metavar="NAME")
    in_place: bool | str = key("let DuckDB count in a file where it is, for tables beyond memory", default=False)
    separator: str | None = key(
        "what separates columns: ',' (default), ';', '|' or tab (the default of .tsv); it is never guessed",
        metavar="SIGN",
    )
    decimal: str | None = key("what marks the fraction of a number: . (default) or ','", metavar="SIGN")
    thousands: str | None = key(
        "what groups digits in threes: ., ',', space or apostrophe; with --decimal, any but the decimal mark",
        metavar="SIGN",
    )
    encoding: str = key("utf-8 (default), or such as latin-1 or cp1252", default="utf-8", metavar="NAME")
    line_breaks: bool = key("quoted cells have line breaks; otherwise one line is one record", default=False)
    unit: tuple[str, ...] = key(
        "what may stand before or behind a number, such as % or EUR €", default=(), metavar="TEXT...", of="table"
    )
    skip_rows: int = key(
        "how many lines, or rows of a sheet, stand before the names of the columns (default 0)", default=0,
        metavar="N", of="table",
    )  # fmt: skip
    date_order: str | None = key(
        "dmy for dates such as 31.12.2025, mdy for 12/31/2025; 2025-12-31 is always read", metavar="dmy|mdy",
        of="table",
    )  # fmt: skip
    missing: tuple[str, ...] = key(
        "what else stands for an empty cell, such as NA -99", default=(), metavar="TEXT...", option="missing-text",
        of="table",
    )  # fmt: skip
    sheet: str | None = key(
        "the sheet of an Excel or OpenDocument file (default: the first)", metavar="NAME", of="table"
    )
    where: str | None = key(
        "leave out the rows that do not fulfil it, such as 'region in (North, South) and not age < 18': a "
        "public condition, tested row by row",
        metavar="CONDITION",
    )
    person: str | None = key(
        "the column that tells persons apart: protect one person with all of their rows, not one row",
        metavar="COLUMN", of="table",
    )  # fmt: skip
    rows_per_person: int = key(
        "how many rows of one person count, in all groups together (default 1)", default=1, metavar="K", of="table"
    )
    order: str | None = key(
        "which rows of a person count: the first ones by this column; without it their order does not matter",
        metavar="COLUMN", of="table",
    )  # fmt: skip
    columns: Mapping[str, ColumnDomain] = field(default_factory=dict)
    nodes: int | tuple[str | int, ...] | None = key(
        "the public nodes: their number when ids are 0 .. N-1 (1 .. N in .mtx and .net), a file with one label per "
        "line, or a .graphml file, whose nodes are then public (required for edge files)",
        metavar="N|FILE", of="graph",
    )  # fmt: skip
    ends: tuple[str, str] = key(
        "the columns of the two ends of an edge, from where it points to where (default source target)",
        default=("source", "target"), metavar="A B", of="graph",
    )  # fmt: skip
    label: str | None = key(
        "the attribute that names nodes in a .graphml, .gexf, .gml or .net file (default: their ids)",
        metavar="NAME", of="graph",
    )  # fmt: skip
    max_degree: int | None = key("a public bound on the degrees, where there is one", metavar="N", of="graph")
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
    def stays(self) -> bool:
        """Return whether rows stay where they are, and an engine counts them."""
        return bool(self.in_place) or self.in_engine

    @property
    def is_shipped(self) -> bool:
        """Return whether the graph is one that ships with NetworkX, by its name."""
        named = self.graph or ""
        return bool(_WORD.fullmatch(named)) and not (self.folder / named).exists()

    @property
    def is_histogram(self) -> bool:
        """Return whether the source has counts of the values of a column instead of rows."""
        return self.place.lower().endswith(_COUNTS)

    @property
    def address(self) -> str:
        """Return the URL, or the file with its folder."""
        return self.place if is_url(self.place) else str(self.folder / self.place)

    @property
    def neighbours(self) -> Neighbours:
        """Return what every release protects: one edge, one person with all of their rows, or one row."""
        if self.graph is not None:
            return Neighbours.EDGE
        return Neighbours.ADD_REMOVE if self.person is None else Neighbours.PERSON

    @property
    def ledger_place(self) -> str | None:
        """Return the URL of the ledger, or the file with its folder; ``None`` where none is named."""
        place = None if self.budget is None else self.budget.ledger
        return place if place is None or is_url(place) else str(self.folder / place)

    @property
    def wanted_columns(self) -> list[str]:
        """Return the columns that are read: those that may be asked about, of persons, and of their order."""
        more = (self.person, self.order)
        return [*dict.fromkeys([*self.columns, *(name for name in more if name is not None)])]


# Keys that say how a file is written, as :meth:`dpselect.data.TableFile.of` takes them too.
FILE_KEYS = (
    "separator", "decimal", "thousands", "encoding", "skip_rows", "sheet", "line_breaks", "unit", "date_order",
    "missing",
)  # fmt: skip
KEYS = tuple(each.name for each in fields(DatasetFields) if each.metadata.get("key", True))
DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(DatasetFields)} | {"columns": {}}

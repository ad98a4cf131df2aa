"""The public description of a private table or graph, in Python and as TOML."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from dpselect.dataset import source_rows, toml_text
from dpselect.dataset.coherence import domains_of, nodes_of, require_sound, shipped_nodes
from dpselect.dataset.description_parts import (
    UNLISTED,
    BudgetLimits,
    ColumnDomain,
    DatasetError,
    DateDomain,
    NumericDomain,
    WeightColumn,
    at_least_one,
    part_of,
    plain,
    refusal,
    require_known,
    text,
    texts,
)
from dpselect.dataset.fields import DEFAULTS, KEYS, TEMPORARY, DatasetFields
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.ledger.composition import Terms
from dpselect.ledger.ledger import Ledger
from dpselect.sources.periods import Periods
from dpselect.sources.urls import without_secrets
from dpselect.sources.warehouse import Warehouse
from dpselect.utilities.grid_counts import public_values
from dpselect.views import Graph
from dpselect.views.grid import Grid
from dpselect.views.nodes import declared_nodes

AnyGraph = TypeVar("AnyGraph")
_DATES = "this has dates: ask for medians, quantiles, counts or groups of it, or name another column."
_TEXTS = (
    "source", "graph", "table", "separator", "decimal", "thousands", "encoding", "date_order", "sheet", "where",
    "person", "order", "label", "about",
)  # fmt: skip
# What belongs elsewhere, and where.
_ELSEWHERE = {
    **dict.fromkeys(("epsilon", "delta", "rule", "ledger"), "write it below [budget]."),
    **dict.fromkeys(("allowance", "shares"), "it belongs into the settings of a server, beside dataset = ..."),
    "query": "this file is a plan, which dpselect publish answers: name the description that it names.",
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Dataset(DatasetFields):
    """A public description of a private table or graph. It holds no row, and a file of it is read by :meth:`load`.

    Attributes:
        source: a table: a file as :meth:`dpselect.data.TableFile.of` takes it, or the URL of a database; or a ``.npy``
            file of counts: cell i holds how many rows have the value lower + i step of the one column.
        graph: a file of edges instead, or the URL of a database, or the name of a graph that ships with NetworkX, such
            as ``"lesmis"``.
        table: the table of a database, as ``name`` or ``schema.name``.
        in_place: whether DuckDB counts in a file where it is, for tables beyond memory. With ``"temporary-table"``
            an engine, or a database, keeps codes while a model learns, which is faster.
        separator, decimal, thousands, encoding: how text is written, as for :meth:`dpselect.data.TableFile.of`.
        line_breaks: whether quoted cells of a file of text have line breaks; otherwise one line is one record.
        unit: what may stand before or behind a number, such as ``"%"`` or ``["EUR", "€"]``.
        skip_rows: how many lines, or rows of a sheet, stand before the names of the columns.
        date_order: ``"dmy"`` or ``"mdy"`` where dates of text are written so; 2025-12-31 is always read.
        missing: what else stands for an empty cell in a file, such as ``["NA", "-99"]``.
        sheet: the sheet of an Excel file; the first one without it.
        where: a public condition on rows; those that do not fulfil it are left out.
        person: the column that tells persons apart: all rows of a person are protected. Without it, one row is.
        rows_per_person: how many rows of one person count.
        order: the column by which the first of them are chosen, instead of a hash of what each counts for.
        columns: the columns that may be asked about: bounds and a step for numbers or dates, a list of public values,
            or ``"unlisted"`` for names that no public list holds.
        nodes: the public nodes of a graph: how many, if they are 0, 1, 2, ..., or a list of their names. In ``.mtx``
            and ``.net`` files, so many are 1, 2, 3, ...
        ends: the columns of a table of edges.
        label: the attribute that names nodes in a ``.graphml``, ``.gexf``, ``.gml`` or ``.net`` file; their ids without
            it.
        max_degree: the public bound on the degrees of a graph, where there is one.
        weight: the column or attribute of weights of a graph, with the public cap.
        budget: what may be spent in all, and the ledger.
        about: a sentence for analysts.
        folder: where relative paths begin.
        frame: a table in memory, from :meth:`of`.

    Raises:
        DatasetError: one of them cannot be used; the message names it and what to do.

    >>> survey = Dataset(source="survey.csv", columns={"age": {"lower": 0, "upper": 120}, "region": ["N", "S"]})
    >>> survey.domain("age"), survey.groups("region"), survey.grid("age").size
    ((0, 120), ('N', 'S'), 121)
    >>> print(survey.dump(), end="")
    source = "survey.csv"
    <BLANKLINE>
    [columns]
    age = {lower = 0, upper = 120, step = 1}
    region = ["N", "S"]
    """

    @classmethod
    def load(cls, path: str | Path) -> Dataset:
        """Return the dataset that a TOML file describes; relative paths begin at its folder. No row is read.

        Raises:
            FileNotFoundError: there is no such file.
            DatasetError: it cannot be used: the message names the line, and what to do.
        """
        content, written = toml_text.content(path)
        try:
            return cls.parse(content, Path(path).resolve().parent)
        except DatasetError as error:
            raise toml_text.locate_error(error, path, written) from None

    @classmethod
    def parse(cls, content: Mapping[str, Any], folder: str | Path = ".") -> Dataset:
        """Return the dataset that a mapping of its keys describes; relative paths begin at the folder. No row is read.

        Raises:
            DatasetError: it cannot be used: the message names the key, and what to do.
        """
        for key, place in _ELSEWHERE.items():
            if key in content:
                raise DatasetError((key,), f"this is not a key of the dataset itself: {place}")
        require_known((), content, KEYS)
        return cls(**content, folder=Path(folder))

    @classmethod
    def of(cls, frame: Any, **facts: Any) -> Dataset:
        """Return a dataset of a table in memory: pandas, polars, arrow, or a mapping of columns. It is not copied.

        Args:
            frame: the private rows.
            facts: what is public: ``columns``, ``person``, ``rows_per_person``, ``budget``, ``about``.

        >>> Dataset.of({"age": [31, 44]}, columns={"age": {"lower": 0, "upper": 120}})
        Dataset(frame, columns=age, neighbours=add-remove)
        """
        return cls(frame=frame, **facts)

    def __post_init__(self) -> None:
        for name in _TEXTS:
            value = getattr(self, name)
            if isinstance(value, os.PathLike) and name in ("source", "graph"):
                value = os.fspath(value)
            if value is not None:
                self._set(name, text((name,), value))
        self._set("folder", Path(self.folder))
        self._set("rows_per_person", at_least_one(("rows_per_person",), self.rows_per_person, "how many rows count"))
        for name, kind in (("weight", WeightColumn), ("budget", BudgetLimits)):
            if getattr(self, name) is not None:
                self._set(name, part_of((name,), kind, getattr(self, name)))
        self._set("missing", texts("missing", self.missing))
        self._set("unit", texts("unit", (self.unit,) if isinstance(self.unit, str) else self.unit))
        self._set("ends", texts("ends", self.ends))
        self._set("columns", domains_of(self.columns))
        if self.is_shipped:
            self._set("nodes", shipped_nodes(self))
        elif self.nodes is not None:
            self._set("nodes", nodes_of(self.nodes))
        if self.max_degree is not None:
            self._set("max_degree", at_least_one(("max_degree",), self.max_degree, "the largest degree"))
        if self.in_place not in (True, False, TEMPORARY):
            raise DatasetError(("in_place",), f'this is true, false or "{TEMPORARY}": write one of them.')
        require_sound(self, {name for name in KEYS if getattr(self, name) != DEFAULTS[name]})

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def facts(self) -> dict[str, Any]:
        """Return what is said, by its keys: as plain values, without what goes without saying."""
        said = {name: getattr(self, name) for name in KEYS}
        return {name: plain(value) for name, value in said.items() if value != DEFAULTS[name]}

    @property
    def digest(self) -> str:
        """Return the SHA-256 of what answers follow from, whatever the order of keys and the comments of a file.

        That is all that is said but the budget, which answers cost and do not follow from, and ``about``.

        >>> one, other = (Dataset(source="a.csv", columns={"x": {"lower": 0, "upper": n}}) for n in (1, 1.0))
        >>> one.digest == other.digest
        True
        """
        facts = {name: each for name, each in self.facts.items() if name not in ("budget", "about")}
        canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(f"dpselect dataset 1 {canonical}".encode()).hexdigest()

    @property
    def condition(self) -> dict[str, str]:
        """Return the public condition on rows, for readers of an answer; nothing where all rows count."""
        return {} if self.where is None else {"where": self.where}

    @property
    def metadata(self) -> dict[str, str]:
        """Return what a ledger records of where the rows are, without secrets, and which description it was."""
        named = {"source": without_secrets(self.place) or None, "table": self.table}
        said = {name: each for name, each in named.items() if each is not None}
        return said | self.condition | {"description": self.digest}

    def dump(self) -> str:
        """Return the description as TOML, which :meth:`load` reads as the same dataset.

        Raises:
            ValueError: a frame has no place that a file could name.
        """
        if self.frame is not None:
            raise InputError("A frame in memory has no place that a file could name: save it, and name the file.")
        return toml_text.toml_of(self.facts)

    def _domain(self, column: str) -> NumericDomain | tuple[Any, ...] | Literal["unlisted"]:
        if column not in self.columns:
            there = ", ".join(self.columns)
            raise DatasetError(("columns", column), f"no such column is described: ask about one of {there}.")
        domain = self.columns[column]
        if isinstance(domain, DateDomain):
            raise DatasetError(("columns", column), _DATES)
        return domain

    def domain(self, column: str) -> tuple[float, float] | list[Any]:
        """Return the public domain of a column, as estimators take it: a pair of bounds, or a list of values.

        Raises:
            DatasetError: no such column is described.
        """
        domain = self._domain(column)
        return domain.bounds if isinstance(domain, NumericDomain) else [*self.groups(column)]

    def is_listed(self, column: str) -> bool:
        """Return whether a column has bounds or a list of values, and not names that no list holds.

        Raises:
            DatasetError: no such column is described.
        """
        return isinstance(self.columns.get(column), DateDomain) or self._domain(column) != UNLISTED

    def grid(self, column: str) -> Grid:
        """Return the public grid of a column of numbers; it is arithmetic, of any size.

        Raises:
            DatasetError: no such column is described, or it has a list of values.
        """
        domain = self._domain(column)
        if not isinstance(domain, NumericDomain):
            raise DatasetError(("columns", column), "this has a list of values: ask about a column of numbers.")
        exactly = (domain.lower, domain.upper, domain.step)
        return public_values(None, *(int(each) if each.denominator == 1 else each for each in exactly))

    def groups(self, column: str) -> tuple[Any, ...]:
        """Return the public values of a column, for groups.

        Raises:
            DatasetError: no such column is described, or it has bounds.
        """
        domain = self._domain(column)
        if isinstance(domain, NumericDomain):
            raise DatasetError(("columns", column), "this has bounds: name a column with a list of values.")
        if domain == UNLISTED:
            raise DatasetError(
                ("columns", column), "no public list has its names: write one, or ask for partitions or most_common."
            )
        return domain

    def names(self, column: str) -> tuple[Any, ...] | Periods:
        """Return the public list of a column, for what counts: its values, or the periods of its dates.

        Raises:
            DatasetError: no such column is described, or it has numbers.
        """
        known: ColumnDomain | None = self.columns.get(column)
        return known.periods if isinstance(known, DateDomain) else self.groups(column)

    def terms(self) -> Terms:
        """Return what the budget allows.

        Raises:
            DatasetError: there is no budget.
        """
        if self.budget is None:
            raise DatasetError((), "no budget is described: add [budget] with epsilon = ... and ledger = ...")
        return self.budget.terms(self.neighbours)

    def open_ledger(self) -> Ledger:
        """Return the ledger of the budget, made with these terms where there is none.

        Raises:
            DatasetError: no budget or ledger is described, or the ledger was made with other terms.
            ValueError, OSError, ImportError: as :meth:`dpselect.Ledger.open`.
        """
        terms, place = self.terms(), self.ledger_place
        if place is None:
            raise DatasetError(("budget",), 'no ledger is named: add ledger = "survey.ledger", made on first use.')
        with refusal(("budget",)):
            # One that exists keeps its own name of the data.
            there = self.existing_ledger()
            name = terms.dataset if there is None else there.terms.dataset
            return Ledger.open(place, **{**vars(terms), "dataset": name})

    def existing_ledger(self) -> Ledger | None:
        """Return the ledger of the budget where it was made already; ``None`` where it was not, or none is named.

        Raises:
            ValueError, OSError, ImportError: as :meth:`dpselect.Ledger.read`.
        """
        try:
            return None if self.ledger_place is None else Ledger.read(self.ledger_place)
        except FileNotFoundError:
            return None

    def subset(self, where: str) -> Dataset:
        """Return the dataset of the rows that fulfil one more public condition.

        Raises:
            DatasetError: it is not one, or this source has none.

        >>> survey = Dataset(source="a.csv", where="year = 2026", columns={"age": {"lower": 0, "upper": 9}})
        >>> survey.subset("age >= 5").where
        '(year = 2026) and (age >= 5)'
        """
        return replace(self, where=where if self.where is None else f"({self.where}) and ({where})")

    def rows(self, columns: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the private cells of some columns, by default of all that are described and of the person.

        Raises:
            DatasetError: this is a graph.
            OSError, ValueError, ImportError: as the readers of tables.
        """
        if self.graph is not None:
            raise DatasetError(("graph",), "a graph has no rows: ask for its graph.")
        return source_rows.columns(self, self.wanted_columns if columns is None else [*columns])

    def numbers(self, column: str) -> Any:
        """Return a private column of numbers: its cells, or counts of them, or where an engine counts them.

        Raises:
            OSError, ValueError, ImportError: as the readers of tables.
        """
        return source_rows.numbers(self, column)

    def open_engine(self) -> Warehouse:
        """Return the engine where the rows stay, opened and not read.

        Raises:
            OSError, ValueError, ImportError: as :meth:`dpselect.data.Warehouse.open`.
        """
        return Warehouse.open(self.address, self.table, temporary=self.in_place == TEMPORARY)

    def edges(self, kind: type[AnyGraph] = Graph) -> AnyGraph:  # type: ignore[assignment]
        """Return the private graph as one of a kind: ``Graph``, ``DirectedGraph`` or ``WeightedGraph``.

        Raises:
            DatasetError: this is a table, or weights are not described.
            OSError, ValueError, ImportError: as the readers of graphs.
        """
        if self.graph is None:
            raise DatasetError(("source",), "a table has no edges: ask for its rows.")
        graph: AnyGraph = source_rows.graph(self, kind)
        return graph

    def synthetic(self, kind: type[Any] = Graph) -> Any:
        """Return one row, or a graph without edges, as public facts allow: the stand-in for the data.

        >>> Dataset(source="a.csv", columns={"x": {"lower": 0, "upper": 9}, "y": ["p", "q"]}).synthetic()
        {'x': [0], 'y': ['p']}
        >>> Dataset(graph="a.txt", nodes=3).synthetic()
        Graph(nodes=3)
        """
        return source_rows.synthetic(self, kind)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return self.frame is other.frame and (self.facts, self.folder) == (other.facts, other.folder)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.frame is not None:
            raise InputTypeError("The rows of a frame stay in their process: describe them there again.")
        return _make_dataset, (self.facts, self.folder)

    def __repr__(self) -> str:
        place = f"{self.noun}={without_secrets(self.place)!r}" if self.place else self.noun
        what = f"columns={', '.join(self.columns)}" if self.graph is None else f"nodes={declared_nodes(self.nodes)[0]}"
        return f"Dataset({place}, {what}, neighbours={self.neighbours})"


def _make_dataset(facts: Mapping[str, Any], folder: Path) -> Dataset:
    return Dataset(**facts, folder=folder)

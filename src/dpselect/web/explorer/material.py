"""The material of the pages: a public table or graph that was named on the command line, or made-up examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset import Dataset, NumericDomain
from dpselect.dataset.description_parts import UNLISTED
from dpselect.ledger import Ledger
from dpselect.views import Graph
from dpselect.web.explorer.example_data import friends, people, visits
from dpselect.web.explorer.text_column import TextColumn

_FROM = "from dpselect.web.explorer.example_data import "


@dataclass(frozen=True, eq=False)
class Material:
    """Public data: there always are a table, visits and a graph, and what was not given is made up.

    Attributes:
        name: what every page calls it.
        columns: of the table, each a sequence of text, shape (n,), with its counts and numbers; an empty text is a
            missing cell.
        visits: a table with a row for each visit of a person; the given table, where one was given.
        graph: with its nodes by name where they have names.
        given: ``"table"``, ``"graph"``, or empty where all is made up.
        table_name, graph_name: what a page calls the table and the graph.
        table_python, visits_python, graph_python: statements that make ``table``, ``visits`` and ``graph`` for a
            notebook that has imported dpselect as dps.
        words: how a command names it.
        reading: how its file is read, by the names of options: commands say the same.
        graph_reading: the same for a file of edges; "source" and "target" are the columns of the two ends.
        description: the file of a described dataset, whose shape the data have; empty without one.
        dataset: what that file says; it holds no row.
        ledger: of the planner, which only reads it; ``None`` where none was named.
    """

    name: str = "made-up examples"
    columns: Mapping[str, TextColumn] = field(default_factory=people)
    visits: Mapping[str, TextColumn] = field(default_factory=visits)
    graph: Graph = field(default_factory=friends)
    given: str = ""
    table_name: str = "1,000 made-up people"
    graph_name: str = "50 made-up people who know each other"
    table_python: str = f"{_FROM}people\n\ntable = people()"
    visits_python: str = f"{_FROM}visits\n\nvisits = visits()"
    graph_python: str = f"{_FROM}friends\n\ngraph = friends()"
    words: str = ""
    ledger: Ledger | None = None
    reading: Mapping[str, str] = field(default_factory=dict)
    graph_reading: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    dataset: Dataset | None = None

    def counts_of(self, column: str) -> tuple[tuple[str, int], ...]:
        """Return how often each different cell of a column occurs, the most frequent first; none is empty."""
        return self.columns[column].counts

    def numbers_of(self, column: str) -> NDArray[np.float64]:
        """Return the cells of a column that are numbers, shape (at most n,)."""
        return self.columns[column].numbers

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns of numbers: they have described bounds, or nearly all cells that are not missing are numbers."""
        if self.dataset is not None:
            return tuple(name for name in self.columns if self.bounds_of(name))
        return tuple(name for name, cells in self.columns.items() if cells.is_numeric)

    def bounds_of(self, column: str) -> NumericDomain | None:
        """Return the described bounds of a column of numbers, where there are any."""
        domain = None if self.dataset is None else self.dataset.columns.get(column)
        return domain if isinstance(domain, NumericDomain) else None

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The described lists of values, as text, by the names of their columns."""
        described = {} if self.dataset is None else self.dataset.columns
        return {name: tuple(map(str, domain)) for name, domain in described.items() if isinstance(domain, tuple)}

    @property
    def unknown_domains(self) -> tuple[str, ...]:
        """The described columns of names that no list holds."""
        described = {} if self.dataset is None else self.dataset.columns
        return tuple(name for name, domain in described.items() if domain == UNLISTED)

    @property
    def person(self) -> str:
        """The described column of persons; empty without one."""
        return "" if self.dataset is None else self.dataset.person or ""

    @property
    def rows_per_person(self) -> int:
        """The number of rows of a person that count; 1 where rows are protected."""
        return self.dataset.rows_per_person if self.dataset is not None and self.person else 1

    @property
    def max_degree(self) -> int | None:
        """The described bound on the degrees of a graph, where there is one."""
        return None if self.dataset is None else self.dataset.max_degree

    @property
    def protected_unit(self) -> str:
        """The protected unit: a described table without persons protects a row; elsewhere, a row is a person."""
        return "row" if self.dataset is not None and not self.person else "person"

    def made_up(self, about: str) -> str:
        """Return why a page shows made-up data although data was named; nothing where it shows what was named.

        Args:
            about: what the page needs: ``"table"``, ``"numbers"``, ``"graph"``, or nothing.
        """
        if not self.given or not about:
            return ""
        if about == "graph":
            return "" if self.given == "graph" else f"{self.name} was read as a table; a file of edges needs --graph."
        if self.given == "graph":
            return f"{self.name} was read as a graph, and this page is about a table."
        if about == "numbers" and not self.numeric:
            return f"{self.name} has no column of numbers, as it was read: see --separator and --decimal."
        return ""


EXAMPLES = Material()

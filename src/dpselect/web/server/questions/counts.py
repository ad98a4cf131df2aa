"""A histogram of a column."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat

import dpselect as dps
from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts, Numbers
from dpselect.web.server.questions import question
from dpselect.web.server.questions.question import NO_COLUMN, ColumnName, Data, Question, require_few
from dpselect.web.server.refusal import Wrong


class Counts(Question):
    """How many rows, or rows of persons that count, each public value or bin holds.

    Attributes:
        column: what is counted.
        bins: of numbers: the edges of bins; without them every step is a bin.
        by: a column of public values, for an answer to each of them.
    """

    question: Literal["counts"]
    column: ColumnName
    bins: Annotated[tuple[FiniteFloat, ...], Field(min_length=2, max_length=10001)] | None = None
    by: ColumnName | None = None

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns, and bins where there are values."""
        domain = facts.columns.get(self.column)
        if domain is None or (self.bins is not None and not isinstance(domain, Numbers)):
            raise Wrong(NO_COLUMN)
        groups = 1 if self.by is None else len(question.values(facts, self.by))
        if isinstance(domain, Numbers):
            cells = domain.values - 1 if self.bins is None else len(self.bins) - 1
        else:
            cells = len(domain)
        require_few(cells * groups, most)

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.counts`."""
        return dps.counts(
            data.table(question.columns_of(facts, self.column, self.by)),
            epsilon=self.epsilon,
            column=self.column,
            ledger=ledger,
            **self._cells(facts),
            **question.arguments(facts, self.by),
        )

    def _cells(self, facts: DatasetFacts) -> dict[str, Any]:
        domain = facts.columns[self.column]
        if not isinstance(domain, Numbers):
            return {"domain": [*domain]}
        return {"bins": domain.grid if self.bins is None else [*self.bins]}

    def words(self) -> str:
        """Return the question in words."""
        return f"How many rows hold each value of {self.column}{'' if self.by is None else f', by {self.by}'}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the values or edges, the groups and the rows per person."""
        return self._cells(facts) | question.known(facts, self.by)

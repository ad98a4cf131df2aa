"""What quantiles and percentiles have in common: several places in the order of one column, at one price."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.questions import question
from dpselect.web.server.questions.question import ColumnName, Data, Question, require_few
from dpselect.web.server.rows import Table


class Several(Question):
    """Several places in the order of a column, of all rows or in each public group.

    Attributes:
        column: of numbers.
        by: a column of public values, for an answer to each of them.
    """

    column: ColumnName
    by: ColumnName | None = None

    @property
    @abstractmethod
    def places(self) -> Sequence[float]:
        """Return what is asked for, in the unit of the question."""

    @abstractmethod
    def release(self, table: Table, **asked: Any) -> Release[Any]:
        """Return the release of the function of the library that has this question's name."""

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns."""
        groups = 1 if self.by is None else len(question.values(facts, self.by))
        question.numbers(facts, self.column)
        require_few(len(self.places) * groups, most)

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release by halving, whose error is known beforehand."""
        asked: dict[str, Any] = question.numbers(facts, self.column).bounds | question.arguments(facts, self.by)
        return self.release(
            data.table(question.columns_of(facts, self.column, self.by)),
            column=self.column,
            epsilon=self.epsilon,
            method="halving",
            ledger=ledger,
            **asked,
        )

    def words(self) -> str:
        """Return the question in words."""
        listed = ", ".join(f"{place:g}" for place in self.places)
        grouped = "" if self.by is None else f", by {self.by}"
        return f"What are the {type(self).__name__.lower()} {listed} of {self.column}{grouped}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return question.numbers(facts, self.column).bounds | question.known(facts, self.by)

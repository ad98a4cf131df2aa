"""The median of a column of numbers."""

from __future__ import annotations

from typing import Any, Literal

import dpselect as dps
from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.questions import question
from dpselect.web.server.questions.question import ColumnName, Data, Question, require_few


class Median(Question):
    """The median of a column, of all rows or in each public group.

    Attributes:
        column: of numbers.
        by: a column of public values, for an answer to each of them.
    """

    question: Literal["median"]
    column: ColumnName
    by: ColumnName | None = None

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns."""
        groups = 1 if self.by is None else len(question.values(facts, self.by))
        require_few(question.numbers(facts, self.column).values * groups, most)

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.median`."""
        asked: dict[str, Any] = question.numbers(facts, self.column).bounds | question.arguments(facts, self.by)
        release: Release[Any] = dps.median(
            data.table(question.columns_of(facts, self.column, self.by)),
            column=self.column,
            epsilon=self.epsilon,
            ledger=ledger,
            **asked,
        )
        return release

    def words(self) -> str:
        """Return the question in words."""
        return f"What is the median of {self.column}{'' if self.by is None else f', by {self.by}'}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return question.numbers(facts, self.column).bounds | question.known(facts, self.by)

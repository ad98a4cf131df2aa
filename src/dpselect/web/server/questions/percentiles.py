"""Several percentiles of a column of numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.certificates.certified import Shown
from dpselect.kernel.budget import Spender
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.questions import question
from dpselect.web.server.questions.question import ColumnName, Data, Question, require_few


class Percentiles(Question):
    """Several quantiles of a column, asked for in per cent, of all rows or in each public group.

    Attributes:
        column: of numbers.
        p: percentages of the rows, such as 25, 50 and 75; each once.
        by: a column of public values, for an answer to each of them.
    """

    question: Literal["percentiles"]
    column: ColumnName
    p: Annotated[tuple[Annotated[float, Field(ge=0, le=100)], ...], Field(min_length=1, max_length=99)]
    by: ColumnName | None = None

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns."""
        groups = 1 if self.by is None else len(question.values(facts, self.by))
        question.numbers(facts, self.column)
        require_few(len(self.p) * groups, most)

    def ask(self, data: Data, facts: DatasetFacts, ledger: Spender) -> Shown:
        """Return the release of :func:`dpselect.percentiles`, by halving, whose error is known beforehand."""
        asked: dict[str, Any] = question.numbers(facts, self.column).bounds | question.arguments(facts, self.by)
        release: Shown = dps.percentiles(
            data.table(question.columns_of(facts, self.column, self.by)),
            self.p,
            column=self.column,
            epsilon=self.epsilon,
            method="halving",
            ledger=ledger,
            **asked,
        )
        return release

    def words(self) -> str:
        """Return the question in words."""
        listed = ", ".join(f"{percent:g}" for percent in self.p)
        return f"What are the percentiles {listed} of {self.column}{'' if self.by is None else f', by {self.by}'}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return question.numbers(facts, self.column).bounds | question.known(facts, self.by)

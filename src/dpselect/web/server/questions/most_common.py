"""The most common values of a column."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.questions import question
from dpselect.web.server.questions.question import ColumnName, Data, Question, require_few
from dpselect.web.server.refusal import Wrong

# Shares of a price among so many keep exact sums short.
MOST_WINNERS = 100


class MostCommon(Question):
    """The k values that most rows, or most different persons, have.

    Attributes:
        column: of values.
        k: how many to name.
    """

    question: Literal["most_common"]
    column: ColumnName
    k: Annotated[int, Field(ge=1, le=MOST_WINNERS)] = 1

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns, and more winners than values."""
        domain = question.values(facts, self.column)
        require_few(len(domain), most)
        if self.k > len(domain):
            raise Wrong(f"This column has {len(domain)} public values: ask for at most as many.")

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.most_common`."""
        return dps.most_common(
            data.table(question.columns_of(facts, self.column, None)),
            self.k,
            epsilon=self.epsilon,
            person=facts.person,
            item=self.column,
            domain=[*question.values(facts, self.column)],
            ledger=ledger,
        )

    def words(self) -> str:
        """Return the question in words."""
        return f"Which {self.k} values of {self.column} are the most common?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the values."""
        return {"domain": [*question.values(facts, self.column)]}

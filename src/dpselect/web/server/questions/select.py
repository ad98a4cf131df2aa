"""The best of the public values of a column, by a score that public facts bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.certificates.rows_that_count import SCOPE
from dpselect.kernel.budget import Accountant
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts, plain
from dpselect.web.server.questions import question
from dpselect.web.server.questions.most_common import MOST_WINNERS
from dpselect.web.server.questions.question import ColumnName, Data, Question, require_few
from dpselect.web.server.questions.totals import Totals
from dpselect.web.server.refusal import Wrong


class Select(Question):
    """The k best of the public values of a column: those with most or fewest rows, or with most or least in total.

    Attributes:
        candidate: the column whose public values are chosen among.
        score: what makes one the best. Counts are of rows, or of different persons where the dataset has persons.
        of: for a total: the column of numbers that is added up, within its public bounds.
        k: how many to name.
        mechanism: what draws; all of these need nothing but a public sensitivity.
    """

    question: Literal["select"]
    candidate: ColumnName
    score: Literal["largest-count", "smallest-count", "largest-total", "smallest-total"]
    of: ColumnName | None = None
    k: Annotated[int, Field(ge=1, le=MOST_WINNERS)] = 1
    mechanism: Literal["permute-and-flip", "exponential", "noisy-max-laplace"] = "permute-and-flip"

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns, a total of nothing, and more winners than values."""
        domain = question.values(facts, self.candidate)
        require_few(len(domain), most)
        if self.k > len(domain):
            raise Wrong(f"This column has {len(domain)} public values: ask for at most as many.")
        if self._adds and self.of is None:
            raise Wrong("A total is of a column of numbers: name it by of.")
        if not self._adds and self.of is not None:
            raise Wrong("Counts are of rows or persons: leave out of, or ask for a total.")
        if self._adds:
            self._totals(facts).require()

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.top_k` of these scores."""
        scores = self._scores(data, facts)
        scores = -scores if self.score.startswith("smallest") else scores
        release = dps.top_k(scores, self.k, epsilon=self.epsilon, mechanism=self.mechanism, ledger=ledger)
        return replace(release, error_bound=replace(release.error_bound, **self._measured(facts)))

    @property
    def _adds(self) -> bool:
        return self.score.endswith("total")

    def _totals(self, facts: DatasetFacts) -> Totals:
        assert self.of is not None
        bounds, domain = question.numbers(facts, self.of), question.values(facts, self.candidate)
        return Totals(self.candidate, domain, self.of, bounds, facts.person, facts.rows_per_person)

    def _scores(self, data: Data, facts: DatasetFacts) -> dps.Scores:
        if self._adds:
            wanted = [each for each in (self.candidate, self.of, facts.person) if each is not None]
            return self._totals(facts).scores(data.table(wanted))
        return dps.utilities.popularity(
            data.table(question.columns_of(facts, self.candidate, None)),
            person=facts.person,
            item=self.candidate,
            domain=[*question.values(facts, self.candidate)],
        )

    def _measured(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return what a score counts, and whose rows count at all where not all do."""
        if not self._adds:
            return {"unit": "rows" if facts.person is None else "persons"}
        unit = self._totals(facts).unit
        measured: dict[str, Any] = {
            "unit": f"in the total of {self.of}" if unit == 1 else f"times {plain(unit)} in the total of {self.of}"
        }
        if facts.person is None:
            return measured
        return measured | {"rows_per_person": facts.rows_per_person, "scope": SCOPE}

    def words(self) -> str:
        """Return the question in words."""
        order = self.score.partition("-")[0]
        what = f"total of {self.of}" if self._adds else "number of rows or persons"
        values = f"value of {self.candidate} has" if self.k == 1 else f"{self.k} values of {self.candidate} have"
        return f"Which {values} the {order} {what}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the values, the bounds of what is added up and the rows per person."""
        shown: dict[str, Any] = {"domain": [*question.values(facts, self.candidate)], "score": self.score}
        if self.of is None:
            return shown
        return shown | question.numbers(facts, self.of).bounds | question.known(facts, None)

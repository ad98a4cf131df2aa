"""The opening of a stream, what it costs, and what is asked of it: all of it public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StrictInt, field_validator

import dpselect as dps
from dpselect.certificates.certificate import guarantee_facts
from dpselect.dataset import Dataset
from dpselect.kernel.privacy_filter import Accountant
from dpselect.ledger import RecordingAccountant, Spend
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.release.above_threshold import NAME, above_threshold
from dpselect.release.sparse_vector import SparseVector
from dpselect.release.threshold_bound import error_bound_of_stream
from dpselect.release.threshold_rules import ThresholdRules
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.errors import InvalidQueryError
from dpselect.web.server.settings_parts import Price
from dpselect.web.server.streams.condition import Condition, require_condition

_TABLES = "A stream asks for counts of rows: this dataset has none."
_NO_THRESHOLD = "Name a threshold: the stream was opened without one."

Threshold = Annotated[StrictInt, Field(ge=-(2**53), le=2**53)]
Level = tuple[Annotated[StrictInt, Field(ge=1, le=2**53)], Annotated[FiniteFloat, Field(gt=0, lt=1)]]


class _StreamBody(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Opening(_StreamBody):
    """A stream: its price and its rules, as :func:`dpselect.above_threshold` takes them.

    Attributes:
        epsilon: what the whole stream costs.
        positives: how many answers above are paid for.
        threshold: public; without one each query brings its own.
        levels: cheaper answers for clear cases: a margin, and its share of the full price.
        queries: how many are counted in what is said of errors; it limits nothing.
    """

    epsilon: Price
    positives: Annotated[StrictInt, Field(ge=1, le=1000)] = 1
    threshold: Threshold | None = None
    levels: Annotated[tuple[Level, ...], Field(max_length=8)] = ()
    queries: Annotated[StrictInt, Field(ge=1, le=10**6)] = 100

    def open(self, description: Dataset, ledger: Accountant) -> SparseVector:
        """Return the stream; what it costs is spent from the ledger before anything is drawn.

        Every query is a count that one neighbour moves by at most 1, and all counts in the same direction.
        """
        return above_threshold(
            self.threshold,
            epsilon=self.epsilon,
            positives=self.positives,
            levels=self.levels,
            sensitivity=1,
            range_bound=1,
            neighbours=description.neighbours.value,
            ledger=ledger,
        )


class ThresholdQuestion(_StreamBody):
    """One question of a stream: are so many rows, or persons, above the threshold?

    Attributes:
        where: which rows count; without a condition all do.
        threshold: for this query alone; that of the stream unless it is passed.
    """

    where: Condition = Field(default_factory=dict)
    threshold: Threshold | None = None

    @field_validator("where")
    @classmethod
    def _sort_columns(cls, where: Condition) -> Condition:
        # The same condition is the same query, in whatever order it is written.
        return dict(sorted(where.items()))

    def require(self, description: Dataset, opening: Opening) -> None:
        """Refuse what is not a query of this stream, by public facts alone (``InvalidQueryError``)."""
        require_condition(self.where, description)
        if self.threshold is None and opening.threshold is None:
            raise InvalidQueryError(_NO_THRESHOLD)


@dataclass(frozen=True)
class StreamPlan:
    """The price of a stream and the error of its answers, whatever the data.

    Attributes:
        spends: what the ledger would record.
        rules: of the stream.
        error_bound: for so many queries as were asked about.
    """

    spends: Sequence[Spend]
    rules: ThresholdRules
    error_bound: ErrorBound

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        return {
            "mechanism": NAME,
            "guarantee": guarantee_facts(self.rules.guarantee),
            "accuracy": self.error_bound.describe(),
            "error": self.error_bound.facts(),
        }


def plan_stream(dataset: HostedDataset, opening: Opening) -> StreamPlan:
    """Return what a stream would cost, from public facts alone: no row is read, nothing is spent.

    Raises:
        InvalidQueryError: the dataset has no streams, or not such ones; the message may be shown.
    """
    if dataset.description.graph is not None:
        raise InvalidQueryError(_TABLES)
    book = RecordingAccountant(dataset.account.rule)
    try:
        # Whatever this one draws is thrown away: nothing was asked of it.
        with opening.open(dataset.description, book) as stream:
            rules = stream.rules
    except (dps.PrivacyError, ValueError, TypeError) as error:
        raise InvalidQueryError(str(error)) from None
    return StreamPlan(book.spends, rules, error_bound_of_stream(rules, opening.queries))

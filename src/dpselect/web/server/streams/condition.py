"""Conditions on the rows that one question of a stream counts: those that fulfil a public condition, each judged by
itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictFloat,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    model_validator,
)

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.kernel.errors import InputError
from dpselect.queries import QueryData
from dpselect.queries.field_kinds import ANY_COLUMN
from dpselect.sources import identity
from dpselect.sources.cell_types import OUTSIDE
from dpselect.sources.distinct import distinct
from dpselect.sources.public_names import PublicNames
from dpselect.views.bound_contributions import bound_contributions
from dpselect.views.column import Column
from dpselect.views.events import columns_of
from dpselect.web.server.errors import InvalidQueryError

_NO_COLUMN = "This dataset has no such column: name one of its columns."
_NO_VALUE = (
    "Compare a column with its public values, and a column of numbers with bounds: the dataset's facts say which. "
    "Dates are not compared here."
)


ColumnName = Annotated[str, AfterValidator(ANY_COLUMN.parse), WithJsonSchema(ANY_COLUMN.schema)]


class Between(BaseModel):
    """Numbers of a column, both ends included.

    Attributes:
        lower, upper: public; without one there is no such end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    lower: FiniteFloat | None = None
    upper: FiniteFloat | None = None

    @model_validator(mode="after")
    def _check_bounds(self) -> Between:
        if self.lower is None and self.upper is None:
            raise InputError("name lower, upper or both.")
        return self


# Numbers before text, as JSON tells them apart; truth values are neither.
Value = StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)] | Annotated[StrictStr, Field(max_length=1000)]
Values = Annotated[tuple[Value, ...], Field(min_length=1, max_length=10_000)]
# A row fulfils a condition if each of these columns holds one of the values, or a number between the bounds.
Condition = Annotated[dict[ColumnName, Between | Values | Value], Field(max_length=20)]


def require_condition(where: Mapping[ColumnName, Between | Values | Value], dataset: Dataset) -> None:
    """Refuse a condition on what is not public.

    Raises:
        InvalidQueryError: a column that there is not, or a value that is not in its list.
    """
    for name, term in where.items():
        domain = dataset.columns.get(name)
        if domain is None:
            raise InvalidQueryError(_NO_COLUMN)
        if isinstance(domain, DateDomain) or isinstance(domain, NumericDomain) != isinstance(term, Between):
            raise InvalidQueryError(_NO_VALUE)
        if not isinstance(domain, NumericDomain) and not {*_values_of(term)} <= {*domain}:
            raise InvalidQueryError(_NO_VALUE)


def count_rows(data: QueryData, where: Mapping[ColumnName, Between | Values | Value]) -> int:
    """Return how many rows fulfil a condition, or how many different persons have such a row: private.

    One row more or fewer, or one person with all of their rows, moves every such count by at most 1, and all of them
    in the same direction.

    Raises:
        Exception: any error; its message must not be shown, since it may follow from rows.
    """
    dataset = data.dataset
    wanted = [*dict.fromkeys([*where, *([] if dataset.person is None else [dataset.person])])]
    wanted = wanted or [next(iter(dataset.columns))]
    read, _ = columns_of(data.table(wanted), wanted)
    mask = np.ones(len(read[wanted[0]]), dtype=np.bool_)
    for name, term in where.items():
        if isinstance(term, Between):
            numbers = Column(read[name], kind="real").values
            # What is missing, or not a number, is NaN, and compares with nothing.
            mask &= (numbers >= (-np.inf if term.lower is None else term.lower)) & (
                numbers <= (np.inf if term.upper is None else term.upper)
            )
        else:
            names = PublicNames.of(dataset.columns[name], name)
            chosen = [place for place, value in enumerate(names.names) if value in {*_values_of(term)}]
            mask &= np.isin(names.codes(distinct(read[name]), name), chosen)
    if dataset.person is None:
        return int(mask.sum())
    who = identity.persons(distinct(read[dataset.person]))
    return int(bound_contributions(np.where(mask, who, OUTSIDE), 1).size)


def _values_of(term: Between | Values | Value) -> tuple[Value, ...]:
    if isinstance(term, Between):
        return ()
    return term if isinstance(term, tuple) else (term,)

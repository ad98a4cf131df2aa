"""Several percentiles of a column of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.release.release import Release
from dpselect.web.server.questions.several import Several
from dpselect.web.server.rows import Table


class Percentiles(Several):
    """Several quantiles of a column, asked for in per cent, of all rows or in each public group.

    Attributes:
        column: of numbers.
        p: percentages of the rows, such as 25, 50 and 75; each once.
        by: a column of public values, for an answer to each of them.
    """

    question: Literal["percentiles"]
    p: Annotated[tuple[Annotated[float, Field(ge=0, le=100)], ...], Field(min_length=1, max_length=99)]

    @property
    def places(self) -> Sequence[float]:
        """Return the percentages."""
        return self.p

    def release(self, table: Table, **asked: Any) -> Release[Any]:
        """Return the release of :func:`dpselect.quantiles`."""
        released: Release[Any] = dps.quantiles(table, p=self.p, **asked)
        return released

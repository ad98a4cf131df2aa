"""Several quantiles of a column of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

import dpselect as dps
from dpselect.release.release import Release
from dpselect.web.server.questions.several import Several
from dpselect.web.server.rows import Table


class Quantiles(Several):
    """Several quantiles of a column at one price, of all rows or in each public group.

    Attributes:
        column: of numbers.
        shares: of the rows, such as 0.25, 0.5 and 0.75; each once.
        by: a column of public values, for an answer to each of them.
    """

    question: Literal["quantiles"]
    shares: Annotated[tuple[Annotated[float, Field(ge=0, le=1)], ...], Field(min_length=1, max_length=99)]

    @property
    def places(self) -> Sequence[float]:
        """Return the shares."""
        return self.shares

    def release(self, table: Table, **asked: Any) -> Release[Any]:
        """Return the release of :func:`dpselect.quantiles`."""
        released: Release[Any] = dps.quantiles(table, self.shares, **asked)
        return released

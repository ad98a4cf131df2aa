"""The arguments by keyword that every question about one column takes, for its overloads."""

from __future__ import annotations

from typing import Any, Required, TypedDict

from numpy.typing import ArrayLike

from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant


class ColumnArguments(TypedDict, total=False):
    """All but ``by`` and ``groups``, which decide what is returned: as of :func:`dpselect.median`."""

    column: Any
    lower: Any
    upper: Any
    step: Any
    grid: ArrayLike | None
    epsilon: Required[Epsilon]
    person: Any
    rows_per_person: int | None
    ledger: Accountant | None

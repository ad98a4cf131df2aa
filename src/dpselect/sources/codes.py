"""Public domains as expressions of an engine: the code of a value, and where a code leads.

Nothing depends on how an engine orders, collates or hashes: numbers become float64 and are compared with edges that
were computed here, categories are compared for equality, and what comes home is an integer. Numbers travel as text,
because some engines read 0.1 as a decimal and round it once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# Codes of values that have none: outside of the public domain, and missing where that is no category.
OUTSIDE, LACKING = -1, -2
_HIDING = -7.25e-301


class Domain(Protocol):
    """A public domain: categories, or edges of bins of numbers; perhaps a last code for missing values."""

    @property
    def name(self) -> Any:
        """Return the column."""
        ...

    @property
    def categories(self) -> Sequence[Any] | None:
        """Return what each code stands for, ``None`` for numbers."""
        ...

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """Return the increasing edges of bins, ``None`` for categories."""
        ...

    @property
    def missing(self) -> bool:
        """Return whether the last code stands for missing values."""
        ...

    @property
    def size(self) -> int:
        """Return the number of codes."""
        ...


@dataclass(frozen=True)
class Coded:
    """The domain of a column that holds codes already."""

    name: str
    size: int
    edges: None = None
    missing: bool = False

    @property
    def categories(self) -> range:
        """Return the codes."""
        return range(self.size)


def require_kind(column: Any, domain: Domain) -> None:
    """Refuse a column whose type cannot hold the values of the domain.

    Raises:
        ValueError: which column, and what to cast it to.
    """
    kind = column.type()
    if domain.edges is not None:
        if not (kind.is_numeric() or kind.is_boolean()):
            raise ValueError(
                f"Column {domain.name!r} is numeric in domains and {kind} in the table: cast it to float64."
            )
        return
    if str(kind).lstrip("!") == "uint64":
        raise ValueError(f"Column {domain.name!r} is uint64 in the table, wider than categories: cast it to int64.")
    known = [isinstance(value, str) for value in domain.categories or ()]
    if kind.is_string() and not any(known):
        raise ValueError(f"Column {domain.name!r} lists numbers in domains and is text in the table: cast one of them.")
    if (kind.is_numeric() or kind.is_boolean()) and all(known):
        raise ValueError(f"Column {domain.name!r} lists text in domains and is {kind} in the table: cast one of them.")
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean()):
        raise ValueError(f"Column {domain.name!r} is {kind} in the table, which no domain lists: cast it to text.")


def number(column: Any) -> Any:
    """Return a column as float64, rounded once."""
    kind = column.type()
    if kind.is_boolean():
        return column.cast("int8").cast("float64")
    # Not every engine rounds a decimal correctly; all of them do so with text.
    return column.cast("string").cast("float64") if kind.is_decimal() else column.cast("float64")


def prepared(column: Any, domain: Domain, clip: bool) -> Any:
    """Return what records are grouped by: the bin of a number, or a category as it is."""
    if domain.edges is not None:
        return _bin(column, domain, clip)
    kind = column.type()
    if kind.is_string() or isinstance(domain, Coded):
        return column
    return column.cast("int64") if kind.is_integer() or kind.is_boolean() else number(column)


def code(value: Any, domain: Domain) -> Any:
    """Return the code of what :func:`prepared` returned."""
    import ibis

    if domain.edges is not None or isinstance(domain, Coded):
        return value.cast("int32")
    lost = domain.size - 1 if domain.missing else LACKING
    known = [(value == each, at) for at, each in _matching(value, domain)]
    return ibis.cases((is_missing(value), lost), *known, else_=OUTSIDE).cast("int32")


def is_missing(column: Any) -> Any:
    """Return whether a value is NULL or NaN."""
    kind = column.type()
    if not (kind.is_floating() or kind.is_decimal()):
        return column.isnull()
    # DuckDB takes isnan(x) for false where the statistics of a parquet file know no NaN, and they never do.
    return column.isnull() | number(column).nullif(literal(_HIDING)).isnan().fill_null(False)


def routed(column: Any, domain: Domain, groups: NDArray[np.int64], leads: Mapping[int, Any]) -> Any:
    """Return ``leads[groups[code]]`` for the code of every value, each lead written once.

    Values without a code lead anywhere: they were refused or left out before.
    """
    import ibis

    kinds = sorted(leads, key=lambda group: int((groups == group).sum()))
    cases = [(_within(column, domain, np.flatnonzero(groups == group)), leads[group]) for group in kinds[:-1]]
    return ibis.cases(*cases, else_=leads[kinds[-1]]) if cases else leads[kinds[-1]]


def _within(column: Any, domain: Domain, codes: NDArray[np.intp]) -> Any:
    """Return whether the code of a value is one of these."""
    own = domain.size - domain.missing
    chosen = codes[codes < own]
    runs = [run for run in np.split(chosen, np.flatnonzero(np.diff(chosen) > 1) + 1) if run.size]
    if isinstance(domain, Coded):
        return _any([column.between(int(run[0]), int(run[-1])) for run in runs])
    gone = is_missing(column)
    if domain.edges is None:
        value = prepared(column, domain, clip=False)
        wanted = [each for at, each in _matching(value, domain) if at in set(chosen.tolist())]
        found = _any([value == each for each in wanted])
    else:
        value = number(column)
        found = _any([_between(value, domain, int(run[0]), int(run[-1]), own) for run in runs])
    if domain.missing and codes.size > chosen.size:
        return gone | found
    return ~gone & found if domain.missing else found


def _between(value: Any, domain: Domain, first: int, last: int, own: int) -> Any:
    import ibis

    assert domain.edges is not None
    low = value >= literal(domain.edges[first]) if first else None
    high = value < literal(domain.edges[last + 1]) if last < own - 1 else None
    if low is None:
        return ibis.literal(True) if high is None else high
    return low if high is None else low & high


def _any(conditions: list[Any]) -> Any:
    import ibis

    found = conditions[0] if conditions else ibis.literal(False)
    for condition in conditions[1:]:
        found = found | condition
    return found


def _bin(column: Any, domain: Domain, clip: bool) -> Any:
    """Return the code of a number, by bisection: as many comparisons as the logarithm of the number of bins."""
    import ibis

    assert domain.edges is not None
    value, edges, own = number(column), domain.edges, domain.size - domain.missing

    def bisected(first: int, last: int) -> Any:
        if first == last:
            return ibis.literal(first, "int32")
        middle = (first + last + 1) // 2
        return ibis.ifelse(value < literal(edges[middle]), bisected(first, middle - 1), bisected(middle, last))

    cases = [(is_missing(column), ibis.literal(own if domain.missing else LACKING, "int32"))]
    if not clip:
        outside = (value < literal(edges[0])) | (value > literal(edges[-1]))
        cases.append((outside, ibis.literal(OUTSIDE, "int32")))
    return ibis.cases(*cases, else_=bisected(0, own - 1))


def literal(value: float) -> Any:
    """Return a float64 that arrives as it is."""
    import ibis

    return ibis.literal(repr(float(value))).cast("float64")


def _matching(value: Any, domain: Domain) -> list[tuple[int, Any]]:
    """Return the categories that values of this kind can equal, with their codes: 1, 1.0 and True are the same."""
    import ibis

    kind, found = value.type(), []
    for at, each in enumerate(domain.categories or ()):
        if isinstance(each, str):
            if kind.is_string():
                found.append((at, ibis.literal(each, "string")))
        elif kind.is_integer():
            if each == each and abs(each) < 2**63 and int(each) == each:
                found.append((at, ibis.literal(int(each), "int64")))
        elif not kind.is_string() and float(each) == each:
            found.append((at, literal(float(each))))
    return found

"""Columns of a dataset as queries use them: grids, groups, persons, and the cells to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import Advice, InputError
from dpselect.queries.base import CountedData, QueryData, QueryError

if TYPE_CHECKING:
    from dpselect.dataset import Dataset, DateDomain, NumericDomain


def bounds(dataset: Dataset, column: str) -> dict[str, Any]:
    """Return the bounds and the step of a column of numbers or dates, as functions of the library take them.

    Raises:
        DatasetError: no such column is described, or it has a list of values.
    """
    from dpselect.dataset import DateDomain

    known = dataset.columns.get(column)
    if isinstance(known, DateDomain):
        return date_bounds(known)
    return grid_bounds(numeric_domain(dataset, column))


def numeric_domain(dataset: Dataset, column: str) -> NumericDomain:
    """Return the bounds of a column of numbers.

    Raises:
        DatasetError: no such column is described, or it has a list of values.
    """
    dataset.grid(column)
    domain: Any = dataset.columns[column]
    return domain  # type: ignore[no-any-return]


def is_numeric(dataset: Dataset, column: str) -> bool:
    """Return whether a column has bounds (``DatasetError``: no such column is described)."""
    from dpselect.dataset import DateDomain, NumericDomain

    known = dataset.columns.get(column)
    if not isinstance(known, DateDomain):
        dataset.domain(column)
    return isinstance(known, NumericDomain)


def grid_bounds(domain: NumericDomain) -> dict[str, int | float]:
    """Return the bounds and the step of numbers, integers where they are."""
    return {name: plain(getattr(domain, name)) for name in ("lower", "upper", "step")}


def date_bounds(domain: DateDomain) -> dict[str, Any]:
    """Return the bounds and the step of dates."""
    return {"lower": domain.lower, "upper": domain.upper, "step": domain.step}


def edges(dataset: Dataset, column: str) -> list[int | float]:
    """Return the edges of the bins that are described of a column of numbers; an empty list where none are."""
    return [plain(each) for each in numeric_domain(dataset, column).edges]


def size(dataset: Dataset, column: str) -> int:
    """Return how many candidates a column of numbers or dates has (``DatasetError``: it has a list of values)."""
    from dpselect.dataset import DateDomain

    known = dataset.columns.get(column)
    return len(known.periods) if isinstance(known, DateDomain) else dataset.grid(column).size


def plain(number: Fraction) -> int | float:
    """Return a public number as people write it: an integer where it is one."""
    return int(number) if number.denominator == 1 else float(number)


def group_count(dataset: Dataset, by: str | None) -> int:
    """Return how many public groups there are; 1 without a column of groups (``DatasetError``: no such values)."""
    return 1 if by is None else len(dataset.names(by))


def table(data: QueryData, *columns: str | None) -> Any:
    """Return a table that has some columns, and the persons where they are protected, for what only counts."""
    wanted = _wanted_columns(data, columns)
    return data.source(wanted) if isinstance(data, CountedData) else data.table(wanted)


def cells(data: QueryData, *columns: str | None) -> Mapping[str, Any]:
    """Return the cells of some columns, and of the persons where they are protected.

    Raises:
        ValueError: the rows are counted where they are.
    """
    if data.dataset.in_place:
        raise InputError(
            Advice(
                "Rows of a table that is counted in place are not read: "
                "{delete in_place|leave --in-place out}, or leave groups and persons out."
            )
        )
    return data.table(_wanted_columns(data, columns))


def _wanted_columns(data: QueryData, columns: Sequence[str | None]) -> list[str]:
    return [*dict.fromkeys(each for each in (*columns, data.dataset.person) if each is not None)]


def events(data: QueryData, column: str, by: str | None) -> Any:
    """Return rows with a name and perhaps a person, where they are; those of persons in groups are read."""
    return table(data, column, by) if by is None or data.dataset.person is None else cells(data, column, by)


def numbers(data: QueryData, column: str, by: str | None) -> dict[str, Any]:
    """Return the values of a column, its grid, and its groups and persons, as functions of the library take them.

    They are counted where they are; of a file of counts there are no other rows.
    """
    dataset = data.dataset
    asked: dict[str, Any] = bounds(dataset, column)
    if dataset.is_histogram and by is None:
        return asked | {"values": data.column(column)}
    return asked | {"values": table(data, column, by), "column": column} | grouping(dataset, by)


def grouping(dataset: Dataset, by: str | None) -> dict[str, Any]:
    """Return the arguments of groups and persons that functions of the library take."""
    asked: dict[str, Any] = {} if by is None else {"by": by, "groups": dataset.names(by)}
    if dataset.person is not None:
        asked |= {"person": dataset.person, "rows_per_person": dataset.rows_per_person}
    return asked


def grouping_facts(dataset: Dataset, by: str | None) -> dict[str, Any]:
    """Return the public facts of groups and persons, for readers of an answer."""
    grouped = {} if by is None else {"groups": public_values(dataset, by)}
    return grouped | ({} if dataset.person is None else {"rows per person": dataset.rows_per_person})


def public_values(dataset: Dataset, column: str) -> list[Any]:
    """Return the public list of a column, for readers of an answer."""
    from dpselect.sources.periods import Periods

    names = dataset.names(column)
    return [*names.names] if isinstance(names, Periods) else [*names]


def by_words(by: str | None) -> str:
    """Return the groups in words."""
    return "" if by is None else f", by {by}"


def require_winners(k: int, candidates: int, noun: str) -> int:
    """Return the number of candidates; refuse more winners than those (``QueryError``)."""
    if k > candidates:
        raise QueryError(f"This has {candidates} {noun}: ask for at most as many.", "k")
    return candidates

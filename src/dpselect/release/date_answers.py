"""Answers that are dates: places of public periods are drawn, and the first days of those periods are released."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from dpselect.kernel.errors import Advice, InputError
from dpselect.release.release import Release
from dpselect.sources.periods import Periods, is_date

AnyRelease = TypeVar("AnyRelease", bound=Release[Any])


def public_periods(grid: Any, lower: Any, upper: Any, step: Any) -> Periods | None:
    """Return the periods between bounds that are dates, and ``None`` where they are not.

    Raises:
        TypeError, ValueError: one of the bounds is a date and the other is not; a step that divides no dates.
    """
    if grid is not None or not (is_date(lower) or is_date(upper)):
        return None
    if lower is None or upper is None:
        raise InputError(Advice("Dates have two bounds: pass {lower=|--lower} and {upper=|--upper}."))
    return Periods.between(lower, upper, "day" if step is None else step).moving()


def with_dates(release: AnyRelease, periods: Periods | None) -> AnyRelease:
    """Return a release of places of periods as one of their first days; ``None`` leaves it as it is."""
    if periods is None:
        return release

    def dated(value: Any) -> Any:
        if isinstance(value, dict):
            return {group: dated(each) for group, each in value.items()}
        return tuple(map(dated, value)) if isinstance(value, tuple) else periods.start(int(value))

    return replace(release, value=dated(release.value))

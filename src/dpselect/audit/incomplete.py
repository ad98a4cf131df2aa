"""The first line of an audit that ran out of time: the claims that it did not reach."""

from __future__ import annotations

from collections.abc import Sequence

# So many are named: the table has them all.
_SHOWN = 5


def incomplete_line(names: Sequence[str], total: int) -> list[str]:
    """Return a line about the claims that were not run, or no line where all were.

    >>> incomplete_line(["median", "median", "degree"], 5)
    ['3 of 5 claims were not run, as the time was up: median, degree.']
    >>> incomplete_line([f"claim {number}" for number in range(40)], 90)[0]
    '40 of 90 claims were not run, as the time was up: claim 0, claim 1, claim 2, claim 3, claim 4 and 35 others.'
    >>> incomplete_line([], 5)
    []
    """
    if not names:
        return []
    each = [*dict.fromkeys(names)]
    more = f" and {len(each) - _SHOWN} others" if len(each) > _SHOWN else ""
    return [f"{len(names)} of {total} claims were not run, as the time was up: {', '.join(each[:_SHOWN])}{more}."]

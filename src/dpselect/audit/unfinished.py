"""What an audit that ran out of time says first: the claims that it did not reach."""

from __future__ import annotations

from collections.abc import Sequence


def unfinished(names: Sequence[str], total: int) -> list[str]:
    """Return a line about the claims that were not run, or no line where all were.

    >>> unfinished(["median", "median", "degree"], 5)
    ['3 of 5 claims were not run, as the time was up: median, degree.']
    >>> unfinished([], 5)
    []
    """
    if not names:
        return []
    return [f"{len(names)} of {total} claims were not run, as the time was up: {', '.join(dict.fromkeys(names))}."]

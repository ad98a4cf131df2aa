"""All small tables of persons, their neighbours, and the exact loss of a release between them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from dpselect.audit.scripted_noise import log_chance_of, transcripts
from dpselect.release.open_session import SessionFactory, session_factory_of

Table = dict[str, list[int]]
# Rows are (person, value), value 2 is outside of the list.
ROWS = [(who, what) for who in (0, 1) for what in (0, 1, 2)]


def tables(most: int) -> Iterator[list[tuple[int, int]]]:
    """Yield all lists of at most so many rows."""
    for size in range(most + 1):
        yield from map(list, itertools.product(ROWS, repeat=size))


def columns(rows: list[tuple[int, int]]) -> Table:
    """Return rows as a table."""
    return {"who": [who for who, _ in rows], "what": [what for _, what in rows]}


def worst(
    count: Callable[[Table, SessionFactory], Any], pairs: Iterator[tuple[list, list]]
) -> tuple[float, tuple[list, list]]:
    """Return the largest log-ratio over pairs of tables and all scripts, and where it is."""
    losses = []
    for one, other in pairs:

        def run(rows: list) -> Callable:
            """A release of these rows, as a function of its outcomes."""
            return lambda replay: count(columns(rows), session_factory_of(lambda: replay))

        for script, chance in transcripts(run(one)):
            losses.append((abs(chance - log_chance_of(run(other), script)), (one, other)))
    return max(losses, key=lambda loss: loss[0])


def person_less(most: int) -> Iterator[tuple[list, list]]:
    """Yield tables, and the same without the rows of person 1."""
    for rows in tables(most):
        yield rows, [row for row in rows if row[0] == 0]


def row_less(most: int) -> Iterator[tuple[list, list]]:
    """Yield tables, and the same without one row."""
    for rows in tables(most):
        for at in range(len(rows)):
            yield rows, rows[:at] + rows[at + 1 :]


def counterexample(count: Callable[[Table, SessionFactory], Any], epsilon: float = 1) -> str:
    """Return a pair of tables between which more than epsilon is lost, or ""."""
    loss, pair = worst(count, person_less(2))
    return "" if loss <= epsilon + 1e-9 else f"{pair}: loss {loss:.3f}, claimed {epsilon}"

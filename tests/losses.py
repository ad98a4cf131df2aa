"""The exact loss of whole runs: every transcript of every small table, and the same one of its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from dpselect.audit.scripted_noise import SCRIPTED_VALUES, ScriptedNoise, transcripts

Table = tuple[Any, ...]


def losses(
    run_of: Callable[[Table], Callable[[ScriptedNoise], object]],
    tables: Iterable[Table],
    more: Iterable[Any],
    released: tuple[int, ...] = SCRIPTED_VALUES,
) -> Iterator[float]:
    """The log-ratios over these tables, one more record of these kinds, and every transcript.

    A table is often the neighbour of several others: its transcripts are enumerated once. One that a neighbour does
    not have is a ``KeyError``.
    """

    @cache
    def law(table: Table) -> dict[tuple[int, ...], float]:
        return dict(transcripts(run_of(table), released=released))

    every = tuple(more)
    for table in tables:
        here = law(tuple(sorted(table)))
        for record in every:
            there = law(tuple(sorted((*table, record))))
            assert len(here) == len(there)
            for script, chance in here.items():
                yield abs(chance - there[script])

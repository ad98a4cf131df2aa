"""Syntheses of small tables in a session of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

import dpselect as dps
from dpselect.release.open_session import session_factory_of
from dpselect.synthesis.aim import aim
from dpselect.synthesis.marginal_counts import CodedRows
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.mst import mst

DELTA = Fraction(1, 10**6)
METHODS = {"mst": mst, "aim-2": partial(aim, degree=2), "aim-3": aim}
Row = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SameCounts:
    """A model that says the same numbers of any columns."""

    numbers: np.ndarray

    def counts(self, clique: Row) -> np.ndarray:  # noqa: ARG002
        """Return them."""
        return self.numbers


def coded(rows: Sequence[Row], sizes: Sequence[int]) -> CodedRows:
    """Rows of codes."""
    table = np.array(rows, dtype=np.int64).reshape(-1, len(sizes))
    return CodedRows([*table.T], sizes)


def run_of(
    method: str,
    rows: Sequence[Row],
    sizes: Sequence[int],
    rho: Fraction,
    *,
    people: int = 1,
    session: type[MarginalSession] = MarginalSession,
) -> Callable:
    """A whole synthesis of a table, as a function of its outcomes; returns what is left, and the session."""
    neighbours = "add-remove" if people == 1 else "person"
    promise = dps.Guarantee.from_rho(rho, DELTA, neighbours)

    def run(outcomes):
        with session_factory_of(lambda: outcomes)(promise) as draws:
            held = session(coded(rows, sizes), draws, sizes, people, promise.neighbours)
            model = METHODS[method](held)
            return draws.remaining, held, model

    return run

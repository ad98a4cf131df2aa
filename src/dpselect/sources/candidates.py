"""Candidates whose scores live in an engine: counts by score come home, and the names of the winners.

Two things are public besides the arguments: which candidates there are, and what kind of number a score is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.core.errors import PrivacyError
from dpselect.core.grouped import GroupedScores, Pick
from dpselect.core.neighbours import neighbours as relation
from dpselect.core.scores import Scores
from dpselect.core.sensitivity import Sensitivity, constant
from dpselect.sources import candidate_tables as tables
from dpselect.sources import ordinals
from dpselect.sources.snapshots import snapshot

# Bits of one bitmap, and bitmaps (a scan each), up to which integer candidates are told apart by bitmap.
_BITMAP, _BITMAPS = 2**30, 8
_ATTEMPTS = 3


class Candidates:
    """Public candidates and their scores in a table of a database, as many as fit there.

    ``dpselect.select`` and ``top_k`` take it in place of :class:`Scores`. The engine counts candidates by score,
    draws are made by the group, and the winners are looked up by rank: of 10^9 candidates with 1000 distinct scores
    1000 counts come home. Memory here follows the number of distinct scores.

    Args:
        table: an Ibis table; a ``.parquet`` or ``.csv`` file, which DuckDB reads where it is; or a data frame.
        candidate: the column of names: integers or text, no two alike.
        score: the column of scores: integers (exact) or floats. Larger is better.
        sensitivity: a public number; a :class:`Sensitivity` that all share; or, with ``profile=``, a function from
            one array a profile column, shape (g,), to a ``Sensitivity`` over g positions.
        domain: which candidates there are, whatever the data: a ``range`` of step 1, a list, or an Ibis column or
            table of one column; those without a row score 0. ``"rows"`` says that the table always has a row for
            every public candidate.
        profile: columns on which a candidate's sensitivity depends.
        absent_profile: their values for candidates without a row.
        neighbours, range_bound: as for ``Scores``.
        unique: ``"checked"``, or ``"declared"`` when the engine enforces that no candidate has two rows.

    Raises:
        PrivacyError: no domain.
        ValueError, TypeError: a column is missing or of another type; a domain or a sensitivity is not as above.
        ImportError: Ibis is not installed.

    Example:
        >>> import ibis
        >>> import dpselect as dps
        >>> votes = ibis.memtable({"name": ["ann", "bob"], "votes": [900, 20]})
        >>> candidates = Candidates(votes, "name", "votes", 1, domain=["ann", "bob", "eve"])
        >>> dps.select(candidates, 1, mechanism=dps.mechanism("permute-and-flip")).candidate
        'ann'
    """

    def __init__(
        self,
        table: Any,
        candidate: str,
        score: str,
        sensitivity: float | Fraction | Sensitivity | Callable[..., Sensitivity],
        *,
        domain: Any = None,
        profile: str | Sequence[str] = (),
        absent_profile: Any = (),
        neighbours: str = "add-remove",
        range_bound: int = 2,
        unique: str = "checked",
    ) -> None:
        self.candidate, self.score = candidate, score
        self.profile = (profile,) if isinstance(profile, str) else tuple(profile)
        self.neighbours, self.range_bound = relation(neighbours), range_bound
        if unique not in ("checked", "declared"):
            raise ValueError('unique is "checked", or "declared" when the engine enforces it.')
        self.unique = unique
        if callable(sensitivity) != bool(self.profile):
            raise ValueError("profile= names the columns that a function passed as sensitivity= takes: pass both.")
        self.sensitivity: Sensitivity | Callable[..., Sensitivity] = (
            sensitivity if callable(sensitivity) or isinstance(sensitivity, Sensitivity) else constant(sensitivity)
        )
        given, self._fixed = tables.opened(table)
        self._rows = tables.columns(given, candidate, score, self.profile)
        self.integers = bool(self._rows.schema()["candidate"].is_integer())
        self.domain = tables.domain(domain, self.integers)
        self.absent_profile = absent_profile if isinstance(absent_profile, (tuple, list)) else (absent_profile,)
        if self.domain is not None and len(self.absent_profile) != len(self.profile):
            raise PrivacyError(
                "Candidates without a row need a public profile: pass absent_profile=, a value a column."
            )
        # Refuses a range bound that is none.
        self.example()

    def example(self) -> Scores | None:
        """Return one made-up score of the same kind and sensitivity, or ``None`` where that depends on profiles."""
        made_up = np.zeros(1, dtype=np.float64 if self._rows.schema()["score"].is_floating() else np.int64)
        shared = constant(1) if callable(self.sensitivity) else self.sensitivity
        scores = Scores(made_up, shared, neighbours=self.neighbours.value, range_bound=self.range_bound)
        return None if self.profile else scores

    def check(self) -> int:
        """Look at the data, refuse what a selection would refuse, release nothing; return how many candidates.

        Do this first: a selection pays before it looks.

        Raises:
            ValueError: no candidate, a candidate twice or outside the domain, NULL, NaN or infinite scores.
        """
        with snapshot(self._rows.get_backend()):
            return int(self._counted().grouped.counts.sum())

    def answer(self, pick: Pick) -> list[Any]:
        """Count, pick and look up; see :class:`dpselect.core.grouped.CandidateSource`.

        Raises:
            ValueError: as :meth:`check`.
            RuntimeError: the engine failed, or the table kept changing; nothing was returned.
        """
        with snapshot(self._rows.get_backend()) as held:
            steady = held and self._fixed
            for _ in range(1 if steady else _ATTEMPTS):
                counted = self._counted()
                try:
                    winners = [self._find(counted, group, ordinal) for group, ordinal in pick(counted.grouped)]
                except ordinals.Moved:
                    continue
                # Everything is counted again, not the winner's group alone: coins must not cause a restart.
                if steady or counted.same(self._counted()):
                    return winners
        raise RuntimeError(
            "The table changed while it was read, so nothing was returned; the spend stands. Select from a table that "
            "nobody writes to, or from a copy."
        )

    def __repr__(self) -> str:
        return (
            f"Candidates(candidate={self.candidate!r}, score={self.score!r}, neighbours={self.neighbours.value!r}, "
            f"range_bound={self.range_bound})"
        )

    def _ask(self, expression: Any) -> dict[str, Any]:
        """Return the columns of a result; an engine's message may quote cells, so it is not passed on."""
        try:
            found = expression.to_pyarrow()
        except Exception as error:
            raise RuntimeError(f"The engine could not answer a query ({type(error).__name__}).") from None
        return {
            name: column.to_numpy() if not column.null_count else np.array(column.to_pylist(), dtype=object)
            for name, column in zip(found.column_names, found.columns, strict=True)
        }

    def _counted(self) -> _Counted:
        """Return the groups of one state of the table, and refuse what no selection can use."""
        rows, keys = self._rows, ["score", *(f"profile{i}" for i in range(len(self.profile)))]
        parts = {"n": rows.count(), "named": rows.candidate.count()}
        if self.integers:
            parts |= {"least": rows.candidate.min(), "most": rows.candidate.max()}
        found = self._ask(rows.group_by(keys).agg(**parts).order_by(keys))
        counts, groups = found["n"].astype(np.int64), [found[key] for key in keys]
        if (found["named"] != counts).any():
            raise ValueError("Some candidates are NULL: leave those rows out.")
        if any(values.dtype == object and None in values.tolist() for values in groups):
            raise ValueError("Some scores or profiles are NULL: give those rows a public value, or leave them out.")
        spans = None
        if self.integers:
            spans = np.stack((found["least"].astype(np.int64), found["most"].astype(np.int64)), axis=1)
        missing = self._missing(int(counts.sum()), spans)
        if self.unique == "checked" and counts.size:
            self._refuse_twins(int(counts.sum()), spans)
        if missing:
            counts = np.append(counts, missing)
            rest = zip(groups, (0, *self.absent_profile), strict=True)
            groups = [np.append(values, np.array([value]).astype(values.dtype)) for values, value in rest]
        if not counts.size:
            raise ValueError("There is no candidate: the table has no rows.")
        shared = self.sensitivity(*groups[1:]) if callable(self.sensitivity) else self.sensitivity
        scores = Scores(groups[0], shared, neighbours=self.neighbours.value, range_bound=self.range_bound)
        return _Counted(GroupedScores(scores, counts), groups, spans, missing)

    def _missing(self, total: int, spans: NDArray[np.int64] | None) -> int:
        """Return how many public candidates have no row; refuse rows of others."""
        if self.domain is None:
            return 0
        if isinstance(self.domain, range):
            first, last = self.domain[0], self.domain[-1]
            outside = spans is not None and bool(((spans[:, 0] < first) | (spans[:, 1] > last)).any())
            size = len(self.domain)
        else:
            strangers = self._rows.anti_join(self.domain, "candidate")
            outside = bool(self._ask(strangers.aggregate(n=strangers.count()))["n"][0])
            public = self._ask(self.domain.aggregate(n=self.domain.count(), kinds=self.domain.candidate.nunique()))
            size = int(public["n"][0])
            if size != public["kinds"][0]:
                raise ValueError("Some candidates of the domain are NULL or listed twice: list each once.")
        if outside:
            raise ValueError("A candidate of the table is not in the public domain: drop it, or extend the domain.")
        if total > size:
            raise ValueError(_TWINS)
        return size - total

    def _refuse_twins(self, total: int, spans: NDArray[np.int64] | None) -> None:
        """Refuse candidates with two rows, however many there are: by bitmap if that is cheap, else by grouping."""
        rows, bitmaps = self._rows, range(0)
        if spans is not None and rows.get_backend().name == "duckdb":
            low, high = int(spans[:, 0].min()), int(spans[:, 1].max())
            if high - low < min(_BITMAPS * _BITMAP, 64 * total + 2**20):
                bitmaps = range(low, high + 1, _BITMAP)
        if bitmaps:
            different = sum(
                tables.different(rows, start, min(start + _BITMAP - 1, high), self._ask) for start in bitmaps
            )
            twins = different < total
        else:
            names = rows.group_by("candidate").agg(n=rows.count())
            twins = bool(len(self._ask(names.filter(names.n > 1).select("n").limit(1))["n"]))
        if twins:
            raise ValueError(_TWINS)

    def _find(self, counted: _Counted, group: int, ordinal: int) -> Any:
        """Return the candidate of that rank in a group, in the order of candidates."""
        count = int(counted.grouped.counts[group])
        if counted.missing and group == counted.grouped.counts.size - 1:
            if isinstance(self.domain, range):
                return ordinals.absent(self._rows, ordinal, count, (self.domain[0], self.domain[-1]), self._ask)
            rows, span = self.domain.anti_join(self._rows, "candidate"), None
            if self.integers:
                ends = self._ask(
                    self.domain.aggregate(low=self.domain.candidate.min(), high=self.domain.candidate.max())
                )
                span = int(ends["low"][0]), int(ends["high"][0])
            return ordinals.present(rows, ordinal, count, span, self._ask)
        keys = ["score", *(f"profile{i}" for i in range(len(self.profile)))]
        rows = self._rows.filter(
            [self._rows[key] == tables.literal(values[group]) for key, values in zip(keys, counted.groups, strict=True)]
        ).select("candidate")
        span = None if counted.spans is None else (int(counted.spans[group, 0]), int(counted.spans[group, 1]))
        return ordinals.present(rows, ordinal, count, span, self._ask)


_TWINS = "Some candidates have two rows: add up their scores, or keep one of them."


@dataclass(frozen=True, repr=False, eq=False)
class _Counted:
    """One state of the table: its groups, the span of integer candidates in each, and how many have no row."""

    grouped: GroupedScores
    groups: list[NDArray[Any]]
    spans: NDArray[np.int64] | None
    missing: int

    def same(self, other: _Counted) -> bool:
        """Tell whether another state has the same groups of the same sizes."""
        mine, theirs = [self.grouped.counts, *self.groups], [other.grouped.counts, *other.groups]
        return self.missing == other.missing and all(map(np.array_equal, mine, theirs))

"""Candidates whose scores live in an engine: counts by score leave it, and the names of the winners.

Two things are public besides the arguments: which candidates there are, and what kind of number a score is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, LostConnectionError, PrivacyError
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.scores.grouped_scores import GroupedScores, Pick
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Sensitivity, constant
from dpselect.scores.zero import zero_of
from dpselect.sources import candidate_tables as tables
from dpselect.sources import ordinals
from dpselect.sources.engines import engine_of
from dpselect.sources.warehouse import CONNECTION_LOST, TABLE_CHANGED, Warehouse, guard_engine

# The widest span of integer candidates that bitmaps tell apart, and the bits that all threads may hold at a time.
_SPAN, _BITS = 2**33, 2**31
_ATTEMPTS = 3
# Far below where counts of all candidates leave 64 bits.
_MOST = 2**61


class Candidates:
    """Public candidates and their scores in a table of a database, as many as fit there.

    ``dpselect.select`` and ``top_k`` take it in place of :class:`Scores`. The engine counts candidates by score,
    draws are made by the group, and the winners are looked up by rank: of 10^9 candidates with 1000 distinct scores
    1000 counts leave it. Memory here follows the number of distinct scores.

    Rows are read one by one: one without a name, or of a candidate outside the domain, is left out, and a score that is
    missing counts as 0. :meth:`check` counts them for the curator.

    Args:
        table: an Ibis table; ``.parquet`` files, which DuckDB reads where they are (csv files do not say their types);
            or a URL that ends in ``?table=name``.
        candidate: the column of names: integers or text, no two alike.
        score: the column of scores: integers (exact) or floats. Larger is better.
        sensitivity: a public number; a :class:`Sensitivity` that all share; or, with ``profile=``, a function from
            one array per profile column, shape (g,), to a ``Sensitivity`` over g positions.
        domain: which candidates there are, whatever the data: a ``range`` of step 1, a list, or an Ibis column or
            table of one column; those without a row score 0. ``"rows"`` says that the table always has a row for
            every public candidate.
        profile: columns on which a candidate's sensitivity depends.
        absent_profile: their values for candidates without a row.
        neighbours, range_bound, zero: as for ``Scores``.
        unique: ``"checked"``, or ``"declared"`` when the engine enforces that no candidate has two rows, in the table
            and in a table of the domain.

    Raises:
        PrivacyError: no domain; the scores are named as candidates too.
        ValueError, TypeError: a column is missing or of another type; a domain or a sensitivity is not as above.
        ImportError: Ibis is not installed.

    Example:
        >>> import ibis, pyarrow
        >>> import dpselect as dps
        >>> votes = ibis.memtable(pyarrow.table({"name": ["ann", "bob"], "votes": [900, 20]}))
        >>> candidates = Candidates(votes, "name", "votes", 1, domain=["ann", "bob", "eve"])
        >>> dps.select(candidates, epsilon=1, mechanism="permute-and-flip").value
        'ann'

    Limits: Candidates in an engine. A candidate with two rows, a NULL profile, and a table without candidates under
    ``domain="rows"`` are refused after the spend: declare the name a key (``unique="declared"``), and run ``check``
    first. Memory follows the number of distinct scores. Files and views cannot be frozen, so changes are noticed by
    counting again; two changes within one release that undo each other are noticed only by a winner that is gone. Text
    names with a collation that takes different names for equal are not supported.
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
        zero: str = "neutral",
    ) -> None:
        if candidate == score:
            raise PrivacyError(
                Advice("{candidate=} names a public column, and the scores are private: pass another column there.")
            )
        self.candidate, self.score = candidate, score
        self.profile = (profile,) if isinstance(profile, str) else tuple(profile)
        self.neighbours, self.range_bound, self.zero = relation(neighbours), range_bound, zero_of(zero)
        if unique not in ("checked", "declared"):
            raise InputError('unique is "checked", or "declared" when the engine enforces it.')
        self.unique = unique
        self.known = len(domain) if isinstance(domain, (range, list, tuple)) else None
        if self.known is not None and self.known > _MOST:
            raise InputError("A domain has at most 2^61 candidates: pass a smaller one.")
        if callable(sensitivity) != bool(self.profile):
            raise InputError("profile= names the columns that a function passed as sensitivity= takes: pass both.")
        self.sensitivity: Sensitivity | Callable[..., Sensitivity] = (
            sensitivity if callable(sensitivity) or isinstance(sensitivity, Sensitivity) else constant(sensitivity)
        )
        self.absent_profile = absent_profile if isinstance(absent_profile, (tuple, list)) else (absent_profile,)
        self._place = Warehouse.open(table)
        try:
            if self._place.is_csv:
                raise PrivacyError(
                    "A csv file does not say whether its scores are integers, and its rows are private: write parquet, "
                    "or pass an Ibis table whose types are declared."
                )
            self._all = tables.columns(self._place, candidate, score, self.profile)
            self.integers = bool(self._all.schema()["candidate"].is_integer())
            self.domain = tables.domain(domain, self.integers)
            self._rows = tables.usable(self._all, self.domain)
            if self.domain is not None and len(self.absent_profile) != len(self.profile):
                raise PrivacyError(
                    "Candidates without a row need a public profile: pass absent_profile=, one value per column."
                )
            # Refuses what is not a range bound.
            self.example()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection if it was opened here, for a path or a URL; ``with Candidates(...)`` does it too."""
        self._place.close()

    def __enter__(self) -> Candidates:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def example(self) -> Scores | None:
        """Return one made-up score of the same kind and sensitivity, or ``None`` where that depends on profiles.

        Raises:
            ConnectionError: the files are not those that were opened.
        """
        if self._place.is_unchanged() is False:
            raise LostConnectionError("The files have changed since they were opened: make Candidates anew.")
        made_up = np.zeros(1, dtype=np.float64 if self._rows.schema()["score"].is_floating() else np.int64)
        shared = constant(1) if callable(self.sensitivity) else self.sensitivity
        scores = self._scores_of(made_up, shared)
        return None if self.profile else scores

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return what a ledger records of where the scores came from, without secrets."""
        return {**self._place.metadata, "candidate": self.candidate, "score": self.score}

    def check(self) -> int:
        """Look at the data, refuse what a curator should fix, release nothing; return how many candidates.

        Do this first: a selection pays before it looks. It leaves out rows without a name or outside the domain, and
        counts a missing score as 0; no candidate at all, and one with two rows, it refuses.

        Raises:
            ValueError: no candidate, a candidate twice or outside the domain, NULL, NaN or infinite scores.
            ConnectionError: the engine failed.
        """
        with self._place.reading():
            wrong = tables.unusable(self._all, self.domain, self._place.ask)
            if wrong is not None:
                raise InputError(wrong)
            counted = self._table_state()
            self._refuse_twins(counted)
        return int(counted.grouped.counts.sum())

    def scores(self) -> Scores:
        """Return the scores of all candidates of a list or a range, for those of which the caller declares uniqueness.

        Raises:
            ValueError: the candidates are not listed, or may have two rows.
            ConnectionError: the engine failed.
        """
        if self.known is None or self.unique != "declared" or callable(self.sensitivity):
            raise InputError('Scores are fetched for a public list or range, with unique="declared" and no profile.')
        public = self.domain if isinstance(self.domain, range) else self.domain.tolist()
        index = {} if isinstance(public, range) else {name: place for place, name in enumerate(public)}
        whole = self._rows.schema()["score"].is_integer()
        values = np.zeros(self.known, dtype=np.int64 if whole else np.float64)
        for rows in self._place.batches(self._rows.select("candidate", "score")):
            names = rows["candidate"]
            if isinstance(public, range):
                places = names.astype(np.int64) - public[0]
            else:
                places = np.array([index.get(name, -1) for name in names.tolist()], dtype=np.int64)
            # Some engines take texts for equal that are not.
            known = places >= 0
            values[places[known]] = rows["score"][known]
        relation = self.neighbours.value
        return Scores(
            values, self.sensitivity, public, relation, self.range_bound, metadata=self.metadata, zero=self.zero
        )

    def answer(self, pick: Pick) -> list[Any]:
        """Count, pick and look up; see :class:`dpselect.scores.grouped_scores.CandidateSource`.

        Raises:
            ValueError: no candidate, one with two rows, or a profile that is NULL; nothing was returned.
            ConnectionError: the engine failed, or the table kept changing; nothing was returned.
        """
        steady = guard_engine(lambda: tables.steady(self._rows), CONNECTION_LOST)
        with self._place.reading():
            for _ in range(1 if steady else _ATTEMPTS):
                counted = self._table_state()
                self._refuse_twins(counted)
                try:
                    winners = self._find(counted, pick(counted.grouped))
                except ordinals.RowsMoved:
                    continue
                # Everything is counted again, not the winner's group alone: coins must not cause a restart.
                if steady or all(map(np.array_equal, counted.columns, self._groups())):
                    return winners
        raise LostConnectionError(
            "The table changed while it was read, so nothing was returned; the spend stands: select from a table that "
            "nobody writes to, or from a copy."
        )

    def __repr__(self) -> str:
        zero = "" if self.zero == "neutral" else f", zero={self.zero!r}"
        return (
            f"Candidates(candidate={self.candidate!r}, score={self.score!r}, neighbours={self.neighbours.value!r}, "
            f"range_bound={self.range_bound}{zero})"
        )

    def _scores_of(self, values: NDArray[Any], sensitivity: Sensitivity) -> Scores:
        relation = self.neighbours.value
        return Scores(values, sensitivity, neighbours=relation, range_bound=self.range_bound, zero=self.zero)

    def _groups(self) -> list[NDArray[Any]]:
        """Return the counts of one state of the table, and the score and profile of each group."""
        grouped = self._rows.group_by(self._keys).agg(n=self._rows.count()).order_by(self._keys)
        groups = self._place.ask(grouped)
        return [groups["n"].astype(np.int64), *(groups[key] for key in self._keys)]

    def _table_state(self) -> _TableState:
        """Return the groups of one state of the table, and refuse what no selection can use."""
        rows = self._rows
        ends = {"low": rows.candidate.min(), "high": rows.candidate.max()} if self.integers else {}
        whole = self._place.ask(rows.aggregate(named=rows.candidate.count(), **ends))
        span = (int(whole["low"][0]), int(whole["high"][0])) if self.integers and whole["named"][0] else None
        result = self._groups()
        counts, *groups = result
        if whole["named"][0] != counts.sum():
            raise InputError(TABLE_CHANGED)
        if any(values.dtype == object and None in values.tolist() for values in groups[1:]):
            raise InputError("Some profiles are NULL: give those rows a public value, or leave them out.")
        absent = self._absent(int(counts.sum()), span)
        if absent.count:
            counts = np.append(counts, absent.count)
            rest = zip(groups, (0, *self.absent_profile), strict=True)
            groups = [np.append(values, tables.like(values, value)) for values, value in rest]
        if not counts.size:
            raise InputError("The table has no rows, so it names no candidate: pass a table with rows.")
        shared = self.sensitivity(*groups[1:]) if callable(self.sensitivity) else self.sensitivity
        scores = self._scores_of(groups[0], shared)
        return _TableState(GroupedScores(scores, counts), result, span, absent)

    def _absent(self, total: int, span: tuple[int, int] | None) -> _Absent:
        """Return the public candidates that have no row; refuse rows of others."""
        names = None
        if self.domain is None:
            return _Absent(0)
        if isinstance(self.domain, range):
            first, last, size = self.domain[0], self.domain[-1], len(self.domain)
            outside = span is not None and (span[0] < first or span[1] > last)
        elif isinstance(self.domain, np.ndarray):
            size = self.domain.size
            # No more names are fetched than the caller's own list has.
            named = np.sort(self._place.ask(self._rows.select("candidate").limit(size + 1))["candidate"])
            outside = bool(np.setdiff1d(named, self.domain).size)
            names = np.setdiff1d(self.domain, named)
        else:
            strangers = self._rows.anti_join(self.domain, "candidate")
            outside = bool(self._place.ask(strangers.aggregate(n=strangers.count()))["n"][0])
            names_of = self.domain.candidate
            kinds = names_of.nunique() if self.unique == "checked" else names_of.count()
            public = self._place.ask(self.domain.aggregate(n=self.domain.count(), kinds=kinds))
            size = int(public["n"][0])
            if size != public["kinds"][0]:
                raise InputError("Some candidates of the domain are NULL or listed twice: list each once.")
        if outside:
            raise InputError("A candidate of the table is not in the public domain: drop it, or extend the domain.")
        if total > size or (names is not None and names.size != size - total):
            raise InputError(_TWINS)
        return _Absent(size - total, names)

    def _refuse_twins(self, counted: _TableState) -> None:
        """Refuse candidates with two rows, however many there are: by bitmap if that is cheap, else by grouping."""
        rows, total = self._rows, int(counted.columns[0].sum())
        if self.unique == "declared" or not total:
            return
        low, high = counted.span or (0, _SPAN)
        if high - low < min(_SPAN, 64 * total + 2**20) and engine_of(rows).counts_by_bitmap:
            bits, ask = max(1, _BITS // tables.threads(rows)), self._place.ask
            starts = range(low, high + 1, bits)
            twins = sum(tables.different(rows, start, min(start + bits - 1, high), ask) for start in starts) < total
        else:
            names = rows.group_by("candidate").agg(n=rows.count())
            twins = bool(len(self._place.ask(names.filter(names.n > 1).select("n").limit(1))["n"]))
        if twins:
            raise InputError(_TWINS)

    def _find(self, counted: _TableState, picks: list[tuple[int, int]]) -> list[Any]:
        """Return the candidate of each rank in its group, in the order of candidates."""
        rows, ask, groups = self._rows, self._place.ask, counted.columns[0].size
        there = [(place, group, ordinal) for place, (group, ordinal) in enumerate(picks) if group < groups]
        winners = dict(
            zip(
                (place for place, (group, _) in enumerate(picks) if group == groups),
                self._find_absent(counted, [ordinal for group, ordinal in picks if group == groups]),
                strict=True,
            )
        )
        where = {group: self._in_group(counted, group) for _, group, _ in there}
        if counted.span is None:
            result = [
                ordinals.text(rows.filter(where[group]).select("candidate"), ordinal, ask)
                for _, group, ordinal in there
            ]
        else:
            counts = counted.columns[0]
            ranks = [ordinals.Rank(where[g], ordinal, int(counts[g]), *counted.span) for _, g, ordinal in there]
            # One list of scores is tested before the conditions of all ranks, and leaves few rows to them.
            scores = [tables.literal(value) for value in np.unique(counted.columns[1][list(where)])]
            result = ordinals.find(rows.filter(rows.score.isin(scores)), ranks, ask)
        winners |= zip((place for place, _, _ in there), result, strict=True)
        return [winners[place] for place in range(len(picks))]

    def _find_absent(self, counted: _TableState, wanted: list[int]) -> list[Any]:
        """Return candidates without a row, by their ranks among these."""
        count, ask, rows = counted.absent.count, self._place.ask, self._rows
        if not wanted:
            return []
        if counted.absent.names is not None:
            return [counted.absent.names[ordinal] for ordinal in wanted]
        if isinstance(self.domain, range):
            span, everywhere, absent = (self.domain[0], self.domain[-1]), rows.candidate.notnull(), True
        else:
            rows, names, absent = self.domain.anti_join(rows, "candidate"), self.domain.candidate, False
            if not self.integers:
                return [ordinals.text(rows, ordinal, ask) for ordinal in wanted]
            ends = ask(self.domain.aggregate(low=names.min(), high=names.max()))
            span, everywhere = (int(ends["low"][0]), int(ends["high"][0])), rows.candidate.notnull()
        ranks = [ordinals.Rank(everywhere, ordinal, count, *span, absent) for ordinal in wanted]
        return list(ordinals.find(rows, ranks, ask))

    def _in_group(self, counted: _TableState, group: int) -> Any:
        """Return the condition of having the score and the profile of a group."""
        pairs = zip(self._keys, counted.columns[1:], strict=True)
        conditions = [self._rows[key] == tables.literal(values[group]) for key, values in pairs]
        return reduce(and_, conditions)

    @property
    def _keys(self) -> list[str]:
        return ["score", *(f"profile{i}" for i in range(len(self.profile)))]


_TWINS = "Some candidates have two rows: add up their scores, or keep one of them."


@dataclass(frozen=True, repr=False, eq=False)
class _Absent:
    """Public candidates without a row: how many, and which where the domain is a list."""

    count: int
    names: NDArray[Any] | None = None


@dataclass(frozen=True, repr=False, eq=False)
class _TableState:
    """One state of the table: its groups, as found, the span of integer candidates, and who has no row."""

    grouped: GroupedScores
    columns: list[NDArray[Any]]
    span: tuple[int, int] | None
    absent: _Absent

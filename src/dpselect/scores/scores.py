"""Scores of candidates, and the unit scores that samplers accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect._display.html_table import table
from dpselect._public import named_publicly
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours, neighbours
from dpselect.scores.kinds import distances_of, numbers_of
from dpselect.scores.labels import column_of, label_values
from dpselect.scores.sensitivity import Sensitivity, constant
from dpselect.scores.zero import negate_zero, zero_of

# So many candidates a notebook names.
_MOST_NAMED = 8
# Steps and positions, of shapes that broadcast, to numbers: see ``Scores(highest=)``.
Highest = Callable[[NDArray[np.int64], NDArray[np.intp]], NDArray[Any]]


class Scores:
    """The score of every candidate on one database, and how far one neighbour can move each.

    Larger is always better. Candidates are public, and so is the *kind* of number, because integers are handled
    exactly and real numbers by ticks: it comes from ``kind=`` or from the type of the array, never from the values.
    What is passed is copied.

    Integers beyond 2^61 are clipped there. Real numbers are clipped where a double can no longer hold a move of one
    unit: at 2^53, or at 2^32 times the sensitivity's ceiling if that is more; for a list or an array of integers, 2^32
    times the least public bound of any candidate.

    Args:
        values: shape (m,), finite. The keys of a mapping, and the index of a pandas Series, are the candidates. Such
            labels are public, so list everyone who could be there: ``table["city"].value_counts()`` names only cities
            that somebody lives in, ``.reindex(cities, fill_value=0)`` names them all.
        sensitivity: a public number (the global sensitivity), or a :class:`Sensitivity`.
        candidates: what each position stands for, length m, a list or a column; ``None`` means the labels of the
            values, and where they have none 0 .. m-1.
        neighbours: ``"add-remove"``, ``"substitution"``, ``"person"``, ``"edge"`` or ``"family"``.
        range_bound: 1 when one added record moves every score in the same direction, else 2.
        distance: for each candidate the number of changes that would make it best, shape (m,), if known.
        metadata: where the data came from, recorded with every spend; nothing private.
        kind: ``"integer"`` or ``"real"``. ``None`` keeps the kind of an array's type; a range is of integers, and a
            list or tuple of real numbers, whatever it contains: say ``kind="integer"`` for counts in a list.
        zero: ``"best"`` where no possible score is above 0 (minus a distance, a Pareto score), ``"worst"`` where none
            is below 0 (0/1 scores, counts), else ``"neutral"``. It decides to which side local dampening moves a score
            of 0 that is safe for some steps; fix it before the data is seen, as it must be the same on every database.
        upper_envelope: for :func:`dpselect.utilities.margin`, what bounds scores from above some steps away: steps t
            and positions of candidates, of shapes that broadcast, to h(x, t, r) >= u(x, r), with h(x, t + 1, r) >= h(y,
            t, r) for every neighbour y of x. A number that one step would raise by much often takes many to become
            large.
        k: how many candidates these scores are for, where they are margins.
        default_mechanism: the name of the mechanism that draws where a release names none, or ``"margin"``:
            permute-and-flip on their margins; public, like the sensitivity.

    Raises:
        ValueError: no values, NaN or infinite values, shapes that differ, an unknown relation, kind or zero.
        TypeError: values that are not real numbers, or not integers for ``kind="integer"``; candidates that are not
            a list or an array of plain values.

    >>> Scores([3, 1, 4], sensitivity=1, candidates=["a", "b", "c"], kind="integer")
    Scores(candidates=3, neighbours='add-remove', range_bound=2)
    >>> Scores({"ann": 60, "bob": 40}, sensitivity=1, kind="integer").candidates
    ['ann', 'bob']

    Limits: Float scores. Sampling is exact for the scores it is given. A utility that computes floats rounds before
    that; the span leaves 7/16 of a tick, 2^-22.2 units of sensitivity, to it (3/16 of a tick where scores are dampened
    or bounds differ). Floats of more than 2^30 units are rarely that exact unless they are whole. Where the sensitivity
    at distance 0 is 0, the value must be the very same number on every neighbour, and zeros of a sensitivity must be
    exact: dampening jumps there, by up to twice the steps for which the score is safe. What zero means (``zero=``) must
    be the same on every database; whether it is true of the scores is not checked, because a row would decide that; a
    wrong statement costs accuracy only.

    The kind of number is public. Scores are integers or real numbers by ``kind=`` or by the type of the array, never by
    their values. A utility that returns an integer array on one database and a float array on another breaks its
    promise. Real scores are clipped at 2^53, or at 2^32 times the sensitivity's ceiling if that is more (for lists:
    2^32 times the least bound of any candidate), because beyond it a double rounds by more than the span allows;
    integers are clipped at 2^61. Statements about errors "whatever the data" are about clipped scores: of two beyond
    the clip, neither counts as behind the other.
    """

    def __init__(
        self,
        values: ArrayLike | Mapping[Any, Any],
        sensitivity: float | Fraction | Sensitivity,
        candidates: Sequence[Any] | NDArray[Any] | None = None,
        neighbours: str = "add-remove",
        range_bound: int = 2,
        distance: ArrayLike | None = None,
        metadata: Mapping[str, str] | None = None,
        *,
        kind: str | None = None,
        zero: str = "neutral",
        upper_envelope: Highest | None = None,
        k: int | None = None,
        default_mechanism: str | None = None,
    ) -> None:
        self.metadata: Mapping[str, str] = dict(metadata or {})
        if not isinstance(sensitivity, Sensitivity):
            sensitivity = constant(sensitivity)
        values, candidates = label_values(values, candidates)
        self.values = numbers_of(values, kind, sensitivity.ceiling, _finest(sensitivity))
        size = self.values.size
        if isinstance(range_bound, bool) or range_bound not in (1, 2):
            raise InputError("range_bound is 1 (all scores move the same way) or 2.")
        self.candidates = range(size) if candidates is None else _distinct(candidates, size)
        self.sensitivity = sensitivity.over(size)
        self.neighbours: Neighbours = _relation(neighbours)
        self.range_bound = range_bound
        # Which way a step that raises what was counted moves these scores: 1, -1, or 0 where it may be either.
        self.direction = 1
        self.zero = zero_of(zero)
        self.distance = None if distance is None else distances_of(distance, size)
        self.highest, self.k, self.default_mechanism = upper_envelope, k, default_mechanism

    @classmethod
    def from_frame(
        cls, frame: Any, sensitivity: float | Fraction | Sensitivity, *, label: Any, score: Any, **declared: Any
    ) -> Scores:
        """Return the scores of one column of a table, with the candidates of another.

        The candidates are public: the table has a row for each of them, whatever the data. Rows may stand in any order.

        Args:
            frame: pandas, polars, arrow, or a mapping of columns.
            sensitivity: as for :class:`Scores`.
            label: the column of candidates, each once.
            score: the column of scores; its type says their kind.
            **declared: ``neighbours=``, ``range_bound=``, ``kind=`` and all else that :class:`Scores` takes.

        Raises:
            ValueError, TypeError: no such column; as :class:`Scores`.

        >>> table = {"page": ["home", "news"], "visits": [60, 40]}
        >>> Scores.from_frame(table, 1, label="page", score="visits", kind="integer").candidates
        ['home', 'news']
        """
        return cls(column_of(frame, score), sensitivity, _column_list(column_of(frame, label)), **declared)

    def __len__(self) -> int:
        return int(self.values.size)

    def __neg__(self) -> Scores:
        """Return the scores with the order reversed: minimise instead of maximise."""
        turned = Scores(
            -self.values,
            self.sensitivity,
            self.candidates,
            self.neighbours.value,
            self.range_bound,
            metadata=self.metadata,
            zero=negate_zero(self.zero),
            default_mechanism=self.default_mechanism,
        )
        turned.direction = -self.direction
        return turned

    def _repr_html_(self) -> str:
        # Public facts alone: no score, and no sensitivity that only the database knows.
        ceiling = self.sensitivity.ceiling
        moves = f"follows the data, at most {ceiling:g}" if ceiling < float("inf") else "follows the data"
        bound = f"{ceiling:g}" if self.sensitivity.fixed else moves
        numbered = isinstance(self.candidates, range)
        rows = [
            ("candidates", f"{len(self)}"),
            ("named", None if numbered else [*self.candidates[:_MOST_NAMED], *["…"][: len(self) > _MOST_NAMED]]),
            ("numbers", "integers" if self.values.dtype.kind in "iu" else "real numbers"),
            ("sensitivity", bound),
            ("protected", PROTECTED_UNITS[self.neighbours]),
            ("range bound", f"{self.range_bound}"),
            ("zero", None if self.zero == "neutral" else self.zero),
        ]
        return table("Scores (private: values are not shown)", rows)

    def __repr__(self) -> str:
        zero = "" if self.zero == "neutral" else f", zero={self.zero!r}"
        relation = f"neighbours={self.neighbours.value!r}"
        return f"Scores(candidates={len(self)}, {relation}, range_bound={self.range_bound}{zero})"


def _column_list(column: Any) -> list[Any]:
    """Return a column as a list: its rows are those of the scores."""
    plain = getattr(column, "to_list", None) or getattr(column, "tolist", None)
    return list(plain() if plain else column)


def _distinct(candidates: Any, size: int) -> Sequence[Any] | NDArray[Any]:
    """Return the candidates, one per score and each once, so that nothing can go wrong after a draw."""
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, (Sequence, np.ndarray)):
        raise InputTypeError("candidates must be a list, tuple, range or array, in the order of the scores.")
    if isinstance(candidates, np.ndarray) and candidates.ndim != 1:
        raise InputTypeError("candidates must be one-dimensional: pass shape (m,).")
    if len(candidates) != size:
        raise InputError(f"There are {len(candidates)} candidates and {size} scores: pass one score per candidate.")
    if not isinstance(candidates, range):
        try:
            kinds = _kinds(candidates) if isinstance(candidates, np.ndarray) else len(set(candidates))
        except TypeError:
            raise InputTypeError(
                "candidates must be plain values that can be compared, such as text or numbers."
            ) from None
        if kinds != size:
            raise InputError("Some candidates are listed twice: pass each public candidate once.")
    return candidates


def _kinds(candidates: NDArray[Any]) -> int:
    """Return how many different candidates an array lists: a grid that increases needs no sorting."""
    if candidates.dtype.kind in "biufUSmM" and (candidates[1:] > candidates[:-1]).all():
        return candidates.size
    # With counts NumPy sorts; without them it hashes, which is twenty times slower on large arrays.
    return len(np.unique(candidates, return_counts=True)[0])


def _finest(sensitivity: Sensitivity) -> float:
    """Return the least public bound of a candidate; 0 where only the database knows it."""
    if sensitivity.bounds is not None:
        return float(sensitivity.bounds.min())
    return sensitivity.ceiling if sensitivity.fixed else 0.0


_relation = neighbours  # the parameter of the same name hides the function inside Scores


def require_scores(scores: Any) -> Scores:
    """Return the scores, or say how to make some (``TypeError``)."""
    if isinstance(scores, Scores):
        return scores
    raise InputTypeError("scores must be Scores: wrap values as dpselect.Scores(values, sensitivity=...).")


def require_same_k(scores: Scores, k: int) -> int:
    """Return k, or refuse it for margins of a list of another length (``ValueError``)."""
    if scores.k in (None, k):
        return k
    raise InputError(
        f"These are margins for k = {scores.k}, and {k} are asked for: make margins for that k, or ask for {scores.k}."
    )


named_publicly("dpselect", globals(), ["Scores"])

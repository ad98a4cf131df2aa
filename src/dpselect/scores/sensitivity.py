"""Sensitivity functions: how far one neighbour can move a score, t steps away.

A sensitivity function delta(x, t, r) is *admissible* when delta(x, 0, r) bounds the change of u(., r) from
x to any neighbour (A1) and delta(x, t+1, r) >= delta(y, t, r) for every neighbour y of x, and y = x (A2).
Only admissible functions keep the promise of local dampening; if you supply one, you are responsible for it.

References: Farias et al. 2023, Definitions 3.2.1 and 3.2.2. Erratum: min(delta, ceiling) alone does not
make a function bounded; taking min(delta, ceiling) below a public reach and the ceiling from there on does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect._public import named_publicly
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.scores.declared_bound import Bound, bound_below, no_distances
from dpselect.scores.public_bound import all_upwards, refuse_zero, upwards
from dpselect.scores.smooth_weights import largest

Floats = NDArray[np.float64]
Rows = Callable[[NDArray[np.int64]], Floats]
Some = Callable[[NDArray[np.int64], NDArray[np.intp] | None], Floats]
Profile = NDArray[np.intp] | Callable[[], NDArray[np.intp]]

# Where an unknown reach is cut: a public constant, so that every walk over distances ends.
PUBLIC_REACH = 2**20


class _Profile:
    """The field of rows of candidates, which may be a function: it is called when a mechanism first reads the field."""

    def __get__(self, owner: Any, kind: Any = None) -> NDArray[np.intp] | None:
        if owner is None:
            return None
        held = owner.__dict__["_profile"]
        if callable(held):
            held = owner.__dict__["_profile"] = held()
        return held  # type: ignore[no-any-return]

    def __set__(self, owner: Any, held: Profile | None) -> None:
        owner.__dict__["_profile"] = held


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """A sensitivity function of one database, over its candidates.

    Candidates that share a profile (the same degree, the same counts) share a row: ``rows`` maps distances
    of shape (k,) to values of shape (k, profiles), and ``profile`` maps candidates to rows. Values are cut at
    the public ``ceiling``, and are the ceiling from the public ``reach`` on (``None``: reach unknown).
    Build one with :func:`constant`, :func:`element`, :func:`local` or :func:`profiles`.

    Attributes:
        rows: distances (k,) to values (k, profiles), before ceiling and reach are applied.
        ceiling: the public bound on every value, in units of the score; ``inf`` when there is none.
        reach: the public distance from which every value is the ceiling, or ``None``.
        profile: the row of each candidate, shape (m,); ``None`` when one row serves all.
        total: sums of the first t values in closed form, (k,) to (k, profiles), or ``None``.
        bounds: public bounds candidate by candidate, shape (m,), where they are known.
        fixed: one constant for all databases, distances and candidates.
        smoothed: beta and ceiling to the smooth bound, where its user declares one and there are no rows.
        some: ``rows`` for some profiles only, where that is less work, (k,) and positions to (k, positions).
    """

    rows: Rows
    ceiling: float
    reach: int | None
    profile: _Profile = _Profile()
    total: Rows | None = None
    bounds: Floats | None = None
    fixed: bool = False
    size: int | None = None
    some: Some | None = None
    smoothed: Callable[[Fraction, float], Fraction] | None = None

    def at(self, t: int | ArrayLike) -> Floats:
        """Return the values at distance t: shape (m,), or (k, m) for distances of shape (k,).

        Raises:
            ValueError: a distance is negative, or the function gave a negative value or NaN.

        >>> constant(2.5).over(3).at(0)
        array([2.5, 2.5, 2.5])
        """
        distances = np.atleast_1d(np.asarray(t, dtype=np.int64))
        if distances.size and distances.min() < 0:
            raise InputError("Distances are counted from 0: pass t >= 0.")
        values = self.by_profile(distances)
        if self.profile is not None:
            values = values[:, self.profile]
        elif self.size is not None:
            values = np.broadcast_to(values, (distances.size, self.size))
        return values[0] if np.ndim(t) == 0 else values

    def by_profile(self, distances: NDArray[np.int64], only: NDArray[np.intp] | None = None) -> Floats:
        """Return one value per profile, or a profile of ``only``, ceiling and reach applied: shape (k, profiles)."""
        if only is not None and self.some is not None:
            values = np.asarray(self.some(distances, only), dtype=np.float64)
        else:
            values = np.asarray(self.rows(distances), dtype=np.float64)
            values = values if only is None else values[:, only]
        # The least of numbers with a NaN among them is NaN.
        if not values.min(initial=0.0) >= 0:
            raise InputError("A sensitivity is a number >= 0 at every distance: check the function passed.")
        if math.isfinite(self.ceiling):
            values = np.minimum(values, self.ceiling)
        if self.reach is not None and distances.max(initial=0) >= self.reach:
            values = np.where(distances[:, None] >= self.reach, self.ceiling, values)
        return values

    def over(self, size: int) -> Sensitivity:
        """Return this function over ``size`` candidates, or say that it is for another number."""
        own = self.profile.size if self.size is None and self.profile is not None else self.size
        if own not in (None, size):
            raise InputError(f"The sensitivity is for {own} candidates and there are {size} scores: make them equal.")
        if self.size == size:
            return self
        shared = self.fixed and self is _shared_bound(self.ceiling)
        return _shared_bound(self.ceiling, size) if shared else replace(self, size=size)

    @property
    def horizon(self) -> int:
        """Return the distance at which walks over t end: the reach, or the public constant 2^20."""
        return PUBLIC_REACH if self.reach is None else self.reach

    def __repr__(self) -> str:
        reach = "unknown" if self.reach is None else self.reach
        return f"Sensitivity(ceiling={self.ceiling:g}, reach={reach})"


def constant(c: float | Fraction | ArrayLike) -> Sensitivity:
    """Return the global sensitivity: one public number, or one per candidate, shape (m,).

    Raises:
        ValueError: a bound is never above zero, is infinite or NaN.

    >>> constant(3).ceiling
    3.0
    """
    if isinstance(c, (int, float, Fraction)) or np.ndim(c) == 0:
        return _shared_bound(upwards(c))
    bounds = all_upwards(c)
    if bounds.ndim != 1 or not bounds.size or not np.isfinite(bounds).all() or (bounds <= 0).any():
        raise InputError("Constant sensitivities are finite numbers > 0, one per candidate: pass shape (m,).")
    bounds.setflags(write=False)
    profile = np.arange(bounds.size)
    same: Rows = lambda t: np.broadcast_to(bounds, (t.size, bounds.size))  # noqa: E731
    return Sensitivity(same, float(bounds.max()), None, profile, total=lambda t: t[:, None] * bounds, bounds=bounds)


@lru_cache(maxsize=64)
def _shared_bound(bound: float, size: int | None = None) -> Sensitivity:
    """Return the global sensitivity of that bound over so many candidates: one for all scores that have both."""
    if size is not None:
        return replace(_shared_bound(bound), size=size)
    refuse_zero(bound)
    if math.isinf(bound):
        raise InputError("A constant sensitivity must be finite: pass the public bound.")
    row = np.array([[bound]])
    same: Rows = lambda t: np.broadcast_to(row, (t.size, 1))  # noqa: E731
    return Sensitivity(same, bound, 0, total=lambda t: t[:, None] * row, fixed=True)


def element(at: Callable[[int], ArrayLike], *, ceiling: float | None = None, reach: int | None = None) -> Sensitivity:
    """Return an element sensitivity from a function of the distance.

    Args:
        at: t -> one value per candidate, shape (m,), in units of the score; must be admissible.
        ceiling: the public global sensitivity; values above it are cut. ``None`` when there is none.
        reach: the public distance from which every value is the ceiling; ``None`` when unknown.

    Raises:
        ValueError: ``ceiling`` is not positive, ``reach`` is negative or lacks a ceiling.

    >>> element(lambda t: [1 + t, 2 + t], ceiling=4).at([0, 1, 9])
    array([[1., 2.],
           [2., 3.],
           [4., 4.]])
    """
    size = np.atleast_1d(np.asarray(at(0), dtype=np.float64)).size
    built = profiles(lambda t: _stack(at, t, size), ceiling=ceiling, reach=reach)
    return built if size == 1 else replace(built, profile=np.arange(size))


def local(at: Callable[[int], float], *, ceiling: float | None = None, reach: int | None = None) -> Sensitivity:
    """Return a sensitivity that all candidates share (flat): ``at`` maps t to one number.

    Raises:
        ValueError: as :func:`element`.

    >>> local(lambda t: 3 + 2 * t, ceiling=7.5).at([0, 1, 5])
    array([[3. ],
           [5. ],
           [7.5]])
    """
    return profiles(lambda t: _stack(at, t, 1), ceiling=ceiling, reach=reach)


def profiles(
    rows: Rows,
    *,
    profile: Profile | None = None,
    ceiling: float | Fraction | None = None,
    reach: int | None = None,
    total: Rows | None = None,
    some: Some | None = None,
    size: int | None = None,
) -> Sensitivity:
    """Return a sensitivity from rows shared by candidates of the same profile.

    Args:
        rows: distances (k,) to values (k, profiles), in one array operation.
        profile: the row of each candidate, shape (m,); ``None`` when one row serves all. A function that returns it
            is called when a mechanism reads it, and then ``size`` says how many candidates there are.
        ceiling: the public global sensitivity, or ``None``.
        reach: the public distance from which every value is the ceiling, or ``None``.
        total: sum of the first t values (ceiling applied), (k,) to (k, profiles), when in closed form.
        some: ``rows`` for some profiles only, (k,) and positions to (k, positions), when that is less work.

    Raises:
        ValueError: as :func:`element`.
    """
    bound = math.inf if ceiling is None else upwards(ceiling)
    refuse_zero(bound)
    if reach is not None:
        reach = steps_of(reach)
        if math.isinf(bound):
            raise InputError("A reach needs a ceiling: pass the public global sensitivity as ceiling=.")
    return Sensitivity(rows, bound, reach, profile, total, some=some, size=size)


def flatten(sensitivity: Sensitivity) -> Sensitivity:
    """Return the maximum over candidates: the local sensitivity, admissible when the argument is.

    >>> flatten(element(lambda t: [1 + t, 2 + t], ceiling=4)).at(1)
    array([3.])
    """
    if sensitivity.fixed:
        return sensitivity
    used = slice(None) if sensitivity.profile is None else np.unique(sensitivity.profile)
    return Sensitivity(
        lambda t: sensitivity.by_profile(t)[:, used].max(axis=1, keepdims=True),
        sensitivity.ceiling,
        sensitivity.reach,
        size=None,
    )


def maximum(*sensitivities: Sensitivity) -> Sensitivity:
    """Return the largest of several, value by value: admissible when each one is.

    Raises:
        ValueError: none was passed, or they are for different numbers of candidates.

    >>> maximum(constant(2), local(lambda t: t, ceiling=5)).at([0, 3])
    array([[2.],
           [3.]])
    """
    if not sensitivities:
        raise InputError("maximum needs at least one sensitivity.")
    sizes = {s.profile.size for s in sensitivities if s.profile is not None}
    if len(sizes) > 1:
        raise InputError("The sensitivities are for different numbers of candidates: make them equal.")
    bound = max(s.ceiling for s in sensitivities)
    # Beyond the reach of each function with the largest ceiling nothing can grow any more.
    reaches = [s.reach for s in sensitivities if s.ceiling == bound and s.reach is not None]
    profile = np.arange(sizes.pop()) if sizes else None

    def rows(t: NDArray[np.int64]) -> Floats:
        values = np.broadcast_arrays(*(s.at(t) for s in map(_without_size, sensitivities)))
        largest: Floats = np.maximum.reduce(values)
        return largest

    return Sensitivity(rows, bound, min(reaches) if reaches else None, profile)


def cap(sensitivity: Sensitivity, ceiling: float) -> Sensitivity:
    """Return the function cut at a public ceiling that bounds the true sensitivity everywhere.

    Raises:
        ValueError: the ceiling is not positive.

    >>> cap(local(lambda t: t), 2.0).at([1, 2, 3])
    array([[1.],
           [2.],
           [2.]])
    """
    bound = upwards(ceiling)
    refuse_zero(bound)
    if bound >= sensitivity.ceiling:
        return sensitivity
    # A reach to a higher ceiling is one to the lower too; sums in closed form are not.
    return replace(sensitivity, ceiling=bound, total=None, bounds=None, fixed=False)


def reach(sensitivity: Sensitivity, steps: int) -> Sensitivity:
    """Return the function that is its ceiling from a public distance on (bounded, corrected form).

    Below ``steps`` the value is min(delta, ceiling), from there on the ceiling: admissible whenever delta is.

    Raises:
        ValueError: ``steps`` is negative or the function has no ceiling.
        PrivacyError: only a smooth bound is known.

    >>> reach(local(lambda t: 1, ceiling=4), 2).at([0, 1, 2])
    array([[1.],
           [1.],
           [4.]])
    """
    steps = steps_of(steps)
    if sensitivity.smoothed is not None:
        no_distances(steps)
    if math.isinf(sensitivity.ceiling):
        raise InputError("A reach needs a ceiling: cap the sensitivity at its public global bound first.")
    earlier = steps if sensitivity.reach is None else min(steps, sensitivity.reach)
    kept = sensitivity.total if earlier == sensitivity.reach or sensitivity.reach is None else None
    return replace(sensitivity, reach=earlier, total=kept)


def smooth(sensitivity: Sensitivity, beta: float | Fraction) -> Fraction:
    """Return the beta-smooth upper bound, max over t and candidates of e^(-beta t) delta(t), exact by public weights.

    The weights are rationals: at least e^(-beta t), above it by less than 10^-20 of it where beta is at most 1 and the
    weight above 2^-80, below which none falls. Needs a finite ceiling, so that the search over t ends. Unit: that of
    the score.

    Raises:
        ValueError: beta is not a positive number, or the sensitivity has no ceiling.

    References: Nissim, Raskhodnikova and Smith 2007, Definition 2.2.

    >>> round(float(smooth(local(lambda t: 1 + t, ceiling=10), beta=0.5)), 4)
    1.2131
    """
    if not beta > 0 or (isinstance(beta, float) and math.isinf(beta)):
        raise InputError("beta must be a positive number.")
    if math.isinf(sensitivity.ceiling):
        raise InputError("A smooth bound needs a ceiling: cap the sensitivity at its public global bound.")
    if sensitivity.smoothed is not None:
        return sensitivity.smoothed(Fraction(beta), sensitivity.ceiling)
    flat = flatten(sensitivity)
    return largest(lambda t: flat.by_profile(t)[:, 0], flat.ceiling, flat.horizon, Fraction(beta))


def smooth_bound(bound: Bound, *, ceiling: float) -> Sensitivity:
    """Return a sensitivity of which only a smooth bound is known: for ``smooth-noisy-max`` and its like.

    Args:
        bound: your function is called with the beta that is used, which the mechanism, what the scores declare and
            epsilon decide, each winner of a list having its share: return a bound that is smooth for that one, at
            least the move of any score to any neighbour, and for neighbours apart by a factor of e^beta at most.
            ``mechanism.beta(scores, epsilon, k)`` says which it will be, and :func:`dpselect.audit.smooth` checks the
            bound on a small universe.
        ceiling: the public global sensitivity.

    Raises:
        ValueError, TypeError: a ceiling that is not positive and finite; a bound that is not a function.

    >>> float(smooth(smooth_bound(lambda beta: 4 * math.exp(-3 * beta), ceiling=4), 0.5))
    0.8925206405937193
    """
    if not callable(bound):
        raise InputTypeError(
            "A smooth bound is a function of beta: pass lambda beta: ..., smooth for the beta it is passed."
        )
    most = upwards(ceiling)
    if math.isinf(most):
        raise InputError("A smooth bound needs a finite ceiling: pass the public global sensitivity.")
    return replace(profiles(no_distances, ceiling=most), smoothed=partial(bound_below, bound))


def steps_of(reach: Any) -> int:
    """Return a public reach, or say what it must be; True and False are not distances."""
    if isinstance(reach, (bool, np.bool_)) or not isinstance(reach, (int, np.integer)) or reach < 0:
        raise InputError("reach counts steps: pass an integer >= 0, or None when it is unknown.")
    return int(reach)


def _without_size(sensitivity: Sensitivity) -> Sensitivity:
    return replace(sensitivity, size=None)


def _stack(at: Callable[[int], Any], t: NDArray[np.int64], size: int) -> Floats:
    rows = [np.atleast_1d(np.asarray(at(int(step)), dtype=np.float64)) for step in t]
    if any(row.shape != (size,) for row in rows):
        raise InputError(f"The sensitivity function must return {size} value(s) at every distance.")
    return np.stack(rows) if rows else np.empty((0, size))


named_publicly("dpselect", globals(), ["Sensitivity"])

"""A fact about a database: public, or declared with its sensitivity and paid for. There is no third case.

Proof of the noise: ``metafeature.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.kernel.units import floor_ticks
from dpselect.release.session import Session

_TICKS = 2**20
_LARGEST = 10.0**300
_SCALES = ("linear", "log")


@dataclass(frozen=True, eq=False, repr=False)
class Metafeature:
    """A function of the database that helps to choose.

    An integer ``sensitivity`` declares an integer query: its noise is two-sided geometric, exact. Any other
    ``sensitivity`` D declares a real query, whose value is floored to ticks of D / 2^20 and then treated alike; the
    query must be right within half a tick, which floating point gives up to 2^30 D.

    Attributes:
        name: as it stands in traces and formulas: a Python identifier.
        query: database to a finite number.
        sensitivity: by how much one step between neighbours moves the query; the release is paid for.
        public: ``True`` when everybody may know the value, for every database; it is read as it is and costs nothing.
        scale: how learners see the released value v: ``"linear"``, or ``"log"`` for ln(1 + max(v, 0)).

    Raises:
        PrivacyError: neither a sensitivity nor ``public=True``.
        ValueError, TypeError: both; a sensitivity that is not positive and finite.

    >>> Metafeature("rows", len, sensitivity=1)
    Metafeature('rows', sensitivity=1)
    >>> Metafeature("rows", len)
    Traceback (most recent call last):
    dpselect.PrivacyError: Metafeature 'rows' is neither public nor paid for: pass sensitivity=...

    Limits: Queries of metafeatures must always answer. One that raises or gives NaN on some databases reveals that
    without paying for it: make it give a number on every database.
    """

    name: str
    query: Callable[[Any], Any]
    sensitivity: Any = None
    public: bool = False
    scale: str = "linear"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError("A metafeature's name stands in formulas: use letters, digits and underscores.")
        if not callable(self.query):
            raise InputTypeError(f"Metafeature {self.name!r} needs a function: query(database).")
        if not isinstance(self.public, bool):
            raise InputTypeError(f"Metafeature {self.name!r}: public is True or False.")
        if self.public and self.sensitivity is not None:
            raise InputError(f"Metafeature {self.name!r} is public or has a sensitivity, not both: drop one of them.")
        if not self.public:
            if self.sensitivity is None:
                raise PrivacyError(
                    f"Metafeature {self.name!r} is neither public nor paid for: pass sensitivity=, or public=True if "
                    "everybody may know its value."
                )
            try:
                exact = exact_epsilon(self.sensitivity)
            except (TypeError, ValueError):
                raise InputError(
                    f"Metafeature {self.name!r}: sensitivity must be positive and finite; what no record can move is "
                    "public."
                ) from None
            whole = isinstance(self.sensitivity, (int, np.integer))
            object.__setattr__(self, "sensitivity", int(exact) if whole else exact)
        if self.scale not in _SCALES:
            raise InputError(f'Metafeature {self.name!r}: scale is "linear" or "log".')

    def value(self, database: Any) -> float | int:
        """Return the true value, private unless ``public``.

        Raises:
            ValueError: the query gave no number, or no integer where one is declared.
        """
        result = self.query(database)
        if isinstance(result, np.generic):
            result = result.item()
        if isinstance(self.sensitivity, int):
            if isinstance(result, bool) or not isinstance(result, int):
                raise InputError(
                    f"Metafeature {self.name!r} has an integer sensitivity, so its query must return integers: return "
                    "one, or pass a sensitivity such as 1.0."
                )
            # A public clip, so that no size of a private fact is refused.
            return max(-(2**61), min(2**61, result))
        if isinstance(result, bool) or not isinstance(result, (int, float, Fraction)) or result != result:
            raise InputError(f"Metafeature {self.name!r} did not give a number: its query must on every database.")
        return float(max(-_LARGEST, min(_LARGEST, result)))

    def require(self, epsilon: Fraction) -> None:
        """Refuse an epsilon whose noise would not fit (``ValueError``): before anything is spent."""
        if self.public:
            return
        try:
            require_rate(epsilon / self._ticks(0)[1])
        except ValueError:
            raise InputError(
                f"epsilon is too small to pay for metafeature {self.name!r}: raise it, or the share."
            ) from None

    def noisy(
        self, value: float, epsilon: Fraction, draws: Session, neighbours: Neighbours = Neighbours.ADD_REMOVE
    ) -> float:
        """Return a value plus noise at epsilon, for neighbours that move it by the sensitivity; a public one as it is.

        Raises:
            PrivacyError: less than epsilon is left to draw with, or it protects other neighbours.
        """
        if self.public:
            return float(value)
        ticks, moved, size = self._ticks(value)
        return float(draws.counts(ticks, epsilon, Bound(moved, neighbours))[0] * size)

    def quantile(self, value: float, epsilon: Fraction, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what ``noisy`` gives at these quantiles of its noise: for training, where nothing is private."""
        if self.public:
            return np.full(chances.shape, float(value))
        ticks, moved, size = self._ticks(value)
        rate, tail = float(epsilon / moved), np.minimum(chances, 1 - chances)
        # Pr[noise >= k] = e^(-rate k) / (1 + e^-rate) for k >= 1.
        far = np.maximum(np.ceil(-np.log(tail * (1 + math.exp(-rate))) / rate) - 1, 0)
        return np.asarray((ticks[0] + np.where(chances < 0.5, -far, far)) * size)

    def deviation(self, epsilon: Fraction) -> float:
        """Return the standard deviation of the noise at epsilon, 0 for a public fact."""
        if self.public:
            return 0.0
        _, moved, size = self._ticks(0)
        rate = float(epsilon / moved)
        return size / (math.sqrt(2) * math.sinh(rate / 2))

    def to_learner_scale(self, value: Any) -> Any:
        """Return a released value as learners see it."""
        if self.scale == "log":
            return np.log1p(np.maximum(value, 0.0))
        return value

    def _ticks(self, value: float) -> tuple[NDArray[np.int64], int, float]:
        """Return the value in ticks, by how many ticks a neighbour moves it, and the size of a tick."""
        if isinstance(self.sensitivity, int):
            return np.array([value], dtype=np.int64), self.sensitivity, 1.0
        unit = float(self.sensitivity)
        ticks = floor_ticks(np.array([value / unit]), range_bound=1)
        return ticks.ticks, int(ticks.span), unit / _TICKS

    def __repr__(self) -> str:
        return f"Metafeature({self.name!r}, {'public=True' if self.public else f'sensitivity={self.sensitivity}'})"


def paid_count(metafeatures: Sequence[Metafeature]) -> int:
    """Return how many are not public."""
    return sum(not each.public for each in metafeatures)


def release_facts(
    metafeatures: Sequence[Metafeature],
    values: Mapping[str, float],
    epsilon: Fraction,
    draws: Session,
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
) -> dict[str, float]:
    """Return what may be known: public facts as they are, the others with noise, epsilon split evenly between them.

    Guarantee: epsilon-differential privacy; nothing is drawn when all are public.
    """
    many = max(paid_count(metafeatures), 1)
    return {each.name: each.noisy(values[each.name], epsilon / many, draws, neighbours) for each in metafeatures}


def expected_releases(
    metafeatures: Sequence[Metafeature], values: Mapping[str, float], epsilon: Fraction, many: int
) -> list[dict[str, float]]:
    """Return ``many`` releases as they might come out, spread evenly over the law of the noise; one if all are public.

    Each paid metafeature takes the quantiles of a lattice of its own, so that their noises are independent.
    """
    count = paid_count(metafeatures)
    if not count or many == 1:
        many = 1
    columns: dict[str, NDArray[np.float64]] = {}
    place = 0
    for each in metafeatures:
        chances = np.full(many, 0.5) if many == 1 else (np.arange(many) * _steps(place) + 0.5 / many) % 1.0
        columns[each.name] = each.quantile(values[each.name], epsilon / max(count, 1), np.clip(chances, 1e-9, 1 - 1e-9))
        place += not each.public
    return [{name: float(column[i]) for name, column in columns.items()} for i in range(many)]


def _steps(place: int) -> float:
    """Return the step of a lattice: fractional parts of square roots of primes, independent over the rationals."""
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    return math.sqrt(primes[place % len(primes)]) % 1.0

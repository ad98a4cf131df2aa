"""Records with scores: sums of gradients and Hessians over tiles, in integers that every engine computes alike.

A score is a sum of released values, in units of 2^-10. Where it is read it is clipped to [-6, 6], and what it is worth
as a chance, in units of 2^-16, stands in a public table of integers or follows from one by one division. So no engine's
floating point decides anything. Proof of the bounds: ``gradient_sums.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from functools import lru_cache
from itertools import accumulate, repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import InputError

Integers = NDArray[np.int64]

# Scores are in units of 2^-10 and read in [-6, 6]; chances, gradients and Hessians are in units of 2^-16.
SCORE_UNIT, WIDEST = 2**10, 6 * 2**10
UNIT = 2**16
# The unit of the table of exp: a chance as small as e^-12 / K keeps its first digits.
EXP_UNIT = 2**20
BINARY, CLASSES, SQUARED = "binary", "classes", "squared"
_BITS = 128


@dataclass(frozen=True, eq=False)
class Interaction:
    """A partition of the public domain: each record is in one part, by its own codes alone.

    Attributes:
        columns: distinct attributes.
        parts_of: for each of them what a code adds to the number of the part, shape (size,).
        parts: how many there are: sums of one offset of each column are below it.
    """

    columns: tuple[int, ...]
    parts_of: tuple[Integers, ...]
    parts: int

    def __post_init__(self) -> None:
        ends = [(int(offsets.min()), int(offsets.max())) for offsets in self.parts_of]
        if len(set(self.columns)) != len(self.columns) or len(self.columns) != len(ends) or not ends:
            raise InputError("An interaction has columns that differ, each with an offset for every code.")
        if sum(low for low, _ in ends) < 0 or sum(high for _, high in ends) >= self.parts:
            raise InputError("The offsets of an interaction must add up to the number of a part.")


@dataclass(frozen=True)
class Loss:
    """The target of scores. All of it is public; use :meth:`binary`, :meth:`several` or :meth:`half_squares`.

    Attributes:
        kind: "binary" (one score, the chance of the second class is its sigmoid), "classes" (one score for each class,
            chances by softmax) or "squared" (one score, near the target).
        outputs: how many scores a record has.
        clip: what the gradient of one record is clipped to, in units of 2^-16.
        norm: 1 or 2: of which norm of the gradient that is. With one output they are the same.
        first, step: the target of label code c is first + step c, in units of scores; for "squared".
    """

    kind: str
    outputs: int
    clip: int
    norm: int = field(default=2)
    first: int = 0
    step: int = 1

    @classmethod
    def binary(cls, clip: int = 7 * UNIT // 10) -> Loss:
        """Return the logistic loss of two classes."""
        return cls(BINARY, 1, clip)

    @classmethod
    def several(cls, classes: int, norm: int = 2, clip: int = UNIT) -> Loss:
        """Return the logistic loss of several classes; the clip is of the l1 or l2 norm of all their gradients."""
        return cls(CLASSES, classes, clip, norm)

    @classmethod
    def half_squares(cls, first: int, step: int, clip: int = UNIT // 2) -> Loss:
        """Return half of the squared error of a target on an even public grid."""
        return cls(SQUARED, 1, clip, 2, first, step)

    @property
    def gradient_bound(self) -> Bound:
        """Return how far one record moves the sums of gradients, all parts and outputs added up.

        Raises:
            ValueError: the clip is of the l2 norm, which does not bound that sum.
        """
        if self.outputs > 1 and self.norm != 1:
            raise InputError("A clip of the l2 norm does not bound the sum of all moves: clip the l1 norm.")
        return Bound(self.clip)

    @property
    def hessian_bound(self) -> Bound:
        """Return how far one record moves the sums of Hessians, all parts and outputs added up."""
        if self.kind == SQUARED:
            return Bound(UNIT)
        return Bound(UNIT // 4 if self.kind == BINARY else UNIT - -(-UNIT // self.outputs))

    @property
    def gradient_squared(self) -> int:
        """Return the square of the l2 distance by which one record moves the sums of gradients."""
        return self.clip**2

    @property
    def hessian_squared(self) -> int:
        """Return the square of the l2 distance by which one record moves the sums of Hessians."""
        if self.kind == CLASSES:
            return 4 * UNIT**2 // 27
        return UNIT**2 if self.kind == SQUARED else (UNIT // 4) ** 2


class GradientTable(Protocol):
    """A holder of records with scores: in memory, or in an engine, which may put off an addition until the next sum.

    The scores of a record are the start plus all values added for its parts; reading clips them, adding does not.
    """

    def sums(self, tile: Interaction) -> tuple[Integers, Integers]:
        """Return the sums of gradients and of Hessians at the current scores, each of shape (parts, outputs)."""
        ...

    def add(self, tile: Interaction, values: Integers) -> None:
        """Add ``values[part, output]``, in units of scores, to the scores of the records of each part."""
        ...


class ScorableTable(Protocol):
    """A training table: it counts its records and gives them scores."""

    sizes: tuple[int, ...]
    classes: int

    def level(self, nodes: int) -> list[Integers]:
        """Return for every attribute the counts (nodes, values, classes), zeros included."""
        ...

    def with_scores(self, loss: Loss, start: Integers) -> GradientTable:
        """Return the records, each with the start for its scores, shape (outputs,)."""
        ...


@lru_cache(maxsize=1)
def exp_table() -> Integers:
    """Return exp(s / 2^10) in units of 2^-20 for s = -6144 .. 6144, to the nearest, shape (12289,)."""
    one, powers = 1 << _BITS, _powers()
    above = [_nearest(power * EXP_UNIT, one) for power in powers]
    below = [_nearest(one * EXP_UNIT, power) for power in powers[:0:-1]]
    return _read_only(below + above)


@lru_cache(maxsize=1)
def sigmoid_table() -> Integers:
    """Return 1 / (1 + exp(-s / 2^10)) in units of 2^-16 for s = -6144 .. 6144, to the nearest, shape (12289,)."""
    one = 1 << _BITS
    above = [_nearest(power * UNIT, one + power) for power in _powers()]
    return _read_only([UNIT - chance for chance in above[:0:-1]] + above)


def chances(scores: Integers) -> Integers:
    """Return what scores are worth as chances, in units of 2^-16.

    Args:
        scores: shape (outputs, n); one output is the chance of the second class.

    Returns: the same shape. Chances of several classes are rounded down, so that their sum is at most 2^16.
    """
    places = np.clip(scores, -WIDEST, WIDEST) + WIDEST
    if len(scores) == 1:
        return sigmoid_table()[places]
    weights = exp_table()[places]
    return np.asarray(weights * UNIT // weights.sum(axis=0))


def norm_above(squares: Integers) -> Integers:
    """Return integers that are at least the square roots, and above them by less than 2^-12 of them.

    Args:
        squares: between 2^32 and 2^33. By what is (a + s/a)/2 for a near the root it is never below it.
    """
    near = 19 * UNIT // 32 + 13 * squares // (32 * UNIT)
    return (near + squares // near) // 2 + 1


def _powers() -> list[int]:
    """Return exp(s / 2^10) in units of 2^-128 for s = 0 .. 6144, each below by less than 2^-100 of it."""
    base = int(Context(prec=60).multiply(Context(prec=60).exp(Decimal(1) / SCORE_UNIT), Decimal(2**_BITS)))
    return list(accumulate(repeat(base, WIDEST), lambda power, step: power * step >> _BITS, initial=1 << _BITS))


def _nearest(over: int, under: int) -> int:
    return (2 * over + under) // (2 * under)


def _read_only(values: list[int]) -> Integers:
    table = np.array(values, dtype=np.int64)
    table.setflags(write=False)
    return table

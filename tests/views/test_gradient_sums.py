"""Sums of gradients and Hessians: their bounds, in every integer that may occur, and the same ones everywhere."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from dpselect.views import Interaction, Loss, Records
from dpselect.views.gradient_sums import EXP_UNIT, UNIT, WIDEST, chances, exp_table, norm_above, sigmoid_table

ONE_PART = Interaction((0,), (np.zeros(1, dtype=np.int64),), 1)
RNG = np.random.default_rng(5)


def derivatives(loss: Loss, scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients and Hessians of single records, shape (n, outputs): each is a part of its own."""
    n = labels.size
    records = Records([np.arange(n)], labels, (n,), max(int(labels.max()) + 1, 2)).with_scores(
        loss, np.zeros(loss.outputs, dtype=np.int64)
    )
    tile = Interaction((0,), (np.arange(n),), n)
    records.add(tile, scores)
    return records.sums(tile)


def plain(loss: Loss, scores: list[int], label: int) -> tuple[list[int], list[int]]:
    """The same of one record, in Python's integers."""
    if loss.kind == "squared":
        residual = (scores[0] - loss.first - loss.step * label) * (UNIT // 1024)
        return [min(max(residual, -loss.clip), loss.clip)], [UNIT]
    read = [min(max(score, -WIDEST), WIDEST) for score in scores]
    if loss.kind == "binary":
        chance = int(sigmoid_table()[read[0] + WIDEST])
        return [min(max(chance - UNIT * label, -loss.clip), loss.clip)], [chance * (UNIT - chance) // UNIT]
    weights = [int(exp_table()[score + WIDEST]) for score in read]
    shares = [weight * UNIT // sum(weights) for weight in weights]
    gradient = [share - UNIT * (place == label) for place, share in enumerate(shares)]
    if loss.norm == 1:
        norm = sum(map(abs, gradient))
    else:
        squares = sum(each * each for each in gradient)
        norm = int(norm_above(np.array([squares]))[0]) if squares > loss.clip**2 else 0
    if norm > loss.clip:
        gradient = [(abs(each) * loss.clip // norm) * (1 if each > 0 else -1) for each in gradient]
    return gradient, [share * (UNIT - share) // UNIT for share in shares]


def test_the_tables_are_the_nearest_integers() -> None:
    """Of exp and of its sigmoid at every score, by another library."""
    with mp.workdps(40):
        steps = [mp.e ** (mp.mpf(score) / 1024) for score in range(-WIDEST, WIDEST + 1)]
        assert [int(mp.nint(step * EXP_UNIT)) for step in steps] == exp_table().tolist()
        assert [int(mp.nint(UNIT * step / (1 + step))) for step in steps] == sigmoid_table().tolist()


def test_norms_are_never_below_the_root_and_hardly_above() -> None:
    """At all ends of squares, and at a great many between."""
    roots = np.arange(UNIT, math.isqrt(2 * UNIT**2) + 1)
    squares = np.concatenate((roots**2, roots**2 + 1, roots**2 - 1, RNG.integers(1, 2**34, 10**5), np.arange(1, 2000)))
    norms = norm_above(squares)

    assert (norms.astype(object) ** 2 >= squares.astype(object)).all()
    inside = (squares >= UNIT**2) & (squares <= 2 * UNIT**2)
    assert (norms[inside] <= np.sqrt(squares[inside]) * (1 + 2**-12)).all()


def test_two_classes_keep_their_bounds_at_every_score() -> None:
    """All 12,289 of them with both labels; both bounds are reached."""
    loss = Loss.binary()
    scores = np.repeat(np.arange(-WIDEST, WIDEST + 1), 2)[:, None]
    gradients, hessians = derivatives(loss, scores, np.tile([0, 1], scores.size // 2))

    assert loss.clip == np.abs(gradients).max() == loss.gradient_bound.total == math.isqrt(loss.gradient_squared)
    assert UNIT // 4 == hessians.max() == loss.hessian_bound.total == math.isqrt(loss.hessian_squared)
    assert 0 <= hessians.min()


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("classes", [3, 4, 7, 101])
def test_several_classes_keep_their_bounds(classes: int, norm: int) -> None:
    """On a grid of scores, at random ones, and at the worst ones: three equal classes, and all of them."""
    loss = Loss.several(classes, norm)
    few = np.array(list(itertools.product((-6144, -2000, -700, 0, 1, 1500, 6144), repeat=3)))
    many = RNG.integers(-9000, 9000, (2000, classes)) // RNG.integers(1, 40, (2000, 1))
    three = np.full((2000, classes), -6144)
    three[:, :3] = RNG.integers(-60, 60, (2000, 3))
    grid = np.full((len(few), classes), -6144)
    grid[:, :3] = few
    scores = np.concatenate((many, three, grid, np.zeros((classes, classes), dtype=np.int64)))
    gradients, hessians = derivatives(loss, scores, RNG.integers(0, classes, len(scores)))
    squares = (hessians.astype(object) ** 2).sum(axis=1)

    assert max(squares) <= loss.hessian_squared == UNIT**2 * 4 // 27
    assert np.abs(hessians).sum(axis=1).max() <= loss.hessian_bound.total <= UNIT * (1 - Fraction(1, classes))
    assert max(squares) > 0.999 * loss.hessian_squared > 1.1 * UNIT**2 / 8
    assert hessians.sum(axis=1).max() >= loss.hessian_bound.total - classes - 1
    if norm == 1:
        assert 0.999 * loss.clip < np.abs(gradients).sum(axis=1).max() <= loss.gradient_bound.total
    else:
        lengths = (gradients.astype(object) ** 2).sum(axis=1)
        assert 0.999 * loss.gradient_squared < max(lengths) <= loss.gradient_squared
        # An l2 clip does not bound the sum of all moves.
        assert np.abs(gradients).sum(axis=1).max() > loss.clip
        with pytest.raises(ValueError, match="clip the l1 norm"):
            _ = loss.gradient_bound


@pytest.mark.parametrize(
    "loss",
    [
        Loss.binary(),
        Loss.binary(UNIT // 2),
        Loss.half_squares(-1024, 2),
        *(Loss.several(k, n) for k in (3, 150) for n in (1, 2)),
    ],
    ids=str,
)
def test_memory_sums_what_plain_integers_sum(loss: Loss) -> None:
    """Record by record, at scores inside and outside of what is read."""
    labels = RNG.integers(0, 2 if loss.outputs == 1 else loss.outputs, 150)
    scores = RNG.integers(-9000, 9000, (150, loss.outputs)) // RNG.integers(1, 50, (150, 1))
    gradients, hessians = derivatives(loss, scores, labels)

    for row in range(150):
        expected = plain(loss, scores[row].tolist(), int(labels[row]))
        assert expected == (gradients[row].tolist(), hessians[row].tolist())


def test_chances_in_memory_are_those_of_a_model() -> None:
    """One output is the chance of the second class; several sum to 1, but for what rounding leaves."""
    assert [sigmoid_table()[[WIDEST + 5, WIDEST - 1, -1]].tolist()] == chances(np.array([[5, -1, 7000]])).tolist()
    several = chances(RNG.integers(-9000, 9000, (5, 300)))
    assert (several.sum(axis=0) <= UNIT).all()
    assert (several.sum(axis=0) > UNIT - 5).all()


def test_tiles_add_up_their_columns_and_scores_add_up_their_values() -> None:
    """A part is a sum of offsets; additions of other tiles in between, in any order, are all remembered."""
    codes = [RNG.integers(0, 3, 500), RNG.integers(0, 300, 500)]
    labels = RNG.integers(0, 2, 500)
    one = Interaction((1, 0), (np.arange(300) % 2, np.array([0, 2, 4])), 6)
    other = Interaction((0,), (np.array([0, 1, 1]),), 2)
    records = Records(codes, labels, (3, 300), 2).with_scores(Loss.binary(), np.array([100]))
    records.add(one, np.arange(6)[:, None] * 50)
    records.add(other, np.array([[-300], [7]]))
    gradients, hessians = records.sums(one)
    parts = codes[1] % 2 + 2 * codes[0]
    scores = 100 + 50 * parts + np.where(codes[0] == 0, -300, 7)

    for part in range(6):
        rows = np.flatnonzero(parts == part)
        both = [plain(Loss.binary(), [int(scores[row])], int(labels[row])) for row in rows]
        assert sum(each[0][0] for each in both) == gradients[part, 0]
        assert sum(each[1][0] for each in both) == hessians[part, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        ((0, 0), (np.zeros(2, int), np.zeros(2, int)), 1),
        ((0,), (np.array([0, 1]), np.array([0])), 2),
        ((), (), 1),
        ((0,), (np.array([0, 2]),), 2),
        ((0,), (np.array([-1, 0]),), 2),
    ],
)
def test_tiles_that_are_none_are_refused(wrong) -> None:
    """Columns that repeat, offsets that lack a column or lead outside."""
    with pytest.raises(ValueError, match="interaction|offsets"):
        Interaction(*wrong)


def test_an_empty_table_has_zero_sums() -> None:
    """Nobody moves nothing."""
    nobody = np.zeros(0, dtype=np.int64)
    records = Records([nobody], nobody, (1,), 3).with_scores(Loss.several(3), np.zeros(3, dtype=np.int64))
    records.add(ONE_PART, np.ones((1, 3), dtype=np.int64))

    assert [[0, 0, 0]] == records.sums(ONE_PART)[0].tolist() == records.sums(ONE_PART)[1].tolist()

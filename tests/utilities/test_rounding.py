"""The floats of tree criteria against arithmetic of 50 digits: as right as their proofs say, whatever the counts."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import gini, information_gain, misclassified

# What mechanisms leave to a utility that rounds, in units: 3/16 of a tick.
MARGIN = mpmath.mpf(3) / 2**24
# What the proof files say of a value: relative to the exact one.
GAIN_ERROR, IMPURITY_ERROR = Fraction(1, 2**49), Fraction(1, 2**51)
SIZES = [10**3, 10**6, 2**26 - 2, 2**26 + 5, 2**29, 10**9, 10**10, 10**12, 10**14, 10**16, 2**61]


def gain_of(rows) -> mpmath.mpf:
    """The information gain of one table of Python integers."""
    each = (mpmath.mpf(x) * mpmath.log(mpmath.mpf(x) / sum(row), 2) for row in rows for x in row if x)
    return sum(each, mpmath.mpf(0))


def impurity_of(rows) -> Fraction:
    """The Gini impurity in records, exactly."""
    return sum((Fraction(sum(x * (sum(row) - x) for x in row), sum(row)) for row in rows if sum(row)), Fraction(0))


def wrong_of(rows) -> int:
    """The misclassified records."""
    return sum(sum(row) - max(row) for row in rows)


def phi(x: int) -> mpmath.mpf:
    """(x + 1) log2(x + 1) - x log2 x."""
    return (x + 1) * mpmath.log(x + 1, 2) - (x * mpmath.log(x, 2) if x > 0 else 0)


def sensitivity_of(rows, t: int) -> mpmath.mpf:
    """The element local sensitivity of the gain at distance t, by its formula."""
    found = []
    for row in rows:
        a, b = sum(row), min(row)
        if b == 0:
            found.append(phi(a + t))
        else:
            u = min(t, b - 1)
            found += [phi(a + t - 1) - phi(b - 1), phi(a + t - 2 * u - 1) - phi(b - u - 1)]
    return max(found)


def random_table(draw: np.random.Generator, largest: float) -> list[list[int]]:
    """A table of one to four values and two to four classes, with empty cells and cells that are nearly alike."""
    shape = draw.integers(1, 5), draw.integers(2, 5)
    counts = np.floor(np.exp(draw.uniform(0, math.log(largest), shape))) - 1
    if draw.random() < 0.4:
        counts = np.floor(counts.max() * (1 - draw.random(shape) * draw.choice([1e-9, 1e-3, 1])))
    return [[int(x) for x in row] for row in counts.tolist()]


def table_of(rows) -> np.ndarray:
    """The table as the utilities take it."""
    return np.array(rows, dtype=np.int64)


@pytest.mark.parametrize("size", SIZES)
def test_scores_are_right_to_three_sixteenths_of_a_tick(size: int) -> None:
    """In units of the ceiling, after their public clips, whatever the counts."""
    with mpmath.workdps(50):
        for rows in ([[size, 0], [0, 1]], [[size, 1], [0, 1]], [[size // 2, size // 2], [1, 0]], [[size, size // 3]]):
            scores = information_gain({"a": table_of(rows)}, max_records=2**62)
            for given, exact, clip in (
                (scores, gain_of(rows), 2**30 * mpmath.mpf(scores.sensitivity.ceiling)),
                (gini({"a": table_of(rows)}), -impurity_of(rows), 2**31),
                (misclassified({"a": table_of(rows)}), -wrong_of(rows) - impurity_of(rows) / 2, 2**31),
            ):
                exact = mpmath.mpf(exact.numerator) / exact.denominator if isinstance(exact, Fraction) else exact
                error = mpmath.mpf(float(given.values[0])) - max(exact, -clip)
                assert abs(error) <= MARGIN * given.sensitivity.ceiling


@pytest.mark.parametrize("largest", [1e3, 1e7, 1e12, 1e17])
def test_values_are_as_right_as_their_proofs_say(largest: float) -> None:
    """Relative to the exact value: no sum cancels."""
    draw = np.random.default_rng(int(math.log10(largest)))
    with mpmath.workdps(50):
        for _ in range(200):
            rows = random_table(draw, largest)
            # After their public clips.
            gain, impurity = max(gain_of(rows), -(mpmath.mpf(2) ** 53)), min(impurity_of(rows), Fraction(2**31))
            wrong = min(wrong_of(rows) + impurity_of(rows) / 2, Fraction(2**31))
            ours = information_gain({"a": table_of(rows)}).values[0]
            assert abs(mpmath.mpf(float(ours)) - gain) <= abs(gain) * GAIN_ERROR.numerator / GAIN_ERROR.denominator
            ours = Fraction(float(gini({"a": table_of(rows)}).values[0]))
            assert abs(ours + impurity) <= impurity * IMPURITY_ERROR
            ours = Fraction(float(misclassified({"a": table_of(rows)}).values[0]))
            assert abs(ours + wrong) <= wrong * IMPURITY_ERROR


def bounds_are_above(draw: np.random.Generator, tables: int) -> None:
    """The sensitivity of the gain is never below its formula, and above it by less than 2^-40."""
    with mpmath.workdps(50):
        for _ in range(tables):
            rows = random_table(draw, 10.0 ** draw.integers(1, 18))
            least = min(map(min, rows))
            t = np.unique([0, 1, max(least - 1, 0), least, int(draw.integers(0, 10 ** draw.integers(1, 9)))])
            ours = information_gain({"a": table_of(rows)}).sensitivity.at(t)[:, 0]
            for step, bound in zip(t.tolist(), ours.tolist(), strict=True):
                exact = sensitivity_of(rows, step)
                assert exact <= mpmath.mpf(bound) <= exact * (1 + mpmath.mpf(2) ** -40), (rows, step)


def test_the_sensitivity_of_the_gain_is_never_below_the_exact_one() -> None:
    """A few hundred random tables, huge ones among them."""
    bounds_are_above(np.random.default_rng(5), 400)


@pytest.mark.slow
def test_the_sensitivity_of_the_gain_is_never_below_the_exact_one_on_many_tables() -> None:
    """Twenty-five thousand random tables."""
    bounds_are_above(np.random.default_rng(6), 25_000)


@pytest.mark.parametrize("size", [10**13, 231_821_314_704_199, 2**60])
def test_sensitivities_of_huge_tables_do_not_fall_with_the_distance(size: int) -> None:
    """There phi grows by less than its rounding: local dampening would refuse such a table, and only such a one."""
    scores = information_gain({"a": [[size, 0], [0, 7]], "b": [[size, 0], [0, 7]]})

    assert (np.diff(scores.sensitivity.by_profile(np.arange(4096)), axis=0) >= 0).all()
    assert 1 == pytest.approx(dps.mechanism("local-dampening").pmf(scores, 1).sum())


@pytest.mark.parametrize("size", [10_911_857_678, 102_021_680_939, 1_065_305_321_836, 10_531_294_833_724])
def test_gaps_of_effective_scores_move_by_at_most_their_span(size: int) -> None:
    """Two tables [[n, 0], [0, 1]]; a record of the second class joins row 0 of one and row 1 of the other."""
    mechanism = dps.mechanism("permute-and-flip")
    before, one, other = [[size, 0], [0, 1]], [[size, 1], [0, 1]], [[size, 0], [0, 2]]
    units = [
        mechanism.effective(information_gain({"a": table_of(a), "b": table_of(b)}, max_records=size + 2))
        for a, b in ((before, before), (one, other))
    ]
    move = units[1].ticks - units[0].ticks

    assert int(np.ptp(move)) <= units[0].span


@pytest.mark.parametrize("size", [10**3, 10**6, 10**8])
def test_sums_of_the_sensitivity_keep_their_digits(size: int) -> None:
    """Over few distances of a large table too: a Pareto score moves by no more than they say."""
    rows = [[size, 0], [0, 1]]
    sensitivity = information_gain({"a": table_of(rows)}, max_records=size + 2**20).sensitivity
    with mpmath.workdps(50):
        exact = mpmath.mpf(0)
        for steps in range(1, 40):
            exact += sensitivity_of(rows, steps - 1)
            ours = mpmath.mpf(float(sensitivity.total(np.array([steps]))[0, 0]))
            assert exact <= ours <= exact * (1 + mpmath.mpf(2) ** -41)


def test_a_public_bound_beyond_all_tables_is_refused() -> None:
    """By that number alone, whatever the table holds."""
    for utility in (information_gain, misclassified):
        with pytest.raises(ValueError, match="at most 2\\^62"):
            utility({"a": [[1, 2]]}, max_records=2**62 + 1)


def test_two_threads_that_grow_the_table_of_phi_do_not_disturb_each_other(monkeypatch) -> None:
    """A smaller table, written by another thread between any two lines, is never the one that is read."""
    module = sys.modules["dpselect.utilities.information_gain"]
    small, code = module._phi(np.arange(3)), module._phi_of.__code__
    monkeypatch.setattr(module, "_tabulated", small)

    def interrupted(frame, *_):
        if frame.f_code is code:
            module._tabulated = small
            return interrupted
        return None

    before = sys.gettrace()
    sys.settrace(interrupted)
    try:
        read = module._phi_of(1000)
    finally:
        sys.settrace(before)
    assert module._phi(np.array([900]))[0] == read(np.array([900]))[0]

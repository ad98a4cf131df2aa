"""The percentile as a 0/1 score over a public grid."""

import itertools
from collections import deque
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.papers import percentile
from dpselect.papers.percentile import safe_steps
from tests.utilities.enumeration import admissible, tabulate

PERCENTAGES = (0, 10, 25, 33.3, 50, 60, 75, 90, 99.9)
MOST = 12


def place(counts: tuple[int, ...], share: Fraction) -> int | None:
    """The percentile's position by sorting, or None without records."""
    records = [value for value, count in enumerate(counts) for _ in range(count)]
    return records[int(share * len(records))] if records else None


def first_change(counts: tuple[int, ...], share: Fraction) -> int:
    """The fewest records to add or remove until another value is the percentile, or none, by search."""
    start, seen = place(counts, share), {counts}
    queue = deque([(counts, 0)])
    while True:
        here, steps = queue.popleft()
        if place(here, share) != start:
            return steps
        for i, move in itertools.product(range(len(counts)), (-1, 1)):
            there = (*here[:i], here[i] + move, *here[i + 1 :])
            if 0 <= there[i] <= MOST and there not in seen:
                seen.add(there)
                queue.append((there, steps + 1))


@pytest.mark.parametrize("p", PERCENTAGES)
def test_the_first_change_is_where_a_search_finds_it(p) -> None:
    """Every histogram of three values with at most 3 records each."""
    share = Fraction(str(p)) / 100
    for counts in itertools.product(range(4), repeat=3):
        if not sum(counts):
            continue
        records = np.repeat(np.arange(3), counts)
        at = percentile(records, p, grid=range(3)).sensitivity.at(np.arange(12))[:, 0]

        assert first_change(counts, share) - 1 == int(np.flatnonzero(at)[0]), counts


def test_the_published_window_is_too_late() -> None:
    """n = 1000, p = 90, 850 below and 101 at the value: 2j + 1 gives 101, the truth is 55."""
    assert 55 == safe_steps(Fraction(9, 10), 850, 101, 49, (True, True))


@pytest.mark.parametrize("p", [0, 25, 50, 75, 90])
def test_the_sensitivity_is_admissible(p) -> None:
    """On all multisets of two values up to ten records; one step later would not be."""
    universe = dps.audit.multisets(range(2), 10)

    assert admissible(tabulate(lambda x: percentile(x, p, grid=range(2)), universe))


def test_the_percentile_is_the_record_of_that_rank() -> None:
    """Rank floor(p n / 100) + 1; a float p is its decimal text."""
    values = np.arange(1000)
    for p, rank in ((0, 1), (50, 501), (90, 901), (99.9, 1000), (Fraction(100, 3), 334)):
        assert rank - 1 == percentile(values, p, grid=values).values.argmax()


def test_an_empty_column_scores_nothing() -> None:
    """No record, no percentile, and any step may change that."""
    scores = percentile([], 50, grid=[1, 2])

    assert [0, 0] == scores.values.tolist()
    assert 1.0 == scores.sensitivity.at(0)[0]


@pytest.mark.parametrize(
    ("values", "p", "grid", "error", "message"),
    [
        ([1], 50, None, dps.PrivacyError, "pass grid="),
        ([1], 100, [1, 2], ValueError, "0 <= p < 100"),
        ([1], -1, [1, 2], ValueError, "0 <= p <= 100"),
        ([1], np.nan, [1, 2], ValueError, "0 <= p <= 100"),
        ([1], "50", [1, 2], TypeError, "must be a number"),
        ([1], 50, [1], ValueError, "at least 2"),
        ([1], 50, [2, 1], ValueError, "strictly increasing"),
        ([1], 50, [1, 1], ValueError, "strictly increasing"),
        ([1], 50, [1, np.inf], ValueError, "finite"),
        ([1], 50, [1, 2**62], ValueError, r"within 2\^61"),
        (np.array([1j]), 50, [1, 2], TypeError, "no numbers"),
    ],
)
def test_bad_input_is_refused(values, p, grid, error, message: str) -> None:
    """One sentence that says what to pass."""
    with pytest.raises(error, match=message):
        percentile(values, p, grid=grid)


@pytest.mark.parametrize(
    ("hostile", "read"),
    [
        (3, 2),
        (-1e300, 1),
        (1.5, 1),
        (1.6, 2),
        (np.inf, 2),
        ("2", 2),
        (" 1 ", 1),
        ("true", 1),
        (None, None),
        ("x", None),
    ],
)
@pytest.mark.parametrize("grid", [[1, 2], [1.0, 2.0]])
def test_a_record_moves_by_itself(hostile, read, grid) -> None:
    """To the nearest grid value, of two the lower; what is missing or not a number is left out; nothing is refused."""
    expected = percentile([1, 2, 2, *([] if read is None else [read])], 60, grid=grid)
    found = percentile([1, 2, 2, hostile], 60, grid=grid)

    assert expected.values.tolist() == found.values.tolist()
    assert expected.sensitivity.at([0, 1]).tolist() == found.sensitivity.at([0, 1]).tolist()

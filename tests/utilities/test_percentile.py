"""The percentile by the number of changes that would make each value it."""

import itertools
from collections import deque
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as dps
from dpselect import papers
from dpselect.utilities import percentile
from dpselect.utilities.percentile import _changes, changes
from tests.utilities.enumeration import admissible, tabulate

TOP = 12


def searched(share: Fraction) -> dict[tuple[int, tuple[int, ...]], int]:
    """Distances by breadth-first search over histograms of three values, from all where v is the percentile."""
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    for v in range(3):
        distance = {}
        for counts in itertools.product(range(TOP + 1), repeat=3):
            size = sum(counts)
            # The record of rank floor(s n) + 1, and at s = 1 the last one.
            rank = min(int(share * size) + 1, size)
            if size and sum(counts[:v]) < rank <= sum(counts[: v + 1]):
                distance[counts] = 0
        queue = deque(distance)
        while queue:
            here = queue.popleft()
            for i, move in itertools.product(range(3), (-1, 1)):
                there = (*here[:i], here[i] + move, *here[i + 1 :])
                if 0 <= there[i] <= TOP and there not in distance:
                    distance[there] = distance[here] + 1
                    queue.append(there)
        found |= {(v, counts): steps for counts, steps in distance.items()}
    return found


@pytest.mark.parametrize("p", [0, 10, 33.3, 50, 75, 99.9, 100])
def test_the_closed_form_is_what_a_search_finds(p) -> None:
    """Every histogram of three values with at most 4 records each."""
    share = Fraction(str(p)) / 100
    distances = searched(share)
    for counts in itertools.product(range(5), repeat=3):
        assert [distances[v, counts] for v in range(3)] == changes(np.array(counts), share).tolist(), counts


@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=8),
    st.integers(0, 7),
    st.fractions(0, 1, max_denominator=97),
)
def test_one_record_moves_every_score_by_at_most_one(counts, where: int, share: Fraction) -> None:
    """Sensitivity 1 under add-remove."""
    more = list(counts)
    more[where % len(counts)] += 1

    assert np.abs(changes(np.array(counts), share) - changes(np.array(more), share)).max() <= 1


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 99))
def test_zero_changes_means_it_is_the_percentile(values, p: int) -> None:
    """The 0/1 utility and the ranks agree on the winner."""
    ones = papers.percentile(values, p, grid=range(5)).values
    distance = percentile(values, p, grid=range(5)).distance

    assert (ones == 1).tolist() == (distance == 0).tolist()


@pytest.mark.parametrize("p", [0, 50, 90, 100])
def test_it_is_admissible(p) -> None:
    """On multisets of three values."""
    assert admissible(tabulate(lambda x: percentile(x, p, grid=range(3)), dps.audit.multisets(range(3), 7)))


def test_long_runs_of_equal_values_are_no_obstacle() -> None:
    """Nine in ten records are zero: the 90th percentile needs changes of that order elsewhere."""
    scores = percentile(np.repeat([0, 7], [900, 100]), 50, grid=range(10))

    assert [0, -800, -800] == [scores.values[0], scores.values[7], scores.values[1]]


@pytest.mark.parametrize("grid", [np.arange(1000), np.linspace(-3, 8, 777), np.geomspace(1, 1e6, 500)])
def test_even_and_uneven_grids_are_counted_alike(grid: np.ndarray) -> None:
    """The fast place on even grids is checked against a search."""
    rng = np.random.default_rng(5)
    records = rng.choice(grid, 200_000)
    exact = np.bincount(np.searchsorted(grid, records), minlength=grid.size)

    assert np.array_equal(exact, dps.data.Column(records).counts_on(dps.data.Column(grid).values))


def test_a_million_candidates() -> None:
    """The result is a grid value."""
    scores = percentile(np.arange(0, 10**6, 7), 99, grid=np.arange(10**6))
    release = dps.select(scores, epsilon=5, mechanism=dps.mechanism("permute-and-flip"))

    assert abs(release.value - 990_000) < 5000


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=6), st.fractions(0, 1, max_denominator=10**8))
def test_huge_counts_are_exact_too(counts, share: Fraction) -> None:
    """Where products leave 64 bits, integers without an end give what small counts give, in proportion."""
    wide = np.array(counts) * 10**12
    exact = _changes(wide.astype(object), wide.astype(object).cumsum(), share.numerator, share.denominator)

    # Beyond 2^61 it does not matter how far: scores are clipped there.
    assert [min(int(each), 2**61) for each in exact] == np.minimum(changes(wide, share), 2**61).tolist()

"""Graphical models beside arrays of all cells: shares, fits, samples, and cells that cannot be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.synthesis.graphical_model import GraphicalModel, Measurement, fit_model, require_possible, total_of
from dpselect.synthesis.junction_tree import JunctionTree

SIZES = (3, 2, 4, 2, 3)
CLIQUES = [*itertools.chain(*(itertools.combinations(range(5), size) for size in (1, 2, 3)))]


def uniform(seed):
    """Integers below bounds, the same for the same seed."""
    rng = np.random.default_rng(seed)
    return lambda bounds: rng.integers(0, bounds)


def whole(potentials, sizes=SIZES):
    """The shares of all cells, by their definition."""
    logs = np.zeros(sizes)
    for clique, values in potentials.items():
        logs = logs + values.reshape([size if place in clique else 1 for place, size in enumerate(sizes)])
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


def summed(shares, clique):
    """Shares of some columns."""
    return shares.sum(axis=tuple(place for place in range(shares.ndim) if place not in clique))


def factors(cliques, seed):
    """Random factors."""
    rng = np.random.default_rng(seed)
    return {clique: rng.normal(size=[SIZES[place] for place in clique]) for clique in cliques}


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(CLIQUES), max_size=7), st.integers(0, 2**32 - 1))
def test_shares_are_those_of_all_cells(cliques, seed: int) -> None:
    """Of any columns, whatever the factors share; circles of columns among them."""
    potentials = factors(sorted(cliques), seed)
    model, every = GraphicalModel.of(SIZES, 100.0, potentials), whole(potentials)

    for clique in (*CLIQUES, (0, 1, 2, 3, 4)):
        assert summed(every, clique) == pytest.approx(model.shares(clique), abs=1e-12)


@pytest.mark.parametrize("cliques", [[(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (0, 2), (3, 4)], [(0, 1, 2), (0, 4)]])
def test_a_fit_finds_the_model_behind_exact_counts(cliques) -> None:
    """Counts without noise determine the least biased table that has them."""
    every = whole(factors(cliques, 1))
    measured = [Measurement(clique, 1e6 * summed(every, clique), np.array(1.0)) for clique in cliques]
    model = fit_model(SIZES, measured)

    assert 1e6 == pytest.approx(model.total)
    assert np.abs(model.shares((0, 1, 2, 3, 4)) - every).sum() < 0.01
    for clique in cliques:
        assert summed(every, clique) == pytest.approx(model.shares(clique), abs=1e-4)


def test_a_fit_weighs_counts_by_their_precision() -> None:
    """Of two measurements of a column the more precise one is believed."""
    precise, coarse = np.array([900.0, 100.0]), np.array([100.0, 900.0])
    measured = [Measurement((0,), precise, np.array(1.0)), Measurement((0,), coarse, np.array(1e6))]

    assert precise == pytest.approx(fit_model((2,), measured).counts((0,)), rel=0.02)


def test_counts_below_nothing_become_few_rows() -> None:
    """Noise below zero leaves a share that is small and not negative."""
    model = fit_model((3,), [Measurement((0,), np.array([500.0, 480.0, -40.0]), np.array(400.0))])

    assert 0 < model.shares((0,))[2] < 0.02


def test_impossible_cells_have_no_rows() -> None:
    """Public zeros are zeros of every model, and of every sample."""
    zeros = {(0, 1): np.array([[True, False], [False, False]])}
    measured = [Measurement((0,), np.array([300.0, 700.0]), np.array(4.0))]
    model = fit_model((2, 2), measured, impossible=zeros)
    codes = model.sample(5000, uniform(0))

    assert 0 == model.shares((0, 1))[0, 0]
    assert not ((codes[0] == 0) & (codes[1] == 0)).any()
    assert [300, 700] == pytest.approx(model.counts((0,)), rel=0.02)


def test_contradicting_zeros_are_refused() -> None:
    """Alone, or where each leaves cells; so are those that make a table of too many cells."""
    with pytest.raises(ValueError, match="No row is possible"):
        require_possible((2, 2), {(0,): np.array([True, True])})
    with pytest.raises(ValueError, match="No row is possible"):
        require_possible((2, 2), {(0,): np.array([True, False]), (0, 1): np.array([[False, False], [True, True]])})
    with pytest.raises(ValueError, match="too many columns"):
        require_possible((999,) * 3, {pair: np.zeros((999, 999), bool) for pair in [(0, 1), (1, 2), (0, 2)]})
    require_possible((4096,) * 200, {(0,): np.arange(4096) > 0})


def test_an_empty_table_with_next_to_no_noise_has_a_model() -> None:
    """Its counts sum to less than one row, which is no contradiction."""
    zeros = [Measurement((column,), np.zeros(3), np.array(1e-6)) for column in range(2)]

    assert np.allclose(1 / 9, fit_model((3, 3), zeros).shares((0, 1)))


@pytest.mark.parametrize("cliques", [[(0, 1), (1, 2)], [(0, 1, 2), (2, 3, 4)], []])
def test_samples_follow_the_shares(cliques) -> None:
    """Counts of a sample of n rows are nearly n times the shares: closer than independent draws would be."""
    potentials = factors(cliques, 3)
    model, rows = GraphicalModel.of(SIZES, 1.0, potentials), 50_000
    codes = model.sample(rows, uniform(7))
    for clique in [*cliques, (0,), (4,)]:
        held = np.zeros([SIZES[place] for place in clique])
        np.add.at(held, tuple(codes[place] for place in clique), 1)
        away = np.abs(held - rows * model.shares(clique)).sum()

        assert away < 2.5 * np.sqrt(rows * held.size) / 2


def test_the_smallest_tables_come_first() -> None:
    """A star of columns is summed out from its ends."""
    tree = JunctionTree.of((50, 2, 2, 2), [(0, 1), (0, 2), (0, 3)])

    assert 3 * 100 + 2 == tree.cells


def test_the_number_of_rows_is_the_mean_of_what_was_measured() -> None:
    """Weighted by precision; never below one row."""
    assert 1.0 == total_of([Measurement((0,), np.array([-5.0, 2.0]), np.array(1.0))])

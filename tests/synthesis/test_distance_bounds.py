"""Bounds on distances beside the distances themselves, which only a test may know."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.open_session import open_session
from dpselect.release.system_noise import SystemNoise
from dpselect.synthesis.distance_bounds import Candidate, DistanceBounds
from dpselect.synthesis.graphical_model import GraphicalModel, Measurement
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.merged_codes import merge_cells
from dpselect.synthesis.synthetic_model import _moved_rows
from tests.synthesis.sessions import METHODS, SameCounts, coded, run_of

SIZES = (5, 4, 6, 3)


def rows(seed: int):
    """Rows of columns that follow each other."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, 2000)
    others = [np.where(rng.random(2000) < 0.7, first % (size - 1), rng.integers(0, size - 1, 2000)) for size in SIZES]
    return [tuple(row) for row in np.stack(others, axis=1).tolist()]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rho", [Fraction(1, 100), Fraction(1)])
def test_no_distance_is_above_its_bound(method: str, rho: Fraction) -> None:
    """Every pair has a bound, and all hold in nearly every release; they say something where the budget is large."""
    # AIM takes 20 times as long, and a broken bound breaks in nearly every release.
    broken, releases, shares = 0, 12 if method == "mst" else 4, []
    for seed in range(releases):
        table = rows(seed)
        _, session, model = run_of(method, table, SIZES, rho)(SystemNoise())
        true = coded(table, SIZES)
        for pair in combinations(range(len(SIZES)), 2):
            bound = session.bounds.at(pair, model)
            distance = np.abs(merge_cells(true.counts(pair), pair, session.merged) - model.counts(pair)).sum()
            broken += distance > bound
            shares.append(bound / 4000)

    assert 0 == broken
    assert rho < 1 or np.mean(shares) < (0.3 if method == "mst" else 0.1)


def test_a_bound_of_noise_alone_would_be_broken() -> None:
    """A model that is wrong is said to be wrong: the bound is about the model that is asked for."""
    bounds = DistanceBounds()
    bounds.observe(Measurement((0, 1), np.array([[400.0, 0.0], [0.0, 400.0]]), np.array(1.0)), None)
    uniform = GraphicalModel.uniform((2, 2), 800.0)

    assert 800 < bounds.at((0, 1), uniform) < 830
    assert bounds.at((0,), uniform) is None


def test_rows_of_merged_codes_are_bounded_though_noise_chose_the_codes() -> None:
    """Codes at the limit are merged where their noise is low: the sum of their noisy counts is far too small."""
    rho, codes = Fraction(1, 100), 200
    each = round(3 / math.sqrt(rho / 3))
    table = [(code, row % 2) for code in range(codes) for row in range(each)]
    _, session, _ = run_of("mst", table, (codes + 1, 3), rho)(SystemNoise())
    merged = session.merged[0]
    true = each * int((merged.weights[:-1] < 1).sum())

    assert merged.merged < true - 500
    assert true <= _moved_rows(session, 0, 2)


def test_noise_of_any_size_neither_wraps_a_score_around_nor_denies_a_distance() -> None:
    """Models of far more than 2^40 rows, and offsets beyond them, are bounded as they are scored."""
    sizes, table = (300, 300, 2), [(0, 0, 0)] * 7
    large = Candidate((0, 1), SameCounts(np.full((300, 300), 2.0**50)), weight=2, offset=2.0**62)
    small = Candidate((0, 2), SameCounts(np.full((300, 2), np.nan)), weight=3, offset=2.0**41)
    with open_session(dps.Guarantee.from_rho(1, Fraction(1, 10**6), "add-remove")) as draws:
        session = MarginalSession(coded(table, sizes), draws, sizes)
        scores = session._scores([large, small]).values
        more = MarginalSession(coded([*table, (9, 9, 1)], sizes), draws, sizes)
        selection = session.choose([large, small], Fraction(1, 2))
        moved = more._scores(selection.candidates).values - scores
        session.measure(selection.clique, draws.remaining, selection)

    assert np.abs(moved).max() <= 3 * 2**10
    assert np.abs(scores - [-2 * 7 * 2**10, -3 * (2**40 - 7) * 2**10]).max() < 2**20
    for each in selection.candidates:
        bound, counts = session.bounds.known[each.clique]
        assert np.abs(coded(table, sizes).counts(each.clique) - counts()).sum() <= bound

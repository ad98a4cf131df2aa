"""Measured losses: what is sound stays at epsilon, and what overspends is found."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.learn import DPID3Classifier
from dpselect.papers import RandomDecisionForestClassifier
from research.engine.series import PRIVACY
from research.papers import losses


@pytest.mark.parametrize("problem", ["degree", "distance to the median", "rank of the median"])
@pytest.mark.parametrize("epsilon", losses.EPSILONS)
def test_a_sound_selection_loses_at_most_epsilon(problem, epsilon):
    """And a good part of it, so that a fault would show."""
    loss = losses.selection(dps.mechanism("permute-and-flip"), problem, epsilon) / epsilon

    assert 0.5 < loss <= 1 + 1e-9


def test_every_problem_says_where_it_is_measured():
    """Under the same name."""
    assert set(losses.PROBLEMS) == set(losses.ON)


def test_epsilon_for_every_pick_is_found():
    """Three picks at epsilon each lose more than one epsilon."""
    mechanism = dps.mechanism("exponential")

    in_all, each = (losses.selection(mechanism, "degree", times * 1.0, k=3) for times in (1, 3))

    assert in_all <= 1 + 1e-9
    assert each > 1.4


def test_two_databases_are_a_problem():
    """Of any size: a lead that changes hands between neighbours."""
    problem = losses.between([3, 0], [2, 1], lambda counts: dps.Scores(counts, sensitivity=1))

    assert 0.9 < losses.selection(dps.mechanism("permute-and-flip"), problem, 1) <= 1 + 1e-9


def test_a_fit_is_followed_from_its_first_count_to_its_leaves():
    """All of epsilon, and no more."""
    model = DPID3Classifier(max_depth=1, criterion="information-gain", mechanism="exponential", max_records=50)

    assert losses.tree(model, 1) == pytest.approx(1, abs=1e-6)


def test_two_trees_share_epsilon():
    """The transcript of both together."""
    model = RandomDecisionForestClassifier(n_trees=2, max_depth=1, sharing="budget", leaf="counts")

    assert 0.9 < losses.tree(model, 2) / 2 <= 1 + 1e-9


def test_points_are_in_epsilons():
    """At every epsilon asked for."""
    points = losses.points("twice", lambda epsilon: 2 * epsilon, (0.5, 1.0))

    assert [(PRIVACY, "twice", 0.5, 2.0), (PRIVACY, "twice", 1.0, 2.0)] == [
        (each.panel, each.series, each.x, each.value) for each in points
    ]


def test_asking_for_more_than_is_paid_is_refused():
    """By the door, as in a release."""
    with pytest.raises(dps.PrivacyError, match="asks for epsilon"):
        losses.replayed(
            lambda counts, draws: draws.counts(counts, Fraction(2), dps.mechanisms.Bound(1)),
            [([1, 2], [1, 3])],
            dps.Guarantee(Fraction(1), "add-remove"),
        )

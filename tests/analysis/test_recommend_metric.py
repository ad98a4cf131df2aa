"""Which metric names the brokers, on a graph that may be looked at."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis.recommend_metric import expected_list
from research.comparisons import brokers
from tests.chance import believe


def two_worlds(brokers_of: int = 12) -> dps.Graph:
    """Return three cliques of 40 and one node that is adjacent to some members of each."""
    one, other = np.triu_indices(40, 1)
    inside = [(one + 40 * part, other + 40 * part) for part in range(3)]
    near = np.concatenate([np.arange(brokers_of) + 40 * part for part in range(3)])
    ends = [*inside, (np.full(near.size, 120), near)]
    source, target = (np.concatenate(part) for part in zip(*ends, strict=True))
    return dps.Graph.from_edges(source, target, nodes=121)


def test_where_the_best_connected_are_the_brokers_degree_is_advised() -> None:
    """A star has the same first by every metric, and one edge moves the degree least."""
    star = dps.Graph.from_edges(np.zeros(200, dtype=int), np.arange(1, 201), nodes=300)
    advice = dps.accuracy.recommend_metric(star, 1, epsilon=1, max_degree=250, data="example")

    assert ("degree", "permute-and-flip") == (advice.metric, advice.mechanism)
    assert (1.0, 1.0) == advice.table[0].limit
    assert str(advice).startswith("Use degree with permute-and-flip: on graphs like this one a list of 1 at epsilon 1")


def test_where_degree_misleads_another_metric_is_advised() -> None:
    """Members of the cliques have more neighbours than who connects them; the advice says what degree would have."""
    advice = dps.accuracy.recommend_metric(two_worlds(), 1, epsilon=100, max_degree=60, data="public")

    assert "degree" != advice.metric
    assert advice.table[0].limit[0] == 0
    assert max(row.recall for row in advice.table) > 0.9
    assert "Without noise the top 1 by degree has" in advice.sentence


def test_where_nothing_works_the_advice_says_so() -> None:
    """At a tiny epsilon a list is a list of anybody."""
    advice = dps.accuracy.recommend_metric(two_worlds(), 1, epsilon=Fraction(1, 1000), max_degree=60, data="public")

    assert advice.sentence.startswith("Ask for fewer names or a larger epsilon: ")


def test_nobody_between_others_is_no_division_by_zero() -> None:
    """A clique has no open pair at all."""
    one, other = np.triu_indices(6, 1)
    advice = dps.accuracy.recommend_metric(
        dps.Graph.from_edges(one, other, nodes=6), 2, epsilon=1, max_degree=5, data="public"
    )

    assert 1.0 == advice.table[0].share


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(4), Fraction(40)])
def test_expectations_are_those_of_drawn_lists(epsilon: Fraction) -> None:
    """Counts that part slowly: the share of the true top 5 in 5,000 lists is right to 0.02, by Hoeffding's bound."""
    values = np.array([60, 52, 47, 41, 36, *range(30, 0, -1), *[0] * 100])
    scores = dps.Scores(values, 1, neighbours="edge", kind="integer")
    ticks, rate = dps.mechanism("permute-and-flip").quantize(scores, epsilon / 5)
    drawn = [np.isin(one, range(5)).mean() for one in brokers.lists(scores, "permute-and-flip", 5, epsilon, 5000)]

    chances = expected_list(ticks, rate, 5)
    assert np.isclose(5, chances.sum())
    assert chances.max() <= 1 + 1e-9
    beyond = max(0.0, abs(np.mean(drawn) - chances[:5].mean()) - 0.02)
    believe(2 * np.exp(-2 * 5000 * beyond**2), 1e-6)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": None}, dps.PrivacyError, 'data="public"'),
        ({"data": "private"}, dps.PrivacyError, "leaks"),
        ({"k": 0}, ValueError, "at least 1"),
        ({"k": 77}, ValueError, "all of the graph's 77 nodes"),
        ({"epsilon": 0}, ValueError, "positive and finite"),
        ({"max_degree": None}, dps.PrivacyError, "max_degree"),
        ({"max_degree": 5}, ValueError, "exceeds"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], error: type[Exception], message: str) -> None:
    """In one sentence, before anything is computed."""
    asked = {"k": 5, "epsilon": 1, "max_degree": 76, "data": "public"} | change
    with pytest.raises(error, match=message):
        dps.accuracy.recommend_metric(dps.Graph.from_name("lesmis"), **asked)

"""What can be released of PrivateSQL: views of every node, a public maximum degree, exact noise."""

import importlib
import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.papers.private_sql import betweenness, least, others, private_sql, views
from dpselect.release.open_session import session_factory_of

# The function of the same name hides the module.
module = importlib.import_module("dpselect.papers.private_sql")
KARATE = dps.Graph.from_name("karate")
PAIRS = list(itertools.combinations(range(5), 2))


class Closed:
    """A ledger that must not hear of anything."""

    def spend(self, *_, **__):
        """Fail the test."""
        raise AssertionError


def test_without_noise_it_is_ego_betweenness() -> None:
    """The sum of 1 / q over the cells of a view."""
    exact = dps.utilities.ego_betweenness(KARATE, max_degree=33).values

    assert betweenness(views(KARATE)).tolist() == pytest.approx(exact.tolist())


def test_one_edge_moves_the_views_by_the_stated_bound() -> None:
    """All graphs of five nodes and all edges: a view by L(D) at most, which is attained, and all views by 5 L(D)."""
    cells, degrees = {}, {}
    for chosen in itertools.product((0, 1), repeat=len(PAIRS)):
        ends = [pair for pair, there in zip(PAIRS, chosen, strict=True) if there]
        graph = dps.Graph.from_edges([a for a, _ in ends], [b for _, b in ends], nodes=5)
        cells[chosen], degrees[chosen] = views(graph), graph.degrees.max()
    worst = dict.fromkeys((2, 3, 4), 0)
    for chosen, here in cells.items():
        for at in range(len(PAIRS)):
            other = (*chosen[:at], 1 - chosen[at], *chosen[at + 1 :])
            moved = np.abs(here - cells[other]).sum(axis=1)
            for bound in worst:
                if max(degrees[chosen], degrees[other]) <= bound:
                    worst[bound] = max(worst[bound], int(moved.max()))
                    assert moved.sum() <= 5 * least(bound)

    assert {bound: least(bound) for bound in worst} == worst


def test_the_noise_is_that_of_all_views_together(monkeypatch) -> None:
    """One spend of the whole epsilon, then noise for n times the bound of a view, in the cells that may move."""
    spent, drawn = [], []

    class Book:
        def spend(self, guarantee, **_):
            spent.append((guarantee.epsilon, guarantee.neighbours.value))

    class Watched(ScriptedNoise):
        def noisy(self, cells, rate):
            assert spent, "noise before the spend"
            drawn.append((cells.size, rate))
            return cells

    monkeypatch.setattr(module, "open_session", session_factory_of(Watched))
    release = private_sql(KARATE, 3, max_degree=33, epsilon=Fraction(1, 2), ledger=Book())

    assert [(Fraction(1, 2), "edge")] == spent
    assert [(34 * 33 * 32 // 2, Fraction(1, 2) / (34 * least(33)))] == drawn
    assert 3 == len(set(release.value))
    assert Fraction(1, 2) == release.guarantee.epsilon


def test_cells_with_the_node_itself_are_never_counted() -> None:
    """They are 0 in every graph, so they get no noise."""
    assert not views(KARATE)[~others(34)].any()
    assert (34, 34 * 33 // 2) == others(34).shape
    assert {33 * 32 // 2} == set(others(34).sum(axis=1).tolist())


def test_a_huge_budget_finds_the_truth() -> None:
    """Noise of less than one cell in a million."""
    exact = dps.utilities.ego_betweenness(KARATE, max_degree=33).values
    best = np.argsort(-exact, kind="stable")[:3].tolist()

    assert best == list(private_sql(KARATE, 3, max_degree=33, epsilon=10**7).value)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, dps.PrivacyError, "needs max_degree="),
        ({"max_degree": 3}, ValueError, "exceeds max_degree"),
        ({"max_degree": 33, "k": 0}, ValueError, "from 1 to 34"),
        ({"max_degree": 33, "k": 35}, ValueError, "from 1 to 34"),
        ({"max_degree": 33, "epsilon": 0}, ValueError, "epsilon"),
        ({"max_degree": 33, "epsilon": 1e-9}, ValueError, "epsilon is too small"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_spent(given, error, message: str) -> None:
    """The ledger hears nothing of them."""
    with pytest.raises(error, match=message):
        private_sql(KARATE, **{"epsilon": 1, **given}, ledger=Closed())


def test_views_that_do_not_fit_are_refused() -> None:
    """By the number of nodes, which is public."""
    with pytest.raises(ValueError, match="more than 500 nodes"):
        private_sql(dps.Graph.from_edges([0], [1], nodes=501), max_degree=5, epsilon=1, ledger=Closed())

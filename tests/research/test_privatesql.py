"""The PrivateSQL baseline: its one query is the printed one, and its bounds hold."""

import itertools

import numpy as np
import pytest

import dpselect as dps
from dpselect.papers.private_sql import betweenness, least, views
from dpselect.views import Graph
from research.papers.baselines import privatesql

pytest.importorskip("duckdb")
EDGES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4), (1, 5), (2, 5), (4, 6), (5, 6), (5, 7), (2, 7))
EIGHT = Graph.from_edges(*zip(*EDGES, strict=True), nodes=8)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_the_grouped_query_is_the_printed_one_for_every_pair_and_node(every: int) -> None:
    """Appendix B, run for each u < v, or some, and c of a graph of eight nodes."""
    cells = privatesql.views(EIGHT)
    pairs = list(itertools.combinations(range(8), 2))[::every]
    with privatesql.connection(EIGHT) as database:
        printed = [
            [database.execute(privatesql.PRINTED, {"u": u, "v": v, "c": c}).fetchone()[0] for u, v in pairs]
            for c in range(8)
        ]

    assert printed == cells[:, ::every].tolist()
    assert np.array_equal(cells, views(EIGHT))
    assert {0, 1, 2, 3} == set(cells.ravel().tolist()), "the graph is too sparse to tell the queries apart"


def test_the_printed_query_is_symmetric() -> None:
    """So pairs u < v are enough."""
    with privatesql.connection(EIGHT) as database:
        for u, v, c in [(1, 3, 0), (1, 4, 0), (1, 2, 5), (2, 3, 5)]:
            there, back = (
                database.execute(privatesql.PRINTED, {"u": a, "v": b, "c": c}).fetchone() for a, b in ((u, v), (v, u))
            )
            assert there == back


def test_without_noise_it_is_ego_betweenness() -> None:
    """The sum of 1 / q over the cells of a view."""
    cells = privatesql.views(EIGHT)
    exact = np.divide(1.0, cells, out=np.zeros(cells.shape), where=cells > 0).sum(axis=1)

    assert dps.utilities.ego_betweenness(EIGHT, max_degree=7).values.tolist() == pytest.approx(exact.tolist())


def test_the_bounds_hold_for_all_graphs_of_five_nodes() -> None:
    """One edge moves a view by exactly the least bound at worst, and the elastic one is larger."""
    pairs = list(itertools.combinations(range(5), 2))
    cells, degrees = {}, {}
    for chosen in itertools.product((0, 1), repeat=10):
        near = np.zeros((5, 5), dtype=int)
        for (u, v), there in zip(pairs, chosen, strict=True):
            near[u, v] = near[v, u] = there
        # Only the view of node 0: the others are it under another name.
        cells[chosen] = [
            near[0, u]
            * near[0, v]
            * (1 - near[u, v])
            * (1 + sum(near[0, w] * near[u, w] * near[v, w] for w in range(5)))
            for u, v in pairs
        ]
        degrees[chosen] = near.sum(axis=0).max()
    worst = dict.fromkeys((2, 3, 4), 0)
    for chosen, here in cells.items():
        for at in range(10):
            other = (*chosen[:at], 1 - chosen[at], *chosen[at + 1 :])
            moved = sum(abs(a - b) for a, b in zip(here, cells[other], strict=True))
            for bound in worst:
                if max(degrees[chosen], degrees[other]) <= bound:
                    worst[bound] = max(worst[bound], moved)

    assert {bound: least(bound) for bound in worst} == worst
    assert all(privatesql.elastic(bound) > moved for bound, moved in worst.items())


def test_truncation_bounds_every_degree() -> None:
    """Edges of crowded nodes go, others stay."""
    cut = privatesql.truncated(EIGHT, 4)

    assert [4, 4, 5, 3, 4, 4, 2, 2] == EIGHT.degrees.tolist()
    assert [3, 3, 0, 2, 4, 3, 2, 1] == cut.degrees.tolist()


@pytest.mark.parametrize(("budget", "rounded", "low", "high"), [(1.0, 0, 0, 0.4), (1e6, 0, 0, 0.7), (1e6, 1, 1, 1)])
def test_only_rounded_cells_of_a_large_budget_find_the_truth(
    budget: float, rounded: int, low: float, high: float
) -> None:
    """A cell of 0 with a little noise counts for more than a true one."""
    cells = privatesql.views(EIGHT)
    exact = dps.utilities.ego_betweenness(EIGHT, max_degree=7).values
    rng = np.random.default_rng(0)
    noisy = [privatesql.noisy(cells, budget, least(7), rng) for _ in range(200)]
    found = [betweenness(np.rint(each) if rounded else each).argmax() for each in noisy]
    right = float(np.mean(np.array(found) == exact.argmax()))

    assert low <= right <= high

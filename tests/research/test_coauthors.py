"""The made-up co-authorship graph: its size and that it is the same every time."""

import numpy as np
import pytest

from research.papers import coauthors


def test_the_same_seed_gives_the_same_graph_and_another_seed_another() -> None:
    """Of exactly the size asked for."""
    one, again, other = (coauthors.coauthors(2000, 6600, 100, seed=seed) for seed in (1, 1, 2))

    assert 2000 == len(one)
    assert 6600 == one.degrees.sum() // 2
    assert 100 >= one.degrees.max()
    assert np.array_equal(one.indices, again.indices)
    assert not np.array_equal(one.degrees, other.degrees)


def test_too_many_edges_are_refused() -> None:
    """Instead of looking for room for ever."""
    with pytest.raises(ValueError, match="do not fit"):
        coauthors.coauthors(100, 3000, 50)


@pytest.mark.slow
def test_it_has_the_size_of_dblp() -> None:
    """317,080 nodes, 1,049,866 edges, nobody beyond 343 neighbours, and a long tail."""
    graph = coauthors.coauthors()

    assert 317_080 == len(graph)
    assert 1_049_866 == graph.degrees.sum() // 2
    assert 300 < graph.degrees.max() <= 343
    assert 4 == np.median(graph.degrees)

"""The graphs on which times are compared, and that all libraries compute the same on them."""

import numpy as np
import pytest

from research.comparisons.graph_sizes import LIBRARIES, MILD, SKEWED, rmat


def test_quadrants_have_their_shares_bit_by_bit() -> None:
    """Of 20,000 draws, at the highest bit and at the lowest."""
    source, target, nodes = rmat(20_000, SKEWED)

    assert 2**11 == nodes
    for bit in (0, 10):
        quadrant = 2 * (source >> bit & 1) + (target >> bit & 1)
        assert np.allclose(SKEWED, np.bincount(quadrant, minlength=4) / 20_000, atol=0.015)


@pytest.mark.parametrize("shares", [SKEWED, MILD])
def test_all_libraries_compute_the_same(shares: tuple[float, ...]) -> None:
    """Open pairs, core numbers and ego betweenness, summed."""
    for library in ("igraph", "networkx"):
        pytest.importorskip(library)
    sums = []
    for make in LIBRARIES.values():
        graph, tasks = make(*rmat(500, shares))
        sums.append([np.sum(tasks(graph)[task]()) for task in ("open pairs", "core number", "ego betweenness")])

    assert np.allclose(sums[0], sums[1], rtol=1e-12)
    assert np.allclose(sums[0], sums[2], rtol=1e-12)

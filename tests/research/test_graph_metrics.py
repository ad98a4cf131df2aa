"""Metrics of a graph beside other libraries: the same values."""

import pytest

from research.comparisons import graph_metrics


@pytest.mark.slow
def test_igraph_and_networkx_find_the_same() -> None:
    """On a graph of heavy tails; a value that differs would be said."""
    pytest.importorskip("igraph")
    pytest.importorskip("networkx")
    rows = graph_metrics.table(3000)[3:]

    assert ["triangles", "core", "two-step"] == [row.split()[0] for row in rows]
    assert all(row.endswith(" yes") for row in rows)

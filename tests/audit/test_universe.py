"""Finite universes."""

import itertools
import math

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit


def pairs_of(universe: audit.Universe) -> set[tuple[int, int]]:
    """Neighbouring positions."""
    return {tuple(pair) for pair in universe.pairs().tolist()}


def test_vectors_differ_in_one_entry() -> None:
    """All vectors, neighbours by substitution."""
    universe = audit.vectors(3, [0, 5, 7])
    rows = [tuple(x.tolist()) for x in universe]

    assert 27 == len(set(rows))
    assert pairs_of(universe) == {
        (i, j)
        for i, j in itertools.combinations(range(27), 2)
        if sum(a != b for a, b in zip(rows[i], rows[j], strict=True)) == 1
    }


def test_vectors_by_insertion() -> None:
    """Add-remove: one entry more or less, anywhere."""
    universe = audit.vectors(2, [0, 1], "add-remove")
    rows = [tuple(x.tolist()) for x in universe]

    assert {(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)} == set(rows)
    assert {(rows.index(()), rows.index((0,))), (rows.index((0,)), rows.index((1, 0)))} <= pairs_of(universe)
    assert (rows.index((0,)), rows.index((1, 1))) not in pairs_of(universe)


@pytest.mark.parametrize(("kinds", "most"), [(2, 5), (3, 12), (4, 4)])
def test_multisets_are_counted(kinds: int, most: int) -> None:
    """As many as there are ways to choose, each one record from its neighbours."""
    universe = audit.multisets(range(kinds), most)
    sizes = universe.sizes

    assert math.comb(most + kinds, kinds) == len(universe)
    assert all(abs(sizes[x] - sizes[y]) == 1 for x, y in pairs_of(universe))
    assert sorted(map(len, universe)) == sorted(sizes.tolist())


def test_multisets_of_fixed_size_exchange_a_record() -> None:
    """Substitution keeps the number of records."""
    universe = audit.multisets("ab", 4, "substitution")

    assert {4} == {len(x) for x in universe}
    assert {(0, 1), (1, 2), (2, 3), (3, 4)} == pairs_of(universe)


def test_tables_have_their_shape() -> None:
    """A contingency table is an array of counts."""
    universe = audit.tables((2, 3), 3)

    assert {(2, 3)} == {x.shape for x in universe}
    assert 3 == max(int(x.sum()) for x in universe)


def test_graphs_are_all_graphs_and_neighbours_differ_in_one_edge() -> None:
    """64 graphs on four nodes; with a maximum degree fewer, and neighbours inside them."""
    universe = audit.graphs(4)
    edges = [frozenset(zip(np.repeat(range(4), g.degrees).tolist(), g.indices.tolist(), strict=True)) for g in universe]

    assert 64 == len(set(edges))
    assert all(len(edges[x] ^ edges[y]) == 2 for x, y in pairs_of(universe))
    assert 2 >= max(g.degrees.max() for g in audit.graphs(4, 2))
    assert pairs_of(audit.graphs(4, 2)) < pairs_of(universe) or len(audit.graphs(4, 2)) == 41


def test_family_tables_are_near_when_one_family_explains_it() -> None:
    """Two tables are neighbours exactly when replacing one of N families can turn one into the other."""
    kinds = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    universe = audit.families(2)
    rows = list(universe)
    realised = {}
    for chosen in itertools.product(kinds, repeat=2):
        realised.setdefault(tuple(map(sum, zip(*chosen, strict=True))), []).append(chosen)
    expected = {
        (i, j)
        for i, j in itertools.combinations(range(len(rows)), 2)
        if any(
            sum(a != b for a, b in zip(x, y, strict=True)) == 1 for x in realised[rows[i]] for y in realised[rows[j]]
        )
    }

    assert set(rows) == set(realised)
    assert expected == pairs_of(universe)


def test_distances_are_steps() -> None:
    """On vectors they are the number of differing entries; an unreachable database has -1."""
    universe = audit.vectors(3, [0, 1])
    rows = np.array(list(universe))

    assert (rows != rows[5]).sum(axis=1).tolist() == universe.distances(5).tolist()
    assert [0, -1] == audit.metric_space([[0, 7], [7, 0]]).distances(0).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: audit.graphs(7), "2097152 graphs and 131072 fit: take at most 6 nodes"),
        (lambda: audit.vectors(20, [0, 1]), "1048576 vectors"),
        (lambda: audit.vectors(20, [0, 1], "add-remove"), "vectors"),
        (lambda: audit.tables((3, 3), 30), "fewer cells or records"),
        (lambda: audit.metric_space([[0, 1], [2, 0]]), "square symmetric"),
        (lambda: audit.metric_space([0, 1]), "square symmetric"),
        (lambda: audit.vectors(2, [0, 1], "swap"), "neighbours must be one of"),
    ],
)
def test_universes_that_do_not_fit_say_what_would(make, message: str) -> None:
    """How large it is, and what to take instead."""
    with pytest.raises(ValueError, match=message):
        make()


def test_a_repr_tells_what_is_inside() -> None:
    """A universe is public."""
    assert "Universe(graphs on 3 nodes: 8 databases, edge neighbours)" == repr(dps.audit.graphs(3))

"""MST: every column, and the pairs of a spanning tree, each pair chosen because independence describes it worst.

What noise a measurement of a pair adds is taken off its score, as AIM does.
Source: McKenna, Miklau and Sheldon 2021 (winning the NIST contest).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.graphical_model import MOST_CELLS, GraphicalModel, fit_model
from dpselect.synthesis.junction_tree import JunctionTree
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.merged_codes import MergedCodes, merge_cells
from dpselect.synthesis.table_domain import Clique

# Of rho: columns, choices of pairs, and pairs.
SHARES = (Fraction(1, 2), Fraction(1, 20), Fraction(9, 20))
# The mean of the absolute value of noise, in deviations.
MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
# Counts of a pair with more cells are noise.
_MOST_OF_PAIR = 2**20
Zeros = Mapping[Clique, NDArray[np.bool_]]


def mst(session: MarginalSession, zeros: Zeros | None = None) -> GraphicalModel:
    """Return the model of a spanning tree of pairs; all that was paid for is spent.

    Args:
        session: the private rows, and what was paid.
        zeros: which cells of some columns have no rows, publicly.
    """
    paid, columns = session.remaining, range(len(session.merged))
    pairs = len(columns) - 1
    measure_columns(session, SHARES[0] * paid if pairs else paid, zeros)
    impossible = merged_zeros(session, zeros)
    sizes = session.sizes
    model = fit_model(sizes, session.measurements, impossible=impossible)
    if not pairs:
        return model
    choice, chosen = SHARES[1] * paid / pairs, []
    # However the tree becomes, its tables stay as small as a model may be: its pairs, and what public zeros tie.
    most, noise = min(_MOST_OF_PAIR, MOST_CELLS // pairs), MEAN_ABSOLUTE * session.deviation(SHARES[2] * paid / pairs)
    candidates = [
        Candidate(pair, model, offset=noise * cells)
        for pair in combinations(columns, 2)
        if (cells := prod(sizes[column] for column in pair)) <= most
    ]
    tied = {pair for table in JunctionTree.of(sizes, impossible).tables for pair in combinations(table, 2)}
    tree, ties = [*columns], [*columns]
    for one, other in tied:
        ties = _join(ties, one, other)
    while candidates := [
        each
        for each in candidates
        for one, other in [each.clique]
        if tree[one] != tree[other] and (ties[one] != ties[other] or each.clique in tied)
    ]:
        selection = session.choose(candidates, choice)
        chosen.append(selection)
        tree, ties = (_join(groups, *selection.clique) for groups in (tree, ties))
    # What choices have left belongs to the pairs.
    share = session.remaining / max(len(chosen), 1)
    for selection in chosen:
        session.measure(selection.clique, share, selection)
    return fit_model(sizes, session.measurements, start=model, impossible=impossible)


def _join(groups: list[int], one: int, other: int) -> list[int]:
    """Return the group of each column after those of two columns became one."""
    return [groups[one] if each == groups[other] else each for each in groups]


def measure_columns(session: MarginalSession, rho: Fraction, zeros: Zeros | None) -> None:
    """Measure every column with an even share of rho, and count codes together that noise hides.

    Codes of a column with public zeros stay apart, so that rows are possible that are drawn from the model.
    """
    share, apart = rho / len(session.sizes), {column for clique in zeros or {} for column in clique}
    for column in range(len(session.sizes)):
        counts = session.measure((column,), share).counts
        session.merge(column, MergedCodes.of(counts, session.deviation(share), rare=column not in apart))


def merged_zeros(session: MarginalSession, zeros: Zeros | None) -> dict[Clique, NDArray[np.bool_]]:
    """Return which cells of groups of codes have no rows: those in which no code that comes back may have any."""
    merged = dict[Clique, NDArray[np.bool_]]()
    for clique, mask in (zeros or {}).items():
        possible = ~mask
        for axis, column in enumerate(clique):
            returned = session.merged[column].weights > 0
            possible &= returned.reshape([-1 if place == axis else 1 for place in range(mask.ndim)])
        merged[clique] = merge_cells(possible.astype(np.int64), clique, session.merged) == 0
    return merged

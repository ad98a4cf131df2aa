"""MST: every column, and the pairs of a spanning tree, each pair chosen because independence describes it worst.

Source: McKenna, Miklau and Sheldon 2021 (winning the NIST contest).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.graphical_model import GraphicalModel, fit_model
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.merged_codes import MergedCodes, merge_cells
from dpselect.synthesis.table_domain import Clique

# Of rho: columns, choices of pairs, and pairs.
SHARES = (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
# Counts of a pair with more cells are noise.
MOST_CELLS = 2**20
Zeros = Mapping[Clique, NDArray[np.bool_]]


def mst(session: MarginalSession, zeros: Zeros | None = None) -> GraphicalModel:
    """Return the model of a spanning tree of pairs; all that was paid for is spent.

    Args:
        session: the private rows, and what was paid.
        zeros: which cells of some columns have no rows, publicly.
    """
    paid, columns = session.remaining, range(len(session.sizes))
    pairs = len(columns) - 1
    measure_columns(session, SHARES[0] * paid if pairs else paid, zeros)
    impossible = merged_zeros(session, zeros)
    model = fit_model(session.sizes, session.measurements, impossible=impossible)
    if not pairs:
        return model
    choice, chosen = SHARES[1] * paid / pairs, []
    candidates = [
        Candidate(pair, model.counts(pair))
        for pair in combinations(columns, 2)
        if prod(session.sizes[column] for column in pair) <= MOST_CELLS
    ]
    tree = list(columns)
    while candidates := [each for each in candidates if tree[each.clique[0]] != tree[each.clique[1]]]:
        selection = session.choose(candidates, choice)
        chosen.append(selection)
        one, other = (tree[column] for column in selection.clique)
        tree = [one if each == other else each for each in tree]
    # What choices have left belongs to the pairs.
    share = session.remaining / max(len(chosen), 1)
    for selection in chosen:
        session.measure(selection.clique, share, selection)
    return fit_model(session.sizes, session.measurements, start=model, impossible=impossible)


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

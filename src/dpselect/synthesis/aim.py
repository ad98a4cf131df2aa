"""AIM: choose the marginal that a model describes worst for what measuring it costs, measure it, fit, and go on.

Each round may cost what the first ones did, or four times as much once noise hides what there is to learn.
Source: McKenna, Mullins, Sheldon and Miklau 2022.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.graphical_model import GraphicalModel, fit_model
from dpselect.synthesis.junction_tree import JunctionTree
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.mst import MOST_CELLS, Zeros, measure_columns, merged_zeros
from dpselect.synthesis.table_domain import Clique

# Rounds for each column that are planned, before any costs more.
ROUNDS = 16
# Of rho: what columns get by themselves, before any choice.
COLUMNS = Fraction(1, 10)
# Of the rho of a round: what choosing gets.
CHOICE = Fraction(1, 10)
# So many times as much a round costs once noise hides what there is to learn: half of the noise.
MORE = 4
# The mean of the absolute value of noise, in deviations.
MEAN_ABSOLUTE = math.sqrt(2 / math.pi)


def aim(
    session: MarginalSession, zeros: Zeros | None = None, *, degree: int = 3, most_cells: int = 2**15
) -> GraphicalModel:
    """Return the model of adaptively chosen marginals; all that was paid for is spent.

    Args:
        session: the private rows, and what was paid.
        zeros: which cells of some columns have no rows, publicly.
        degree: how many columns a marginal has at most.
        most_cells: how many cells the tables of the model may have.
    """
    paid, many = session.remaining, len(session.sizes)
    each = paid / (ROUNDS * many)
    measure_columns(session, COLUMNS * paid, zeros)
    impossible = merged_zeros(session, zeros)
    model = fit_model(session.sizes, session.measurements, impossible=impossible)
    workload = [clique for size in range(1, degree + 1) for clique in combinations(range(many), min(size, many))]
    workload = [
        clique
        for clique in dict.fromkeys(workload)
        if math.prod(session.sizes[column] for column in clique) <= MOST_CELLS
    ]
    while session.remaining:
        if session.remaining <= 2 * each:
            each = session.remaining
        measured = (1 - CHOICE) * each
        offset = MEAN_ABSOLUTE * session.deviation(measured)
        limit = most_cells * float(1 - session.remaining / paid)
        candidates = [
            Candidate(clique, (counts := model.counts(clique)), len(clique), offset * counts.size)
            for clique in _affordable(workload, model, limit)
        ]
        selection = session.choose(candidates, CHOICE * each)
        clique, before = selection.clique, candidates[selection.chosen].model
        session.measure(clique, session.remaining if each == session.remaining + selection.rho else measured, selection)
        model = fit_model(session.sizes, session.measurements, start=model, impossible=impossible)
        if float(np.abs(model.counts(clique) - before).sum()) <= offset * before.size:
            each *= MORE
    return model


def _affordable(workload: list[Clique], model: GraphicalModel, limit: float) -> list[Clique]:
    """Return the marginals with which the tables of a model stay below a limit, and those that it has already."""
    there = [*model.potentials]
    held = [{*table} for table in model.tree.tables]
    return [
        clique
        for clique in workload
        if len(clique) == 1
        or any({*clique} <= table for table in held)
        or JunctionTree.of(model.tree.sizes, [*there, clique]).cells <= limit
    ]

"""AIM: choose the marginal that a model describes worst for what measuring it costs, measure it, fit, and go on.

Each round may cost what the first ones did, or four times as much once noise hides what there is to learn.
Source: McKenna, Mullins, Sheldon and Miklau 2022.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.graphical_model import GraphicalModel, fit_model
from dpselect.synthesis.junction_tree import JunctionTree
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.mst import MEAN_ABSOLUTE, Zeros, measure_columns, merged_zeros
from dpselect.synthesis.table_domain import Clique

# Rounds for each column that are planned, before any costs more; fewer where there is more to score, down to a least.
ROUNDS, LEAST_ROUNDS = 16, 2
# Scores of sets of columns in all rounds that are planned.
MOST_SCORED = 2**18
# Cells of the tables of a model.
MOST_CELLS = 2**15
# Of rho: what columns get by themselves, before any choice.
COLUMNS = Fraction(1, 10)
# Of the rho of a round: what choosing gets.
CHOICE = Fraction(1, 10)
# So many times as much a round costs once noise hides what there is to learn: half of the noise.
MORE = 4


def aim(
    session: MarginalSession, zeros: Zeros | None = None, *, degree: int = 3, most_cells: int = MOST_CELLS
) -> GraphicalModel:
    """Return the model of adaptively chosen marginals; all that was paid for is spent.

    Args:
        session: the private rows, and what was paid.
        zeros: which cells of some columns have no rows, publicly.
        degree: how many columns a marginal has at most.
        most_cells: how many cells the tables of the model may have.
    """
    paid, many = session.remaining, len(session.merged)
    each = paid / planned_rounds(many, degree)
    measure_columns(session, COLUMNS * paid, zeros)
    impossible = merged_zeros(session, zeros)
    sizes = session.sizes
    model = fit_model(sizes, session.measurements, impossible=impossible)
    workload = [clique for size in range(1, degree + 1) for clique in combinations(range(many), min(size, many))]
    workload = [
        clique
        for clique in dict.fromkeys(workload)
        if len(clique) == 1 or math.prod(sizes[column] for column in clique) <= most_cells
    ]
    while session.remaining:
        if session.remaining <= 2 * each:
            each = session.remaining
        measured = (1 - CHOICE) * each
        offset = MEAN_ABSOLUTE * session.deviation(measured)
        limit = most_cells * float(1 - session.remaining / paid)
        candidates = [
            Candidate(clique, model, len(clique), offset * math.prod(sizes[column] for column in clique))
            for clique in _affordable(workload, model, limit)
        ]
        selection = session.choose(candidates, CHOICE * each)
        clique, before = selection.clique, model.counts(selection.clique)
        session.measure(clique, session.remaining if each == session.remaining + selection.rho else measured, selection)
        model = fit_model(sizes, session.measurements, start=model, impossible=impossible)
        if float(np.abs(model.counts(clique) - before).sum()) <= offset * before.size:
            each *= MORE
    return model


def planned_rounds(columns: int, degree: int) -> int:
    """Return in how many rounds the budget would be spent if no round cost more than the first, by public facts.

    Raises:
        ValueError: all sets of columns cannot be scored as often as that.

    >>> planned_rounds(15, 3), planned_rounds(25, 3)
    (240, 99)
    """
    possible = {
        most: MOST_SCORED // sum(math.comb(columns, size) for size in range(1, most + 1)) for most in (2, degree)
    }
    if possible[degree] < LEAST_ROUNDS * columns:
        fewer = "a degree of 2, " if possible[2] >= LEAST_ROUNDS * columns else ""
        raise InputError(
            f"aim would take hours for {columns} columns at degree {degree}: choose the method mst, {fewer}or fewer "
            "columns."
        )
    return min(ROUNDS * columns, possible[degree])


def _affordable(workload: list[Clique], model: GraphicalModel, limit: float) -> list[Clique]:
    """Return the marginals with which the tables of a model stay below a limit, and those that it has already."""
    # A factor within another ties no more columns.
    there = [each for each in model.potentials if not any({*each} < {*other} for other in model.potentials)]
    held = [{*table} for table in model.tree.tables]
    return [
        clique
        for clique in workload
        if len(clique) == 1
        or any({*clique} <= table for table in held)
        or JunctionTree.of(model.tree.sizes, [*there, clique]).cells <= limit
    ]

"""One question asked of every public group, or of the few rows of each person that count, for one epsilon in all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpselect.certificates.contribution_text import scope
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release.one_shot import PEELING
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.questions import question
from dpselect.release.release import Release
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.utilities.grid_counts import histogram
from dpselect.utilities.percentile import rank_scores
from dpselect.views.contribution_bounds import ContributionBounds
from dpselect.views.grid import Grid, Numbers, grid_of

Integers = NDArray[np.int64]
# What a rank score counts: those to add or remove.
UNIT = "records"
Answer = TypeVar("Answer")
# Asks one group: draws for it, the occupied places of the grid, how many rows each holds, and the epsilon of one row.
Ask = Callable[[Session, Integers, Integers, Fraction], Answer]


def group_guarantee(epsilon: Epsilon, rows: ContributionBounds) -> tuple[Guarantee, Fraction]:
    """Return the promise for all groups, and the epsilon of one row: what every group is drawn at.

    Raises:
        ValueError, TypeError: no such epsilon, or one of which too little is left for one row.
    """
    promise = Guarantee(exact_epsilon(epsilon), rows.neighbours)
    return promise, exact_epsilon(promise.epsilon / rows.per_person)


def asked_of_all(
    ask: Ask[Answer],
    rows: ContributionBounds,
    values: Any,
    grid: Grid,
    epsilon: Epsilon,
    mechanism: str,
    ledger: Accountant | None,
    note: str,
    session_factory: SessionFactory = open_session,
) -> tuple[Guarantee, list[Answer]]:
    """Return the promise, and the answer of every group, with a given session factory. Proof: ``by_group.md``."""
    promise, part = group_guarantee(epsilon, rows)
    column = histogram(values, "real" if grid.real else "integer")
    counted = rows.histograms(column, grid)
    with (
        session_factory(
            promise,
            mechanism=mechanism,
            ledger=ledger,
            metadata={**column.metadata, **rows.metadata},
            per_person=rows.per_person,
            note=note,
        ) as draws,
        draws.disjoint(len(counted)) as parts,
    ):
        return promise, [ask(each, *held, part) for each, held in zip(parts, counted, strict=True)]


def chosen_by_group(
    values: Any,
    share: Fraction,
    points: Numbers,
    epsilon: Epsilon,
    mechanism: Mechanism,
    rows: ContributionBounds,
    ledger: Accountant | None,
    session_factory: SessionFactory = open_session,
) -> Release[float] | Release[dict[Any, float]]:
    """Choose the value of a share of the rows in every group, by a mechanism on rank scores."""
    grid = grid_of(points)

    def scores(places: Any = (), counts: Any = ()) -> Scores:
        held = np.zeros(grid.size, dtype=np.int64)
        held[np.asarray(places, dtype=np.int64)] = counts
        return rank_scores(held, share, points, neighbours=rows.neighbours.value)

    # Whatever can be refused is refused by an example, before the spend.
    example, (_, part) = scores(), group_guarantee(epsilon, rows)
    if question(example, part, mechanism).guarantee.delta:
        raise PrivacyError(
            f"{mechanism.name} has a delta, and groups and persons share an epsilon alone: take permute-and-flip."
        )
    drawn, error_bound = mechanism.describe(example), error_bound_of_group(points, share, epsilon, mechanism, rows)
    promise, answers = asked_of_all(
        lambda draws, places, counts, price: points[
            draws.choose(scores(places, counts), price, mechanism=mechanism)
        ].item(),
        rows,
        values,
        grid,
        epsilon,
        drawn,
        ledger,
        "percentile",
        session_factory,
    )
    return release_groups(answers, rows, drawn, promise, error_bound)


def error_bound_of_group(
    points: Numbers, share: Fraction, epsilon: Epsilon, mechanism: Mechanism, rows: ContributionBounds
) -> ErrorBound:
    """Return how wrong the answer of one group may be, in rows that count, whatever the data; by public facts."""
    example = rank_scores(np.zeros(points.size, dtype=np.int64), share, points, neighbours=rows.neighbours.value)
    return of_rows(error_bound_of(example, 1, group_guarantee(epsilon, rows)[1], mechanism, PEELING), rows)


def of_rows(error_bound: ErrorBound, rows: ContributionBounds) -> ErrorBound:
    """Return the same, with its unit and what it is of."""
    persons = rows.person is not None
    most, about = rows.per_person if persons else None, scope(grouped=rows.groups is not None, persons=persons)
    return replace(error_bound, unit=UNIT, scope=about, rows_per_person=most)


def release_groups(
    answers: list[Answer],
    rows: ContributionBounds,
    mechanism: str,
    promise: Guarantee,
    error_bound: ErrorBound,
) -> Release[Answer] | Release[dict[Any, Answer]]:
    """Return the answers of all groups, or the only one where there are no groups."""
    if rows.groups is None:
        return Release(answers[0], mechanism, promise, error_bound=error_bound)
    named = dict(zip(rows.groups.names, answers, strict=True))
    return Release(named, mechanism, promise, error_bound=error_bound)

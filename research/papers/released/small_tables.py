"""Tables so small that all of them can be listed: what a draw among trees, or a whole fit, loses on them at most."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import audit
from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.learn.domains import attributes
from dpselect.learn.private_trees import PrivateTrees
from dpselect.release.open_session import session_factory_of
from dpselect.views import Records

Floats = NDArray[np.float64]
# Rates, shape (trees, 2), positives and negatives, to exponents in units of what one record moves.
Units = Callable[[Floats, int, int], Floats]
_KINDS = list(itertools.product(range(2), range(2), range(2)))
_KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)


def counted(table: NDArray[np.int64], trees: int) -> tuple[Floats, int, int]:
    """Return the rates of trees on a table, its positives and its negatives; a rate of nobody is 0.

    Args:
        table: how many records of each class, negative first, each set of trees labels positive, shape (2, 2^trees).
        trees: how many there are.
    """
    labelled = np.arange(2**trees) >> np.arange(trees)[:, None] & 1
    negatives, positives = (int(many) for many in table.sum(axis=1))
    hits, rejected = labelled @ table[1], (1 - labelled) @ table[0]
    return np.stack([hits / max(positives, 1), rejected / max(negatives, 1)], axis=1), positives, negatives


def tables(trees: int, most: int, more_than: int = -1) -> audit.Universe:
    """Return all tables of at most ``most`` records, and more than ``more_than``, as trees label them.

    A database is a table as :func:`counted` takes it.
    """
    every = audit.tables((2, 2**trees), most)
    if more_than < 0:
        return every
    kept = [table for table in every if table.sum() > more_than]
    flat = np.array([table.ravel() for table in kept])
    near = audit.metric_space(np.abs(flat[:, None] - flat[None]).sum(axis=2))
    words = [f"{table.tolist()}" for table in kept]
    return audit.Universe(
        f"tables of {more_than + 1} to {most} records",
        near.relation,
        near.near,
        lambda place: kept[place],
        lambda place: words[place],
        flat.sum(axis=1),
    )


def loss_of_draw(units: Units, universe: audit.Universe, trees: int, epsilon: float) -> float:
    """Return the greatest loss of one draw in proportion to exp(epsilon / 2 units), over its epsilon, exactly."""

    def law(table: Any) -> Floats:
        exponents = units(*counted(table, trees)) * (epsilon / 2)
        weights = np.exp(exponents - exponents.max())
        return np.asarray(weights / weights.sum())

    return float(audit.privacy_loss_of_pmf(law, universe, epsilon=epsilon).worst / epsilon)


def loss_of_fit(model: PrivateTrees, epsilon: float) -> float:
    """Return the greatest loss of a whole fit over epsilon, on tables of up to two records and one more."""
    total, worst = Fraction(epsilon), 0.0
    for size in range(3):
        for kinds in itertools.combinations_with_replacement((0, 3, 5, 6), size):
            for script, chance in transcripts(_fit(model, kinds, total)):
                for more in (0, 5):
                    there = _fit(model, (*kinds, more), total)
                    worst = max(worst, abs(chance - log_chance_of(there, script)))
    return worst / epsilon


def _fit(model: PrivateTrees, kinds: tuple[int, ...], epsilon: Fraction) -> Callable[[ScriptedNoise], None]:
    """Return a fit on records of these kinds, as a function of its outcomes."""
    plan = model._fit_plan(_KNOWN, [0, 1], epsilon)
    rows = np.array([_KINDS[kind] for kind in kinds], dtype=np.int64).reshape(-1, 3)

    def run(outcomes: ScriptedNoise) -> None:
        with session_factory_of(lambda: outcomes)(Guarantee(epsilon, Neighbours.ADD_REMOVE)) as draws:
            plan(Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2), draws)

    return run

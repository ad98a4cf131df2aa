"""What the searches and lists of Farias et al. 2024 lose: on small tables, and where floats end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect import audit
from dpselect.utilities.egos import links_of_egos
from research.papers.released.end_of_floats import loss_at_the_end
from research.papers.released.multi_objective_draw import FloatDraw
from research.papers.released.strict_nodes import StrictNodes, star
from research.papers.released.tree_search import Units

Floats = NDArray[np.float64]


_GRAPHS = audit.graphs(4)


def of_program(units: Units, epsilon: float, *, selections: int, k: int) -> float:
    """Return what one selection of the program loses at its share of epsilon, over that share.

    Among one tree that is right about everybody and k others that are all alike: with one record more, floats end.
    """
    share = epsilon / (selections * k)

    def exponents(positives: int) -> Floats:
        right = np.array([positives] + [1] * k) / positives
        rejected = np.array([1.0] + [0.5] * k)
        return units.units(np.stack([right, rejected], axis=1), positives, positives) * (share / 2)

    return loss_at_the_end(exponents, FloatDraw(k, unsound="reproduction"), share)


def of_program_on_stars(epsilon: float, *, k: int) -> float:
    """Return what a list of k nodes loses at epsilon, over epsilon: with one edge more at a hub, floats end."""
    share = epsilon / k
    draw = FloatDraw(k, unsound="reproduction")
    # The hub leads by half its leaves, and floats end where share / 2 times that is 745.
    nodes = int(8 * 745 / share) + 32
    return loss_at_the_end(lambda leaves: star(leaves, nodes).local_units() * (share / 2), draw, epsilon)


def of_strict_draw(units: Callable[[StrictNodes], Floats], epsilon: float) -> float:
    """Return the greatest loss of one draw by a strict Pareto score over epsilon, on all graphs of four nodes."""

    def law(graph: Any) -> Floats:
        links, degrees = links_of_egos(graph), graph.degrees
        exponents = units(StrictNodes.of(degrees, links / np.maximum(degrees * (degrees - 1) // 2, 1))) * (epsilon / 2)
        weights = np.exp(exponents - exponents.max())
        return np.asarray(weights / weights.sum())

    return float(audit.privacy_loss_of_pmf(law, _GRAPHS, epsilon=epsilon).worst / epsilon)


def of_nodes(combined: Callable[[list[dps.Scores]], dps.Scores], mechanism: str, epsilon: float) -> float:
    """Return the greatest loss of one choice by degree and ego density over epsilon, on all graphs of four nodes."""

    def utility(graph: Any) -> dps.Scores:
        return combined([dps.utilities.degree(graph), dps.utilities.ego_density(graph)])

    return float(audit.privacy_loss(dps.mechanism(mechanism), utility, _GRAPHS, epsilon=epsilon).worst / epsilon)


def of_few_negatives(units: Units, epsilon: float) -> float:
    """Return what one draw among two trees loses over its epsilon when the one negative goes, beside 50 positives."""

    def law(gone: int) -> Floats:
        rates = np.array([[0.5, 1.0 - gone], [0.5, 0.0]])
        exponents = units.units(rates, 50, 1 - gone) * (epsilon / 2)
        weights = np.exp(exponents - exponents.max())
        return np.asarray(weights / weights.sum())

    pair = audit.metric_space([[0, 1], [1, 0]])
    return float(audit.privacy_loss_of_pmf(law, pair, epsilon=epsilon).worst / epsilon)

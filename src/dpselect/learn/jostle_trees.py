"""The five private trees of Jostle's running example, as settings of the one builder.

| | stop beyond depth | split | epsilon of stop, split, leaf | trees |
|---|---|---|---|---|
| A1 Friedman and Schuster 2010 | N / (t C) < sqrt 2 / epsilon; C4.5 pruning | exponential mechanism | B/2d' each | 1 |
| A2 Mohammed et al. 2015 | none | exponential mechanism, information gain | 0, B/d', B/d' | 1 |
| A3 Jagannathan et al. 2009 | depth from k and n | random | 0, 0, B/trees | 10 |
| A4 Patil and Singh 2014 | as A1 | exponential mechanism, information gain | A1's over trees, all three | 10 |
| A5 Fletcher and Islam 2015 | expected support | random | 0, 0, B/trees | one per column |

d' = d + 1 levels, leaves being a level too.

References: Imola and Yang 2018, Figure 4.1. Erratum: A4's stop is not divided by the trees there.
"""

from __future__ import annotations

from typing import Any

from dpselect.kernel.numbers import Epsilon
from dpselect.learn.id3 import DPID3Classifier
from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier


def friedman_schuster(epsilon: Epsilon, max_depth: int = 3, **changes: Any) -> DPID3Classifier:
    """Return A1; the criterion is information gain unless given.

    >>> friedman_schuster(1, criterion="max-operator").stop
    'friedman-schuster'
    """
    return DPID3Classifier(
        epsilon, max_depth, **({"criterion": "information-gain", "mechanism": "exponential"} | changes)
    )


def mohammed(epsilon: Epsilon, max_depth: int = 3, **changes: Any) -> DPID3Classifier:
    """Return A2."""
    settings: dict[str, Any] = {
        "criterion": "information-gain",
        "mechanism": "exponential",
        "stop": "depth",
        "prune": "none",
    }
    return DPID3Classifier(epsilon, max_depth, **(settings | changes))


def jagannathan(epsilon: Epsilon, **changes: Any) -> RandomDecisionForestClassifier:
    """Return A3; without ``n_records=`` two per cent of epsilon pay for a noisy number of rows."""
    settings: dict[str, Any] = {"splits": "multiway", "sharing": "budget", "leaf": "counts", "bins": 5}
    return RandomDecisionForestClassifier(epsilon, 10, **(settings | changes))


def patil_singh(epsilon: Epsilon, max_depth: int = 3, **changes: Any) -> DPID3Classifier:
    """Return A4."""
    settings: dict[str, Any] = {"criterion": "information-gain", "mechanism": "exponential", "n_trees": 10}
    return DPID3Classifier(epsilon, max_depth, **(settings | changes))


def fletcher_islam(epsilon: Epsilon, **changes: Any) -> RandomDecisionForestClassifier:
    """Return A5; without ``n_records=`` two per cent of epsilon pay for a noisy number of rows."""
    settings: dict[str, Any] = {
        "splits": "multiway",
        "sharing": "budget",
        "leaf": "counts",
        "stop": "support",
        "bins": 5,
    }
    return RandomDecisionForestClassifier(epsilon, None, **(settings | changes))


THE_FIVE = {
    "A1": friedman_schuster,
    "A2": mohammed,
    "A3": jagannathan,
    "A4": patil_singh,
    "A5": fletcher_islam,
}

"""The forest that people try first."""

from __future__ import annotations

from dpselect.learn.random_decision_forest import RandomDecisionForestClassifier


class DPRandomForestClassifier(RandomDecisionForestClassifier):
    """Nothing more than that, until there is a better one."""

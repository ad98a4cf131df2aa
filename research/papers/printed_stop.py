"""Private ID3 that ends nodes by the printed rule: N / (t |C|) < sqrt 2 / 2, whatever epsilon is.

Farias 2021, Algorithm 4, has sqrt 2 / 2 where Friedman and Schuster have sqrt 2 / epsilon. Sizes are released before,
so either rule is post-processing: the printed one costs accuracy and no privacy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.learn import DPID3Classifier
from dpselect.learn.builder import TreePlan
from dpselect.learn.domains import Attribute
from dpselect.learn.fit_plan import TreeFitPlan
from dpselect.learn.id3 import small

# sqrt 2 / epsilon is sqrt 2 / 2 here.
_EPSILON = 2.0


class PrintedStop(DPID3Classifier):
    """A DPID3Classifier with the printed stopping rule, for simulation."""

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> TreeFitPlan:
        growth = super()._fit_plan(attributes_, classes, epsilon)
        stops = partial(small, classes=len(classes), epsilon=_EPSILON)

        def plan(rows: int) -> TreePlan:
            return replace(growth.plan(rows), stops=stops)

        return replace(growth, plan=plan)

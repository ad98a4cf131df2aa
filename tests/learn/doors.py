"""Fits in a session of a test's own: what they draw follows a script or is noted, and what they leave is told."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.learn.domains import attributes
from dpselect.release.open_session import session_factory_of
from dpselect.release.session import Session
from dpselect.release.system_noise import SystemNoise
from dpselect.views import Records

# Codes of two attributes, and a class: everything that a record may be.
KINDS = list(itertools.product(range(2), range(2), range(2)))
KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)


def records_of(kinds: tuple[int, ...]) -> Records:
    """A table of these kinds of record."""
    rows = np.array([KINDS[kind] for kind in kinds], dtype=np.int64).reshape(-1, 3)
    return Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2)


def fit(model, kinds: tuple[int, ...], epsilon: Fraction) -> Callable[[ScriptedNoise], Fraction]:
    """The whole fit on a table of these kinds of record, as a function of its outcomes; returns what is left."""
    plan = model._fit_plan(KNOWN, [0, 1], epsilon)

    def run(outcomes: ScriptedNoise) -> Fraction:
        with session_factory_of(lambda: outcomes)(dps.Guarantee(epsilon, "add-remove")) as draws:
            plan(records_of(kinds), draws)
            return draws.remaining

    return run


class Noted(Session):
    """Draws that note what is asked, and at what epsilon."""

    def counts(self, values, epsilon, bound):
        """A count for every node, or the classes of leaves."""
        self._outcomes.asked.append(("count" if np.ndim(values) == 1 else "leaf", epsilon))
        return super().counts(values, epsilon, bound)

    def top_k(self, scores, k, epsilon, *, mechanism=None, method=None):
        """One selection, or several."""
        self._outcomes.asked.append((mechanism.name, epsilon))
        self._outcomes.many.append(k)
        return super().top_k(scores, k, epsilon, mechanism=mechanism, method=method)

    def choose_rows(self, values, valid, epsilon, bound):
        """A selection in every row."""
        self._outcomes.asked.append(("rows", epsilon))
        return super().choose_rows(values, valid, epsilon, bound)


class Large(SystemNoise):
    """Exact coins; counts that are large enough for nothing to stop."""

    def __init__(self, more: int = 10**6) -> None:
        super().__init__()
        self.asked, self.many, self._more = [], [], more

    def noisy(self, counts, rate):
        """Far above every true one."""
        return super().noisy(counts, rate) + self._more


def noted(epsilon, outcomes) -> Noted:
    """Draws with this much to spend, and what was asked in ``outcomes.asked``."""
    return Noted(PrivacyFilter(Fraction(epsilon), Neighbours.ADD_REMOVE), outcomes)

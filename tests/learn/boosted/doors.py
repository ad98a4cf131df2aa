"""Fits of boosted models in a session of a test's own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

import dpselect as dps
from dpselect.kernel.rho_conversion import rho_within
from dpselect.learn import DPBoostedTreesClassifier
from dpselect.learn.domains import attributes
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.views import Records

DELTA = Fraction(1, 10**6)
KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 3)}, bins=3, missing=False)


def records_of(rows: tuple[tuple[int, int, int], ...], classes: int = 2) -> Records:
    """A table of these codes and labels."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Records([table[:, 0], table[:, 1]], table[:, 2], (2, 3), classes)


def run_of(model: DPBoostedTreesClassifier, rows, classes: int = 2) -> Callable:
    """The whole fit on a table, as a function of its outcomes; returns what is left."""
    epsilon = Fraction(model.epsilon)
    program = model._fit_plan(KNOWN, list(range(classes)), model._share(epsilon))
    promise = model._promise(epsilon)

    def run(outcomes) -> Fraction:
        with session_factory_of(lambda: outcomes)(promise) as draws:
            program(records_of(rows, classes), draws)
            return draws.remaining

    return run


def rho_of(model: DPBoostedTreesClassifier) -> Fraction:
    """What its fit may cost."""
    return rho_within(Fraction(model.epsilon), DELTA)


class Structured(SystemNoise):
    """Exact noise, and structure that a test may repeat."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._rng = np.random.default_rng(seed)

    def uniform(self, bounds):
        """The same for the same seed."""
        return self._rng.integers(0, bounds)


class Quiet(Structured):
    """The same structure, and no noise at all."""

    def noisy(self, counts, rate):  # noqa: ARG002
        """What is asked about."""
        return counts

    def gaussian(self, values, variance):  # noqa: ARG002
        """What is asked about."""
        return values


class Wild(Structured):
    """Releases that have nothing to do with the data."""

    def __init__(self, seed: int, size: int) -> None:
        super().__init__(seed)
        self._size = size

    def noisy(self, counts, rate):  # noqa: ARG002
        """Anything up to a size."""
        return self._rng.integers(-self._size, self._size + 1, counts.shape)

    def gaussian(self, values, variance):  # noqa: ARG002
        """Anything up to a size."""
        return self._rng.integers(-self._size, self._size + 1, values.shape)


def authenticator_of(outcomes) -> Callable:
    """A session factory of these outcomes."""
    return session_factory_of(lambda: outcomes)


def fitted(X, y, outcomes=None, **given) -> DPBoostedTreesClassifier:
    """A model that was fitted in a session, or the usual one."""
    model = DPBoostedTreesClassifier(**{"epsilon": 1} | given)
    if outcomes is not None:
        model._session_factory = authenticator_of(outcomes)
    return model.fit(X, y)


def bumpy(rows: int = 3000, seed: int = 0, classes: int = 2) -> tuple[dict, np.ndarray]:
    """A table whose labels follow a bump in one column and a category of another."""
    rng = np.random.default_rng(seed)
    table = {
        "x": rng.uniform(0, 10, rows),
        "job": rng.choice(["a", "b", "c", "d"], rows),
        "noise": rng.uniform(0, 1, rows),
    }
    lift = 4 * (np.abs(table["x"] - 5) < 2) + 2 * (table["job"] == "c") - 2.5
    labels = (rng.uniform(0, 1, rows) < 1 / (1 + np.exp(-lift))).astype(int)
    return table, labels + (classes > 2) * (table["noise"] > 0.7)


DOMAINS = {"x": (0, 10), "job": ["a", "b", "c", "d"], "noise": (0, 1)}
USUAL = {"domains": DOMAINS, "classes": [0, 1]}


__all__ = [
    "DELTA",
    "DOMAINS",
    "KNOWN",
    "USUAL",
    "Quiet",
    "Structured",
    "Wild",
    "bumpy",
    "dps",
    "fitted",
    "rho_of",
    "run_of",
]

"""Labels by a public threshold: where one class is rare, the likeliest class is nearly always the other one."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from dpselect.kernel.errors import InputError
from dpselect.learn.estimator import PrivateEstimator
from dpselect.learn.fit_plan import FitPlan
from dpselect.learn.schema import Schema

Floats = NDArray[np.float64]
BASE_RATE = "base-rate"


def require_threshold(threshold: Any, classes: int | None = None) -> None:
    """Refuse what is not a threshold, or not one of so many classes (``ValueError``)."""
    if threshold is None or (isinstance(threshold, str) and threshold == BASE_RATE):
        return
    number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not number or not 0 < threshold < 1:
        raise InputError(
            'threshold is not a share between 0 and 1: pass the least share of the second class, or "base-rate".'
        )
    if classes is not None and classes != 2:
        raise InputError(f'A threshold is for two classes, and there are {classes}: pass threshold="base-rate".')


class ThresholdClassifier(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """Base of the classifiers: their labels follow from released shares, by a public threshold where there is one."""

    threshold: Any = None

    def _places(self, shares: Floats) -> NDArray[np.int64]:
        """Return the place of the label in ``classes_`` for shares of the classes, shape (n,)."""
        if self.threshold is None:
            return np.asarray(shares.argmax(axis=1), dtype=np.int64)
        require_threshold(self.threshold, shares.shape[1])
        if self.threshold == BASE_RATE:
            return np.asarray((shares / self._base_rates()).argmax(axis=1), dtype=np.int64)
        return np.asarray(shares[:, 1] >= self.threshold, dtype=np.int64)

    def _dry_run_plan(self, known: Schema, epsilon: Fraction) -> FitPlan:
        require_threshold(self.threshold, len(known.classes))
        return super()._dry_run_plan(known, epsilon)

    def _threshold_content(self) -> dict[str, Any]:
        """Return what a saved model holds of a threshold, for JSON."""
        return {} if self.threshold is None else {"threshold": self.threshold}

    @classmethod
    def _threshold_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Return the public threshold that a saved model holds (``ValueError``: it is not one of these classes)."""
        if "threshold" not in content:
            return {}
        require_threshold(content["threshold"], len(content["classes"]))
        return {"threshold": content["threshold"]}

    @abstractmethod
    def _base_rates(self) -> Floats:
        """Return the released share of every class among all records, positive, shape (classes,)."""

"""Common parts of private regressors: the bounds of their target, and their place in scikit-learn."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from dpselect.kernel.errors import Advice, InputError
from dpselect.learn.check import Check
from dpselect.learn.estimator import PrivateEstimator
from dpselect.learn.regression.schema import TargetReadOptions, TargetSchema
from dpselect.learn.schema import ReadOptions, Schema
from dpselect.learn.training import TrainingData
from dpselect.sources import warehouse


class PrivateRegressor(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Base of the private regressors: subclasses say what is spent and what is fitted."""

    def check(self, X: Any, y: Any) -> Check:
        """Return how many cells in a table the fit would clip or leave out; nothing is spent.

        The counts are private, for the curator alone. Nothing released may depend on them, and bounds do not follow
        the data. Targets beyond their bounds are counted as labels outside.

        Args:
            X, y: as for ``fit``.

        Raises:
            PrivacyError, ValueError, TypeError: as ``fit``, except for what it counts.
        """
        self._require_table(X)
        return replace(super().check(X, y), number=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _data(self, X: Any, y: Any) -> AbstractContextManager[TrainingData]:
        self._require_table(X)
        return super()._data(X, y)

    def _require_table(self, X: Any) -> None:
        if warehouse.is_source(X):
            raise InputError(
                Advice(
                    "Regressors train on tables in memory: {read the table into a frame|leave out in_place, or name "
                    "a file instead of a URL}, or train a classifier where the table is."
                )
            )

    def _reading(self) -> ReadOptions:
        return TargetReadOptions(
            self.domains,
            None,
            self.bins,
            self.unknown,
            self.missing,
            self.person,
            self.rows_per_person,
            target=self.target,
        )

    def _check_target(self, y: Any) -> None:
        if np.asarray(y).dtype.kind not in "iufb":
            raise InputError("Unknown label type: a regressor needs numbers, and the target has others.")

    def _keep(self, known: Schema, result: Any) -> None:
        """Take the result of the program, with the bounds of what it predicts."""
        assert isinstance(known, TargetSchema)
        self.target_ = (known.low, known.high)
        self._take(result)

    @abstractmethod
    def _take(self, result: Any) -> None:
        """Take the result of the program for what was fitted."""

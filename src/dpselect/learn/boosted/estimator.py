"""Common parts of boosted estimators: the program of a fit, and telling what was released."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_delta
from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.boosted.boosting_plan import MOST_ROUNDS, BoostingPlan
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.by_rho import ByRho
from dpselect.learn.boosted.column_summary import SurveyRelease, SurveySummary
from dpselect.learn.boosted.noise import Gaussian, Geometric, SumNoise
from dpselect.learn.boosted.rule import BY_RHO_RULE, PURE, Rule, hessian_share, is_additive, rounds_for
from dpselect.learn.domains import Attribute
from dpselect.learn.importances import PartialDependence
from dpselect.learn.parameters import epsilon_of, whole
from dpselect.learn.schema import Schema
from dpselect.learn.size_limits import MOST_BINS
from dpselect.learn.training import TrainingData
from dpselect.views.gradient_sums import SCORE_UNIT, Loss

Floats = NDArray[np.float64]


class PrivateBoosted(ByRho):
    """Base of the boosted estimators: subclasses say which loss they fit, and what the survey tells them."""

    def contributions(self, X: Any) -> Floats:
        """Return how much each column moves the scores of each record, in log-odds (or in what scores measure).

        A record's score is ``intercept_`` plus its contributions: of an additive model the heights of its columns'
        curves, else with what a tile of several columns adds divided evenly among them. They are measured from the
        mean over the released shares of values, and a value without a code contributes what that mean leaves.

        Returns: shape (n, columns); with three classes or more, shape (n, columns, classes).
        """
        codes = self._read_again(X)
        return self._by_output(self.model_.contributions(codes)[1] / SCORE_UNIT)

    @property
    def intercept_(self) -> Floats:
        """Return the score of a record whose columns contribute nothing, shape (outputs,)."""
        check_is_fitted(self, "model_")
        return np.asarray((self.model_.start + self.model_.means.sum(axis=0)) / SCORE_UNIT)

    @property
    def feature_importances_(self) -> Floats:
        """Return how much each column moves the score, beyond noise, summing to 1 or 0.

        The importance of a column is the variance of its partial dependence less what noise alone would give, and 0
        where it is within noise; ``dpselect.learn.importances`` says exactly how.
        """
        check_is_fitted(self, "model_")
        return self.model_.dependence.importances

    @property
    def partial_dependence_(self) -> PartialDependence:
        """Return how each value of each column moves the scores, in log-odds, with what noise alone would do.

        Of a regressor it is the prediction, in the target's units. Without interactions these are the curves.
        """
        check_is_fitted(self, "model_")
        return self.model_.dependence.in_unit(1 / SCORE_UNIT)

    @property
    def curves_(self) -> list[Floats]:
        """Return for each column what each of its codes contributes, shape (codes,) or (codes, classes).

        Raises:
            ValueError: the model has interactions, so that no curve tells what a column does.
        """
        check_is_fitted(self, "model_")
        if not self.model_.additive:
            raise InputError("A model with interactions is not a sum of curves: fit with interactions=False.")
        pairs = zip(self.model_.curves, self.model_.means, strict=True)
        return [self._by_output((curve - mean) / SCORE_UNIT) for curve, mean in pairs]

    def plot_curves(
        self,
        path: str | Path | None = None,
        *,
        columns: Sequence[Any] | None = None,
        ax: Any = None,
        overwrite: bool = False,
    ) -> Any:
        """Draw the curve of every column, the most important first; return the figure, and save it if asked.

        Args:
            path: where to save the picture.
            columns: names of the columns to draw; ``None`` for the twelve most important.
            ax: matplotlib axes to draw the one named column on.
            overwrite: replace a file that is there already.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for.
            ValueError: the model has interactions; no such column; several columns for one ``ax``.
            ImportError: matplotlib is not installed.
        """
        from dpselect.learn.boosted.pictures import curves_picture

        return curves_picture(self, path, columns, ax, overwrite=overwrite)

    # What a fit promises and spends.

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        if self.rounds is not None:
            whole(self.rounds, "rounds", 1, "how many small tables are learned", MOST_ROUNDS)
        if not any(self.interactions is each for each in (None, True, False)):
            raise InputError("interactions is True, False (a sum of curves), or None for the rule.")
        exact_delta(self.delta)

    def _check_data(self, data: TrainingData) -> None:
        data.records.require_scores(data.known.attributes)

    def _boosting(self, attributes_: Sequence[Attribute], classes: int, share: Fraction) -> BoostingPlan:
        """Return the program of a fit in which one record may cost the share."""
        concentrated = bool(exact_delta(self.delta))
        noise: SumNoise = Gaussian() if concentrated else Geometric()
        rule: Rule = BY_RHO_RULE if concentrated else PURE
        loss = self._loss(classes, concentrated)
        counts, survey = share * rule.counts, share * rule.survey
        return BoostingPlan(
            attributes=attributes_,
            loss=loss,
            noise=noise,
            rule=rule,
            shares=Shares(share, counts, survey, hessian_share(rule, loss, squared=concentrated)),
            epsilon=self._epsilon_of_record(),
            understand=self._survey_summary,
            rounds=self.rounds,
            interactions=self.interactions,
            classes=classes,
        )

    def _for_sample(self, times: Fraction, n_records: int) -> Self:
        """Return one with the rounds and the tiles that the rule gives a table of so many records."""
        rule, mass = BY_RHO_RULE if exact_delta(self.delta) else PURE, n_records * self._epsilon_of_record()
        result = super()._for_sample(times, n_records)
        rounds, additive = rounds_for(rule, self.rounds, mass), is_additive(self.interactions, mass)
        result.set_params(rounds=rounds, interactions=not additive)
        return result

    def _epsilon_of_record(self) -> float:
        return float(min(epsilon_of(self), Fraction(10**12))) / self._rows()

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> BoostingPlan:
        return self._boosting(attributes_, len(classes), epsilon)

    def _keep(self, _: Schema, result: AdditiveModel) -> None:
        self.model_: AdditiveModel = result

    def _content(self) -> dict[str, Any]:
        """Return what a saved model holds beside its columns and its promise, for JSON."""
        return {"sum": self.model_.as_dict()}

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Return the public parameters that a saved model holds beside its domains."""
        return {"delta": Fraction(content.get("delta", 0))}

    def _restore(self, content: dict[str, Any]) -> None:
        """Take back what :meth:`_content` gave (``ValueError`` where parts do not agree)."""
        self.model_ = AdditiveModel.from_dict([each.size for each in self.attributes_], content["sum"])

    @staticmethod
    def _by_output(values: Floats) -> Floats:
        return np.asarray(values[..., 0] if values.shape[-1] == 1 else values)

    @abstractmethod
    def _loss(self, classes: int, concentrated: bool) -> Loss:
        """Return what is fitted."""

    @abstractmethod
    def _survey_summary(self, known: SurveyRelease, attributes_: Sequence[Attribute]) -> SurveySummary:
        """Return what follows from the first two releases."""

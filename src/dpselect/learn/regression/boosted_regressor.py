"""The boosted regressor: a sum of small random tables, fitted to a number within public bounds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_delta
from dpselect.learn.boosted.column_summary import SurveyRelease, SurveySummary, of_classes
from dpselect.learn.boosted.estimator import PrivateBoosted
from dpselect.learn.boosted.noise import Gaussian, Geometric
from dpselect.learn.boosted.score_reasons import RangeWords, alike_codes, join_words
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.file_parts import bounds_in
from dpselect.learn.importances import PartialDependence
from dpselect.learn.regression.boosting import BY_EPSILON, BY_RHO, BoostedRegressionPlan, RegressionFit, values_of
from dpselect.learn.regression.regressor import PrivateRegressor
from dpselect.learn.training import TrainingData
from dpselect.utilities.splits import Integers
from dpselect.views.gradient_sums import SCORE_UNIT, UNIT, WIDEST, Loss
from dpselect.views.targets import STEPS

# So many columns are named.
_NAMED = 4
Floats = NDArray[np.float64]


@register_model
class DPBoostedTreesRegressor(PrivateRegressor, PrivateBoosted):
    """Private boosting of a number: many small random tables, each a step from noisy sums of clipped residuals.

    A fit asks for the number of records, for a histogram of the target, which says in which part of its declared range
    targets lie, and for the sums of the target in each code of every column. Each round cuts a few columns into groups
    at random, asks for the noisy sums of residuals of the groups and for their sizes, and adds a shrunk step.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        delta: the chance by which epsilon may be exceeded, as small as 1e-6: then all noise is discrete Gaussian, under
            zero-concentrated differential privacy. With 0 the promise is pure, and the noise two-sided geometric.
        rounds: how many tables are learned; ``None`` takes 50, 100 or 200 (pure: 10, 20 or 40) by the noisy number of
            records times epsilon.
        interactions: whether a tile may have several columns. ``False`` gives a sum of one curve for each column, which
            ``plot_curves`` draws; ``None`` does so while the noisy number of records times epsilon is below 5,000.
        bins: even bins of a numeric column, of which noisy counts make at most 32 that hold about as many records each.
        target, domains, unknown, missing, ledger: as :class:`DPTreeRegressor`.
        person, rows_per_person: as :class:`DPTreeRegressor`; with a delta, rows of a person share rho by the square of
            their number, so that m rows have about m times as much noise.

    Guarantee: (epsilon, delta)-differential privacy, add-remove of one row, or with ``person`` of one person with all
    of their rows, of everything the fitted model holds; by rho-zCDP where there is a delta. ``privacy_spent_`` states
    it.

    Raises (by ``fit``, before anything is spent):
        PrivacyError: domains, or the bounds of the target, are missing.
        ValueError: bad parameters; an epsilon so small that noise would not fit an integer; a table in its engine.

    Attributes:
        model_: the sum of tiles, in integers; all of it was released.
        target_: the bounds of the target.
        intercept_, contributions(X): what predictions are a sum of, in the target's units, before they are cut to where
            targets were found.
        n_features_in_, feature_names_in_, feature_importances_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    References: ours, as :class:`DPBoostedTreesClassifier`.

    >>> X, y = [[age] for age in range(3000)], [20.0 if age >= 1500 else 10.0 for age in range(3000)]
    >>> model = DPBoostedTreesRegressor(epsilon=10, target=(0, 40), domains={0: (0, 3000)}).fit(X, y)
    >>> [bool(abs(value - near) < 2) for value, near in zip(model.predict([[100], [2900]]), (10, 20))]
    [True, True]
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        delta: Any = 1e-6,
        rounds: int | None = None,
        interactions: bool | None = None,
        bins: int = 128,
        target: Any = None,
        domains: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rounds = rounds
        self.interactions = interactions
        self.bins = bins
        self.target = target
        self.domains = domains
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.ledger = ledger

    def predict(self, X: Any) -> Floats:
        """Return the value of every record, within the bounds of the target, shape (n,).

        Every record gets one, whatever ``unknown`` is: numbers outside their domain are clipped, and where a column has
        no code, as for a category that the domain does not list, its tiles add nothing.

        Raises:
            ValueError: a column is not there, or values are missing and ``missing="error"``.
        """
        codes = self._read_again(X)
        shares = values_of(self.regressed_, self.model_.scores(codes)[0])
        low, high = self.target_
        # Both ends may be huge: no difference is taken.
        return np.asarray(np.clip(low * (1 - shares) + high * shares, low, high))

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, its value and the columns that move it most, in the target's units."""
        codes = self._read_again(X)
        return reasons_of_values(self, codes, self.predict(X), self.contributions(X))

    def contributions(self, X: Any) -> Floats:
        """Return how much each column moves each prediction, in the target's units, shape (n, columns).

        A prediction is ``intercept_`` plus its contributions, cut to where targets were found: of an additive model the
        heights of its columns' curves, else with what a tile of several columns adds divided evenly among them.
        """
        return np.asarray(super().contributions(X) * self._unit)

    @property
    def intercept_(self) -> Floats:
        """Return the prediction for a record whose columns contribute nothing, shape (1,)."""
        check_is_fitted(self, "model_")
        low, high = self.target_
        middle = low * (1 - self.regressed_.middle) + high * self.regressed_.middle
        return np.asarray(super().intercept_ * self._unit + middle)

    @property
    def curves_(self) -> list[Floats]:
        """Return for each column what each of its codes contributes, in the target's units, shape (codes,).

        Raises:
            ValueError: the model has interactions, so that no curve tells what a column does.
        """
        return [curve * self._unit for curve in super().curves_]

    @property
    def partial_dependence_(self) -> PartialDependence:
        """Return how each value of each column moves the prediction, with what noise alone would do."""
        return super().partial_dependence_.in_unit(self._unit)

    @property
    def _unit(self) -> float:
        """Return what 2^10 units of scores are in the units of the target."""
        low, high = self.target_
        worth = self.regressed_.worth * SCORE_UNIT
        return high * worth - low * worth

    def _check_data(self, data: TrainingData) -> None:
        """Accept it: tables in memory can be given scores."""

    def _fit_plan(self, attributes_: Sequence[Attribute], _: Sequence[Any], epsilon: Fraction) -> Any:
        concentrated = bool(exact_delta(self.delta))
        return BoostedRegressionPlan(
            attributes_,
            Gaussian() if concentrated else Geometric(),
            BY_RHO if concentrated else BY_EPSILON,
            epsilon,
            self._epsilon_of_record(),
            self.rounds,
            self.interactions,
        )

    def _take(self, result: Any) -> None:
        self.regressed_: RegressionFit = result
        self.model_ = self.regressed_.model

    def _content(self) -> dict[str, Any]:
        fitted = self.regressed_
        return {
            "target": list(self.target_),
            "range": [fitted.low, fitted.width, fitted.grid],
            **super()._content(),
        }

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        return {"target": bounds_in(content["target"]), **super()._declared_in(content)}

    def _restore(self, content: dict[str, Any]) -> None:
        super()._restore(content)
        low, high = bounds_in(content["target"])
        first, width, grid = content["range"]
        whole = all(type(each) is int for each in (first, width, grid))
        if not whole or not 0 <= first < first + width <= STEPS or not 1 <= grid <= 2 * WIDEST:
            raise InputError("a range is not one")
        if self.model_.outputs != 1:
            raise InputError("a regression has one score")
        self.target_, self.regressed_ = (low, high), RegressionFit(self.model_, first, width, grid)

    def _loss(self, _: int, __: bool) -> Loss:
        return Loss.half_squares(0, 1, UNIT)

    def _survey_summary(self, known: SurveyRelease, attributes_: Sequence[Attribute]) -> SurveySummary:
        return of_classes(known, attributes_)


def reasons_of_values(model: Any, codes: Sequence[Integers], values: Floats, moves: Floats) -> list[str]:
    """Return a sentence for each record.

    Args:
        model: a fitted boosted regressor.
        codes: of each column, shape (n,).
        values: what is predicted, shape (n,).
        moves: contributions, shape (n, columns), in the units of the values.
    """
    words = [RangeWords(each, alike) for each, alike in zip(model.attributes_, alike_codes(model.model_), strict=True)]
    start = float(model.intercept_[0])
    sentences = []
    for row, value in enumerate(values.tolist()):
        order = np.argsort(-np.abs(moves[row]), kind="stable").tolist()
        told = [
            f"{words[place].of(int(codes[place][row]))} ({moves[row][place]:+.3g})"
            for place in order[:_NAMED]
            if moves[row][place]
        ]
        sentences.append(f"{value:.4g}, from {start:.4g}" + (f" because {join_words(told)}" if told else ""))
    return sentences

"""The boosted classifier: a sum of small random tables, best by ranking and by probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.learn.boosted.column_summary import SurveyRelease, SurveySummary, of_classes
from dpselect.learn.boosted.estimator import PrivateBoosted
from dpselect.learn.boosted.rule import loss_of_classes
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.file_parts import classes_in
from dpselect.learn.schema import Schema
from dpselect.learn.threshold import ThresholdClassifier
from dpselect.views.gradient_sums import SCORE_UNIT, UNIT, Loss, chances


@register_model
class DPBoostedTreesClassifier(ThresholdClassifier, PrivateBoosted):
    """Private boosting: many small random tables, each a step of Newton's method from noisy sums.

    A fit asks for noisy class counts and for a noisy histogram of every column; from them it takes quantile bins, an
    order of the categories, and by a public rule its number of rounds. Each round cuts a few columns into groups at
    random, asks for the noisy sums of gradients and Hessians of the groups, and adds a shrunk step to the log-odds.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        delta: the chance by which epsilon may be exceeded, as small as 1e-6: then all noise is discrete Gaussian, under
            zero-concentrated differential privacy. With 0 the promise is pure, the noise two-sided geometric, and the
            fit ranks level with a tree or better from about 10,000 records times epsilon.
        rounds: how many tables are learned; ``None`` takes 50, 100 or 200 (pure: 10, 20 or 40) by the noisy number of
            records times epsilon.
        interactions: whether a tile may have several columns. ``False`` gives a sum of one curve for each column, which
            ``plot_curves`` draws; ``None`` does so while the noisy number of records times epsilon is below 5,000.
        bins: even bins of a numeric column, of which noisy counts make at most 32 that hold about as many records each.
        domains, classes, unknown, missing, threshold, ledger: as :class:`DPTreeClassifier`.
        person, rows_per_person: as :class:`DPTreeClassifier`; with a delta, rows of a person share rho by the square of
            their number, so that m rows have about m times as much noise.

    Guarantee: (epsilon, delta)-differential privacy, add-remove of one row, or with ``person`` of one person with all
    of their rows, of everything the fitted model holds; by rho-zCDP where there is a delta. ``privacy_spent_`` states
    it.

    Raises (by ``fit``, before anything is spent):
        ValueError: bad parameters, or an epsilon so small that noise would not fit an integer.

    Attributes:
        model_: the sum of tiles, in integers; all of it was released.
        intercept_, contributions(X): what scores, in log-odds, are a sum of.
        classes_, n_features_in_, feature_names_in_, feature_importances_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    References: ours. Noise: Canonne, Kamath and Steinke 2020. Random structure: Nori, Caruana, Bu, Shen and Kulkarni
    2021, whose cyclic additive boosting this generalises; Maddock, Cormode, Wang, Maple and Jha 2022.

    >>> X, y = [[age] for age in range(2000)], ["old" if age >= 1000 else "young" for age in range(2000)]
    >>> model = DPBoostedTreesClassifier(epsilon=5, domains={0: (0, 2000)}, classes=["young", "old"]).fit(X, y)
    >>> model.predict([[10], [1990]]).tolist()
    ['young', 'old']

    Limits: Boosted models keep the probabilities of two classes between .0025 and .9975, and divide the effect of a
    table of several columns evenly among them. Their promise by rho is turned into (epsilon, delta) by a formula that
    takes 6 to 9 % more noise than the exact curve of the Gaussian would.

    Boosted trees in an engine need room for a copy of all codes and scores, in memory where files are read, and DuckDB,
    PostgreSQL or Spark. They take at most 20 classes there, and 2,000 categories per column; more are refused before
    the spend. With 20 classes it takes about a second and a half to write the query of a round, however few the
    records, and PostgreSQL about ten more to plan it.
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        delta: Any = 1e-6,
        rounds: int | None = None,
        interactions: bool | None = None,
        bins: int = 128,
        domains: Any = None,
        classes: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        threshold: Any = None,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rounds = rounds
        self.interactions = interactions
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.threshold = threshold
        self.ledger = ledger

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of every record, or by ``threshold``; equal chances go to the first.

        Every record gets a label, whatever ``unknown`` is: numbers outside their domain are clipped, and where a column
        has no code, as for a category that the domain does not list, its tiles add nothing.

        Raises:
            ValueError: a column is not there, or values are missing and ``missing="error"``.
        """
        places = self._places(self.predict_proba(X))
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the chance of every class, shape (n, classes): exact functions of the model's integers."""
        return self._chances(self._read_again(X))

    def _chances(self, codes: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        return self._scored_chances(self.model_.scores(codes))

    def _scored_chances(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the chance of every class for scores of shape (outputs, n)."""
        worth = chances(scores)
        if len(worth) == 1:
            worth = np.concatenate((UNIT - worth, worth))[: self.classes_.size]
        return np.asarray(worth.T / worth.sum(axis=0)[:, None])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores in log-odds: of the second of two classes, shape (n,), or of every class, (n, classes)."""
        codes = self._read_again(X)
        return self._by_output(self.model_.scores(codes).T / SCORE_UNIT)

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, its label and the columns that move its score most, in log-odds."""
        from dpselect.learn.boosted.score_reasons import reasons

        codes = self._read_again(X)
        return reasons(self, codes, self._chances(codes), self.contributions(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _base_rates(self) -> NDArray[np.float64]:
        return np.asarray(self._scored_chances(self.model_.start[:, None])[0])

    def _keep(self, known: Schema, result: AdditiveModel) -> None:
        super()._keep(known, result)
        self.classes_ = np.array(known.classes)

    def _content(self) -> dict[str, Any]:
        return {"classes": self.classes_.tolist(), **self._threshold_content(), **super()._content()}

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        return {"classes": content["classes"], **cls._threshold_in(content), **super()._declared_in(content)}

    def _restore(self, content: dict[str, Any]) -> None:
        super()._restore(content)
        self.classes_ = classes_in(content["classes"])
        many = self.classes_.size
        if many < 2 or self.model_.outputs != (1 if many == 2 else many):
            raise InputError("a class has no scores")

    def _check_target(self, y: Any) -> None:
        check_classification_targets(y)

    def _loss(self, classes: int, concentrated: bool) -> Loss:
        return loss_of_classes(classes, squared=concentrated)

    def _survey_summary(self, known: SurveyRelease, attributes_: Sequence[Attribute]) -> SurveySummary:
        return of_classes(known, attributes_)

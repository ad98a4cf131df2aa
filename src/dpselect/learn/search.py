"""Choose among settings of a private model: each run holds the same records out, and the best run alone is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon, exact_positive
from dpselect.learn.estimator import PrivateEstimator, book_of, neighbours_of
from dpselect.learn.holdout import HoldOut, at_the_root, held_out
from dpselect.learn.parameters import epsilon_of
from dpselect.learn.sklearn_leaks import warn_of_leaks
from dpselect.learn.training import TrainingData, of_frame
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.session import Session
from dpselect.release.tuning import TuningPlan, search_settings, tuning_plan
from dpselect.sources import warehouse
from dpselect.utilities.counts import ONE

Setting = dict[str, Any]
# Whose rows there are and how they are read must be the same for all runs; what is paid is the search's.
_FIXED_SETTINGS = ("domains", "classes", "unknown", "missing", "person", "rows_per_person", "epsilon", "ledger")
# What would show or hand on that a run is under way.
_QUIET = {"verbose": 0, "n_jobs": 1}


class DPSearch(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The best of a secret number of private models with random settings, at about three times the price of one.

    A good default beats a search: on adult and pendigits the default tree at the whole epsilon is more accurate than
    the best that a search over its depths finds (docs/how-to/choose-between-models.md). Search where no default is
    known to be good.

    Every record, or every person, is held out by a fresh secret coin of its own, once for all runs. A run draws a
    setting, grows a model from the others, and releases how many of those held out it labels rightly, plus noise.
    Nothing is released of the runs that lose: no ``cv_results_``, no number of runs, no message, warning or error.

    Args:
        estimator: a classifier of this module without a ledger; its epsilon is not used.
        parameters: a mapping of parameters to lists of values, or a list of such mappings: every combination is a
            setting. Public.
        epsilon: the price of the search as a whole, ``refit`` included. It has no default; the estimator needs none.
        held_out: the chance of every record, or person, to be held out.
        refit: how much of epsilon pays for growing the winning setting once more, from all records; ``None`` keeps the
            model that won.
        gamma, eta, good_enough: how often it runs, as for :func:`dpselect.tuning.tune_privately`; ``good_enough`` is a
            number of held-out records.
        ledger: a :class:`dpselect.Ledger`, or its path; the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted search holds. How long a fit took is outside of it: do not publish the time.

    Attributes:
        best_estimator_: the model that won; ``None`` where no run was good enough, or every run failed.
        best_params_: its setting.
        best_score_: how many held-out records it labels rightly, plus noise; biased upwards, as the best of several.
        classes_, n_features_in_, feature_names_in_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(1000)], [int(age >= 500) for age in range(1000)]
    >>> tree = DPTreeClassifier(domains={0: (0, 1000)}, classes=[0, 1])
    >>> search = DPSearch(tree, {"max_depth": [1, 3]}, epsilon=10).fit(X, y)
    >>> search.predict([[10], [990]]), search.best_params_["max_depth"] in (1, 3)
    (array([0, 1]), True)

    Limits: A search spends. Every fit of a grid search or cross-validation is a release of its own. ``DPSearch`` and
    ``tune_privately`` pay once, because all runs but one stay secret, and so must their number. The time of a search
    would reveal it: do not publish that. While they run, Python's output, warnings and log are silent in the whole
    process, in other threads too, until the last of several searches has ended; what your own function leaves elsewhere
    (a file, another ledger, output of compiled code) is not noticed. Runs are pure: a draw with a delta fails its run.
    ``DPSearch`` is a hold-out in memory: no cross-validation, no warehouse, and only classifiers of ``dpselect.learn``.
    A run that fails does so silently; if all of them fail, the price is spent and there is no result, so try your
    function on public rows first.
    """

    # Where a search pays and draws, and its fits do; tests and audits open another one.
    _session_factory: SessionFactory = staticmethod(open_session)

    def __init__(
        self,
        estimator: Any,
        parameters: Any,
        epsilon: Epsilon | None = None,
        *,
        held_out: Epsilon = 0.3,
        refit: Epsilon | None = None,
        gamma: Epsilon | None = None,
        eta: Epsilon = 1,
        good_enough: Any = None,
        ledger: Any = None,
    ) -> None:
        self.estimator = estimator
        self.parameters = parameters
        self.epsilon = epsilon
        self.held_out = held_out
        self.refit = refit
        self.gamma = gamma
        self.eta = eta
        self.good_enough = good_enough
        self.ledger = ledger

    def plan(self) -> TuningPlan:
        """Return what a fit will do, from public facts alone: epsilon of one run, and the mean number of runs.

        Raises:
            ValueError, TypeError, PrivacyError: as ``fit``, for whatever it refuses without a look at the data.
        """
        self._check()
        return self._tuning_plan(len(self._settings()))

    def fit(self, X: Any, y: Any) -> Self:
        """Search from a table and its labels, or from a table and the name of its target column.

        Raises:
            ValueError, TypeError: bad parameters or settings; a table in a warehouse; as the estimator's ``fit``.
            PrivacyError: the estimator has a ledger of its own, reads domains from the data, or lacks domains.
            BudgetError: the ledger does not allow it; nothing was spent.
        """
        self._check()
        warn_of_leaks(self)
        settings = self._settings()
        plan, refit = self._tuning_plan(len(settings)), self._refit()
        if warehouse.is_source(X):
            raise InputError("A search holds records out in memory: pass a frame instead of a warehouse.")
        models = [self._model(setting) for setting in settings]
        read = self._read(models, X, y)
        for model, data in zip(models, read, strict=True):
            model._check_data(data)
            for epsilon in (plan.epsilon_of_run, refit or plan.epsilon_of_run):
                clone(model).set_params(epsilon=epsilon)._dry_run_plan(data.known, epsilon)
        guarantee = Guarantee(epsilon_of(self), neighbours_of(self.estimator))

        with self._session_factory(
            guarantee, mechanism=type(self).__name__, ledger=book_of(self.ledger), note="fit"
        ) as draws:
            winner = self._search(models, read, plan, draws)
            chosen = None
            if winner is not None:
                (index, model), score = winner.result, winner.score
                if refit is not None:
                    with draws.use_accountant():
                        model = _grow_model(models[index], read[index], refit, self._session_factory)
                chosen = settings[index], model, score
        self._adopt(chosen, read[0], guarantee)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every record, by the model that won."""
        return np.asarray(self._winner().predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of every class, shape (n, classes), by the model that won."""
        return np.asarray(self._winner().predict_proba(X))

    def _winner(self) -> Any:
        check_is_fitted(self, "privacy_spent_")
        if self.best_estimator_ is None:
            raise InputError("No run was good enough, so there is no model: search again with another good_enough=.")
        return self.best_estimator_

    def _search(
        self, models: Sequence[PrivateEstimator], read: Sequence[TrainingData], plan: TuningPlan, draws: Session
    ) -> Any:
        """Split once, run, and return the winner: (position of its setting, model) and score."""
        # As many as there are rows or people, whichever settings leave some of them out.
        owners = max((int(data.owners.max()) + 1 for data in read if data.owners.size), default=0)
        out = held_out(owners, exact_positive(self.held_out, "held_out"), draws.uniform)
        # Settings that read the table alike share its parts.
        parts: dict[int, HoldOut] = {}
        for data in read:
            if id(data) not in parts:
                parts[id(data)] = HoldOut.of(data, out)
        bound = self._bound()

        def run(index: int, own: Session) -> tuple[PrivateEstimator, int]:
            split = parts[id(read[index])]
            # Nobody is in both parts, so each may spend all of it.
            with own.disjoint(2) as (train, held):
                with train.use_accountant():
                    model = _grow_model(models[index], split.train, plan.epsilon_of_run, self._session_factory)
                right = np.array([split.correct(model)])
                return model, int(held.counts(right, plan.epsilon_of_run, bound)[0])

        return search_settings(
            run, range(len(models)), plan, draws, neighbours_of(self.estimator), self._session_factory
        )

    def _adopt(self, chosen: tuple[Setting, Any, int] | None, data: TrainingData, guarantee: Guarantee) -> None:
        """Keep what was released."""
        self.best_params_: Setting | None = None if chosen is None else chosen[0]
        self.best_estimator_: Any = None if chosen is None else chosen[1]
        self.best_score_: int | None = None if chosen is None else chosen[2]
        self.privacy_spent_ = guarantee
        self.classes_ = np.array(data.known.classes)
        names = [attribute.name for attribute in data.known.attributes]
        self.n_features_in_ = len(names)
        if all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        if self.best_estimator_ is not None:
            # What is published with the model is the price of the search, not of one run.
            self.best_estimator_.privacy_spent_ = guarantee

    def _read(self, models: Sequence[PrivateEstimator], X: Any, y: Any) -> list[TrainingData]:
        """Read the table once for each way in which settings cut its numbers into bins."""
        if y is None:
            raise InputError("DPSearch requires y to be passed, but the target y is None.")
        by_bins: dict[int, TrainingData] = {}
        for model in models:
            reading = model._reading()
            if reading.bins not in by_bins:
                by_bins[reading.bins] = of_frame(X, y, reading)
        return [by_bins[model._reading().bins] for model in models]

    def _check(self) -> None:
        """Refuse what is wrong with the search itself, before anything is read."""
        epsilon_of(self)
        if not isinstance(self.estimator, PrivateEstimator) or not is_classifier(self.estimator):
            raise InputTypeError(
                "estimator must be a classifier of dpselect.learn, because a search counts right labels: others go to "
                "dpselect.tuning.tune_privately."
            )
        if self.estimator.ledger is not None:
            raise PrivacyError(
                "A ledger of the estimator would count the secret runs: pass ledger= to DPSearch instead."
            )
        if self.estimator._reading().is_observed:
            raise PrivacyError("Domains that are read from the data are not private: declare domains=.")
        if not exact_positive(self.held_out, "held_out") < 1:
            raise InputError("held_out must be less than 1: the chance of a record to be held out.")
        self._refit()

    def _refit(self) -> Fraction | None:
        if self.refit is None:
            return None
        if isinstance(self.refit, bool) or not exact_epsilon(self.refit) < epsilon_of(self):
            raise InputError("refit must be less than epsilon: how much of it pays for the fit from all records.")
        return exact_epsilon(self.refit)

    def _tuning_plan(self, settings: int) -> TuningPlan:
        total = epsilon_of(self) - (self._refit() or 0)
        plan = tuning_plan(settings, epsilon=total, gamma=self.gamma, eta=self.eta, good_enough=self.good_enough)
        require_rate(plan.epsilon_of_run / self._bound().total)
        return plan

    def _bound(self) -> Bound:
        """Return how far one record, or one person's records, move how many are labelled rightly."""
        if self.estimator.person is None:
            return ONE
        return Bound(self.estimator.rows_per_person, Neighbours.PERSON)

    def _settings(self) -> list[Setting]:
        """Return every combination of values.

        Raises:
            ValueError, TypeError: no settings; parameters that the estimator lacks, or that must not differ.
        """
        from sklearn.model_selection import ParameterGrid

        if not isinstance(self.parameters, (Mapping, list, tuple)) or not self.parameters:
            raise InputError("parameters must be a mapping of parameters to lists of values: name at least one.")
        settings = [dict(setting) for setting in ParameterGrid(self.parameters)]
        allowed = set(self.estimator.get_params(deep=False)) - {*_FIXED_SETTINGS, *_QUIET}
        for name in sorted({name for setting in settings for name in setting} - allowed):
            raise InputError(
                f"A search cannot vary {name!r}: it varies {', '.join(sorted(allowed))} of this estimator."
            )
        return settings

    def _model(self, setting: Setting) -> PrivateEstimator:
        """Return the estimator with a setting, checked, and without whatever would show that it runs."""
        model: PrivateEstimator = clone(self.estimator).set_params(**setting)
        model.set_params(**{name: value for name, value in _QUIET.items() if name in model.get_params(deep=False)})
        model._check()
        if exact_delta(model.get_params(deep=False).get("delta", 0)):
            raise InputError("A search is paid with an epsilon alone: set delta=0 in its estimator.")
        return model


def _grow_model(
    settings: PrivateEstimator, data: TrainingData, epsilon: Fraction, session_factory: SessionFactory
) -> PrivateEstimator:
    """Return a model grown from these records, paid for by the session around."""
    model: PrivateEstimator = clone(settings).set_params(epsilon=epsilon, ledger=None)
    model._session_factory = session_factory
    trees, guarantee = model._pay_and_fit(replace(data, records=at_the_root(data)), epsilon)
    del model._session_factory
    model._adopt(data, trees, guarantee)
    model._name_features([attribute.name for attribute in data.known.attributes])
    return model

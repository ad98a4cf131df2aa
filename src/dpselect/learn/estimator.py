"""Common parts of all private estimators: one path from a table to what is fitted, and its place in scikit-learn."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from dpselect.certificates import build
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.format_exact import count_text
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn import export
from dpselect.learn.check import Check
from dpselect.learn.domains import Attribute
from dpselect.learn.fit_plan import FitPlan
from dpselect.learn.leaf_bound import OF_MODEL
from dpselect.learn.parameters import epsilon_of
from dpselect.learn.reading import read_again
from dpselect.learn.schema import ReadOptions, Schema
from dpselect.learn.sklearn_leaks import warn_of_fits_to_predictions, warn_of_leaks
from dpselect.learn.training import TrainingData, check_frame, of_frame
from dpselect.learn.warehouse_training import check_in_place, in_place
from dpselect.ledger import Ledger
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.sources import warehouse

Integers = NDArray[np.int64]


def book_of(ledger: Any) -> Any:
    """Return the ledger that an estimator names, which may be by its path."""
    return Ledger.read(ledger) if isinstance(ledger, (str, Path)) else ledger


def neighbours_of(model: Any) -> Neighbours:
    """Return what one step is: a row, or where persons are named one person with all of their rows.

    One row more of a person may push out another, which is two steps of one record: so persons, and not rows.
    """
    return Neighbours.ADD_REMOVE if model.person is None else Neighbours.PERSON


class PrivateEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the private estimators: subclasses say how a table is read, what is spent, and what is fitted."""

    # Where a fit pays and draws; tests and audits open another one.
    _session_factory: SessionFactory = staticmethod(open_session)
    certificate = build.certify

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to a table and its target, or to a table (or warehouse) and the name of its target column.

        Every fit spends, so a grid search or a cross-validation spends for every one of its fits: ``DPSearch`` is the
        search that pays once (docs/how-to/choose-between-models.md). Cells are read by the public domains alone, and
        no cell decides whether there is a model, unless ``unknown`` or ``missing`` is ``"error"``.

        Raises:
            PrivacyError: domains, classes or an epsilon are missing.
            ValueError, TypeError: bad parameters; a column whose type no domain lists.
            BudgetError: the ledger does not allow it; nothing was spent.
        """
        epsilon = epsilon_of(self)
        self._check()
        if not self._reading().is_observed:
            warn_of_leaks(self)
        with self._data(X, y) as data:
            result, guarantee = self._pay_and_fit(data, epsilon)
        # All at once, at the end: a fit that was refused leaves an earlier one as it was.
        self._adopt(data, result, guarantee)
        if not self._reading().is_observed or isinstance(y, str):
            self._name_features([each.name for each in self.attributes_])
        return self

    def _pay_and_fit(self, data: TrainingData, epsilon: Fraction) -> tuple[Any, Guarantee]:
        """Run dry, pay and fit; return the result and what was paid."""
        self._check_data(data)
        program = self._dry_run_plan(data.known, epsilon)
        guarantee = self._promise(epsilon)
        with self._open_session(guarantee, data) as draws:
            return program(data.records, draws), guarantee

    def _adopt(self, data: TrainingData, result: Any, guarantee: Guarantee) -> None:
        """Take a result for what was fitted."""
        self._keep(data.known, result)
        self.attributes_: tuple[Attribute, ...] = data.known.attributes
        self.privacy_spent_: Guarantee | None = None if self._reading().is_observed else guarantee

    def _certificate_facts(self) -> tuple[dict[str, str], Guarantee, str]:
        check_is_fitted(self, "privacy_spent_")
        if self.privacy_spent_ is None:
            raise InputError("This model observed its domains, so it has no promise to certify: declare domains.")
        return export.answer_of(self), self.privacy_spent_, type(self).__name__

    @property
    def error_bound(self) -> ErrorBound:
        """Return what a fitted model says of its error, whatever the data, or why nothing can be said."""
        return NoBound(OF_MODEL)

    def error_bound_for(self, classes: int) -> ErrorBound:  # noqa: ARG002
        """Return what can be said of the error before a fit, for so many classes: from parameters alone."""
        return NoBound(OF_MODEL)

    @property
    def _protects(self) -> str | None:
        person, rows = getattr(self, "person", None), getattr(self, "rows_per_person", None)
        return (
            None
            if person is None or rows is None
            else f"one person, of whom at most {count_text(rows, 'record')} {'counts' if rows == 1 else 'count'}"
        )

    def check(self, X: Any, y: Any) -> Check:
        """Return how many cells in a table the fit would clip or leave out; nothing is spent.

        The counts are private, for the curator alone. Nothing released may depend on them, and domains do not follow
        the data.

        Args:
            X, y: as for ``fit``.

        Raises:
            PrivacyError, ValueError, TypeError: as ``fit``, except for what it counts.
        """
        self._check()
        if warehouse.is_source(X):
            return check_in_place(X, y, self._reading())
        if isinstance(self.domains, str):
            raise PrivacyError("Domains that are read from the data hold every value: declare domains= to check them.")
        self._require_target(y)
        return check_frame(X, y, self._reading())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def rehearse(self, columns: Sequence[Any]) -> None:
        """Refuse what ``fit`` would refuse for public reasons: domains, sizes, mechanisms and shares of epsilon.

        Args:
            columns: the names of the columns, without the target.

        Guarantee: no data are read and nothing is spent.

        Raises:
            PrivacyError, ValueError, TypeError: as ``fit``.
        """
        epsilon = epsilon_of(self)
        self._check()
        self._dry_run_plan(self._reading().declared_schema(columns, None), epsilon)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the released model as JSON; nothing in it is private.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError: it cannot be written.
        """
        check_is_fitted(self, "attributes_")
        export.save(self, path, overwrite=overwrite)

    def save_html(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a page about the released model for people: its promise, a picture, and which columns matter.

        The page is one file that needs no other one, and nothing in it is private.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError: it cannot be written.
        """
        from dpselect.learn.pages.model_page import save_html

        check_is_fitted(self, "attributes_")
        save_html(self, path, overwrite=overwrite)

    def _dry_run_plan(self, known: Schema, epsilon: Fraction) -> FitPlan:
        """Return the plan, after a dry run without records: whatever would refuse does so before it costs."""
        share = self._share(epsilon)
        program = self._fit_plan(known.attributes, known.classes, share)
        program.rehearse(share)
        return program

    def _share(self, epsilon: Fraction) -> Fraction:
        """Return what the plan of one record may spend: a person's rows share it."""
        return epsilon if self.person is None else epsilon / self.rows_per_person

    def _for_sample(self, times: Fraction, n_records: int) -> Self:  # noqa: ARG002
        """Return an estimator that has as much noise for the size of a sample as this one for that of a table.

        Args:
            times: records of the table to those of the sample.
            n_records: how many the table has.
        """
        result: Self = clone(self).set_params(epsilon=epsilon_of(self) * times, ledger=None)
        return result

    def _promise(self, epsilon: Fraction) -> Guarantee:
        """Return what a fit as a whole promises, and pays for."""
        return Guarantee(epsilon, neighbours_of(self))

    @contextmanager
    def _open_session(self, guarantee: Guarantee, data: TrainingData) -> Iterator[Any]:
        """Record the spend where there is a ledger, and open a session; what is not private is not paid for."""
        session_factory = self._session_factory(
            guarantee,
            mechanism=type(self).__name__,
            ledger=book_of(self.ledger),
            metadata=data.metadata,
            per_person=1 if self.person is None else self.rows_per_person,
            note=self._note(),
        )
        with use_accountant(None) if self._reading().is_observed else nullcontext(), session_factory as draws:
            if self.person is None:
                yield draws
            else:
                with draws.per_record() as own:
                    yield own

    def _note(self) -> str:
        """Return what the spend is called; whose records are protected together is a public fact, and part of it."""
        if self.person is None:
            return "fit"
        return f"fit; persons: column {self.person}, at most {count_text(self.rows_per_person, 'row')}"

    def _data(self, X: Any, y: Any) -> AbstractContextManager[TrainingData]:
        """Return training data to be entered: a warehouse is read for as long as the fit takes."""
        reading = self._reading()
        if warehouse.is_source(X):
            return in_place(X, y, reading)
        self._require_target(y)
        if reading.is_observed:
            X, y = self._validate(X, y)
            if self.ledger is not None:
                raise PrivacyError("Domains read from the data are not private, so nothing may be spent: drop ledger=.")
            words = "Domains and classes are read from the data: the result is not private."
            warnings.warn(words, UserWarning, stacklevel=3)
        return nullcontext(of_frame(X, y, reading))

    def _require_target(self, y: Any) -> None:
        if y is None:
            raise InputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")

    def _validate(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return numbers and labels as scikit-learn takes them, where nothing is declared."""
        if not isinstance(y, str):
            X, y = validate_data(self, X, y, dtype="numeric")
            self._check_target(y)
        return X, y

    def _read_again(self, X: Any) -> list[Integers]:
        """Return the codes of records that are not trained on."""
        check_is_fitted(self, "attributes_")
        if warehouse.is_source(X):
            raise InputError("Labels are for records, and those of a warehouse stay there: pass a frame of them.")
        if not self._reading().is_observed:
            warn_of_fits_to_predictions(self)
        elif all(each.is_ordered for each in self.attributes_):
            X = validate_data(self, X, reset=False, dtype="numeric")
        return read_again(X, self.attributes_, self.missing)

    def _name_features(self, names: list[Any]) -> None:
        self.n_features_in_ = len(names)
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # What subclasses say.

    @classmethod
    def _reads(cls, content: Mapping[str, Any]) -> bool:
        """Return whether a file holds a model of this class."""
        return bool(content["model"] == cls.__name__)

    def _reading(self) -> ReadOptions:
        """Return how tables are read."""
        return ReadOptions(
            self.domains, self.classes, self.bins, self.unknown, self.missing, self.person, self.rows_per_person
        )

    def _check(self) -> None:
        """Refuse bad parameters before anything is read or spent."""

    def _check_data(self, data: TrainingData) -> None:
        """Refuse a table that breaks a public promise or lacks what the fit takes, before anything is spent."""

    def _check_target(self, y: Any) -> None:
        """Refuse a target that is not of the kind that is fitted, where nothing is declared."""

    @abstractmethod
    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> FitPlan:
        """Return a function of records and draws that fits."""

    @abstractmethod
    def _keep(self, known: Schema, result: Any) -> None:
        """Take the result of the program, with the public facts that predicting takes."""

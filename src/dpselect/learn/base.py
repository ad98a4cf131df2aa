"""What the estimators share: one path from a table to trees, predicting, and their place in scikit-learn."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpselect.kernel.budget import paying_from
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.learn.check import Check
from dpselect.learn.declared import Declared, Reading
from dpselect.learn.domains import Attribute
from dpselect.learn.in_place import check_in_place, in_place
from dpselect.learn.parameters import whole
from dpselect.learn.program import Program
from dpselect.learn.reading import read_again
from dpselect.learn.training import TrainingData, check_frame, of_frame
from dpselect.learn.tree import Tree
from dpselect.ledger import Ledger
from dpselect.release.draws import Draws
from dpselect.release.opened import Door, opened
from dpselect.sources import warehouse

Integers = NDArray[np.int64]


def book_of(ledger: Any) -> Any:
    """Return the ledger that an estimator names, which may be by its path."""
    return Ledger.read(ledger) if isinstance(ledger, (str, Path)) else ledger


class PrivateTrees(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the private trees: subclasses say how many bins, what is spent and how trees grow."""

    # Where a fit pays and draws; tests and audits open another one.
    _door: Door = staticmethod(opened)
    # Whether nodes carry released counts, or labels alone.
    _counted = True

    def fit(self, X: Any, y: Any) -> Self:
        """Grow from a table and its labels, or from a table (or warehouse) and the name of its target column.

        Every fit spends, so a grid search or a cross-validation spends for every one of its fits: ``DPSearch`` is the
        search that pays once (docs/how-to/choose-between-models.md). Cells are read by the public domains alone, and
        no cell decides whether there is a model, unless ``unknown`` or ``missing`` is ``"error"``.

        Raises:
            PrivacyError: domains or classes are missing.
            ValueError, TypeError: bad parameters; a column whose type no domain lists.
            BudgetError: the ledger does not allow it; nothing was spent.
        """
        epsilon = exact_epsilon(self.epsilon)
        self._check()
        with self._data(X, y) as data:
            trees, guarantee = self._grown(data, epsilon)
        # All at once, at the end: a fit that was refused leaves an earlier one as it was.
        self._adopt(data, trees, guarantee)
        if self._reading().observed and not isinstance(y, str):
            return self
        self._name_features([each.name for each in self.attributes_])
        return self

    def _grown(self, data: TrainingData, epsilon: Fraction) -> tuple[list[Tree], Guarantee]:
        """Rehearse, pay and grow the trees."""
        self._check_data(data)
        program = self._rehearsed(data.known, epsilon)
        guarantee = Guarantee(epsilon, Neighbours.ADD_REMOVE)
        with self._paid(guarantee, data) as draws:
            return program(data.records, draws), guarantee

    def _adopt(self, data: TrainingData, trees: list[Tree], guarantee: Guarantee) -> None:
        """Take trees for what was fitted."""
        self.trees_: list[Tree] = trees
        self.attributes_, self.classes_ = data.known.attributes, np.array(data.known.classes)
        self.privacy_spent_: Guarantee | None = None if self._reading().observed else guarantee

    def check(self, X: Any, y: Any) -> Check:
        """Return how many cells of a table a fit would clip or leave out; nothing is spent.

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

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every record; equal chances go to the first of ``classes_``.

        Every record gets a label, whatever ``unknown`` is: numbers outside their domain are clipped, and a value that
        has no code, such as a category that the domain does not list, stops at the node that asks for it and takes the
        label there.

        Raises:
            ValueError: a column is not there, or values are missing and ``missing="error"``.
        """
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of every class, shape (n, classes): from released counts only."""
        return self._chances(self._read_again(X))

    def _chances(self, codes: Sequence[Integers]) -> NDArray[np.float64]:
        shares = [self._shares(tree)[tree.apply(codes)] for tree in self.trees_]
        return np.asarray(np.mean(shares, axis=0))

    def apply(self, X: Any) -> Integers:
        """Return the node in which every record ends, shape (n,), or (n, trees) for several trees."""
        codes = self._read_again(X)
        found = np.stack([tree.apply(codes) for tree in self.trees_], axis=1)
        return found[:, 0] if len(self.trees_) == 1 else found

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, the path that leads to its label in the first tree."""
        from dpselect.learn.export import path_words

        words: list[str] = path_words(self, self._read_again(X))
        return words

    def export_text(self) -> str:
        """Return the trees as text: released splits and noisy counts, no record."""
        from dpselect.learn.export import tree_text

        check_is_fitted(self, "trees_")
        return "\n\n".join(tree_text(self, tree) for tree in self.trees_)

    def plot_tree(self, path: str | Path | None = None, tree: int = 0) -> Any:
        """Draw one tree, by its place in ``trees_``; return the matplotlib figure, and save it if ``path`` is given."""
        from dpselect.learn.export import tree_picture

        check_is_fitted(self, "trees_")
        whole(tree, "tree", 0, "the place of a tree in trees_")
        if tree >= len(self.trees_):
            raise ValueError(f"tree is {tree} and the last of this model is {len(self.trees_) - 1}: pass its place.")
        return tree_picture(self, self.trees_[tree], path)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the released model as JSON; nothing in it is private.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError: it cannot be written.
        """
        from dpselect.learn.export import save

        check_is_fitted(self, "trees_")
        save(self, path, overwrite=overwrite)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Return how much each column lowers the released number of errors, summing to 1."""
        from dpselect.learn.export import importances

        check_is_fitted(self, "trees_")
        found: NDArray[np.float64] = importances(self)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
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
        epsilon = exact_epsilon(self.epsilon)
        self._check()
        self._rehearsed(self._reading().declared(columns, None), epsilon)

    def _rehearsed(self, known: Declared, epsilon: Fraction) -> Program:
        """Return the plan, after a rehearsal without records: whatever would refuse does so before it costs."""
        share = epsilon if self.person is None else epsilon / self.rows_per_person
        program = self._planned(known.attributes, known.classes, share)
        program.rehearse(share)
        return program

    @contextmanager
    def _paid(self, guarantee: Guarantee, data: TrainingData) -> Iterator[Draws]:
        """Record the spend where there is a ledger, and open the door; what is not private is not paid for."""
        door = self._door(
            guarantee,
            mechanism=type(self).__name__,
            ledger=book_of(self.ledger),
            metadata=data.metadata,
            per_person=1 if self.person is None else self.rows_per_person,
            note="fit",
        )
        with paying_from(None) if self._reading().observed else nullcontext(), door as draws:
            yield draws

    def _data(self, X: Any, y: Any) -> AbstractContextManager[TrainingData]:
        """Return training data to be entered: a warehouse is read for as long as the trees grow."""
        reading = self._reading()
        if warehouse.is_source(X):
            return in_place(X, y, reading)
        self._require_target(y)
        if reading.observed:
            X, y = self._validated(X, y)
            if self.ledger is not None:
                raise PrivacyError("Domains read from the data are not private, so nothing may be spent: drop ledger=.")
            words = "Domains and classes are read from the data: the result is not private."
            warnings.warn(words, UserWarning, stacklevel=3)
        return nullcontext(of_frame(X, y, reading))

    def _require_target(self, y: Any) -> None:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")

    def _validated(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return numbers and labels as scikit-learn takes them, where nothing is declared."""
        if not isinstance(y, str):
            X, y = validate_data(self, X, y, dtype="numeric")
            check_classification_targets(y)
        return X, y

    def _read_again(self, X: Any) -> list[Integers]:
        """Return codes of records to be labelled."""
        check_is_fitted(self, "trees_")
        if warehouse.is_source(X):
            raise ValueError("Labels are for records, and those of a warehouse stay there: pass a frame of them.")
        if self._reading().observed and all(each.ordered for each in self.attributes_):
            X = validate_data(self, X, reset=False, dtype="numeric")
        return read_again(X, self.attributes_, self.missing)

    def _name_features(self, names: list[Any]) -> None:
        self.n_features_in_ = len(names)
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # What subclasses say.

    def _reading(self) -> Reading:
        """Return how tables are read."""
        return Reading(
            self.domains, self.classes, self.bins, self.unknown, self.missing, self.person, self.rows_per_person
        )

    def _check(self) -> None:
        """Refuse bad parameters before anything is read or spent."""

    def _check_data(self, data: TrainingData) -> None:
        """Refuse a table that breaks a public promise or lacks what the fit takes, before anything is spent."""

    @abstractmethod
    def _planned(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> Program:
        """Return a function of records and draws that grows the trees."""

    def _leaf_share(self) -> float:
        """Return the share of epsilon that a leaf at full depth spends, once fitted."""
        return 1.0

    def _shares(self, tree: Tree) -> NDArray[np.float64]:
        """Return the share of every class at every node."""
        smoothed = tree.counts + 1e-3
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

"""What the estimators share: public domains, encoding, spending, predicting, and their place in scikit-learn."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpselect.kernel.budget import paying_from
from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.learn.check import Check
from dpselect.learn.domains import (
    LACKING,
    MISSING,
    OUTSIDE,
    UNKNOWN,
    Attribute,
    attribute,
    attributes,
    numeric_range,
)
from dpselect.learn.in_place import check_in_place, fit_in_place
from dpselect.learn.program import Program
from dpselect.learn.reading import Rows, checked, complete, require_labels
from dpselect.learn.room import MOST_RECORDS
from dpselect.learn.tree import Tree
from dpselect.ledger import Ledger
from dpselect.mechanisms import mechanism as named
from dpselect.mechanisms.kinds import LawOnly, Mechanism
from dpselect.release.draws import Draws
from dpselect.release.opened import Door, opened
from dpselect.sources import frames, warehouse
from dpselect.views.records import Records
from dpselect.views.stored import StoredRecords

Integers = NDArray[np.int64]
OBSERVED = "observed-not-private"


class PrivateTrees(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the private trees: subclasses say how many bins, what is spent and how trees grow."""

    # Where a fit pays and draws; tests and audits open another one.
    _door: Door = staticmethod(opened)
    # Whether nodes carry released counts, or labels alone.
    _counted = True

    def fit(self, X: Any, y: Any) -> PrivateTrees:
        """Grow from a table and its labels, or from a table (or warehouse) and the name of its target column.

        Every fit spends; a search over parameters spends for every fit. Cells are read by the public domains alone, and
        no cell decides whether there is a model, unless ``unknown`` or ``missing`` is ``"error"``.

        Raises:
            PrivacyError: domains or classes are missing.
            ValueError, TypeError: bad parameters; a column whose type no domain lists.
            BudgetError: the ledger does not allow it; nothing was spent.
        """
        epsilon = exact_epsilon(self.epsilon)
        self._check()
        if warehouse.is_source(X):
            fit_in_place(self, X, y, epsilon)
            return self
        rows = self._read(X, y)
        share = epsilon
        if self.person is not None:
            share = epsilon / self.rows_per_person
            rows = rows.bounded(self.person, self.rows_per_person, self.missing)
        names = rows.names
        observed = isinstance(self.domains, str) and self.domains == OBSERVED
        if observed:
            attributes_, classes = self._observed(rows)
        else:
            attributes_, classes = self._declared(names, y if isinstance(y, str) else frames.name(y))
        self._order = classes
        codes, labels = self._encoded(rows, attributes_, classes)
        self._check_size(labels.size)
        plan = self._rehearsed(attributes_, len(classes), share)
        guarantee = self._promised(epsilon)
        records = Records(codes, labels, tuple(each.size for each in attributes_), len(classes))
        with paying_from(None) if observed else nullcontext(), self._paid(guarantee, {}) as draws:
            trees = plan(records, draws)
        self._keep(trees, attributes_, classes, None if observed else guarantee)
        if not observed or isinstance(y, str):
            self._name_features(names)
        return self

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
            return check_in_place(self, X, y)
        if isinstance(self.domains, str):
            raise PrivacyError("Domains that are read from the data hold every value: declare domains= to check them.")
        rows = self._read(X, y)
        target = y if isinstance(y, str) else frames.name(y)
        known, classes = self._declared([name for name in rows.names if name != self.person], target)
        return checked(rows, known, classes, self.unknown, self.person)

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
        codes = self._read_again(X)
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
        share = exact_epsilon(self.epsilon)
        self._check()
        if self.person is not None:
            share /= self.rows_per_person
        attributes_, classes = self._declared([name for name in columns if name != self.person], None)
        self._order = classes
        self._rehearsed(attributes_, len(classes), share)

    def _promised(self, epsilon: Fraction) -> Guarantee:
        return Guarantee(epsilon, Neighbours.ADD_REMOVE, idealised=self._idealised())

    def _paid(self, guarantee: Guarantee, facts: Mapping[str, str]) -> AbstractContextManager[Draws]:
        """Record the spend where there is a ledger, and open the door."""
        return self._door(
            guarantee,
            mechanism=type(self).__name__,
            ledger=Ledger.read(self.ledger) if isinstance(self.ledger, (str, Path)) else self.ledger,
            metadata=facts,
            per_person=1 if self.person is None else self.rows_per_person,
            note="fit",
        )

    def _keep(
        self, trees: list[Tree], attributes_: tuple[Attribute, ...], classes: list[Any], guarantee: Guarantee | None
    ) -> None:
        # All at once, at the end: a fit that was refused leaves an earlier one as it was.
        self.trees_: list[Tree] = trees
        self.attributes_, self.classes_ = attributes_, np.array(classes)
        self.privacy_spent_: Guarantee | None = guarantee

    # What subclasses say.

    def _bins(self) -> int:
        return int(self.bins)

    def _check(self) -> None:
        """Refuse bad parameters before anything is read or spent."""

    def _check_size(self, rows: int) -> None:
        """Refuse a table that breaks a public promise about its size, before anything is spent."""

    def _check_stored(self, records: StoredRecords) -> None:
        """Refuse records in a warehouse that lack something, before anything is spent."""

    def _idealised(self) -> bool:
        return False

    @abstractmethod
    def _planned(self, attributes_: Sequence[Attribute], classes: int, epsilon: Fraction) -> Program:
        """Return a function of records and draws that grows the trees."""

    def _rehearsed(self, attributes_: Sequence[Attribute], classes: int, epsilon: Fraction) -> Program:
        """Return the plan, after a rehearsal without records: whatever would refuse does so before it costs."""
        program = self._planned(attributes_, classes, epsilon)
        program.rehearse(epsilon)
        return program

    def _leaf_share(self) -> float:
        """Return the share of epsilon that a leaf at full depth spends, once fitted."""
        return 1.0

    def _shares(self, tree: Tree) -> NDArray[np.float64]:
        """Return the share of every class at every node."""
        smoothed = tree.counts + 1e-3
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

    # Reading.

    def _read(self, X: Any, y: Any) -> Rows:
        """Return the table and its labels as they are."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if not isinstance(y, str) and isinstance(self.domains, str) and self.domains == OBSERVED:
            X, y = validate_data(self, X, y, dtype="numeric")
            check_classification_targets(y)
        return Rows.of(X, y)

    def _declared(self, names: list[Any], target: str | None) -> tuple[tuple[Attribute, ...], list[Any]]:
        if len(set(names)) != len(names) or not names:
            raise ValueError("The table needs at least one column, and columns of different names.")
        named = self.domains
        known = attributes(names, named, bins=self._bins(), missing=self.missing == "category")
        classes = self.classes
        if classes is None and target is not None and isinstance(named, Mapping) and target in named:
            classes = named[target]
            if numeric_range(classes):
                raise ValueError(
                    f"The target {target!r} needs a list of classes, and {classes!r} is a range of numbers: pass "
                    "classes=, or that list in domains."
                )
        if classes is None:
            raise PrivacyError(
                "Classes are public facts, and the labels that happen to occur are private: pass classes=, or the "
                "target's list of classes in domains."
            )
        label = attribute("the target", list(classes), bins=2, missing=False)
        assert label.categories is not None
        if len(label.categories) < 2:
            raise ValueError("A classifier needs at least two declared classes: pass classes=.")
        return known, _in_order(label.categories)

    def _observed(self, rows: Rows) -> tuple[tuple[Attribute, ...], list[Any]]:
        """Read domains and classes from the data: no privacy, for tests and tutorials."""
        if self.ledger is not None:
            raise PrivacyError("Domains read from the data are not private, so nothing may be spent: drop ledger=.")
        warnings.warn(
            "Domains and classes are read from the data: the result is not private.", UserWarning, stacklevel=3
        )
        known = []
        for name in rows.names:
            values = np.asarray(rows.columns[name].tolist())
            if values.dtype.kind in "iufb":
                low, high = float(values.min()), float(values.max())
                known.append(attribute(name, (low, high if high > low else low + 1), bins=self._bins(), missing=False))
            else:
                known.append(attribute(name, sorted(set(values.tolist())), bins=self._bins(), missing=False))
        return tuple(known), np.unique(rows.target.tolist()).tolist()

    def _encoded(self, rows: Rows, known: Sequence[Attribute], classes: list[Any]) -> tuple[list[Integers], Integers]:
        """Return codes and labels of the records that are kept."""
        codes, label = rows.codes(known, classes, self.unknown)
        for each, own in zip(known, codes, strict=True):
            each.require(own, self.unknown, self.missing)
        require_labels(label == OUTSIDE, label == LACKING, self.unknown, self.missing)
        return complete(codes, label)

    def _read_again(self, X: Any) -> list[Integers]:
        """Return codes of records to be labelled: numbers are clipped, unknown categories stop on the way."""
        check_is_fitted(self, "trees_")
        if warehouse.is_source(X):
            raise ValueError("Labels are for records, and those of a warehouse stay there: pass a frame of them.")
        observed = isinstance(self.domains, str) and self.domains == OBSERVED
        if observed and all(each.ordered for each in self.attributes_):
            X = validate_data(self, X, reset=False, dtype="numeric")
        names, columns = frames.columns(X)
        wanted = [each.name for each in self.attributes_]
        if any(name not in columns for name in wanted):
            if len(columns) != len(wanted) or all(isinstance(name, str) for name in names):
                lacking = next(name for name in wanted if name not in columns)
                raise ValueError(f"The table lacks column {lacking!r}: pass the columns that the model was trained on.")
            columns = dict(zip(wanted, columns.values(), strict=True))
        codes = [each.encode(columns[each.name], "clip") for each in self.attributes_]
        for each, own in zip(self.attributes_, codes, strict=True):
            each.require(own, "clip", self.missing)
        return codes

    def _name_features(self, names: list[Any]) -> None:
        self.n_features_in_ = len(names)
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_reading(self) -> None:
        if self.unknown not in UNKNOWN:
            raise ValueError('unknown is "clip", "ignore" or "error".')
        if self.missing not in MISSING:
            raise ValueError('missing is "ignore", "category" or "error".')
        whole(self.rows_per_person, "rows_per_person", 1, "how many rows of one person are kept", MOST_RECORDS)


def _in_order(classes: Sequence[Any]) -> list[Any]:
    """Return declared classes sorted, as scikit-learn's scorers take them to be; as declared if they have no order."""
    try:
        return sorted(classes)
    except TypeError:
        return list(classes)


def chosen_mechanism(given: Any) -> Mechanism:
    """Return a mechanism by name or as it is.

    Raises:
        ValueError: there is none of that name.
        PrivacyError: a published calibration that is not private.
    """
    mechanism = given if isinstance(given, Mechanism) else named(str(given))
    if isinstance(mechanism, LawOnly):
        raise PrivacyError(f"{mechanism!r} is not private and trains nothing: use a sound calibration.")
    return mechanism


def whole(value: Any, name: str, least: int, words: str, most: int | None = None) -> int:
    """Return an integer parameter, or say what it must be."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(Advice(f"{{{name}}} must be an integer of at least {least}: {words}."))
    if most is not None and value > most:
        raise ValueError(Advice(f"{{{name}}} must be at most {most:,}: {words}."))
    return int(value)

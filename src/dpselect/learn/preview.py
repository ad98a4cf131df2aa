"""Expectations of a fit, without spending: tried on a public sample under the noise of the real table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn.estimator import PrivateEstimator
from dpselect.learn.parameters import epsilon_of, whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.sources import frames


@dataclass(frozen=True)
class Preview:
    """Means over tries on a public sample, of records that were not trained on.

    Attributes:
        score: the estimator's own ``score``: the accuracy of a classifier, R2 of a regressor.
        spread: its standard deviation over tries.
        auc: the area under the ROC curve of every class against the rest, weighted by the classes' sizes: what tells
            where one class is rare. ``None`` for regressors.
        error: the mean absolute error of a regressor, in the units of the target; ``None`` for classifiers.
        leaves: leaves of a tree; ``None`` where there are no trees.
        noise: standard deviation of a class count at a leaf of full depth, in records of the private table; ``None``
            where leaves have no class counts.
        tries: how many.
    """

    score: float
    spread: float
    auc: float | None
    error: float | None
    leaves: float | None
    noise: float | None
    tries: int

    def __str__(self) -> str:
        tree = [f"about {self.leaves:.0f} leaves a tree"] if self.leaves is not None else []
        tree += [f"noise of about {self.noise:.1f} records a count"] if self.noise is not None else []
        name = "R2" if self.auc is None else "accuracy"
        figures = [f"{name} {self.score:.3f} +- {self.spread:.3f}"]
        figures += [f"AUC {self.auc:.3f}"] if self.auc is not None else []
        figures += [f"mean absolute error {self.error:.4g}"] if self.error is not None else []
        return f"{', '.join((*tree, *figures))} on the public sample ({self.tries} tries)"


def preview(model: Any, X: Any, y: Any, *, n_records: int, tries: int = 5) -> Preview:
    """Return what to expect when ``model`` is fitted to ``n_records`` private rows that resemble a public sample.

    A sample of s rows at epsilon n / s, or with a delta at rho (n / s)^2, has as much noise for its size as n rows at
    epsilon, or at rho. Nothing is spent: the sample must be public or made up.

    Args:
        model: an estimator of this module, with its domains and its classes or bounds.
        X, y: a public sample of at least 20 rows, as for ``fit``; y may be the name of the target column.
        n_records: how many rows the private table has, roughly; a public number.
        tries: how many fits.

    Raises:
        TypeError: not such an estimator.
        ValueError: a sample that is too small; as ``fit``.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> found = preview(DPTreeClassifier(1, domains={0: (0, 400)}, classes=[0, 1]), X, y, n_records=20_000)
    >>> found.score > 0.9
    True
    """
    if not isinstance(model, PrivateEstimator):
        raise InputTypeError(
            "preview tries one model: pass an estimator of dpselect.learn; a search says what it will do by plan()."
        )
    whole(n_records, "n_records", 1, "how many rows the private table has, roughly")
    whole(tries, "tries", 1, "how many fits")
    rows, labels = _sample(X, y)
    size = labels.size
    # What is declared of the target is read here: labels are handed on without a name.
    declared = "target" if is_regressor(model) else "classes"
    if isinstance(y, str) and getattr(model, declared) is None and isinstance(model.domains, Mapping):
        model = clone(model).set_params(**{declared: model.domains.get(y)})
    if size < 20:
        raise InputError("The public sample is too small: pass at least 20 rows.")
    # Public rows cost nothing, whatever budget the caller has open.
    with use_accountant(None):
        return _cross_validate(model, rows, labels, tries, n_records)


def _cross_validate(model: Any, rows: Any, labels: Any, tries: int, n_records: int) -> Preview:
    size = labels.size
    tried = model._for_sample(Fraction(n_records, size * 4 // 5), n_records)
    leaves, scores, ranked, errors = [], [], [], []
    for start in range(tries):
        # Public rows, so a public rotation will do: every fifth row is held out, another fifth each time.
        held_out = np.arange(size) % 5 == start % 5
        fitted, test = clone(tried).fit(_rows(rows, ~held_out), labels[~held_out]), _rows(rows, held_out)
        scores.append(float(fitted.score(test, labels[held_out])))
        if is_regressor(model):
            errors.append(float(np.abs(fitted.predict(test) - labels[held_out]).mean()))
        else:
            ranked.append(_auc(labels[held_out], fitted.predict_proba(test), fitted.classes_))
        leaves += [tree.leaves.size for tree in getattr(fitted, "trees_", [])]
    noise = fitted._leaf_noise(epsilon_of(model)) if isinstance(model, PrivateTrees) else None
    return Preview(
        score=float(np.mean(scores)),
        spread=float(np.std(scores)),
        auc=float(np.mean(ranked)) if ranked else None,
        error=float(np.mean(errors)) if errors else None,
        leaves=float(np.mean(leaves)) if leaves else None,
        noise=noise,
        tries=tries,
    )


def _auc(labels: NDArray[Any], chances: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """Return the AUC of each class against the rest, weighted by their sizes; one half where there is one class."""
    from sklearn.metrics import roc_auc_score

    masks = [labels == label for label in classes]
    ranked = [(mask.sum(), chance, mask) for mask, chance in zip(masks, chances.T, strict=True) if 0 < mask.mean() < 1]
    if not ranked:
        return 0.5
    areas = [roc_auc_score(mask, chance) for _, chance, mask in ranked]
    return float(np.average(areas, weights=[many for many, *_ in ranked]))


def _sample(X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return an array or a mapping of columns, and labels."""
    if isinstance(X, (np.ndarray, list, tuple)):
        if isinstance(y, str):
            raise InputError("An array has no named columns: pass the labels themselves, or a table.")
        return np.asarray(X, dtype=object) if not isinstance(X, np.ndarray) else X, np.asarray(y)
    _, columns = frames.columns(X)
    if not isinstance(y, str):
        return columns, np.asarray(frames.column(y))
    if y not in columns:
        raise InputError(f"The table has no column {y!r}: name the target column.")
    return columns, columns.pop(y)


def _rows(table: Any, mask: Any) -> Any:
    return table[mask] if isinstance(table, np.ndarray) else {name: values[mask] for name, values in table.items()}

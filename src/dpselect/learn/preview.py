"""Expectations of a fit, without spending: tried on a public sample under the noise of the real table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn.parameters import epsilon_of, whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.sources import frames


@dataclass(frozen=True)
class Preview:
    """Means over tries on a public sample.

    Attributes:
        leaves: leaves of a tree.
        noise: standard deviation of a class count at a leaf of full depth, in records of the private table.
        accuracy: on public records that were not trained on.
        spread: its standard deviation over tries.
        tries: how many.
    """

    leaves: float
    noise: float
    accuracy: float
    spread: float
    tries: int

    def __str__(self) -> str:
        return (
            f"about {self.leaves:.0f} leaves a tree, noise of about {self.noise:.1f} records a count, "
            f"accuracy {self.accuracy:.3f} +- {self.spread:.3f} on the public sample ({self.tries} tries)"
        )


def preview(model: Any, X: Any, y: Any, *, n_records: int, tries: int = 5) -> Preview:
    """Return what to expect when ``model`` is fitted to ``n_records`` private rows that resemble a public sample.

    A sample of s rows at epsilon n / s has as much noise for its size as n rows at epsilon. Nothing is spent: the
    sample must be public or made up.

    Args:
        model: an estimator of this module, with its domains and classes.
        X, y: a public sample of at least 20 rows, as for ``fit``; y may be the name of the target column.
        n_records: how many rows the private table has, roughly; a public number.
        tries: how many fits.

    Raises:
        TypeError: not such an estimator.
        ValueError: a sample that is too small; as ``fit``.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> found = preview(DPTreeClassifier(1, domains={0: (0, 400)}, classes=[0, 1]), X, y, n_records=20_000)
    >>> found.accuracy > 0.9
    True
    """
    if not isinstance(model, PrivateTrees):
        raise InputTypeError(
            "preview tries one model: pass a tree or a forest; a search says what it will do by plan()."
        )
    whole(n_records, "n_records", 1, "how many rows the private table has, roughly")
    whole(tries, "tries", 1, "how many fits")
    rows, labels = _sample(X, y)
    size = labels.size
    # The target's list of classes is read here: labels are handed on without a name.
    if isinstance(y, str) and model.classes is None and isinstance(model.domains, Mapping) and y in model.domains:
        model = clone(model).set_params(classes=model.domains[y])
    if size < 20:
        raise InputError("The public sample is too small: pass at least 20 rows.")
    # Public rows cost nothing, whatever budget the caller has open.
    with use_accountant(None):
        return _cross_validate(model, rows, labels, tries, epsilon_of(model) * Fraction(n_records, size * 4 // 5))


def _cross_validate(model: Any, rows: Any, labels: Any, tries: int, scaled: Fraction) -> Preview:
    size = labels.size
    leaves, scores = [], []
    for start in range(tries):
        # Public rows, so a public rotation will do: every fifth row is held out, another fifth each time.
        held_out = np.arange(size) % 5 == start % 5
        tried = clone(model).set_params(epsilon=scaled, ledger=None)
        tried.fit(_rows(rows, ~held_out), labels[~held_out])
        scores.append(float((tried.predict(_rows(rows, held_out)) == labels[held_out]).mean()))
        leaves.append(float(np.mean([tree.leaves.size for tree in tried.trees_])))
    noise = tried._leaf_noise(epsilon_of(model))
    return Preview(float(np.mean(leaves)), noise, float(np.mean(scores)), float(np.std(scores)), tries)


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

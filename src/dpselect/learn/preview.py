"""What to expect of a fit, without spending: tried on a public sample under the noise of the real table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import clone

from dpselect.core.guarantee import exact_epsilon
from dpselect.core.spending import session
from dpselect.learn.base import whole


@dataclass(frozen=True)
class Preview:
    """Means over tries on a public sample.

    Attributes:
        leaves: leaves of a tree.
        noise: standard deviation of a leaf's class counts, in records of the private table.
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
        X, y: a public sample of at least 20 rows.
        n_records: how many rows the private table has, roughly; a public number.
        tries: how many fits.

    Raises:
        ValueError: a sample that is too small; as ``fit``.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> found = preview(DPTreeClassifier(1, domains={0: (0, 400)}, classes=[0, 1]), X, y, n_records=20_000)
    >>> found.accuracy > 0.9
    True
    """
    whole(n_records, "n_records", 1, "how many rows the private table has, roughly")
    whole(tries, "tries", 1, "how many fits")
    rows, labels = np.asarray(X, dtype=object) if isinstance(X, list) else X, np.asarray(y)
    size = len(labels)
    if size < 20:
        raise ValueError("The public sample is too small: pass at least 20 rows.")
    # Public rows cost nothing, whatever budget the caller has open.
    token = session.set(None)
    try:
        return _tried(model, rows, labels, tries, exact_epsilon(model.epsilon) * Fraction(n_records, size * 4 // 5))
    finally:
        session.reset(token)


def _tried(model: Any, rows: Any, labels: Any, tries: int, scaled: Fraction) -> Preview:
    size = labels.size
    leaves, scores = [], []
    for start in range(tries):
        # Public rows, so a public rotation will do: every fifth row is held out, another fifth each time.
        held = np.arange(size) % 5 == start % 5
        tried = clone(model).set_params(epsilon=scaled, ledger=None)
        tried.fit(_rows(rows, ~held), labels[~held])
        scores.append(float((tried.predict(_rows(rows, held)) == labels[held]).mean()))
        leaves.append(float(np.mean([tree.leaves.size for tree in tried.trees_])))
    share = float(exact_epsilon(model.epsilon)) * (0.3 if hasattr(model, "n_records") else 1.0)
    noise = float(np.sqrt(2) / max(share, 1e-12))
    return Preview(float(np.mean(leaves)), noise, float(np.mean(scores)), float(np.std(scores)), tries)


def _rows(table: Any, kept: Any) -> Any:
    if isinstance(table, np.ndarray):
        return table[kept]
    return table.filter(kept) if hasattr(table, "filter") and not hasattr(table, "iloc") else table[kept]

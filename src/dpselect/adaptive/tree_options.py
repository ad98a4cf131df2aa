"""Private trees to choose among: the five of Jostle and the default tree, as options over labelled tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.metafeature import Metafeature
from dpselect.adaptive.option import Option
from dpselect.kernel.errors import InputError

THE_FIVE = ("A1", "A2", "A3", "A4", "A5")
# Those that need no public bound on the rows, which one row too many would break.
UNBOUNDED = ("A3", "A5", "default")
# Multiway forests may be deep on paper: their stopping rules end them long before.
_MOST_LEAVES = 10**15
# How many times the noise of a class count the records of one value and class are, on average: the statistic of
# Friedman and Schuster's stopping rule, taken at the root.
DERIVED = {"support": "log1p(max(epsilon * rows, 0) / (branching * classes))"}
FEATURES = None
# With the default tree among the options, paying for the number of rows gains nothing.
METAFEATURES = "free"
LEARNER = "regret-tree"


@dataclass(frozen=True, eq=False, repr=False)
class LabelledTable:
    """A labelled table with public domains.

    Attributes:
        columns: name to values, private.
        labels: private.
        domains: of every column, public, as for the estimators of ``dpselect.learn``.
        classes: public.
        test: columns and labels that losses are measured on; ``None`` for a private table.
    """

    columns: Mapping[str, NDArray[Any]]
    labels: NDArray[Any]
    domains: Mapping[str, Any]
    classes: Sequence[Any]
    test: tuple[Mapping[str, NDArray[Any]], NDArray[Any]] | None = None

    def __repr__(self) -> str:
        return f"LabelledTable(columns={len(self.columns)}, classes={len(self.classes)})"


def options(max_records: int = 100_000, names: Sequence[str] = (*THE_FIVE, "default")) -> list[Option]:
    """Return the trees as options: from a :class:`LabelledTable` and epsilon to a fitted estimator.

    Args:
        max_records: a public bound on the rows of every table, which those that are not ``UNBOUNDED`` need: a table of
            more rows is refused.
        names: which of ``"A1"`` to ``"A5"`` and ``"default"``.

    Raises:
        ValueError: another name.
    """
    from dpselect import learn

    known: dict[str, Callable[..., Any]] = {**learn.THE_FIVE, "default": learn.DPTreeClassifier}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"The tree {unknown[0]!r} does not exist: take {', '.join(known)}.")
    fits = {name: _Fit(known[name], _settings(name, max_records)) for name in names}
    return [Option(name, fit, rehearse=fit.rehearse) for name, fit in fits.items()]


def _settings(name: str, max_records: int) -> dict[str, Any]:
    if name in ("A1", "A2", "A4"):
        return {"max_records": max_records}
    return {"max_leaves": _MOST_LEAVES} if name != "default" else {}


@dataclass(frozen=True, eq=False)
class _Fit:
    """Fit one estimator; processes can be handed it."""

    kind: Callable[..., Any]
    settings: Mapping[str, Any]

    def __call__(self, table: LabelledTable, epsilon: Fraction) -> Any:
        return self._model(table, epsilon).fit(dict(table.columns), table.labels)

    def rehearse(self, table: LabelledTable, epsilon: Fraction) -> None:
        """Refuse what the fit would refuse of the public domains."""
        self._model(table, epsilon).rehearse(list(table.columns))

    def _model(self, table: LabelledTable, epsilon: Fraction) -> Any:
        return self.kind(epsilon, domains=dict(table.domains), classes=list(table.classes), **self.settings)


def error_rate(table: LabelledTable, model: Any) -> float:
    """Return the share of test rows that a model labels wrongly.

    Raises:
        ValueError: a table without test rows.
    """
    if table.test is None:
        raise InputError("A loss needs rows that were not trained on: give the public table a test part.")
    columns, labels = table.test
    return float((model.predict(dict(columns)) != labels).mean())


LOSS = error_rate


def free_metafeatures() -> list[Metafeature]:
    """Return facts that follow from public domains: columns, classes, values a column, the share of numeric columns."""
    return [
        Metafeature("columns", _columns, public=True, scale="log"),
        Metafeature("classes", _classes, public=True, scale="log"),
        Metafeature("branching", _branching, public=True, scale="log"),
        Metafeature("numeric", _numeric, public=True),
    ]


def metafeatures() -> list[Metafeature]:
    """Return those and the number of rows, which moves by 1, add-remove."""
    return [*free_metafeatures(), Metafeature("rows", _rows, sensitivity=1, scale="log")]


def _rows(table: LabelledTable) -> int:
    return int(table.labels.size)


def _columns(table: LabelledTable) -> int:
    return len(table.domains)


def _classes(table: LabelledTable) -> int:
    return len(table.classes)


def _branching(table: LabelledTable) -> float:
    """Return the mean number of values a column, as the multiway trees see it: numbers count as ten bins."""
    return float(np.mean([len(each) if isinstance(each, list) else 10 for each in table.domains.values()]))


def _numeric(table: LabelledTable) -> float:
    return float(np.mean([not isinstance(each, list) for each in table.domains.values()]))

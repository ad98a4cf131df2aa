"""A model that is learned from the rows: a private tree, forest or sum of small tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.kernel.budget import Accountant
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.kinds import ANY_COLUMN, COLUMNS, DELTA, FLAG, argument, choice, whole
from dpselect.queries.learners import estimator, size_of
from dpselect.release.release import Release

_MODELS = {"boosted": "boosted (a sum of small tables)", "id3": "id3 (a child for each value)"}
_LEFT_OUT = "leave the row out"
# Choices of a model, beside epsilon.
_CHOICES = (
    "delta", "max_depth", "rounds", "interactions", "n_trees", "n_records", "bins", "unknown", "missing",
)  # fmt: skip


@dataclass(frozen=True)
class Trained(Release[Any]):
    """A model as it may be published: an estimator, fitted, unless this is an example."""

    @property
    def _answer(self) -> dict[str, str]:
        from dpselect.learn.export import answer_of

        return answer_of(self.value) if hasattr(self.value, "attributes_") else {"model": self.mechanism}

    @property
    def _protects(self) -> str | None:
        protects: str | None = self.value._protects
        return protects


class Train(Query[Any]):
    """A model that predicts one column from others.

    Attributes:
        target: the column to be predicted: its public values are classes, or its bounds those of a number.
        features: columns to learn from, without the target; all other columns where none are named.
        model: a tree, a sum of small tables (``boosted``), a tree with a child for each value (``id3``) or a forest;
            numbers are predicted by a tree or a sum.
        delta: of a sum or a forest: a small probability that epsilon is exceeded. Without it there is none.
        max_depth: levels of splits of a tree.
        rounds: the number of small tables of a sum.
        interactions: of a sum: without them, it is one curve for each column.
        n_trees: of a forest, or the number of trees of id3 that share epsilon.
        n_records: of a tree: about how many rows there are, if that is public; then nothing is spent to find out.
        bins: into which a column of numbers is cut.
        unknown: a value outside its domain is moved to the nearest, or its row is left out.
        missing: the row of a missing value is left out, or it is a category.
    """

    name = "train"
    title = "Train a model"

    target: str = argument(ANY_COLUMN, "the column to be predicted", kw_only=False, label="Column to predict")
    features: Sequence[str] | None = argument(
        COLUMNS, "columns to learn from; all others where none are named", default=None, label="Columns to learn from"
    )
    model: str = argument(
        choice("tree", "boosted", "id3", "forest", labels=_MODELS),
        "the kind of model; numbers are predicted by the first two",
        default="tree",
    )  # fmt: skip
    delta: Epsilon | None = argument(
        DELTA, "of boosted and forest, a small probability that epsilon is exceeded", default=None, rare=True
    )
    max_depth: int | None = argument(
        whole(1, 24), "levels of splits of a tree", default=None, label="Levels of a tree", rare=True
    )
    rounds: int | None = argument(
        whole(1, 2000), "of boosted, the number of small tables", default=None, label="Number of small tables",
        rare=True,
    )  # fmt: skip
    interactions: bool | None = argument(
        FLAG, "of boosted; without them it is one curve for each column", default=None,
        label="Tables of several columns", rare=True,
    )  # fmt: skip
    n_trees: int | None = argument(
        whole(1, 64), "of forest and id3, the number of trees", default=None, label="Number of trees", rare=True
    )
    n_records: int | None = argument(
        whole(1, 10**15), "of tree, about how many rows there are, where that is public", default=None,
        label="Number of rows", rare=True,
    )  # fmt: skip
    bins: int | None = argument(
        whole(2, 1000), "the number of bins of a column of numbers", default=None, label="Number of bins", rare=True
    )
    unknown: str = argument(
        choice("clip", "ignore", labels={"clip": "move to the nearest value", "ignore": _LEFT_OUT}),
        "a value outside its domain is moved to the nearest, or its row is left out",
        default="clip", label="Values outside the domain", rare=True,
    )  # fmt: skip
    missing: str = argument(
        choice("ignore", "category", labels={"ignore": _LEFT_OUT, "category": "a category of their own"}),
        "the row of a missing value is left out, or it is a category", default="ignore",
        label="Missing values", rare=True,
    )  # fmt: skip

    def require(self) -> None:
        """Refuse a target among the features, and a feature that is named twice."""
        if self.features is not None and self.target in self.features:
            raise QueryError("A column cannot be both target and feature: leave the target out.", "features")
        if self.features is not None and len({*self.features}) != len(self.features):
            raise QueryError("A column is named twice: name each once.", "features")

    def candidates(self, dataset: Dataset) -> int:
        """Return the size of the model in public candidates; models that do not suit the target are refused."""
        features = self._features(dataset)
        if not features:
            raise QueryError("A model needs at least one feature: describe other columns than the target.", "features")
        try:
            return size_of(self._model(dataset, None), features)
        except TypeError as error:
            # It follows from public facts alone.
            raise QueryError(str(error)) from None

    def is_long(self, dataset: Dataset) -> bool:  # noqa: ARG002
        """Return that it takes as long as there are rows."""
        return True

    def release(self, data: QueryData, accountant: Accountant) -> Trained:
        """Return the fitted model."""
        model, features = self._model(data.dataset, accountant), self._features(data.dataset)
        model.fit(columns.cells(data, *features, self.target), self.target)
        # It is paid for: another fit is a question of its own.
        model.set_params(ledger=None)
        return self._trained(model, model.privacy_spent_)

    def example(self, data: QueryData, accountant: Accountant) -> Trained:
        """Return a model before its fit, rehearsed without rows; its cost is spent from the accountant."""
        model = self._model(data.dataset, accountant)
        model.rehearse(self._features(data.dataset))
        guarantee = model._promise(exact_epsilon(self.epsilon))
        accountant.spend(guarantee, mechanism=type(model).__name__, note=model._note())
        return self._trained(model, guarantee)

    def attached(self, release: Release[Any]) -> dict[str, Any]:
        """Return the model as the library stores it, in JSON."""
        from dpselect.learn.export import as_json

        return {"model": json.loads(as_json(release.value))}

    def received(self, content: Mapping[str, Any], example: Release[Any]) -> Release[Any]:
        """Return the fitted estimator, after comparing it with the certificate (``ValueError``: another one)."""
        from dpselect.learn.export import answer_of, restored

        model = restored(content["model"])
        if answer_of(model) != content["answer"]:
            raise ValueError("This is not the model of its certificate.")
        return replace(example, value=model)

    def words(self) -> str:
        """Return the query in words."""
        learned = "the other columns" if self.features is None else ", ".join(self.features)
        return f"How is {self.target} predicted from {learned}, by the model {self.model}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the domains, the rows per person and the choices of the model."""
        shown = {name: _shown(dataset, name) for name in (self.target, *self._features(dataset))}
        chosen = {name: value for name, value in self._chosen().items() if name != "epsilon"}
        rows = columns.grouping_facts(dataset, None)
        return {"target": self.target, "domains": shown} | chosen | rows

    def _features(self, dataset: Dataset) -> tuple[str, ...]:
        # Models learn from numbers and values.
        known = {name for name, domain in dataset.columns.items() if not isinstance(domain, DateDomain)}
        others = tuple(name for name in dataset.columns if name != self.target and name in known)
        return others if self.features is None else tuple(self.features)

    def _chosen(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _CHOICES}
        return {"epsilon": self.epsilon} | {name: value for name, value in given.items() if value is not None}

    def _model(self, dataset: Dataset, accountant: Accountant | None) -> Any:
        return estimator(self.model, dataset, self.target, self._features(dataset), self._chosen(), accountant)

    def _trained(self, model: Any, guarantee: Guarantee) -> Trained:
        """Return a model with its promise, and with the error that was known before the fit."""
        bound: ErrorBound = model.error_bound_for(len(getattr(model, "classes", None) or ()))
        return Trained(model, type(model).__name__, guarantee, error_bound=bound)


def _shown(dataset: Dataset, column: str) -> Any:
    known = dataset.columns[column]
    return columns.grid_bounds(known) if isinstance(known, NumericDomain) else [*dataset.groups(column)]

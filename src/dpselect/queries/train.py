"""A model that is learned from the rows: a private tree, forest or sum of small tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.kernel.errors import InputError
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import (
    ANY_COLUMN,
    COLUMNS,
    DELTA,
    FLAG,
    IMPORTANCE,
    MECHANISM,
    argument,
    choice,
    share_or,
    whole,
)

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.guarantee import Guarantee
    from dpselect.kernel.numbers import Epsilon
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.mechanisms.error_bound import ErrorBound
    from dpselect.queries.model_release import ModelRelease
    from dpselect.release.release import Release

# As the learner knows them, which is not read for a page of help.
CRITERIA = ("information-gain", "max-operator", "max-operator-winner", "gini", "misclassified")
_MODELS = {"boosted": "boosted (a sum of small tables)", "id3": "id3 (a child for each value)"}
_LEFT_OUT = "leave the row out"
# Choices of a model, beside epsilon.
_CHOICES = (
    "delta", "max_depth", "rounds", "interactions", "n_trees", "n_records", "bins", "unknown", "missing", "mechanism",
    "criterion", "goal", "importance", "population", "generations", "output", "threshold",
)  # fmt: skip
_AUTO = "auto"
# As dpselect.learn knows it.
THRESHOLD = share_or("base-rate")


class Train(Query[Any]):
    """A model that predicts one column from others.

    Attributes:
        target: the column to be predicted: its public values are classes, or its bounds those of a number.
        features: columns to learn from, without the target; all other columns where none are named.
        model: a tree, a sum of small tables (``boosted``), a tree with a child for each value (``id3``), a forest, or a
            tree for several goals (``evolutionary``); numbers are predicted by a tree or a sum. ``auto`` is a tree, but
            with a delta what :func:`dpselect.learn.learner_choice` says of ``n_records``.
        delta: of a sum or a forest: a small probability that epsilon is exceeded. Without it there is none.
        max_depth: levels of splits of a tree.
        rounds: the number of small tables of a sum.
        interactions: of a sum: without them, it is one curve for each column.
        n_trees: of a forest, or the number of trees of id3 that share epsilon.
        n_records: of a tree: about how many rows there are, if that is public; then nothing is spent to find out.
        bins: into which a column of numbers is cut.
        unknown: a value outside its domain is moved to the nearest, or its row is left out.
        missing: the row of a missing value is left out, or it is a category.
        threshold: of classes: a public share from which the second of two is the label, or ``"base-rate"``.
        mechanism: of id3 and evolutionary: selects.
        criterion: of id3: how a split is judged; LocalDiffPID3 is ``information-gain`` with ``local-dampening``.
        goal: of evolutionary: how recalls of classes are combined.
        importance: of evolutionary: what recognising a class counts, as ``"yes=2"``; 1 where it is not named.
        population, generations: of evolutionary: how many trees are tried at a time, and how often before the last.
        output: of evolutionary: how many trees are returned, best first.
    """

    name = "train"
    form = "model"
    needs_description = True
    examples: ClassVar[tuple[str, ...]] = ("train survey.toml rich --epsilon 1 --out model.json",)
    title = "Train a model"

    target: str = argument(ANY_COLUMN, "the column to be predicted", kw_only=False, label="Column to predict")
    features: Sequence[str] | None = argument(
        COLUMNS, "columns to learn from; all others where none are named", default=None, label="Columns to learn from"
    )
    model: str = argument(
        choice(_AUTO, "tree", "boosted", "id3", "forest", "evolutionary", labels=_MODELS),
        "the kind of model; numbers are predicted by a tree or boosted; auto is a tree, and with a delta boosted where "
        "the number of rows times epsilon is at least 500",
        default=_AUTO,
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

    threshold: float | str | None = argument(
        THRESHOLD, "of two classes, the least share at which the second is the label; base-rate, of any, labels by the "
        "share over that among all rows: where one class is rare",
        default=None, label="Threshold of labels", rare=True, example="0.2",
    )  # fmt: skip
    mechanism: str | None = argument(
        MECHANISM, "of id3 and evolutionary, the mechanism that selects", default=None, rare=True
    )
    criterion: str | None = argument(
        choice(*CRITERIA),
        "of id3, how a split is judged (usually max-operator); LocalDiffPID3 is information-gain with the mechanism "
        "local-dampening",
        default=None, rare=True,
    )  # fmt: skip
    goal: str | None = argument(
        choice("weighted", "pareto"), "of evolutionary, how recalls of classes are combined", default=None, rare=True
    )
    importance: Sequence[str] | None = argument(
        IMPORTANCE, "of evolutionary, what recognising a class counts; 1 where it is not named", default=None,
        rare=True, example="yes=2",
    )  # fmt: skip
    population: int | None = argument(
        whole(2, 1000), "of evolutionary, how many trees are tried at a time", default=None, rare=True
    )
    generations: int | None = argument(
        whole(1, 50), "of evolutionary, rounds of selection before the last", default=None, rare=True
    )
    output: int | None = argument(
        whole(1, 100), "of evolutionary, how many trees are returned, best first", default=None, rare=True
    )

    def require(self) -> None:
        """Refuse a target among the features, and a feature that is named twice."""
        if self.features is not None and self.target in self.features:
            raise QueryError("A column cannot be both target and feature: leave the target out.", "features")
        if self.features is not None and len({*self.features}) != len(self.features):
            raise QueryError("A column is named twice: name each once.", "features")

    def candidates(self, dataset: Dataset) -> int:
        """Return the size of the model in public candidates; models that do not suit the target are refused."""
        from dpselect.queries.learners import size_of

        features = self._features(dataset)
        if dataset.stays and dataset.person is not None:
            raise QueryError(
                "Persons are told apart in a table that is read into memory: leave in_place and person out."
            )
        if not columns.is_numeric(dataset, self.target) and len(dataset.groups(self.target)) < 2:
            raise QueryError("A target has at least two classes, or the bounds of a number: describe them.", "target")
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

    def release(self, data: QueryData, accountant: Accountant) -> ModelRelease:
        """Return the fitted model."""
        dataset, features = data.dataset, self._features(data.dataset)
        model = self._model(dataset, accountant)
        if dataset.stays:
            with data.engine() as engine:
                model.fit(engine.only([*features, self.target]), self.target)
        else:
            model.fit(columns.cells(data, *features, self.target), self.target)
        # It is paid for: another fit is a question of its own.
        model.set_params(ledger=None)
        return self._model_release(model, model.privacy_spent_)

    def example(self, data: QueryData, accountant: Accountant) -> ModelRelease:
        """Return a model before its fit, after a dry run without rows; its cost is spent from the accountant."""
        from dpselect.kernel.numbers import exact_epsilon

        model = self._model(data.dataset, accountant)
        model.rehearse(self._features(data.dataset))
        guarantee = model._promise(exact_epsilon(self.epsilon))
        accountant.spend(guarantee, mechanism=type(model).__name__, note=model._note())
        return self._model_release(model, guarantee)

    def attachments(self, release: Release[Any]) -> dict[str, Any]:
        """Return the model as the library stores it, in JSON."""
        from dpselect.learn.export import as_json

        return {"model": json.loads(as_json(release.value))}

    def read_reply(self, content: Mapping[str, Any], example: Release[Any]) -> Release[Any]:
        """Return the fitted estimator, after comparing it with the certificate (``ValueError``: another one)."""
        from dpselect.learn.export import answer_of, restore_model

        model = restore_model(content["model"])
        if answer_of(model) != content["answer"]:
            raise InputError("This is not the model of its certificate.")
        return replace(example, value=model)

    def words(self) -> str:
        """Return the query in words."""
        learned = "the other columns" if self.features is None else ", ".join(self.features)
        by = "" if self.model == _AUTO else f", by the model {self.model}"
        return f"How is {self.target} predicted from {learned}{by}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the domains, the rows per person and the choices of the model."""
        shown = {name: _domain_facts(dataset, name) for name in (self.target, *self._features(dataset))}
        chosen = {name: value for name, value in self._given_choices().items() if name != "epsilon"}
        rows = columns.grouping_facts(dataset, None)
        return {"target": self.target, "domains": shown} | chosen | rows

    def _features(self, dataset: Dataset) -> tuple[str, ...]:
        # Models learn from numbers and values.
        others = tuple(
            name for name, domain in dataset.columns.items() if name != self.target and ANY_COLUMN.takes(domain)
        )
        return others if self.features is None else tuple(self.features)

    def _given_choices(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _CHOICES}
        return {"epsilon": self.epsilon} | {name: value for name, value in given.items() if value is not None}

    def why(self, dataset: Dataset) -> str | None:
        """Return why this kind of model learns, where a rule chose it."""
        return self._kind_and_reason(dataset)[1]

    def learner(self, dataset: Dataset) -> str:
        """Return the kind of model that learns, also where a rule chooses it."""
        return self._kind_and_reason(dataset)[0]

    def _kind_and_reason(self, dataset: Dataset) -> tuple[str, str | None]:
        """Return the kind of model, and why a rule chose it."""
        if self.model != _AUTO or self.delta is None:
            # A budget without a delta pays for a tree.
            return ("tree" if self.model == _AUTO else self.model), None
        from dpselect.learn.learner_choice import recommend_learner

        rows = dataset.rows_per_person if dataset.person is not None else 1
        choice = recommend_learner(self.epsilon, self.delta, n_records=self.n_records, rows_per_person=rows)
        return choice.learner, choice.why

    def _model(self, dataset: Dataset, accountant: Accountant | None) -> Any:
        from dpselect.queries.learners import estimator

        model, why = self._kind_and_reason(dataset)
        features = self._features(dataset)
        return estimator(
            model, dataset, self.target, features, self._given_choices(), accountant, ruled=why is not None
        )

    def _model_release(self, model: Any, guarantee: Guarantee) -> ModelRelease:
        """Return a model with its promise, and with the error that was known before the fit."""
        from dpselect.queries.model_release import ModelRelease

        bound: ErrorBound = model.error_bound_for(len(getattr(model, "classes", None) or ()))
        return ModelRelease(model, type(model).__name__, guarantee, error_bound=bound)


def _domain_facts(dataset: Dataset, column: str) -> Any:
    return columns.bounds(dataset, column) if columns.is_numeric(dataset, column) else [*dataset.groups(column)]

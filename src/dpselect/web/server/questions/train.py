"""A model that is learned from the rows: a private tree, forest or sum of small tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from dpselect.kernel.budget import Accountant
from dpselect.kernel.guarantee import Guarantee
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.release.release import Release
from dpselect.web.server.facts import DatasetFacts, Numbers
from dpselect.web.server.questions.learners import estimator, require_small
from dpselect.web.server.questions.question import NO_COLUMN, ColumnName, Data, Delta, Question
from dpselect.web.server.refusal import Wrong

_Whole = Annotated[int, Field(ge=1)]
# What an analyst chooses of a model, beside epsilon.
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


class Train(Question):
    """A model that predicts one column from others.

    Attributes:
        target: the column to be predicted: its public values are classes, or its bounds those of a number.
        features: the target cannot be one of them; where none are named, all other columns are.
        model: a tree, a sum of small tables (``boosted``), a tree with a child for each value (``id3``) or a forest;
            numbers are predicted by a tree or a sum.
        delta: of a sum or a forest: a small chance that epsilon is exceeded. Without it there is none.
        max_depth: levels of splits of a tree.
        rounds: how many small tables a sum has.
        interactions: of a sum: without them, it is one curve for each column.
        n_trees: of a forest, or how many trees of id3 share epsilon.
        n_records: of a tree: about how many rows there are, if that is public; then nothing is spent to find out.
        bins: into which a column of numbers is cut.
        unknown: what becomes of a value outside its domain: moved to the nearest, or its row left out.
        missing: what becomes of a missing value: its row is left out, or it is a category.
    """

    question: Literal["train"]
    target: ColumnName
    features: Annotated[tuple[ColumnName, ...], Field(min_length=1, max_length=500)] | None = None
    model: Literal["tree", "boosted", "id3", "forest"] = "tree"
    delta: Delta | None = None
    max_depth: Annotated[_Whole, Field(le=24)] | None = None
    rounds: Annotated[_Whole, Field(le=2000)] | None = None
    interactions: bool | None = None
    n_trees: Annotated[_Whole, Field(le=64)] | None = None
    n_records: Annotated[_Whole, Field(le=10**15)] | None = None
    bins: Annotated[int, Field(ge=2, le=1000)] | None = None
    unknown: Literal["clip", "ignore"] = "clip"
    missing: Literal["ignore", "category"] = "ignore"

    def require(self, facts: DatasetFacts, most: int) -> None:
        """Refuse unknown columns, a target among the features, and models that could outgrow the server."""
        features = self._features(facts)
        if any(name not in facts.columns for name in (self.target, *features)):
            raise Wrong(NO_COLUMN)
        if self.target in features:
            raise Wrong("A column cannot be both target and feature: leave the target out of the features.")
        if not features or len({*features}) != len(features):
            raise Wrong("A model needs at least one feature, and each once: name other columns than the target.")
        try:
            require_small(self._model(facts, None), features, most)
        except (TypeError, ValueError) as error:
            # It follows from public facts alone.
            raise Wrong(str(error)) from None

    def is_long(self, facts: DatasetFacts) -> bool:  # noqa: ARG002
        """Return that it takes as long as there are rows."""
        return True

    def ask(self, data: Data, facts: DatasetFacts, ledger: Accountant) -> Trained:
        """Return the fitted model."""
        model, features = self._model(facts, ledger), self._features(facts)
        people = [] if facts.person is None else [facts.person]
        model.fit(data.table([*features, self.target, *people]), self.target)
        return self._trained(model, model.privacy_spent_)

    def example(self, facts: DatasetFacts, ledger: Accountant) -> Trained:
        """Return a model before its fit, rehearsed without rows; what a fit costs is spent from the ledger."""
        model = self._model(facts, ledger)
        model.rehearse(self._features(facts))
        guarantee = model._promise(self.epsilon)
        ledger.spend(guarantee, mechanism=type(model).__name__, note=model._note())
        return self._trained(model, guarantee)

    def attached(self, release: Release[Any]) -> dict[str, Any]:
        """Return the model as the library stores it, in JSON."""
        from dpselect.learn.export import as_json

        assert isinstance(release, Trained)
        return {"model": json.loads(as_json(release.value))}

    def words(self) -> str:
        """Return the question in words."""
        learned = "the other columns" if self.features is None else ", ".join(self.features)
        return f"How is {self.target} predicted from {learned}, by the model {self.model}?"

    def public(self, facts: DatasetFacts) -> dict[str, Any]:
        """Return the domains, the rows per person and what was chosen of the model."""
        shown = {name: self._shown(facts, name) for name in (self.target, *self._features(facts))}
        chosen = {name: value for name, value in self._chosen().items() if name != "epsilon"}
        rows = {} if facts.person is None else {"rows per person": facts.rows_per_person}
        return {"target": self.target, "domains": shown} | chosen | rows

    def _shown(self, facts: DatasetFacts, column: str) -> Any:
        known = facts.columns[column]
        return known.bounds if isinstance(known, Numbers) else [*known]

    def _features(self, facts: DatasetFacts) -> tuple[str, ...]:
        others = tuple(name for name in facts.columns if name != self.target)
        return others if self.features is None else self.features

    def _chosen(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _CHOICES}
        return {"epsilon": self.epsilon} | {name: value for name, value in given.items() if value is not None}

    def _model(self, facts: DatasetFacts, ledger: Any) -> Any:
        return estimator(self.model, facts, self.target, self._features(facts), self._chosen(), ledger)

    def _trained(self, model: Any, guarantee: Guarantee) -> Trained:
        """Return a model with its promise, and with what was known of the error before the fit."""
        bound: ErrorBound = model.error_bound_for(len(getattr(model, "classes", None) or ()))
        return Trained(model, type(model).__name__, guarantee, error_bound=bound)

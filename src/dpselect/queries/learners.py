"""Models that a query trains: the arguments that each takes, and how large they may become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.dataset import Dataset, NumericDomain
from dpselect.queries.base import QueryError
from dpselect.queries.columns import edges

CLASSIFIERS = {
    "tree": "DPTreeClassifier",
    "boosted": "DPBoostedTreesClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
    "evolutionary": "DPEvolutionaryTreeClassifier",
}
REGRESSORS = {"tree": "DPTreeRegressor", "boosted": "DPBoostedTreesRegressor"}
# Which models take an argument that not all take.
TAKES = {
    "delta": ("boosted", "forest"),
    "rounds": ("boosted",),
    "interactions": ("boosted",),
    "max_depth": ("tree", "id3", "forest", "evolutionary"),
    "n_trees": ("id3", "forest"),
    "n_records": ("tree",),
    "threshold": ("tree", "boosted", "forest"),
    "mechanism": ("id3", "evolutionary"),
    "criterion": ("id3",),
    "goal": ("evolutionary",),
    "importance": ("evolutionary",),
    "population": ("evolutionary",),
    "generations": ("evolutionary",),
    "output": ("evolutionary",),
}
# What the rule asks for that chooses a model, whether or not that model takes it.
OF_THE_RULE = ("delta", "n_records")
# Of one level of a tree that the server grows: nodes times codes times classes for each candidate of the limits.
CELLS = 100
# Of a tree with a child for each value, whose size follows from public facts alone.
MOST_LEAVES = 4096
# Levels of a forest's trees: of more, one answer takes many megabytes.
_FOREST = 10


def domain_of(dataset: Dataset, column: str) -> Any:
    """Return the public domain of a column as estimators take it: a pair for numbers, else each value."""
    known = dataset.domain(column)
    if isinstance(known, tuple):
        bins = edges(dataset, column)
        return np.array(bins, dtype=float) if bins else known
    # A list of two numbers would read like the ends of a range.
    values = np.empty(len(known), dtype=object)
    values[:] = known
    return values


def estimator(
    model: str,
    dataset: Dataset,
    target: str,
    features: tuple[str, ...],
    asked: Mapping[str, Any],
    ledger: Any,
    *,
    ruled: bool = False,
) -> Any:
    """Return an estimator of the library with the public facts of a dataset, which spends from the ledger.

    Args:
        model: one of those above.
        dataset: its description.
        target: the column to be predicted: classes where it has values, else a number.
        features: the columns to learn from.
        asked: what the analyst chose: epsilon, and arguments that this model takes.
        ledger: what pays.
        ruled: whether a rule chose the model, which may not take what the rule asks for.

    Raises:
        QueryError: there is no such model of such a target, or it does not take an argument.
    """
    from dpselect import learn

    number = isinstance(dataset.columns[target], NumericDomain)
    kinds = REGRESSORS if number else CLASSIFIERS
    if model not in kinds:
        raise QueryError(
            f"The model {model} learns classes, and {target} is a number: ask for {' or '.join(kinds)}.", "model"
        )
    settings = dict(asked)
    if not number:
        _require_two_classes(asked, target, len(dataset.groups(target)))
    for name in asked.keys() & TAKES.keys():
        if number and name in ("n_records", "threshold") and not (ruled and name in OF_THE_RULE):
            raise QueryError("this goes with a target of classes: leave it out.", name)
        if model not in TAKES[name] and not (ruled and name in OF_THE_RULE):
            *most, last = TAKES[name]
            listed = f"{', '.join(most)} or {last}" if most else last
            also = f", or name the model, because a rule leads to {model} here" if ruled else ""
            raise QueryError(f"this goes with the model {listed}: leave it out{also}.", name)
        if model not in TAKES[name] or (number and name == "n_records"):
            del settings[name]
    if model in TAKES["delta"]:
        # Without a delta the promise is pure.
        settings.setdefault("delta", 0)
    if model == "forest":
        settings["max_depth"] = min(settings.get("max_depth", _FOREST), _FOREST)
    if model == "id3":
        settings["max_leaves"] = MOST_LEAVES
    if "importance" in settings:
        settings["importance"] = _importance(settings["importance"], dataset.groups(target))
    settings |= {"target": domain_of(dataset, target)} if number else {"classes": [*dataset.groups(target)]}
    if dataset.person is not None:
        settings |= {"person": dataset.person, "rows_per_person": dataset.rows_per_person}
    return getattr(learn, kinds[model])(
        domains={name: domain_of(dataset, name) for name in features}, ledger=ledger, **settings
    )


def _require_two_classes(asked: Mapping[str, Any], target: str, classes: int) -> None:
    """Refuse a share as a threshold of other than two classes (``QueryError``)."""
    if isinstance(asked.get("threshold"), float) and classes != 2:
        raise QueryError(f"a share is for two classes, and {target} has {classes}: ask for base-rate.", "threshold")


def _importance(pairs: Sequence[str], classes: Sequence[Any]) -> dict[Any, Fraction]:
    """Return what recognising each class counts."""
    named, weights = {str(each): each for each in classes}, dict[Any, Fraction]()
    for pair in pairs:
        name, _, value = pair.rpartition("=")
        if name not in named:
            raise QueryError(f"{pair}: write CLASS=NUMBER with one of {', '.join(named)}.", "importance")
        if named[name] in weights:
            raise QueryError(f"{name} is named twice: give each class once.", "importance")
        weights[named[name]] = Fraction(value)
    return weights


def size_of(model: Any, features: tuple[str, ...]) -> int:
    """Return how large a model is to train, in public candidates, by public facts alone.

    That is the codes of all columns for each class; of a tree that may grow so far that its levels hold more than that
    many times :data:`CELLS`, as many as they hold, divided by it.

    Args:
        model: the estimator.
        features: the columns to learn from.
    """
    from dpselect.learn.size_limits import leaves_of_binary, leaves_of_multiway

    columns = model._reading().columns(features)
    codes, classes = sum(each.size for each in columns), len(getattr(model, "classes", None) or ()) or 2
    leaves = 1
    if type(model).__name__ in (CLASSIFIERS["tree"], REGRESSORS["tree"]):
        leaves = leaves_of_binary(columns, min(model.max_depth or _DEEPEST, _DEEPEST))
    elif type(model).__name__ == CLASSIFIERS["id3"]:
        leaves = min(leaves_of_multiway(columns, model.max_depth), MOST_LEAVES)
    elif type(model).__name__ == CLASSIFIERS["evolutionary"]:
        trees = model.population * (model.generations + 1)
        leaves = trees * leaves_of_binary(columns, min(model.max_depth, _DEEPEST))
    return int(max(codes * classes, -(-leaves * codes * classes // CELLS)))


# Levels of the trees that choose their own depth.
_DEEPEST = 8

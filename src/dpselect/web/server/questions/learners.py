"""Which models the server trains, with the arguments that each takes, and how large they may become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpselect.web.server.facts import DatasetFacts, Numbers
from dpselect.web.server.refusal import Wrong

CLASSIFIERS = {
    "tree": "DPTreeClassifier",
    "boosted": "DPBoostedTreesClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
}
REGRESSORS = {"tree": "DPTreeRegressor", "boosted": "DPBoostedTreesRegressor"}
# Which models take an argument that not all take.
TAKES = {
    "delta": ("boosted", "forest"),
    "rounds": ("boosted",),
    "interactions": ("boosted",),
    "max_depth": ("tree", "id3", "forest"),
    "n_trees": ("id3", "forest"),
    "n_records": ("tree",),
}
# Of one level of a tree that the server grows: nodes times codes times classes for each candidate of the limits.
_CELLS = 100
# Of a tree with a child for each value, whose size follows from public facts alone.
MOST_LEAVES = 4096
# Levels of a forest's trees: of more, one answer takes many megabytes.
_FOREST = 10


def domain_of(facts: DatasetFacts, column: str) -> Any:
    """Return the public domain of a column as estimators take it: a pair for numbers, else each value."""
    known = facts.columns[column]
    if isinstance(known, Numbers):
        bounds = known.bounds
        return bounds["lower"], bounds["upper"]
    # A list of two numbers would read like the ends of a range.
    values = np.empty(len(known), dtype=object)
    values[:] = known
    return values


def estimator(
    model: str, facts: DatasetFacts, target: str, features: tuple[str, ...], asked: Mapping[str, Any], ledger: Any
) -> Any:
    """Return an estimator of the library with the public facts of a dataset, which spends from the ledger.

    Args:
        model: one of those above.
        facts: of the dataset.
        target: the column to be predicted: classes where it has values, else a number.
        features: the columns to learn from.
        asked: what the analyst chose: epsilon, and arguments that this model takes.
        ledger: what pays.

    Raises:
        Wrong: there is no such model of such a target, or it does not take an argument.
    """
    from dpselect import learn

    known = facts.columns[target]
    number = isinstance(known, Numbers)
    kinds = REGRESSORS if number else CLASSIFIERS
    if model not in kinds:
        raise Wrong(f"The model {model} learns classes and this target is a number: ask for {' or '.join(kinds)}.")
    for name in asked.keys() & TAKES.keys():
        if model not in TAKES[name] or (number and name == "n_records"):
            raise Wrong(f"{name} does not go with the model {model} of this target: leave it out.")
    settings = dict(asked)
    if model in TAKES["delta"]:
        # Without a delta the promise is pure.
        settings.setdefault("delta", 0)
    if model == "forest":
        settings["max_depth"] = min(settings.get("max_depth", _FOREST), _FOREST)
    if model == "id3":
        settings["max_leaves"] = MOST_LEAVES
    settings |= {"target": domain_of(facts, target)} if number else {"classes": [*_values(known)]}
    if facts.person is not None:
        settings |= {"person": facts.person, "rows_per_person": facts.rows_per_person}
    return getattr(learn, kinds[model])(
        domains={name: domain_of(facts, name) for name in features}, ledger=ledger, **settings
    )


def _values(known: Any) -> tuple[Any, ...]:
    assert not isinstance(known, Numbers)
    return tuple(known)


def require_small(model: Any, features: tuple[str, ...], most: int) -> None:
    """Refuse a model whose training could take too much time or memory, by public facts alone.

    Args:
        model: the estimator.
        features: the columns to learn from.
        most: how many public candidates one question may have.

    Raises:
        Wrong: say what to lower.
    """
    from dpselect.learn.room import leaves_of_binary, leaves_of_multiway

    columns = model._reading().columns(features)
    codes, classes = sum(each.size for each in columns), len(getattr(model, "classes", None) or ()) or 2
    if codes * classes > most:
        raise Wrong(
            f"These columns have {codes} public values and bins, for {classes} classes, and the server allows {most} "
            "in all: name fewer features, or ask for fewer bins."
        )
    leaves = 1
    if type(model).__name__ in (CLASSIFIERS["tree"], REGRESSORS["tree"]):
        leaves = leaves_of_binary(columns, min(model.max_depth or _DEEPEST, _DEEPEST))
    elif type(model).__name__ == CLASSIFIERS["id3"]:
        leaves = min(leaves_of_multiway(columns, model.max_depth), MOST_LEAVES)
    if leaves * codes * classes > _CELLS * most:
        raise Wrong(
            f"A tree of {leaves} leaves over {codes} public values and bins is too large for this server: ask for a "
            "smaller max_depth, fewer features or fewer bins."
        )


# Levels of the trees that choose their own depth.
_DEEPEST = 8

"""The parts of a page that show a model: the drawn tree, or the curves of a sum of small tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.learn.export import tree_text
from dpselect.learn.pages.drawn_curves import drawn_curve
from dpselect.learn.pages.drawn_tree import MOST_LEAVES, drawn_tree

MOST_CURVES = 24
_WHOLE = " Splits that say no more than noise are not drawn; predictions use the whole tree."


def of_trees(model: Any) -> dict[str, Any]:
    """Return the first tree, drawn and as text."""
    tree = getattr(model, "drawn_", model.trees_[0])
    several = len(model.trees_) > 1
    fits = tree.leaves.size <= MOST_LEAVES
    return {
        "title": f"The {f'first of {len(model.trees_)} trees' if several else 'tree'}",
        "leaves": tree.leaves.size,
        "how": _read(model) + (_WHOLE if tree is not model.trees_[0].grown else ""),
        "drawn": drawn_tree(model, tree) if fits else None,
        "text": tree_text(model, tree) if fits else "",
    }


def is_forest(model: Any) -> bool:
    """Return whether several trees predict together; a tree of a forest is large, and predicts nothing alone."""
    return len(getattr(model, "trees_", ())) > 1 and hasattr(model, "n_trees")


def _read(model: Any) -> str:
    """Return in words how the drawing of a tree is read."""
    if not hasattr(model, "classes_"):
        return (
            "A record goes from left to right, along the conditions it meets, to a value. In brackets stands the noisy "
            "number of records that was released there."
        )
    words = "A record goes from left to right, along the conditions it meets, to a label."
    if model._counted:
        words += " Bars and numbers are the noisy class counts that were released there."
    return words


def of_curves(model: Any) -> dict[str, Any]:
    """Return the curve of every column that matters most; the number of tables where they are not curves."""
    if not model.model_.additive:
        return {"tables": len(model.model_.tiles)}
    curves = model.curves_
    order = np.argsort(-np.asarray(model.feature_importances_), kind="stable").tolist()
    most = max(float(np.abs(curve).max()) for curve in curves)
    start = np.asarray(model.intercept_)
    chosen = [(model.attributes_[place], curves[place]) for place in order[:MOST_CURVES]]
    return {
        "tables": None,
        "start": f"{start[0]:.4g}",
        "scores": [f"{value:+.2f}" for value in start],
        "cards": [(attribute.name, drawn_curve(attribute, curve, most)) for attribute, curve in chosen],
        "more": max(0, len(order) - MOST_CURVES),
    }

"""The parts of a page that show a model: the drawn tree, or the curves of a sum of small tables."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from dpselect.learn.export import tree_text
from dpselect.learn.pages.drawn_curves import drawn_curve
from dpselect.learn.pages.drawn_tree import MOST_LEAVES, drawn_tree

MOST_CURVES = 24
_WHOLE = " Splits that say no more than noise are not drawn; predictions use the whole tree."


def of_trees(model: Any) -> Iterator[str]:
    """Yield the first tree, drawn and as text."""
    tree = getattr(model, "drawn_", model.trees_[0])
    several = len(model.trees_) > 1
    yield f"<h2>The {'first of ' + str(len(model.trees_)) + ' trees' if several else 'tree'}</h2>"
    if tree.leaves.size > MOST_LEAVES:
        yield f"<p>It has {tree.leaves.size} leaves, too many to draw: export_text() lists them all.</p>"
        return
    yield f"<p>{_read(model)}{_WHOLE if tree is not model.trees_[0].grown else ''}</p>"
    drawn = f'<div class="wide">{drawn_tree(model, tree)}</div>'
    # A tree of a forest is large, and predicts nothing alone.
    yield f"<details><summary>Show it</summary>{drawn}</details>" if is_forest(model) else drawn
    yield f"<details><summary>The same as text</summary><pre>{escape(tree_text(model, tree))}</pre></details>"


def is_forest(model: Any) -> bool:
    """Return whether several trees predict together."""
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


def of_curves(model: Any) -> Iterator[str]:
    """Yield the curve of every column that matters most, or why there are none."""
    yield "<h2>What each value does</h2>"
    if not model.model_.additive:
        yield (
            f"<p>This model adds {len(model.model_.tiles)} small tables, some of several columns, so no curve of a "
            "single column tells what it does. A model learned with interactions=False is a sum of curves.</p>"
        )
        return
    yield f"<p>{_explained(model)}</p>"
    curves = model.curves_
    order = np.argsort(-np.asarray(model.feature_importances_), kind="stable").tolist()
    most = max(float(np.abs(curve).max()) for curve in curves)
    yield '<div class="cards">'
    for place in order[:MOST_CURVES]:
        attribute = model.attributes_[place]
        yield f"<figure><figcaption>{escape(str(attribute.name))}</figcaption>"
        yield f"{drawn_curve(attribute, curves[place], most)}</figure>"
    yield "</div>"
    if len(order) > MOST_CURVES:
        yield f"<p>The {len(order) - MOST_CURVES} columns that matter less are not drawn.</p>"


def _explained(model: Any) -> str:
    """Return in words how curves are read."""
    start = np.asarray(model.intercept_)
    if not hasattr(model, "classes_"):
        return (
            f"A prediction starts with {start[0]:.4g}, and each value of a record adds what its curve shows, in the "
            "units of the target; the sum is cut to where targets were found. Curves were learned under noise, and "
            "small bumps are noise."
        )
    names = [f"<b>{escape(str(label))}</b>" for label in model.classes_.tolist()]
    if start.size == 1:
        return (
            f"A record starts with a score of {start[0]:+.2f}, and each of its values adds what its curve shows. Above "
            f"zero, or to the right of it, a value speaks for {names[1]}, otherwise for {names[0]}; +1 multiplies the "
            "odds by 2.7. Curves were learned under noise, and small bumps are noise."
        )
    scores = ", ".join(f"{name} {value:+.2f}" for name, value in zip(names, start, strict=True))
    return (
        f"A record starts with a score for each class ({scores}), and each of its values adds what its curves show; "
        "the class of the highest score is the likeliest, and a lead of +1 multiplies its odds by 2.7. Curves were "
        "learned under noise, and small bumps are noise."
    )

"""One HTML page about a released model: what was asked, what is promised, its drawing, and which columns matter.

The page holds released figures and public facts only, and it needs no other file: no script, no font, no address.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from dpselect._display.markup import render
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.guarantee import Guarantee
from dpselect.learn.domains import Attribute
from dpselect.learn.export import tree_text
from dpselect.learn.pages.colours import colour_of
from dpselect.learn.pages.drawn_curves import drawn_curve
from dpselect.learn.pages.drawn_tree import MOST_LEAVES, drawn_tree
from dpselect.learn.pages.expected_labels import labels_told
from dpselect.learn.prune import prune_by_evidence
from dpselect.sources.output import Output

MOST_CURVES = 24
_WHOLE = " Splits whose sides differ no more than noise explains are not drawn; predictions use the whole tree."
_MOST_LISTED = 8


def save_html(model: Any, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the page of a fitted model, whole or not at all.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
        OSError: it cannot be written.
    """
    with Output(path, overwrite) as file:
        file.put(page_of(model).encode("utf-8", "backslashreplace"))


def page_of(model: Any) -> str:
    """Return the page of a fitted model."""
    trees, forest = hasattr(model, "trees_"), is_forest(model)
    return str(
        render(
            __package__,
            "model.html",
            title=_title(model),
            classes=_classes(model),
            bounds=[f"{end:g}" for end in getattr(model, "target_", ())],
            columns=[(attribute.name, _domain(attribute)) for attribute in model.attributes_],
            promise=_promise(model),
            forest=forest,
            tree=of_trees(model) if trees else None,
            curves=None if trees else of_curves(model),
            labels=_labels(model),
            importances=_importances(model),
        )
    )


def _title(model: Any) -> str:
    """Return what the model is."""
    if not hasattr(model, "trees_"):
        return "Private boosted trees"
    return f"A private forest of {len(model.trees_)} trees" if is_forest(model) else "A private decision tree"


def _classes(model: Any) -> list[tuple[str, str]]:
    """Return the classes with their colours; none of a regressor."""
    labels = model.classes_.tolist() if hasattr(model, "classes_") else []
    return [(str(label), colour_of(code)) for code, label in enumerate(labels)]


def _domain(attribute: Attribute) -> str:
    """Return a domain in words."""
    if attribute.edges is not None:
        bins = attribute.edges.size - 1
        words = f"{attribute.edges[0]:g} to {attribute.edges[-1]:g}, in {bins} bins"
    else:
        names = [str(each) for each in attribute.categories or ()]
        words = ", ".join(names[:_MOST_LISTED])
        if len(names) > _MOST_LISTED:
            words += f" and {len(names) - _MOST_LISTED} more"
    return words + ("; or missing" if attribute.missing else "")


def _promise(model: Any) -> dict[str, str] | None:
    """Return the guarantee in words; ``None`` where there is none."""
    guarantee = model.privacy_spent_
    if guarantee is None:
        return None
    whose = "any one record"
    if model.person is not None:
        are = "is" if model.rows_per_person == 1 else "are"
        whose = f"all records of any one person, of which at most {model.rows_per_person} {are} kept,"
    return {
        "figures": _figures(guarantee),
        "whose": whose,
        "factor": _factor(float(guarantee.epsilon)),
        # What a delta leaves open.
        "exception": f", plus delta = {format_exact(guarantee.delta)}" if guarantee.delta else "",
    }


def _figures(guarantee: Guarantee) -> str:
    parts = [f"epsilon = {format_exact(guarantee.epsilon)}"]
    parts += [f"delta = {format_exact(guarantee.delta)}"] if guarantee.delta else []
    parts += [f"rho = {float(guarantee.stated_rho):.4g}"] if guarantee.stated_rho is not None else []
    return ", ".join(parts)


def _factor(epsilon: float) -> str:
    return f" = {math.exp(epsilon):.3g}" if epsilon < 20 else ", which is so large that it protects hardly at all"


def _labels(model: Any) -> dict[str, Any] | None:
    """Return how well labels and ranks are expected to do; ``None`` without shares of two classes or more."""
    if not hasattr(model, "classes_") or len(model.classes_) < 2 or not getattr(model, "_counted", True):
        return None
    return labels_told(model)


def _importances(model: Any) -> dict[str, Any]:
    """Return a share for each column, the most important first."""
    moved = (
        "prediction" if not hasattr(model, "classes_") else "share of a class" if hasattr(model, "trees_") else "score"
    )
    shares = np.asarray(model.feature_importances_)
    order = np.argsort(-shares, kind="stable").tolist()
    told = [(model.attributes_[place].name, f"{100 * shares[place]:.1f}" if shares[place] else "") for place in order]
    return {"moved": moved, "shares": told, "any": bool(shares.any())}


def of_trees(model: Any) -> dict[str, Any]:
    """Return the first tree, drawn and as text."""
    tree = getattr(model, "drawn_", model.trees_[0])
    if hasattr(model, "forest_"):
        tree = prune_by_evidence(tree, model.forest_.noise)
    several = len(model.trees_) > 1
    fits = tree.leaves.size <= MOST_LEAVES
    return {
        "title": f"The {f'first of {len(model.trees_)} trees' if several else 'tree'}",
        "leaves": tree.leaves.size,
        "how": _read(model) + (_WHOLE if tree is not model.trees_[0].whole_tree else ""),
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
            "A record goes from left to right, along the conditions it meets, to a value. In brackets stand what noise "
            "leaves open of it, and the noisy number of records that was released there."
        )
    words = "A record goes from left to right, along the conditions it meets, to a label."
    if model._counted:
        words += (
            " Bars are the class shares that were released there, and after each share stands what noise leaves open."
        )
    return words


def of_curves(model: Any) -> dict[str, Any]:
    """Return the curve of every column that matters most."""
    curves = [each[:, 0] if each.shape[1] == 1 else each for each in model.partial_dependence_.curves]
    order = np.argsort(-np.asarray(model.feature_importances_), kind="stable").tolist()
    most = max(float(np.abs(curve).max()) for curve in curves)
    start = np.asarray(model.intercept_)
    chosen = [(model.attributes_[place], curves[place]) for place in order[:MOST_CURVES]]
    return {
        "tables": None if model.model_.additive else len(model.model_.tiles),
        "start": f"{start[0]:.4g}",
        "scores": [f"{value:+.2f}" for value in start],
        "cards": [(attribute.name, drawn_curve(attribute, curve, most)) for attribute, curve in chosen],
        "more": max(0, len(order) - MOST_CURVES),
    }

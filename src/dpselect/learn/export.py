"""Released trees as text, pictures, JSON and importances: post-processing of what was released."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.learn.domains import Attribute
from dpselect.learn.prune import errors_of
from dpselect.learn.tree import Tree
from dpselect.sources.output import Output

FORMAT = 1


def tree_text(model: Any, tree: Tree) -> str:
    """Return a tree as indented text, one line per node."""
    lines: list[str] = []

    def walk(node: int, words: str, indent: int) -> None:
        label, figures = label_of(model, tree, node)
        if tree.split[node] < 0:
            lines.append(f"{'|   ' * indent}{words}{': ' if words else ''}{label}{figures}")
            return
        if words:
            lines.append(f"{'|   ' * indent}{words}")
            indent += 1
        for child in tree.children(node).tolist():
            walk(child, tree.words(node, child), indent)

    walk(0, "", 0)
    return "\n".join(lines)


def path_words(model: Any, codes: Sequence[NDArray[np.int64]]) -> list[str]:
    """Return for every record the path to its label in the first tree, with the released counts there."""
    tree = model.trees_[0]
    parent = np.full(tree.split.size, -1)
    for node in range(tree.split.size):
        if tree.split[node] >= 0:
            parent[tree.children(node)] = node
    said, ends = {}, tree.apply(codes).tolist()
    for node in set(ends):
        path = [node]
        while parent[path[0]] >= 0:
            path.insert(0, int(parent[path[0]]))
        # A column that a path asks several times is told once, by what all its answers leave.
        left: dict[int, NDArray[np.bool_]] = {}
        for at, child in pairwise(path):
            place = int(tree.split[at])
            left[place] = left.get(place, True) & (tree.route[at] == child)
        steps = [f"{tree.attributes[p].name} {tree.attributes[p].meaning(np.flatnonzero(c))}" for p, c in left.items()]
        if tree.split[node] >= 0:
            steps.append(_stopped(tree.attributes[tree.split[node]]))
        label, figures = label_of(model, tree, node)
        said[node] = f"{label}, because {' and '.join(steps) or 'there is one leaf'}{figures}"
    return [said[node] for node in ends]


def _stopped(attribute: Attribute) -> str:
    """Return why a record goes no further than a node that splits by this column."""
    lacks = "not a number" if attribute.ordered else "not listed"
    return f"{attribute.name} is {lacks}" if attribute.missing else f"{attribute.name} is missing or {lacks}"


def importances(model: Any) -> NDArray[np.float64]:
    """Return how many released errors the splits by each column save, summing to 1 (zeros without splits)."""
    saved = np.zeros(model.n_features_in_)
    for tree in model.trees_:
        errors = errors_of(tree.counts)
        for node in np.flatnonzero(tree.split >= 0).tolist():
            saved[tree.split[node]] += max(0.0, errors[node] - errors[tree.children(node)].sum())
    return np.asarray(saved / saved.sum() if saved.sum() > 0 else saved)


def tree_picture(model: Any, tree: Tree, path: str | Path | None) -> Any:
    """Draw a tree with matplotlib: splits, labels, and bars of the released class shares.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('Pictures need matplotlib: python -m pip install "dpselect[plot]".') from None
    place: dict[int, float] = {}
    leaves = 0

    def lay(node: int) -> float:
        nonlocal leaves
        if tree.split[node] < 0:
            place[node] = float(leaves)
            leaves += 1
        else:
            place[node] = float(np.mean([lay(child) for child in tree.children(node).tolist()]))
        return place[node]

    lay(0)
    deepest = int(tree.depth.max())
    # Beyond this width a picture has more pixels than matplotlib draws.
    figure = Figure(figsize=(min(max(6.0, 1.7 * leaves), 400.0), 1.6 * (deepest + 1)), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set(xlim=(-0.7, leaves - 0.3), ylim=(-deepest - 0.6, 0.5))
    for node, x in place.items():
        y = -float(tree.depth[node])
        label, figures = label_of(model, tree, node)
        if tree.split[node] < 0:
            words = f"{label}\n{figures.strip(' ()')}".strip()
        else:
            words = str(tree.attributes[tree.split[node]].name)
            for child in tree.children(node).tolist():
                to = place[child], -float(tree.depth[child])
                axes.plot([x, to[0]], [y, to[1]], color="0.7", linewidth=1, zorder=1)
                shown = tree.attributes[tree.split[node]].meaning(np.flatnonzero(tree.route[node] == child))
                axes.text(
                    (x + to[0]) / 2, (y + to[1]) / 2, _short(shown), ha="center", va="center", fontsize=7, color="0.25",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
        face = "0.93" if tree.split[node] >= 0 else "white"
        box = {"facecolor": face, "edgecolor": "0.4", "boxstyle": "round,pad=0.4"}
        axes.text(x, y, words, ha="center", va="center", fontsize=8, bbox=box, zorder=3)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure


def as_json(model: Any) -> str:
    """Return a fitted model as JSON with a checksum."""
    guarantee = model.privacy_spent_
    content = {
        "format": FORMAT,
        "model": type(model).__name__,
        **model._content(),
        "attributes": [
            {
                "name": each.name if isinstance(each.name, (str, int)) else str(each.name),
                "categories": None if each.categories is None else list(each.categories),
                "edges": None if each.edges is None else each.edges.tolist(),
                "missing": each.missing,
            }
            for each in model.attributes_
        ],
        "epsilon": None if guarantee is None else str(guarantee.epsilon),
    }
    content["checksum"] = _checksum(content)
    return json.dumps(content, indent=1)


def save(model: Any, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a fitted model as JSON, whole or not at all.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
        OSError: it cannot be written.
    """
    with Output(path, overwrite) as file:
        file.put(as_json(model).encode())


def load(path: str | Path) -> Any:
    """Return a fitted model from the JSON of :meth:`save`; nothing in the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: no model, one of a newer version, or one that was edited.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {path}: pass a model that dpselect saved.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        number = content["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is not a model file: pass one that was saved by dpselect.") from None
    if number != FORMAT:
        raise ValueError(f"{path} has format {number} and this version of dpselect reads {FORMAT}: update it.")
    try:
        return _model(content)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError, RecursionError):
        # Whatever the checksum says, the parts of a model are missing or are something else.
        raise ValueError("This model file is damaged or was edited: train the model again.") from None


def _model(content: dict[str, Any]) -> Any:
    """Return the model of the parts in a file."""
    from dpselect import learn

    check = content.pop("checksum", None)
    kinds = {kind.__name__: kind for kind in (*learn.EVERY_CLASSIFIER, *learn.EVERY_REGRESSOR)}
    if check != _checksum(content) or content.get("model") not in kinds:
        raise ValueError("This model file is damaged or was edited: train the model again.")
    known = [
        Attribute(
            each["name"],
            None if each["categories"] is None else tuple(each["categories"]),
            None if each["edges"] is None else np.array(each["edges"], dtype=np.float64),
            each["missing"],
        )
        for each in content["attributes"]
    ]
    spent, kind = content["epsilon"], kinds[content["model"]]
    model = kind(
        1 if spent is None else Fraction(spent),
        domains={each.name: each.edges if each.categories is None else list(each.categories) for each in known},
        missing="category" if any(each.missing for each in known) else "ignore",
        **kind._declared_in(content),
    )
    if spent is None:
        # What was read from the data is not public: another fit must not take it for that.
        model.domains = None
    model.attributes_ = tuple(known)
    model._restore(content)
    model.n_features_in_ = len(known)
    names = [each.name for each in known]
    if all(isinstance(name, str) for name in names):
        model.feature_names_in_ = np.array(names, dtype=object)
    model.privacy_spent_ = None if spent is None else Guarantee(Fraction(spent), Neighbours.ADD_REMOVE)
    return model


def label_of(model: Any, tree: Tree, node: int) -> tuple[str, str]:
    """Return the label of a node and its released figures in words, none where only labels were released."""
    words: tuple[str, str] = model._said(tree, node)
    return words


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _short(words: str) -> str:
    return words if len(words) <= 28 else words[:27] + "…"

"""Released trees as text and JSON: post-processing of what was released.

No class of models has its name here: each registers itself, with what it writes (``_content``) and what it reads
(``_reads``, ``_declared_in`` and ``_restore``).
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.learn.file_facts import columns_in, persons_in, promise_of, read_guarantee
from dpselect.learn.tree import Tree
from dpselect.sources.output import Output

# Files of format 1 hold drawings alone, and shares were read from them.
FORMAT, READ = 2, (1, 2)

_Model = TypeVar("_Model", bound=type[Any])
_MODELS: list[type[Any]] = []
_ELSEWHERE = {"SulqID3Classifier": "dpselect.papers.sulq"}


def register_model(model: _Model) -> _Model:
    """Register a class of models, as a decorator: files of it are read from then on."""
    _MODELS.append(model)
    return model


def tree_text(model: Any, tree: Tree) -> str:
    """Return a tree as indented text, one line per node."""
    lines, texts = list[str](), node_texts(model, tree)

    def walk(node: int, words: str, indent: int) -> None:
        label, figures = texts[node]
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


def as_json(model: Any) -> str:
    """Return a fitted model as JSON with a checksum."""
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
        **promise_of(model),
    }
    content["checksum"] = _checksum(content)
    return text_of(content)


def text_of(content: Mapping[str, Any]) -> str:
    """Return the text of a file of a model, from its JSON."""
    # A sum, or a synthetic table, has as many numbers as a tree has lines.
    return json.dumps(content, indent=None if {"sum", "factors"} & content.keys() else 1)


def answer_of(model: Any) -> dict[str, str]:
    """Return what a certificate says of a model: its kind, and the hash of the file that ``save`` writes."""
    return {"model": type(model).__name__, "SHA-256 of its file": hashlib.sha256(as_json(model).encode()).hexdigest()}


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
        raise MissingFileError(f"The file {path} does not exist: pass a model that dpselect saved.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        content = None
    return restore_model(content, str(path))


def restore_model(content: Any, where: str = "This") -> Any:
    """Return the fitted model of the values in a file of :meth:`save`; nothing in them is executed.

    Args:
        content: as JSON says them.
        where: what they are from, for messages.

    Raises:
        ValueError: as :func:`load`.
    """
    try:
        number = content["format"]
    except (KeyError, TypeError):
        raise InputError(f"{where} is not a model file: pass one that was saved by dpselect.") from None
    if number not in READ:
        raise InputError(f"{where} has format {number} and this version of dpselect reads up to {FORMAT}: update it.")
    try:
        return _model(dict(content))
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError, RecursionError):
        # Whatever the checksum says, the parts of a model are missing or are something else.
        raise InputError("This model file is damaged or was edited: train the model again.") from None


def _model(content: dict[str, Any]) -> Any:
    """Return the model of the parts in a file."""
    if content.pop("checksum", None) != _checksum(content):
        raise InputError("another checksum")
    if (elsewhere := _ELSEWHERE.get(str(content.get("model")))) is not None:
        # What is not of this room registers itself when it is imported.
        importlib.import_module(elsewhere)
    kind = next((each for each in _MODELS if each._reads(content)), None)
    if kind is None:
        raise InputError("no such model")
    known = columns_in(content)
    spent = read_guarantee(content)
    model = kind(
        1 if spent is None else spent.epsilon,
        domains={each.name: each.edges if each.categories is None else list(each.categories) for each in known},
        missing="category" if any(each.missing for each in known) else "ignore",
        **kind._declared_in(content),
        **persons_in(content),
    )
    if spent is None:
        # What was read from the data is not public: another fit must not take it for that.
        model.domains = None
    model.attributes_ = tuple(known)
    model._restore(content)
    model._name_features([each.name for each in known])
    model.privacy_spent_ = spent
    return model


def node_texts(model: Any, tree: Tree) -> list[tuple[str, str]]:
    """Return of every node its label and released figures in words, none where only labels were released."""
    words: list[tuple[str, str]] = model._node_texts(tree)
    return words


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

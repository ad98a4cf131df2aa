"""Small files that a checksum fits, but no fit wrote: refused at once, in the sentence of every damaged file."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpselect import learn
from dpselect.learn.export import as_json
from tests.learn.boosted_models import fitted

_DOMAINS = {"a": (0, 1), "b": ["x", "y"]}
_TABLE = {"a": np.linspace(0, 1, 400), "b": ["x", "y"] * 200}
_HIGH = (_TABLE["a"] > 0.5).astype(int).tolist()


@pytest.fixture(scope="module")
def contents() -> dict[str, Any]:
    """What files of sound models hold."""
    bounds, classes = {"domains": _DOMAINS, "target": (0, 1)}, {"domains": _DOMAINS, "classes": [0, 1]}
    models = {
        "tree": learn.DPTreeClassifier(50, **classes),
        "forest": learn.DPRandomForestClassifier(50, n_trees=2, max_depth=3, **classes),
        "regressor": learn.DPTreeRegressor(50, **bounds),
        "boosted regressor": learn.DPBoostedTreesRegressor(50, rounds=2, **bounds),
    }
    files = {name: json.loads(as_json(model.fit(_TABLE, _HIGH))) for name, model in models.items()}
    return files | {"boosted": json.loads(as_json(fitted(2, rounds=2)))}


def _write(content: dict[str, Any], path: Path) -> Path:
    content = {name: part for name, part in content.items() if name != "checksum"}
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _put(*at: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """Return what replaces one part of a file."""

    def change(content: Any) -> None:
        for name in at[:-1]:
            content = content[name]
        content[at[-1]] = value

    return change


def _chain(content: dict[str, Any]) -> None:
    """Make the first tree a path of 600 splits by the same column."""
    many, tree = 600, content["trees"][0]
    # Of two children the second one goes on.
    tree["split"] = [-1 if node % 2 else 1 for node in range(2 * many)] + [-1]
    tree["route"] = [[] if node % 2 else [node + 1, node + 2] for node in range(2 * many)] + [[]]
    tree["depth"] = [(node + 1) // 2 for node in range(2 * many + 1)]
    tree["counts"] = [tree["counts"][0]] * (2 * many + 1)
    tree.pop("drawing_ends", None)


_EVERY = ("tree", "forest", "regressor", "boosted regressor", "boosted")
_CLASSIFIERS = ("tree", "forest", "boosted")
_OF_NODES = ("tree", "forest", "regressor")
_OF_TILES = ("boosted", "boosted regressor")
_CHANGES: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], None]]] = {
    "an epsilon with an exponent": (_EVERY, _put("epsilon", value="1e20000000")),
    "an epsilon with a negative exponent": (_EVERY, _put("epsilon", value="1e-20000000")),
    "an epsilon of 5,000 digits": (_EVERY, _put("epsilon", value="1" * 5000)),
    "an epsilon that is not text": (_EVERY, _put("epsilon", value=5)),
    "a delta with an exponent": (_EVERY, _put("delta", value="1e-20000000")),
    "more rows per person than a fit takes": (_EVERY, _put("person", value={"column": "p", "rows": 10**30})),
    "a person in a column of truth": (_EVERY, _put("person", value={"column": True, "rows": 1})),
    "two columns of one name": (_EVERY, lambda content: _rename(content, content["attributes"][1]["name"])),
    "a column without a name": (_EVERY, lambda content: _rename(content, None)),
    "a column whose name is a truth value": (_EVERY, lambda content: _rename(content, True)),
    "edges in text": (_EVERY, _put("attributes", 0, "edges", 0, value="0")),
    "the same class twice": (_CLASSIFIERS, _put("classes", value=[1, 1])),
    "classes that become the same text": (_CLASSIFIERS, _put("classes", value=[1, "1"])),
    "lists as classes": (_CLASSIFIERS, _put("classes", value=[[1, 2], [3, 4]])),
    "objects as classes": (_CLASSIFIERS, _put("classes", value=[None, {}])),
    "text as classes": (_CLASSIFIERS, _put("classes", value="ab")),
    "a depth beyond any": (_OF_NODES, _put("trees", 0, "depth", -1, value=2**62)),
    "a negative depth": (_OF_NODES, _put("trees", 0, "depth", -1, value=-5)),
    "a depth that is not that of the routes": (_OF_NODES, _put("trees", 0, "depth", -1, value=1000)),
    "a path of 600 splits": (_OF_NODES, _chain),
    "a node without a parent": (_OF_NODES, lambda content: _orphan(content["trees"][0])),
    "huge counts": (_OF_NODES, _put("trees", 0, "counts", 0, 0, value=1e308)),
    "hugely negative counts": (_OF_NODES, _put("trees", 0, "counts", -1, 0, value=-1e308)),
    "counts that are truth values": (_OF_NODES, _put("trees", 0, "counts", 0, 0, value=True)),
    "counts in text": (_OF_NODES, _put("trees", 0, "counts", 0, 0, value="1")),
    "a drawing that ends nowhere": (_OF_NODES, _put("trees", 0, "drawing_ends", value=[])),
    "a drawing that ends at a negative node": (_OF_NODES, _put("trees", 0, "drawing_ends", value=[-1])),
    "huge noise": (("forest",), _put("forest", "noise", value=1e308)),
    "noise that is a truth value": (("forest",), _put("forest", "noise", value=True)),
    "noise in text": (("forest",), _put("forest", "noise", value="7")),
    "a start of -2^63": (_OF_TILES, _put("sum", "start", 0, value=-(2**63))),
    "a value of -2^63": (_OF_TILES, _put("sum", "tiles", 0, "values", 0, 0, value=-(2**63))),
    "a value that is a truth value": (_OF_TILES, _put("sum", "tiles", 0, "values", 0, 0, value=True)),
    "infinite bounds": (("regressor", "boosted regressor"), _put("target", value=[-float("inf"), float("inf")])),
    "bounds in text": (("regressor", "boosted regressor"), _put("target", value=["0", "1"])),
    "bounds that are truth values": (("regressor", "boosted regressor"), _put("target", value=[False, True])),
}


def _rename(content: dict[str, Any], name: Any) -> None:
    content["attributes"][0]["name"] = name


def _orphan(tree: dict[str, Any]) -> None:
    for part, value in {"split": -1, "route": [], "depth": 1, "counts": tree["counts"][0]}.items():
        tree[part].append(value)


@pytest.mark.parametrize(("which", "change"), [(w, c) for c, (kinds, _) in _CHANGES.items() for w in kinds])
def test_a_file_that_no_fit_wrote_is_refused(which: str, change: str, contents: dict[str, Any], tmp_path: Path) -> None:
    """Whatever its checksum says, and without computing for long."""
    content = copy.deepcopy(contents[which])
    learn.load(_write(content, tmp_path / "m.json"))
    _CHANGES[change][1](content)

    sentence = "This model file is damaged or was edited: train the model again."
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        learn.load(_write(content, tmp_path / "m.json"))

"""Boosted models go to a file and come back the same, and a file of anything else is refused."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn.export import as_json
from tests.learn.boosted_models import DOMAINS, TABLE, fitted


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("settings", [{}, {"interactions": False, "missing": "category"}])
def test_a_model_comes_back_the_same(classes: int, delta: float, settings: dict[str, Any], tmp_path: Path) -> None:
    """Its integers, its chances, its promise, and what else is read from it."""
    model = fitted(classes, delta=delta, **settings)
    model.save(tmp_path / "m.json")
    back = dps.learn.load(tmp_path / "m.json")

    assert model.model_.as_dict() == back.model_.as_dict()
    assert model.predict_proba(TABLE).tolist() == back.predict_proba(TABLE).tolist()
    assert model.why(TABLE)[:50] == back.why(TABLE)[:50]
    assert model.privacy_spent_ == back.privacy_spent_
    assert model.classes_.tolist() == back.classes_.tolist()
    assert model.feature_names_in_.tolist() == back.feature_names_in_.tolist()
    assert as_json(model) == as_json(back)


def test_the_file_is_integers_and_public_facts() -> None:
    """No other number but edges of domains, and numbers of the promise as exact text."""
    content = json.loads(as_json(fitted(2, person="who", rows_per_person=2)))

    assert {"column": "who", "rows": 2} == content["person"]
    assert ("20", "1/1000000") == (content["epsilon"], content["delta"])
    assert not [value for value in _leaves(content["sum"]) if type(value) is not int]
    parts = "attributes checksum classes delta epsilon format model person rho sum"
    assert parts.split() == sorted(content)


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    """It was paid for."""
    model = fitted(2)
    model.save(tmp_path / "m.json")
    with pytest.raises(FileExistsError):
        model.save(tmp_path / "m.json")
    model.save(tmp_path / "m.json", overwrite=True)


def _signed(content: dict[str, Any], path: Path) -> Path:
    """A file of these parts with a checksum that fits."""
    content = {name: part for name, part in content.items() if name != "checksum"}
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _changed(content: dict[str, Any], at: tuple[Any, ...], value: Any) -> dict[str, Any]:
    content = copy.deepcopy(content)
    place = content
    for name in at[:-1]:
        place = place[name]
    place[at[-1]] = value
    return content


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("model",), "DPTreeClassifier"),
        (("model",), "os.system"),
        (("classes",), ["no"]),
        (("classes",), ["no", "no"]),
        (("classes",), ["no", "yes", "perhaps"]),
        (("classes",), "no"),
        (("attributes", 0, "edges"), [0, 0, 100]),
        (("attributes", 0, "edges"), [0, 100]),
        (("attributes", 0, "edges"), None),
        (("attributes", 1, "edges"), [0, 1]),
        (("attributes", 1, "missing"), 1),
        (("attributes",), []),
        (("epsilon",), "0"),
        (("epsilon",), "1/1000"),
        (("epsilon",), "1/0"),
        (("attributes", 1, "categories"), ["smith", "smith", "nurse"]),
        (("attributes", 1, "categories"), [["smith"], ["nurse"], ["farmer"]]),
        (("attributes", 1, "categories"), "abc"),
        (("delta",), "2"),
        (("delta",), "0"),
        (("rho",), "-1"),
        (("rho",), None),
        (("person",), {}),
        (("person",), {"column": "who", "rows": 0}),
        (("person",), {"column": "who", "rows": True}),
        (("person",), {"column": [], "rows": 1}),
        (("sum", "start"), [0.5]),
        (("sum", "start"), [0, 0]),
        (("sum", "start"), [2**41]),
        (("sum", "start"), [2**70]),
        (("sum", "start"), []),
        (("sum", "weights", 0), [1]),
        (("sum", "weights"), []),
        (("sum", "tiles", 0, "columns"), [0, 0]),
        (("sum", "tiles", 0, "columns"), [7]),
        (("sum", "tiles", 0, "columns"), [-1]),
        (("sum", "tiles", 0, "columns"), []),
        (("sum", "tiles", 0, "parts_of", 0), [0]),
        (("sum", "tiles", 0, "parts_of", 0, 0), -1),
        (("sum", "tiles", 0, "parts_of", 0, 0), 99),
        (("sum", "tiles", 0, "values"), [[0]]),
        (("sum", "tiles", 0, "values", 0), ["1"]),
        (("sum", "tiles", 0), None),
        (("sum", "tiles"), None),
        (("sum",), []),
    ],
)
def test_a_file_that_is_no_model_is_refused(at: tuple[Any, ...], value: Any, tmp_path: Path) -> None:
    """In one sentence, whatever its checksum says."""
    content = json.loads(as_json(fitted(2, interactions=False)))

    with pytest.raises(ValueError, match=r"is damaged or was edited|is not a model file"):
        dps.learn.load(_signed(_changed(content, at, value), tmp_path / "m.json"))


def test_an_edited_file_is_refused(tmp_path: Path) -> None:
    """Its checksum is another one."""
    content = _changed(json.loads(as_json(fitted(2))), ("sum", "start", 0), 3)
    (tmp_path / "m.json").write_text(json.dumps(content), encoding="utf-8")

    with pytest.raises(ValueError, match="is damaged or was edited"):
        dps.learn.load(tmp_path / "m.json")


def test_hostile_files_are_refused_or_predict(tmp_path: Path) -> None:
    """Parts of a file changed at random: what is read labels every record with a chance, what is not is refused."""
    rng, content = random.Random(1), json.loads(as_json(fitted(3, rounds=3)))
    values = [None, -1, 0, 1, 2**31, 2**63, 0.5, "", "x", [], {}, [[]], True, 1e300]
    read = 0
    for _ in range(120):
        changed = _changed(content, rng.choice([*_places(content)]), rng.choice(values))
        model = _read(_signed(changed, tmp_path / "m.json"))
        if model is not None:
            read += 1
            # A name may have become another one: the table has the names of the model.
            table = {each.name: TABLE.get(each.name, TABLE["age"])[:20] for each in model.attributes_}
            assert np.isfinite(model.predict_proba(table)).all()
    assert read < 60


def _read(path: Path) -> Any:
    with suppress(ValueError):
        return dps.learn.load(path)
    return None


def _places(content: Any, at: tuple[Any, ...] = ()) -> Any:
    """Every place in the parts of a file."""
    parts = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, part in parts:
        if name != "checksum":
            yield (*at, name)
            yield from _places(part, (*at, name))


def _leaves(content: Any) -> Any:
    if not isinstance(content, (dict, list)):
        yield content
        return
    for part in content.values() if isinstance(content, dict) else content:
        yield from _leaves(part)


def test_a_tree_whose_nodes_share_children_is_refused(tmp_path: Path) -> None:
    """Forty levels of two nodes that both lead to the next two have more paths than can be drawn."""
    table = {name: TABLE[name] for name in DOMAINS}
    model = dps.learn.DPTreeClassifier(50, domains=DOMAINS, classes=["old", "young"])
    model.fit(table, ["old" if age > 50 else "young" for age in table["age"]])
    content = json.loads(as_json(model))
    size = len(content["attributes"][1]["categories"])
    levels = [[2 * level + 1] + [2 * level + 2] * (size - 1) for level in range(40)]
    route = [levels[0], *(each for level in levels[1:] for each in (level, level)), [], []]
    content["trees"] = [
        {
            "split": [1] * (len(route) - 2) + [-1, -1],
            "route": route,
            "depth": [0, *(level for level in range(1, 41) for _ in range(2))],
            "counts": [[1.0, 2.0]] * len(route),
        }
    ]

    with pytest.raises(ValueError, match="is damaged or was edited"):
        dps.learn.load(_signed(content, tmp_path / "m.json"))

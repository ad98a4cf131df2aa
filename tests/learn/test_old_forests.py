"""A forest that was saved before the published forest took its present name loads as that forest."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.papers import RandomDecisionForestClassifier

# As version 0.1 wrote it, in format 1: DPRandomForestClassifier was the published forest then.
_SAVED = """{"format": 1, "model": "DPRandomForestClassifier", "classes": ["no", "yes"],
"attributes": [{"name": "a", "categories": null, "edges": [0.0, 1.0, 2.0], "missing": false},
{"name": "b", "categories": ["x", "y"], "edges": null, "missing": false}],
"trees": [{"split": [0, -1, -1], "route": [[1, 2], [], []], "depth": [0, 1, 1],
"counts": [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]},
{"split": [0, -1, -1], "route": [[1, 2], [], []], "depth": [0, 1, 1],
"counts": [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]}],
"epsilon": "50", "checksum": "3da65754030cd7352c472689d6d586ebc29417f6125d62b494760b1dc9aea222"}"""
_TABLE = {"a": [0.5, 1.5], "b": ["x", "y"]}


def test_an_old_forest_loads_under_its_new_name(tmp_path: Path) -> None:
    """It predicts, states its promise, and is saved under the new name."""
    (tmp_path / "m.json").write_text(_SAVED, encoding="utf-8")
    model = dps.learn.load(tmp_path / "m.json")
    model.save(tmp_path / "again.json")
    again = dps.learn.load(tmp_path / "again.json")

    assert type(model) is type(again) is RandomDecisionForestClassifier
    assert model.predict(_TABLE).tolist() == again.predict(_TABLE).tolist() == ["no", "yes"]
    assert str(model.privacy_spent_) == "Guarantee(epsilon=50, neighbours='add-remove')"


def test_an_old_forest_that_was_edited_is_refused(tmp_path: Path) -> None:
    """Its checksum is of its old name."""
    (tmp_path / "m.json").write_text(_SAVED.replace("50", "5"), encoding="utf-8")

    with pytest.raises(ValueError, match="is damaged or was edited"):
        dps.learn.load(tmp_path / "m.json")

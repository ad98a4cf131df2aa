"""Models are read by whoever registered to read them: the exporter knows no class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dpselect.learn import DPTreeClassifier, export, load
from dpselect.papers import SulqID3Classifier

X, Y = [[0, 1], [1, 0], [0, 0], [1, 1]] * 50, [0, 1, 0, 1] * 50
PUBLIC: dict[str, Any] = {"domains": {0: [0, 1], 1: [0, 1]}, "classes": [0, 1]}


class OwnTree(DPTreeClassifier):
    """A user's own, which is the tree under another name."""


def test_a_model_of_ones_own_is_read_once_it_is_registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, its file is refused."""
    monkeypatch.setattr(export, "_MODELS", [*export._MODELS])
    model = OwnTree(50, **PUBLIC).fit(X, Y)
    model.save(tmp_path / "own.json")
    with pytest.raises(ValueError, match="damaged or was edited"):
        load(tmp_path / "own.json")

    assert export.register_model(OwnTree) is OwnTree
    again = load(tmp_path / "own.json")

    assert type(again) is OwnTree
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert export.as_json(again) == export.as_json(model)


def test_the_tree_of_noisy_counts_is_read_again(tmp_path: Path) -> None:
    """Its class lies above the exporter."""
    model = SulqID3Classifier(50, 1, **PUBLIC).fit(X, Y)
    model.save(tmp_path / "sulq.json")
    again = load(tmp_path / "sulq.json")

    assert type(again) is SulqID3Classifier
    assert again.predict(X).tolist() == model.predict(X).tolist()

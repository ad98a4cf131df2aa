"""Labels by a public threshold: a rare class is predicted from a share on, and nothing more is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpselect.learn import DPBoostedTreesClassifier, DPRandomForestClassifier, DPTreeClassifier, load
from tests.learn.unbalanced import old_graduates

LEARNERS = {"tree": DPTreeClassifier, "forest": DPRandomForestClassifier, "boosted": DPBoostedTreesClassifier}


def fitted(name: str, epsilon: float = 4, **more: Any) -> tuple[Any, Any, Any]:
    """A model of the unbalanced table, its rows and labels."""
    X, y, domains = old_graduates(np.random.default_rng(), 5000)
    return LEARNERS[name](epsilon, domains=domains, classes=["no", "yes"], **more).fit(X, y), X, y


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each == "forest")) for each in LEARNERS]
)
def test_labels_follow_the_threshold(name: str, tmp_path: Path) -> None:
    """Those whose share of the second class is as large; a file keeps it, and another may be set without a fit."""
    model, X, y = fitted(name, threshold=0.15)
    shares = model.predict_proba(X)[:, 1]

    assert (np.where(shares >= 0.15, "yes", "no") == model.predict(X)).all()
    assert np.mean(model.predict(X)[y == "yes"] == "yes") > 0.3
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert 0.15 == again.threshold
    assert (again.predict(X) == model.predict(X)).all()
    model.set_params(threshold=None)
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
    model.set_params(threshold="base-rate")
    rates = model._base_rates()
    assert np.isclose(1, rates.sum())
    assert abs(rates[1] - np.mean(y == "yes")) < 0.03
    assert (np.where(shares / rates[1] > (1 - shares) / rates[0], "yes", "no") == model.predict(X)).all()
    assert all(said.startswith(f"{label}") for said, label in zip(model.why(X), model.predict(X), strict=True))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("threshold", [0, 1, -0.5, True, "yes", [0.5], float("nan")])
def test_what_is_not_a_threshold_is_refused_before_it_costs(name: str, threshold: Any, tmp_path: Path) -> None:
    """In one sentence; nothing is spent."""
    import dpselect as dps

    ledger = dps.Ledger.open(tmp_path / "l", epsilon=10)
    with pytest.raises(ValueError, match="threshold is not a share between 0 and 1: pass"):
        fitted(name, threshold=threshold, ledger=ledger)
    assert 0 == ledger.totals.spends


def test_a_number_is_for_two_classes() -> None:
    """Of three, shares are compared with base rates."""
    X = {"n": np.arange(3000) % 3}
    y = np.arange(3000) % 3
    model = DPTreeClassifier(10, domains={"n": [0, 1, 2]}, classes=[0, 1, 2], threshold=0.2)
    with pytest.raises(ValueError, match='there are 3: pass threshold="base-rate"'):
        model.fit(X, y)

    assert (y == model.set_params(threshold="base-rate").fit(X, y).predict(X)).mean() > 0.95


def test_a_threshold_in_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """Whatever the checksum says."""
    import json

    from dpselect.learn import export

    model, _, _ = fitted("tree", threshold=0.15)
    content = json.loads(export.as_json(model))
    content.pop("checksum")
    content["threshold"] = 7
    content["checksum"] = export._checksum(content)
    (tmp_path / "m.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="damaged or was edited"):
        load(tmp_path / "m.json")

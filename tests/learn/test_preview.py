"""What preview says of every learner: the noise of the private table, and what a real fit reaches."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from dpselect import learn
from dpselect.kernel.rho_conversion import rho_within
from dpselect.learn.parameters import epsilon_of
from dpselect.learn.preview import preview

DOMAINS = {"age": (0, 100), "job": ["x", "y", "z"]}
CLASSIFIERS = [
    learn.DPTreeClassifier(1),
    learn.DPID3Classifier(1, 2),
    learn.DPEvolutionaryTreeClassifier(1, population=6, generations=1),
    learn.DPRandomForestClassifier(1),
    learn.DPRandomForestClassifier(1, delta=0),
    learn.DPBoostedTreesClassifier(1),
    learn.DPBoostedTreesClassifier(1, delta=0),
]
REGRESSORS = [
    learn.DPTreeRegressor(1),
    learn.DPBoostedTreesRegressor(1),
    learn.DPBoostedTreesRegressor(1, delta=0),
]


def rows(many: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """A table, labels of which about one in eight is rare, and numbers."""
    rng = np.random.default_rng(seed)
    age, job = rng.uniform(0, 100, many), rng.choice(["x", "y", "z"], many)
    rare = rng.random(many) < np.where((age > 60) & (job != "z"), 0.4, 0.03)
    return {"age": age, "job": job}, np.where(rare, "yes", "no"), 0.5 * age + 20 * (job == "x") + rng.normal(0, 4, many)


SAMPLE, TABLE = rows(1000, 0), rows(10_000, 1)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_rank_as_said(model) -> None:
    """Accuracy and AUC of a fit to ten times as many rows are near those that the sample shows."""
    model.set_params(domains=DOMAINS, classes=["no", "yes"])
    said = preview(model, SAMPLE[0], SAMPLE[1], n_records=10_000)
    model.fit(TABLE[0], TABLE[1])
    columns, labels, _ = rows(10_000, 2)

    assert said.error is None
    assert abs(said.score - model.score(columns, labels)) < 0.05 + 3 * said.spread
    assert said.auc is not None
    real = roc_auc_score(labels == "yes", model.predict_proba(columns)[:, 1])
    # Few leaves of a small tree, or a few tries of an evolution, differ from fit to fit.
    assert abs(said.auc - real) < 0.2
    assert "accuracy" in str(said)
    assert "AUC" in str(said)


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors_are_as_far_off_as_said(model) -> None:
    """R2 and the mean absolute error, in the units of the target, which may be named in the table."""
    model.set_params(domains=DOMAINS | {"pay": (0, 100)})
    said = preview(model, SAMPLE[0] | {"pay": SAMPLE[2]}, "pay", n_records=10_000)
    model.fit(TABLE[0] | {"pay": TABLE[2]}, "pay")
    columns, _, pay = rows(10_000, 2)

    assert said.auc is None
    assert said.noise is None
    assert said.error == pytest.approx(np.abs(model.predict(columns) - pay).mean(), rel=0.35)
    assert said.score == pytest.approx(model.score(columns, pay), abs=0.1)
    assert "R2" in str(said)
    assert "absolute error" in str(said)


@pytest.mark.parametrize("model", [each for each in (*CLASSIFIERS, *REGRESSORS) if getattr(each, "delta", 0)], ids=str)
def test_a_rho_is_scaled_by_the_square(model) -> None:
    """Noise falls with the root of rho: a tenth of the rows needs a hundred times the rho, not ten times epsilon."""
    scaled = model._for_sample(Fraction(10), 10_000)

    own, of_sample = (rho_within(epsilon_of(each), Fraction(1, 10**6)) for each in (model, scaled))
    assert float(of_sample) == pytest.approx(100 * float(own), rel=1e-6)
    assert scaled.ledger is None


@pytest.mark.parametrize("records, rounds, additive", [(900, 50, True), (9000, 100, False), (90_000, 200, False)])
def test_rounds_are_those_of_the_table(records: int, rounds: int, additive: bool) -> None:
    """The rule reads records times epsilon, which a sample with much rho would overstate."""
    for model in (learn.DPBoostedTreesClassifier(1), learn.DPBoostedTreesRegressor(1)):
        scaled = model._for_sample(Fraction(100), records)

        assert (scaled.rounds, scaled.interactions) == (rounds, not additive)
    asked = learn.DPBoostedTreesClassifier(1, rounds=7, interactions=False)._for_sample(Fraction(2), records)
    assert (asked.rounds, asked.interactions) == (7, False)


def test_one_class_in_the_sample_ranks_nothing() -> None:
    """There is nobody to be ranked."""
    model = learn.DPTreeClassifier(1, domains=DOMAINS, classes=["no", "yes"])

    assert preview(model, SAMPLE[0], np.full(1000, "no"), n_records=1000, tries=1).auc == 0.5

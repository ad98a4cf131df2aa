"""The regression tree: what it reads, predicts, says, saves and refuses."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpselect as dps
from dpselect.learn import EVERY_REGRESSOR, DPTreeRegressor, load
from dpselect.learn.regression.target_summary import summarize_targets
from dpselect.views.targets import STEPS
from tests.calls import calls
from tests.learn.two_fits import asked

DOMAINS = {"a": (0, 1), "b": ["x", "y"]}


def table(rows: int = 4000) -> dict[str, np.ndarray]:
    """A target of two steps and some noise, in a third of its declared range."""
    random = np.random.default_rng(2)
    a, b = random.uniform(0, 1, rows), random.choice(["x", "y"], rows)
    return {"a": a, "b": b, "y": 100 + 50 * (a > 0.5) + 20 * (b == "y") + random.normal(0, 5, rows)}


def fitted(epsilon=20, **given) -> DPTreeRegressor:
    """A tree of that table."""
    return DPTreeRegressor(epsilon, **({"domains": DOMAINS, "target": (0, 300)} | given)).fit(table(), "y")


@pytest.mark.filterwarnings("ignore:Domains and classes are read from the data")
@parametrize_with_checks([DPTreeRegressor(10, domains="observed-not-private")])
def test_scikit_learn_finds_nothing(estimator, check) -> None:
    """With domains and bounds read from the data."""
    asked(check, estimator)


def test_it_predicts_within_public_bounds() -> None:
    """Steps are found, figures are close, and no value leaves the bounds."""
    model = fitted()
    at = {"a": [0.1, 0.9, 0.1, 0.9], "b": ["x", "x", "y", "y"]}

    assert np.abs(model.predict(at) - [100, 150, 120, 170]).max() < 5
    assert model.score({name: table()[name] for name in DOMAINS}, table()["y"]) > 0.9
    assert (0, 300) == model.target_
    for epsilon in (0.01, 0.1):
        values = fitted(epsilon, target=(140, 160)).tree_.values
        assert values.min() >= 140
        assert values.max() <= 160


def test_bounds_that_are_ten_times_too_wide_cost_little() -> None:
    """The survey finds where targets lie."""
    data = table()
    score = np.mean(
        [fitted(2, target=(-1500, 1500)).score({name: data[name] for name in DOMAINS}, data["y"]) for _ in range(5)]
    )

    assert score > 0.7


def test_targets_outside_are_clipped_and_missing_ones_left_out() -> None:
    """By the public bounds alone; ``check`` counts them; ``"ignore"`` leaves both out, and ``"error"`` refuses."""
    cells = {"a": [0.5] * 6, "b": ["x"] * 6, "y": [1e300, -np.inf, np.nan, None, "no number", 150]}

    def read(**given):
        model = DPTreeRegressor(1, domains=DOMAINS, target=(0, 300), **given)
        with model._data(cells, "y") as data:
            return data.records.steps.tolist()

    middle = STEPS // 2
    assert [STEPS - 1, 0, middle] == read()
    assert [middle] == read(unknown="ignore")
    check = DPTreeRegressor(1, domains=DOMAINS, target=(0, 300)).check(cells, "y")
    assert (3, 2, 3) == (check.labels_outside, check.labels_missing, check.left_out)
    with pytest.raises(ValueError, match="outside its public domain"):
        read(unknown="error")
    with pytest.raises(ValueError, match="missing values"):
        read(missing="error")


def test_a_person_has_a_share_and_a_bounded_number_of_rows() -> None:
    """The plan works with epsilon / rows_per_person."""
    data = table(900) | {"id": [f"p{row // 3}" for row in range(900)]}
    model = DPTreeRegressor(3, domains=DOMAINS, target=(0, 300), person="id", rows_per_person=2)
    with model._data(data, "y") as read:
        assert 600 == read.records.rows
    assert Fraction(3, 2) == model._share(Fraction(3))
    assert model.fit(data, "y").privacy_spent_.epsilon == 3


def test_it_says_what_was_released() -> None:
    """In text, in words and in a picture: splits, values, noisy numbers of records."""
    pytest.importorskip("matplotlib")
    model = fitted()
    (reason,) = model.why({"a": [0.9], "b": ["y"]})

    assert reason.startswith("1")
    assert "because " in reason
    assert "; records: " in reason
    assert "a < 0.5" in model.export_text()
    assert model.plot_tree() is not None
    assert model.tree_.leaves.size >= model.get_n_leaves() == model.drawn_.leaves.size >= 4
    assert 1 <= model.get_depth() <= 8
    (passed,) = model.decision_path({"a": [0.9], "b": ["y"]}).toarray()
    assert passed.sum() <= model.get_depth() + 1
    assert passed[model.apply({"a": [0.9], "b": ["y"]})[0]] == 1
    assert model.feature_importances_[0] > model.feature_importances_[1] > 0
    assert model.apply({"a": [0.9], "b": ["y"]}).shape == (1,)


def test_a_target_that_follows_nothing_is_drawn_as_one_leaf() -> None:
    """In nine of ten fits: the drawing keeps no split that noise explains."""
    random = np.random.default_rng(3)
    X = random.uniform(0, 1, (2000, 3))
    domains = dict.fromkeys(range(3), (0, 1))
    alone = [
        DPTreeRegressor(epsilon, target=(0, 1), domains=domains).fit(X, random.beta(2, 5, 2000)).drawn_.leaves.size == 1
        for epsilon in (0.2, 1, 5)
        for _ in range(10)
    ]

    assert sum(alone) >= 25


def test_it_is_saved_and_loaded(tmp_path) -> None:
    """The same values everywhere; a file with a value beyond its bounds, or of another shape, is refused."""
    model, path = fitted(), tmp_path / "model.json"
    model.save(path)
    again = load(path)

    assert (again.predict(table()) == model.predict(table())).all()
    assert model.export_text() == again.export_text()
    assert (model.privacy_spent_, model.target_) == (again.privacy_spent_, again.target_)
    clone(again).fit(table(), "y")
    content = json.loads(path.read_text())
    from dpselect.learn.export import _checksum

    for change in (lambda x: x["trees"][0]["counts"][0].__setitem__(1, 1e9), lambda x: x.update(target=[300, 0])):
        edited = json.loads(json.dumps(content))
        edited.pop("checksum")
        change(edited)
        edited["checksum"] = _checksum(edited)
        path.write_text(json.dumps(edited))
        with pytest.raises(ValueError, match="damaged or was edited"):
            load(path)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"target": None}, dps.PrivacyError, "bounds of the target are public"),
        ({"target": None, "domains": DOMAINS | {"y": ["low", "high"]}}, ValueError, "two numbers"),
        ({"target": (1, 1)}, ValueError, "^target must be .* low < high"),
        ({"target": (0, np.inf)}, ValueError, "low < high, both finite"),
        ({"target": 5}, ValueError, r"\(low, high\), two numbers"),
        ({"domains": {"a": (0, 1)}}, dps.PrivacyError, "lacks 'b'"),
        ({"epsilon": 1e-13}, ValueError, "epsilon is too small for counts"),
        ({"epsilon": 1e-6}, ValueError, "epsilon is too small for counts"),
        ({"bins": 10**6}, ValueError, "could have .* leaves"),
        ({"bins": 1}, ValueError, "bins must be"),
        ({"max_depth": 0}, ValueError, "max_depth must be"),
        ({"unknown": "x"}, ValueError, "unknown is"),
        ({"rows_per_person": 10**30}, ValueError, "rows_per_person must be at most"),
    ],
)
def test_refused_and_nothing_spent(given: dict, error: type[Exception], message: str) -> None:
    """In one sentence, and within 20,000 calls of functions, once modules are imported."""
    with dps.budget(epsilon=2) as book, pytest.raises(error, match=message) as refusal:
        fitted(**({"epsilon": 1} | given))

    assert 0 == book.totals.spends
    assert 1 == str(refusal.value).count(". ") + 1

    def again() -> None:
        with pytest.raises(error):
            fitted(**({"epsilon": 1} | given))

    assert calls(again) < 20_000


@pytest.mark.parametrize("kind", EVERY_REGRESSOR)
def test_a_table_in_its_engine_is_refused(kind, tmp_path) -> None:
    """Before anything is read or spent."""
    pd.DataFrame(table(10)).to_csv(tmp_path / "t.csv", index=False)
    model = kind(1, domains=DOMAINS, target=(0, 300))
    for call in (model.fit, model.check):
        with dps.budget(epsilon=2) as book, pytest.raises(ValueError, match="tables in memory"):
            call(tmp_path / "t.csv", "y")
        assert 0 == book.totals.spends


@pytest.mark.parametrize("kind", EVERY_REGRESSOR)
def test_the_bounds_may_be_among_the_domains(kind) -> None:
    """Under the name of the target, and a series may bring its name."""
    data = pd.DataFrame(table(200))
    for given in ((data, "y"), (data[["a", "b"]], data["y"])):
        model = kind(1, domains=DOMAINS | {"y": (0, 300)}).fit(*given)
        assert (0, 300) == model.target_
    with pytest.raises(dps.PrivacyError, match="has no name"):
        kind(1, domains=DOMAINS | {"y": (0, 300)}).fit(data[["a", "b"]], data["y"].tolist())
    kind(1, domains=DOMAINS, target=(0, 300)).rehearse(["a", "b"])


def test_a_survey_of_noise_says_nothing() -> None:
    """Then the range is the whole grid; what cannot be told from nothing is not cut off."""
    whole = summarize_targets(np.zeros(8, dtype=np.int64), 10, 141.0)
    assert (0, STEPS, 0.5) == (whole.low, whole.high, whole.centre)
    peak = summarize_targets(np.array([0, 0, 0, 500, 500, 0, 0, 0]), 1000, 0.14)
    assert (3 * STEPS // 8, 5 * STEPS // 8) == (peak.low, peak.high)
    assert 0.5 == pytest.approx(peak.centre)


@pytest.mark.parametrize("ends", [(-1e308, 1e308), (0, 1e160), (0, 1e-170), (0, 1e-300), (1e15, 1e15 + 1)])
def test_importances_do_not_depend_on_the_unit_of_the_target(ends) -> None:
    """Squares of huge values would be infinite, and of tiny ones 0."""
    a = np.linspace(0, 1, 2000)
    model = DPTreeRegressor(20, domains={"a": (0, 1)}, target=ends).fit({"a": a}, np.where(a > 0.5, *ends[::-1]))
    assert [1.0] == model.feature_importances_.tolist()


@pytest.mark.parametrize("epsilon", [10**160, 10**300])
def test_a_huge_epsilon_has_no_noise(epsilon) -> None:
    """Its square is beyond what floats hold."""
    a = np.linspace(0, 1, 400)
    model = DPTreeRegressor(epsilon, domains={"a": (0, 1)}, target=(0, 1)).fit({"a": a}, (a > 0.5).astype(float))
    assert model.predict({"a": [0.1, 0.9]}).round(1).tolist() == [0, 1]

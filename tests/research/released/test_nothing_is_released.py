"""What the papers' programs do can be simulated and computed, and neither released nor trained through the library."""

from pathlib import Path

import pytest

import dpselect as dps
from dpselect import learn
from dpselect.papers import RandomDecisionForestClassifier
from research import papers
from research.papers.released import noise

LAWS = [
    {"exponent": "printed", "floor": 0.01},
    {"exponent": "printed", "noise": "laplace", "alpha": "released"},
    {"noise": "laplace-log-normal"},
    {},
]
ROWS = {"a": ["x", "y", "x", "y"], "class": ["no", "yes", "no", "yes"]}
KNOWN = {"domains": {"a": ["x", "y"]}, "classes": ["no", "yes"]}


def fenced(given: dict[str, object]):
    """A calibration of Chaves 2024 that is not private."""
    return dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction", **given)


@pytest.mark.parametrize("given", LAWS, ids=str)
def test_a_fenced_calibration_neither_releases_nor_trains(given: dict[str, object]) -> None:
    """It has a law, and every public way to draw from it is refused."""
    mechanism = fenced(given)
    scores = dps.utilities.majority([3, 1])

    assert mechanism.pmf(scores, 1).sum() == pytest.approx(1)
    with pytest.raises(dps.PrivacyError, match="releases nothing"):
        dps.select(scores, epsilon=1, mechanism=mechanism)
    for model in (
        learn.DPID3Classifier(1, 1, criterion="max-operator-winner", mechanism=mechanism, **KNOWN),
        RandomDecisionForestClassifier(1, 2, max_depth=1, mechanism=mechanism, **KNOWN),
    ):
        with pytest.raises(dps.PrivacyError, match="trains nothing"):
            model.fit(ROWS, "class")


@pytest.mark.parametrize("kind", noise.KINDS)
def test_simulated_noise_is_not_a_mechanism(kind: str) -> None:
    """Nothing that selects or trains takes it."""
    simulated = noise.of_leaf(kind, 1.0)

    with pytest.raises((TypeError, ValueError)):
        dps.select(dps.utilities.majority([3, 1]), epsilon=1, mechanism=simulated)
    with pytest.raises((TypeError, ValueError)):
        RandomDecisionForestClassifier(1, 2, max_depth=1, mechanism=simulated, **KNOWN).fit(ROWS, "class")


def test_the_library_does_not_know_the_simulations_and_they_know_no_door() -> None:
    """Only experiments import them; they import neither releases nor coins."""
    inside = Path(papers.__file__).parent
    files = [*Path(dps.__file__).parent.rglob("*.py"), *inside.parent.rglob("*.py")]
    users = [file for file in files if "papers.released" in file.read_text(encoding="utf-8")]
    assert users
    assert all(file.is_relative_to(inside) for file in users)
    for file in (inside / "released").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not [
            word for word in ("dpselect.release", "kernel.bernoulli_exp", "dpselect.learn") if f"{word} import" in text
        ]

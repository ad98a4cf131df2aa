"""Whatever releases writes down its spend before it asks for the first random byte."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import histograms, learn

SCORES = dps.Scores(np.array([5, 3, 3, 0]), 1, distance=np.array([0, 1, 1, 3]))
ROWS = {"a": [0, 1, 1, 0] * 10, "b": [0.5, 1.5, 0.2, 1.1] * 10}
EVENTS = [(person, person % 3, group) for person in range(20) for group in (0, 1)]
LABELS = [0, 1, 1, 0] * 10
GIVEN = {"domains": {"a": [0, 1], "b": (0, 2)}, "classes": [0, 1]}
ESTIMATORS = {
    "tree": lambda: learn.DPTreeClassifier(1, max_depth=1, bins=2, **GIVEN),
    "id3": lambda: learn.DPID3Classifier(1, 1, bins=2, **GIVEN),
    "forest": lambda: learn.DPRandomForestClassifier(1, delta=0, n_trees=2, max_depth=1, **GIVEN),
    "evolutionary": lambda: learn.DPEvolutionaryTreeClassifier(
        1, population=4, selected=2, generations=1, depth=1, max_depth=1, **GIVEN
    ),
    "boosted": lambda: learn.DPBoostedTreesClassifier(1, rounds=1, bins=2, **GIVEN),
    "boosted, pure": lambda: learn.DPBoostedTreesClassifier(1, delta=0, rounds=1, bins=2, **GIVEN),
    "search": lambda: learn.DPSearch(ESTIMATORS["forest"](), {"max_depth": [1, 2, 3, 4]}, 1, gamma=0.5),
    "search, each setting once": lambda: learn.DPSearch(ESTIMATORS["tree"](), {"max_depth": [1, 2]}, 1, refit=0.5),
}


def sums_by_rho(ledger) -> None:
    """Gaussian noise, at a rho that states epsilon 1."""
    promise = dps.Guarantee.from_rho(Fraction(1, 42), 1e-6, "add-remove", epsilon=1)
    with dps.open_session(promise, ledger=ledger) as draws:
        draws.gaussian(np.array([5, 3]), draws.remaining, dps.mechanisms.SquaredBound(1))


RELEASES: dict[str, Callable] = {
    "gaussian": sums_by_rho,
    **{
        f"select, {name}": lambda ledger, name=name: dps.select(
            SCORES, epsilon=1, mechanism=dps.mechanism(name), ledger=ledger
        )
        for name in dps.mechanisms.MECHANISMS
    },
    **{
        f"top_k, {name}": lambda ledger, name=name: dps.top_k(
            SCORES, 2, epsilon=1, mechanism=dps.mechanism(name), ledger=ledger
        )
        for name in dps.mechanisms.MECHANISMS
    },
    "above_threshold": lambda ledger: dps.above_threshold(5, epsilon=1, ledger=ledger).ask(5),
    "counts": lambda ledger: dps.counts(EVENTS, epsilon=1, column=1, domain=[0, 1, 2], ledger=ledger),
    "cumulative": lambda ledger: dps.histograms.cumulative([1, 2, 2, 4], grid=range(6), epsilon=1, ledger=ledger),
    "median": lambda ledger: dps.median([1, 2, 2, 4], lower=0, upper=5, epsilon=1, ledger=ledger),
    "median, groups of persons": lambda ledger: dps.median(
        [1, 2, 2, 4], lower=0, upper=5, epsilon=1, by=[0, 1, 0, 1], groups=[0, 1], person=[0, 0, 1, 1], ledger=ledger
    ),
    "quantiles, groups": lambda ledger: dps.quantiles(
        [1, 2, 2, 4], [0.25, 0.5], grid=range(6), epsilon=1, by=[0, 1, 0, 1], groups=[0, 1], ledger=ledger
    ),
    "percentiles": lambda ledger: dps.quantiles([1, 2, 2, 4], p=[25, 50], grid=range(6), epsilon=1, ledger=ledger),
    "private_sql": lambda ledger: dps.papers.private_sql(
        dps.Graph.from_edges([0, 1], [1, 2], nodes=4), max_degree=3, epsilon=1, ledger=ledger
    ),
    "smooth_median": lambda ledger: dps.papers.smooth_median([1, 2, 2, 4], upper=5, epsilon=1, ledger=ledger),
    "top_k_by_group": lambda ledger: dps.top_k_by_group({"n": SCORES, "s": SCORES}, 2, epsilon=1, ledger=ledger),
    "most_common": lambda ledger: dps.most_common(
        EVENTS, 2, epsilon=1, person=0, item=1, domain=[0, 1, 2], ledger=ledger
    ),
    "most_common, groups": lambda ledger: dps.most_common(
        EVENTS, 1, epsilon=1, person=0, item=1, domain=[0, 1], by=2, groups=[0, 1], groups_per_person=1, ledger=ledger
    ),
    "quantiles": lambda ledger: dps.quantiles([1, 2, 2, 4], [0.25, 0.5], grid=range(6), epsilon=1, ledger=ledger),
    **{
        f"release_value, {noise}": lambda ledger, noise=noise: dps.release_value(
            5.5, 1.5, epsilon=1, neighbours="add-remove", noise=noise, beta=0.2, tick=0.5, ledger=ledger
        )
        for noise in ("student-t", "cauchy")
    },
    **{
        f"tune_privately, {count} settings": lambda ledger, count=count: dps.tuning.tune_privately(
            lambda _, draws: ("", int(draws.counts(np.array([3]), draws.remaining, dps.mechanisms.Bound(1))[0])),
            range(count),
            epsilon=1,
            neighbours="add-remove",
            gamma=0.5 if count > 3 else None,
            ledger=ledger,
        )
        for count in (2, 4)
    },
    **{
        f"histogram, {name}": lambda ledger, algorithm=algorithm: algorithm(np.arange(16), epsilon=1, ledger=ledger)
        for name, algorithm in histograms.EVERY_ALGORITHM.items()
    },
    **{
        f"fit, {name}": lambda ledger, make=make: make().set_params(ledger=ledger).fit(ROWS, LABELS)
        for name, make in ESTIMATORS.items()
    },
}


class Diary:
    """A ledger that allows everything, and random bytes of the operating system: in the order in which they came."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events: list[str] = []
        self.spent = Fraction(0)
        drawn = os.urandom
        monkeypatch.setattr(
            "dpselect.kernel.bernoulli_exp.os.urandom", lambda count: self.events.append("draw") or drawn(count)
        )

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Write it down."""
        del mechanism, note
        self.events.append("spend")
        self.spent += count * guarantee.epsilon


@pytest.mark.parametrize("name", RELEASES)
def test_the_spend_comes_before_the_first_random_byte(name: str, monkeypatch) -> None:
    """All of epsilon, then everything that is random."""
    diary = Diary(monkeypatch)
    RELEASES[name](diary)

    assert {"spend", "draw"} == set(diary.events)
    assert diary.events == sorted(diary.events, reverse=True)
    assert 1 == diary.spent


@pytest.mark.parametrize("name", ["gaussian", "top_k, exponential", "quantiles", "histogram, identity", "fit, tree"])
def test_what_its_ledger_refuses_draws_nothing(name: str, monkeypatch) -> None:
    """A refusal is not told by what was drawn."""
    diary = Diary(monkeypatch)
    monkeypatch.setattr(diary, "spend", lambda *_, **__: (_ for _ in ()).throw(dps.BudgetError("nothing is left")))

    with pytest.raises(dps.BudgetError, match="nothing is left"):
        RELEASES[name](diary)
    assert [] == diary.events

"""A search among settings: paid for once, its runs secret, its records held out by coins of their own."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.kernel.numbers import exact_positive
from dpselect.kernel.run_count import RunCount
from dpselect.learn import (
    DPBoostedTreesClassifier,
    DPEvolutionaryTreeClassifier,
    DPID3Classifier,
    DPSearch,
    DPTreeClassifier,
    load,
    preview,
)
from dpselect.learn.holdout import held_out
from dpselect.papers import RandomDecisionForestClassifier
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise

DOMAINS = {"age": (0, 100), "job": ["a", "b", "c"], "rich": ["no", "yes"]}
RNG = np.random.default_rng(3)
TABLE = {"age": RNG.integers(0, 100, 600), "job": RNG.choice(["a", "b", "c"], 600), "id": np.repeat(np.arange(200), 3)}
TABLE["rich"] = np.where((TABLE["age"] > 30) & (TABLE["age"] < 60), "yes", "no")
ROWS = {name: TABLE[name] for name in ("age", "job", "rich")}
TREE = DPTreeClassifier(domains=DOMAINS)
DEPTHS = {"max_depth": [1, 2, 3, 4]}


class Few(SystemNoise):
    """Exact coins, so many runs, and a note of the noise that was asked for and of the coins of owners."""

    def __init__(self, count: int = 2) -> None:
        super().__init__()
        self.count, self.rates, self.owners = count, [], []

    def runs(self, _: RunCount) -> int:
        """As many as were asked for."""
        return self.count

    def noisy(self, counts, rate):
        """Note a single number: sizes and scores are."""
        if counts.size == 1:
            self.rates.append(rate)
        return super().noisy(counts, rate)

    def uniform(self, bounds):
        """Note more than one coin."""
        if bounds.size > 1:
            self.owners.append(bounds.size)
        return super().uniform(bounds)


class Book:
    """A ledger that notes what it was asked."""

    def __init__(self) -> None:
        self.spends: list[tuple] = []

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Note it."""
        self.spends.append((guarantee.epsilon, mechanism, count, note))


def behind(search: DPSearch, outcomes) -> DPSearch:
    """The same search, with outcomes from elsewhere."""
    search._session_factory = session_factory_of(lambda: outcomes)
    return search


def test_a_search_finds_a_setting_and_spends_once(tmp_path) -> None:
    """Depth 1 cannot say "between"; what is published says the price of the search."""
    book = Book()
    search = DPSearch(TREE, {"max_depth": [1, 4]}, epsilon=40, ledger=book).fit(ROWS, "rich")

    assert {"max_depth": 4} == search.best_params_
    assert 100 < search.best_score_ < 260
    assert np.mean(search.predict(ROWS) == ROWS["rich"]) > 0.9
    assert (600, 2) == search.predict_proba(ROWS).shape
    assert search.score(ROWS, ROWS["rich"]) > 0.9
    assert [(40, "DPSearch", 1, "fit")] == book.spends
    assert dps.Guarantee(40, "add-remove") == search.privacy_spent_ == search.best_estimator_.privacy_spent_
    assert (["no", "yes"], 2, ["age", "job"]) == (
        search.classes_.tolist(),
        search.n_features_in_,
        search.feature_names_in_.tolist(),
    )
    search.best_estimator_.save(tmp_path / "model.json")
    assert dps.Guarantee(40, "add-remove") == load(tmp_path / "model.json").privacy_spent_
    assert (search.predict(ROWS) == pickle.loads(pickle.dumps(search)).predict(ROWS)).all()


@pytest.mark.parametrize(
    "estimator",
    [
        DPID3Classifier(domains=DOMAINS, bins=4),
        RandomDecisionForestClassifier(n_trees=3, domains=DOMAINS),
        DPEvolutionaryTreeClassifier(population=4, selected=2, generations=1, depth=1, domains=DOMAINS),
    ],
)
def test_every_classifier_can_be_searched(estimator) -> None:
    """Bins among the settings too."""
    search = behind(DPSearch(estimator, {"max_depth": [1, 2], "bins": [2, 4]}, epsilon=20, gamma=0.2), Few())
    search.fit(ROWS, "rich")

    assert {"max_depth", "bins"} == set(search.best_params_)
    assert search.best_estimator_.get_params()["bins"] == search.best_params_["bins"]


def test_nothing_but_the_winner_is_left() -> None:
    """No results of others, no number of runs, no sizes of the parts; whatever their number was."""
    names = set()
    for count in (1, 5):
        search = behind(DPSearch(TREE, DEPTHS, epsilon=20), Few(count)).fit(ROWS, "rich")
        del search._session_factory
        names.add(frozenset(vars(search)) - frozenset(search.get_params(deep=False)))
        assert "_session_factory" not in vars(search.best_estimator_)
        assert search.best_estimator_.ledger is None

    (left,) = names
    assert {
        "best_params_",
        "best_estimator_",
        "best_score_",
        "privacy_spent_",
        "classes_",
        "n_features_in_",
        "feature_names_in_",
    } == left


def test_a_search_prints_and_warns_nothing(capfd) -> None:
    """Not even that it is under way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        behind(DPSearch(TREE, DEPTHS, epsilon=20), Few(5)).fit(ROWS, "rich")
    assert ("", "") == tuple(capfd.readouterr())


def test_each_run_draws_one_noise_for_its_score_at_all_of_its_epsilon() -> None:
    """Beside the noisy size that the default tree asks for; and owners flip one coin each, once for all runs."""
    few = Few(3)
    search = behind(DPSearch(TREE, DEPTHS, epsilon=3), few).fit(ROWS, "rich")
    of_run = search.plan().epsilon_of_run

    assert [of_run / 50, of_run] * 3 == few.rates
    assert [600] == few.owners


def test_a_person_is_held_out_with_all_rows_and_moves_the_score_by_all_of_them() -> None:
    """Coins per person; noise for as many rows as are kept of one."""
    few = Few(2)
    tree = DPTreeClassifier(domains=DOMAINS, person="id", rows_per_person=2, n_records=400)
    search = behind(DPSearch(tree, DEPTHS, epsilon=3), few).fit(TABLE, "rich")

    assert [search.plan().epsilon_of_run / 2] * 2 == few.rates
    assert [200] == few.owners
    assert dps.Guarantee(3, "person") == search.privacy_spent_


def test_nobody_is_in_both_parts(monkeypatch) -> None:
    """Every person's rows are on one side, about three in ten of them held out."""
    from dpselect.learn import search as module

    seen = []
    usual = module.HoldOut.of

    def noted(data, out):
        parts = usual(data, out)
        seen.append((set(parts.train.owners.tolist()), set(parts.held_out.owners.tolist())))
        return parts

    monkeypatch.setattr(module.HoldOut, "of", noted)
    tree = DPTreeClassifier(domains=DOMAINS, person="id", rows_per_person=3)
    behind(DPSearch(tree, DEPTHS, epsilon=3), Few(3)).fit(TABLE, "rich")

    ((train, out),) = seen
    assert set() == train & out
    assert set(range(200)) == train | out
    assert 25 < len(out) < 100


def test_coins_have_the_chance_that_was_asked_for() -> None:
    """Exactly, by integers below its denominator."""
    mask = held_out(9, Fraction(2, 7), lambda bounds: np.arange(9) % bounds)

    assert [True, True, False, False, False, False, False, True, True] == mask.tolist()


@pytest.mark.parametrize("share", [1 / 3, Fraction(1, 3**50), 1 - Fraction(1, 10**30)])
def test_a_chance_with_a_long_denominator_has_coins_too(share: float | Fraction) -> None:
    """Digits of 32 bits are drawn one by one: the ends of each digit decide as the exact number does."""
    exact = exact_positive(share, "held_out")
    for digits in ([0, 0], [exact * 2**32 // 1, 0], [exact * 2**32 // 1, 2**32 - 1], [2**32 - 1, 2**32 - 1]):
        drawn = iter([np.array([int(digit)]) for digit in [*digits, 0]])
        (out,) = held_out(1, exact, lambda bounds, drawn=drawn: next(drawn))
        low = Fraction(int(digits[0]) * 2**32 + int(digits[1]), 2**64)
        if low + Fraction(1, 2**64) <= exact or low >= exact:
            assert (low < exact) == out
    with dps.budget(epsilon=1):
        assert DPSearch(TREE, DEPTHS, epsilon=1, held_out=share).fit(ROWS, "rich").best_params_


@pytest.mark.parametrize(("share", "least"), [(0.1, 0.5), (0.5, 1.999)])
def test_no_transcript_loses_more_than_epsilon(share: float, least: float) -> None:
    """Two settings, each tried once. All owners are in training, or all held out, where the score spends all of it."""
    tables = [{"a": [0], "b": [0]}, {"a": [0, 1], "b": [0, 0]}]
    tree = DPTreeClassifier(max_depth=1, domains={"a": [0, 1], "b": [0, 1]}, n_records=1000)

    def laws(table) -> dict[tuple, float]:
        def run(outcomes: ScriptedNoise) -> None:
            search = DPSearch(tree, {"bins": [2, 3]}, epsilon=2, held_out=share)
            behind(search, outcomes).fit(table, "b")

        return dict(transcripts(run))

    here, there = map(laws, tables)
    assert set(here) == set(there)
    worst = max(abs(here[script] - there[script]) for script in here)
    assert least < worst <= 2 * (1 + 1e-9)


def test_a_refit_is_paid_for_and_sees_all_records(monkeypatch) -> None:
    """What is left for the search is the rest."""
    book, sizes = Book(), []
    usual = DPTreeClassifier._pay_and_fit

    def noted(self, data, epsilon):
        sizes.append((data.records.rows, epsilon))
        return usual(self, data, epsilon)

    monkeypatch.setattr(DPTreeClassifier, "_pay_and_fit", noted)
    search = DPSearch(TREE, {"max_depth": [1, 2]}, epsilon=5, refit=2, ledger=book).fit(ROWS, "rich")

    assert [5] == [spend[0] for spend in book.spends]
    assert (600, 2) == sizes[-1]
    assert all(rows < 600 and epsilon == Fraction(3, 2) for rows, epsilon in sizes[:-1])
    assert dps.Guarantee(5, "add-remove") == search.best_estimator_.privacy_spent_


def test_a_fit_that_raises_is_a_run_that_lost(monkeypatch) -> None:
    """No error tells of it; where all fail there is no model."""
    usual, broken = DPTreeClassifier._pay_and_fit, []

    def breaking(self, data, epsilon):
        if self.max_depth != 3 or broken:
            raise MemoryError("secret")
        return usual(self, data, epsilon)

    monkeypatch.setattr(DPTreeClassifier, "_pay_and_fit", breaking)
    assert {"max_depth": 3} == DPSearch(TREE, {"max_depth": [1, 3]}, epsilon=5).fit(ROWS, "rich").best_params_
    broken.append(1)
    search = DPSearch(TREE, {"max_depth": [1, 3]}, epsilon=5).fit(ROWS, "rich")
    assert (None, None, None) == (search.best_estimator_, search.best_params_, search.best_score_)
    with pytest.raises(ValueError, match="there is no model"):
        search.predict(ROWS)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tables_without_rows_have_an_answer_too(rows: int) -> None:
    """No row decides whether there is one."""
    table = {name: values[:rows] for name, values in ROWS.items()}
    search = behind(DPSearch(TREE, DEPTHS, epsilon=1), Few(3)).fit(table, "rich")

    assert search.best_estimator_ is not None


def test_a_score_that_is_good_enough_ends_the_search() -> None:
    """And one that nothing reaches leaves no model."""
    assert DPSearch(TREE, DEPTHS, epsilon=20, good_enough=50).fit(ROWS, "rich").best_score_ >= 50
    assert DPSearch(TREE, DEPTHS, epsilon=20, gamma=0.5, good_enough=10**6).fit(ROWS, "rich").best_params_ is None


def test_the_plan_is_public() -> None:
    """Epsilon of a run and the mean number of runs, for a list of grids too."""
    search = DPSearch(TREE, [DEPTHS, {"bins": [8, 16], "max_depth": [2]}], epsilon=1, refit=0.25)

    assert dps.tuning.tuning_plan(6, epsilon=0.75) == search.plan()
    assert "about 20 runs" in str(search.plan())
    assert search.plan() == clone(search).plan()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"estimator": "tree"}, "a classifier of dpselect.learn"),
        ({"estimator": DPTreeClassifier(domains=DOMAINS, ledger="a.db")}, "would count the secret runs"),
        ({"estimator": DPTreeClassifier(domains="observed-not-private")}, "not private"),
        ({"estimator": DPTreeClassifier()}, "domains"),
        ({"parameters": {}}, "name at least one"),
        ({"parameters": {"epsilon": [1, 2]}}, "cannot vary 'epsilon'"),
        ({"parameters": {"domains": [DOMAINS, None]}}, "cannot vary 'domains'"),
        ({"parameters": {"depth": [1]}}, "cannot vary 'depth'"),
        ({"parameters": {"max_depth": [1, 0]}}, "max_depth must be an integer"),
        ({"parameters": {"max_depth": []}}, "max_depth"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": None}, r"as in DPSearch\(epsilon=1\)"),
        ({"epsilon": 1e-13}, "too small"),
        ({"held_out": 1}, "held_out must be less than 1"),
        ({"held_out": 0}, "held_out must be positive"),
        ({"refit": True}, "refit must be less than epsilon"),
        ({"refit": 1}, "refit must be less than epsilon"),
        ({"gamma": 2}, "gamma must be at least"),
        ({"ledger": 3}, "ledger must keep a budget"),
    ],
)
def test_what_can_be_refused_is_refused_before_anything_is_spent(changed: dict, words: str, monkeypatch) -> None:
    """And no run begins."""
    monkeypatch.setattr("dpselect.learn.search._grow_model", lambda *_: pytest.fail("a run began"))
    args = {"estimator": TREE, "parameters": DEPTHS, "epsilon": 1, **changed}
    with dps.budget(epsilon=1), pytest.raises((ValueError, TypeError, dps.PrivacyError), match=words):
        DPSearch(**args).fit(ROWS, "rich")


def test_a_preview_of_a_search_is_its_plan() -> None:
    """What tries a model on a public sample takes one model."""
    with pytest.raises(TypeError, match="plan"):
        preview(DPSearch(TREE, DEPTHS), ROWS, "rich", n_records=1000)


def test_boosted_trees_are_searched_too() -> None:
    """Their rounds and interactions, by a pure promise, which is the search's alone."""
    boosted = DPBoostedTreesClassifier(delta=0, domains=DOMAINS)
    search = DPSearch(boosted, {"rounds": [1, 20], "interactions": [True, False]}, epsilon=40).fit(ROWS, "rich")

    assert len(search.best_estimator_.model_.tiles) == search.best_params_["rounds"]
    assert search.predict(ROWS).tolist() == search.best_estimator_.predict(ROWS).tolist()
    assert search.privacy_spent_ == search.best_estimator_.privacy_spent_
    with pytest.raises(ValueError, match="delta=0"):
        DPSearch(DPBoostedTreesClassifier(domains=DOMAINS), {"rounds": [1]}, epsilon=1).fit(ROWS, "rich")


def test_a_warehouse_is_refused() -> None:
    """Records are held out in memory."""
    with pytest.raises(ValueError, match="pass a frame"):
        DPSearch(TREE, DEPTHS, 1).fit("table.parquet", "rich")

"""Losses that vanish: what is added to them before ratios are taken, and what is chosen then."""

import warnings

import numpy as np
import pytest

from dpselect.adaptive import AdaptiveAlgorithm, Metafeature, Option, regret, search_formulas
from dpselect.adaptive.policy import Policy
from tests.adaptive.test_grammar import taught

KINDS = {"a": 0, "b": 10_000, "easy": 5_000}


def lost(name, database, epsilon) -> float:
    """An easy database is answered exactly with all of epsilon, and a thousandth off with 95 % of it."""
    if database[0] == "easy":
        return 0.0 if epsilon >= 1 else 0.001
    return 0.1 if database[0] == name else 5.0


def learned(public, **given) -> AdaptiveAlgorithm:
    """Two options, each right for its kind, and a fact that tells the kinds apart."""
    options = [Option(x, lambda d, e, x=x: (x, float(e))) for x in "ab"]
    fact = Metafeature("kind", lambda database: KINDS[database[0]], sensitivity=1)
    own = AdaptiveAlgorithm(options, [fact], lambda d, a: lost(a[0], d, a[1]), learner="regret-tree", **given)
    return own.train(public, [1], 2, jobs=1)


PUBLIC = {f"{kind}{i}": (kind, i) for kind in "ab" for i in range(6)}


def test_a_database_that_every_option_answers_exactly_takes_nothing_away() -> None:
    """The learned choice loses .00008 more, a fixed one 2.26: it is kept, as without that database."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = learned(PUBLIC | {"easy": ("easy", 0)})

    assert own.trained.always is None
    assert own.trained.regret.mean("learned") < 1.02 < 10 < own.trained.regret.mean("always a")
    assert "Choosing is worth its price here" in str(own.trained.held_out())


def test_numbers_can_be_read() -> None:
    """No figure of a regret, of what is held out or of an explanation has more than twelve characters."""
    own = learned(PUBLIC | {"easy": ("easy", 0)})
    shown = f"{own.trained.regret} {own.trained.held_out()} {own.choose(('easy', 0), 1).explain()}"

    assert max(len(word) for word in shown.split() if word[0].isdigit()) <= 12


def test_where_nobody_loses_anything_nothing_is_better() -> None:
    """All losses 0: every ratio is 1, and no option is preferred to the learned choice."""
    options = [Option(x, lambda d, e: 0) for x in "ab"]
    public = {str(n): n for n in range(4)}
    own = AdaptiveAlgorithm(options, [Metafeature("n", lambda n: n, public=True)], lambda d, a: 0.0).train(
        public, [1], 1, jobs=1
    )

    assert {1.0} == {own.trained.regret.mean(name) for name in own.trained.regret.policies}
    assert own.trained.always is None


def test_what_is_added_may_be_chosen() -> None:
    """A loss that is small beside it does not count; without effect on what was lost beyond the least."""
    small, large = (learned(PUBLIC, added_loss=added).trained.regret for added in (0.1, 100))

    assert small.mean("always a") == pytest.approx((1 + 5.1 / 0.2) / 2)
    assert large.mean("always a") == pytest.approx((1 + 105 / 100.1) / 2)
    assert small.mean_added("always a") == large.mean_added("always a")
    for wrong in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="added_loss is a positive number in the unit of the loss"):
            learned(PUBLIC, added_loss=wrong)


def test_a_law_of_losses_that_vanish_is_found() -> None:
    """Losses of 0 on a third of the databases: the law of the others is found, and predicts groups left out."""
    laws = {"cut": lambda known, _: max(0.5 - known["sparsity"], 0.0) * 4, "flat": lambda *_: 0.4}
    own = taught(laws, 0.01, 2, derived={"above": "max(0.5 - sparsity, 0)"})

    assert own.trained.policy.recipe.loss_offset > 0.01
    assert "max(0.5 - sparsity, 0)" in search_formulas(own)["cut"]


@pytest.mark.parametrize("many, parts", [(3, 3), (10, 10), (24, 10)])
def test_groups_are_left_out_in_ten_parts_at_most(many: int, parts: int, monkeypatch) -> None:
    """Every database is left out once, and no part learns from its own groups."""
    learned_from: list[set[str]] = []
    plain = Policy.learn.__func__

    def watched(cls, traces, *given):
        learned_from.append(set(traces.columns["group"].tolist()))
        return plain(cls, traces, *given)

    monkeypatch.setattr(regret.Policy, "learn", classmethod(watched))
    own = learned({f"{'ab'[n % 2]}{n}": ("ab"[n % 2], n) for n in range(many)})

    assert parts + 1 == len(learned_from)
    assert sorted(own.trained.traces.databases) == sorted(row["database"] for row in own.trained.regret.rows)
    everyone = set(own.trained.traces.databases)
    left_out = [everyone - each for each in learned_from[:-1]]
    assert everyone == set().union(*left_out)
    assert many == sum(map(len, left_out))
    assert np.isfinite(own.trained.regret.mean("learned"))

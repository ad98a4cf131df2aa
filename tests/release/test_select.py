"""Selecting and peeling."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.analysis import metrics
from dpselect.audit.privacy_loss import top_k_log_pmf
from dpselect.kernel.prices import bounded_range_price
from dpselect.kernel.samplers.laplace import laplace
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP
from dpselect.release.system_noise import SystemNoise
from tests.chance import accept


@pytest.mark.parametrize("name", dps.mechanisms.MECHANISMS)
def test_with_no_privacy_left_the_best_wins(name: str) -> None:
    """At an enormous epsilon every mechanism names the best candidate, as a plain Python value."""
    at = dps.sensitivity.constant(1)
    scores = dps.Scores([1.0, 7.0, 3.0], at, candidates=np.array(["a", "b", "c"]), distance=[6, 0, 4])
    release = dps.select(scores, epsilon=1e9, mechanism=dps.mechanism(name))

    assert "b" == release.value
    assert str is type(release.value)
    assert (name, Fraction(10**9)) == (release.mechanism.partition(",")[0], release.guarantee.epsilon)


@pytest.mark.parametrize("name", dps.mechanisms.MECHANISMS)
def test_top_k_never_repeats_and_may_name_everyone(name: str) -> None:
    """With k = m every candidate is named once."""
    scores = dps.Scores(np.arange(30) % 4, sensitivity=2, distance=3 - np.arange(30) % 4)

    assert set(range(30)) == set(dps.top_k(scores, 30, epsilon=0.5, mechanism=dps.mechanism(name)).value)


def test_top_k_at_an_enormous_epsilon_is_the_ranking() -> None:
    """The order of selection is the order of the scores."""
    scores = dps.Scores([5, 9, 1, 7], sensitivity=1)

    assert (1, 3, 0) == dps.top_k(scores, 3, epsilon=10**6, mechanism=dps.mechanism("exponential")).value


def test_each_pick_uses_a_fresh_stream_and_epsilon_over_k(entropy) -> None:
    """k picks ask for k streams, and the whole promise is epsilon."""
    made = []

    def stream():
        made.append(1)
        return entropy

    SystemNoise(stream).winners(PERMUTE_AND_FLIP, np.array([1, 2, 3]), Fraction(1), 3)

    assert 3 == len(made)


@pytest.mark.parametrize("sampler", [EXPONENTIAL, PERMUTE_AND_FLIP])
def test_coins_are_relative_to_the_best_that_remains(sampler, entropy) -> None:
    """A runaway winner does not make the second pick take for ever."""
    coins = SystemNoise(lambda: entropy)
    ticks = np.concatenate(([2**60], np.zeros(500, dtype=np.int64)))
    winners = Counter(coins.winners(sampler, ticks, Fraction(1), 2)[1] for _ in range(100))

    assert 0 not in winners
    assert len(winners) > 50


def test_hopeless_ties_are_settled_by_refined_noise() -> None:
    """Noise that agrees on its first 64 bits is drawn on until one candidate is ahead."""
    answers = iter([b"\x01" * 16, b"\x00" * 8, b"\xff" * 8])

    assert 0 == laplace(np.array([0, 0]), Fraction(1), lambda count: next(answers))


def test_a_winner_that_is_a_tuple_is_one_candidate() -> None:
    """Of a selection; a list of one is a list, and certificates write both as they always did."""
    pairs = np.empty(2, dtype=object)
    pairs[:] = [("ann", "bob"), ("ann", "eve")]
    scores = dps.Scores([900, 0], 1, pairs, kind="integer")
    one, listed = dps.select(scores, epsilon=5), dps.top_k(scores, 1, epsilon=5)

    assert (("ann", "bob"), (("ann", "bob"),)) == (one.value, listed.value)
    assert one != listed
    for release in (one, listed):
        assert {"candidates": [["ann", "bob"]]} == release.certificate().content["answer"]
    assert 1 == metrics.recall(one, listed) == metrics.recall(listed, one)


@pytest.mark.chance(3.1e-6)
@pytest.mark.parametrize(
    ("name", "k"),
    [
        ("exponential", 3),
        ("permute-and-flip", 2),
        *(pytest.param(*more, marks=pytest.mark.slow) for more in (("exponential", 2), ("permute-and-flip", 3))),
    ],
)
def test_released_lists_follow_the_peeled_law_at_the_stated_epsilon(name: str, k: int) -> None:
    """Through the public ``top_k``: rejected at 0.7 and 1.3 epsilon, and at an epsilon for each of the k draws."""
    mechanism, epsilon = dps.mechanism(name), Fraction(4)
    scores = dps.Scores(np.array([6, 4, 2, 0]), sensitivity=1)

    def law(total: Fraction) -> dict:
        logs = top_k_log_pmf(mechanism, mechanism.effective(scores), k, total)
        return dict(zip(itertools.permutations(range(4), k), np.exp(logs).tolist(), strict=True))

    verdict = dps.audit.sampler(
        lambda: dps.top_k(scores, k, epsilon=epsilon, mechanism=mechanism).value,
        law(epsilon),
        against={f"{factor} epsilon": law(epsilon * Fraction(factor)) for factor in ("0.7", "1.3", str(k))},
    )
    accept(verdict)
    assert 3 == len(verdict.rejections)


def test_lists_of_several_claim_no_bounded_range() -> None:
    """Log-ratios of ordered pairs span 1.5 epsilon here; those of single picks stay within epsilon."""
    mechanism, epsilon = dps.mechanism("exponential"), Fraction(2)
    pair = dps.Scores([36, 37, 4, 5], 1), dps.Scores([37, 36, 5, 4], 1)

    for k in (1, 2):
        here, there = (top_k_log_pmf(mechanism, mechanism.effective(scores), k, epsilon) for scores in pair)
        promise = dps.top_k(pair[0], k, epsilon=epsilon, mechanism=mechanism).guarantee
        assert promise.bounded_range == (np.ptp(here - there) <= epsilon)
        assert epsilon == promise.epsilon


def test_a_ledger_counts_the_single_draws_of_a_list() -> None:
    """Each has bounded range, so rho is k times the price of epsilon / k; the whole list's own rho is no smaller."""
    scores, spent = dps.Scores([3, 2, 1], 1), []

    class Book:
        def spend(self, guarantee, *, count=1, **_):
            spent.append((guarantee, count))

    whole = dps.top_k(scores, 2, epsilon=1, mechanism=dps.mechanism("exponential"), ledger=Book()).guarantee
    ((each, count),) = spent
    assert (Fraction(1, 2), True, 2) == (each.epsilon, each.bounded_range, count)
    assert 2 * bounded_range_price(Fraction(1, 2)) == count * each.rho <= whole.rho


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", True, None])
def test_k_must_be_a_positive_integer(k) -> None:
    """Anything else is refused before anything is drawn."""
    with pytest.raises(ValueError, match="k must be an integer"):
        dps.top_k(dps.Scores([1, 2], 1), k, epsilon=1, mechanism=dps.mechanism("exponential"))


def test_k_beyond_the_candidates_is_refused() -> None:
    """There is no fourth of three."""
    with pytest.raises(ValueError, match="at most that many"):
        dps.top_k(dps.Scores([1, 2, 3], 1), 4, epsilon=1, mechanism=dps.mechanism("exponential"))


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf")])
def test_a_bad_epsilon_draws_nothing(epsilon, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stream is opened for an epsilon that is refused."""
    monkeypatch.setattr("dpselect.kernel.bernoulli_exp.os.urandom", lambda count: pytest.fail("drew"))
    with pytest.raises(ValueError, match="positive and finite"):
        dps.select(dps.Scores([1, 2], 1), epsilon=epsilon, mechanism=dps.mechanism("exponential"))


def test_what_is_neither_a_name_nor_a_mechanism_is_refused() -> None:
    """The message shows what a name looks like."""
    with pytest.raises(TypeError, match='such as "permute-and-flip"'):
        dps.select(dps.Scores([1, 2], 1), epsilon=1, mechanism=EXPONENTIAL)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be Scores"):
        dps.select([1, 2], epsilon=1, mechanism=dps.mechanism("exponential"))

"""Transcripts that are forced to be the same on two databases: the loss of every kind of draw, by hand."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import loss_of_transcript
from dpselect.audit.coupled_noise import RecordingNoise
from dpselect.histograms.dawa import candidates
from dpselect.mechanisms.sampler import EXPONENTIAL
from dpselect.release.open_session import session_factory_of
from dpselect.release.value_questions import value_question

TWO = dps.Guarantee(2, "add-remove")
ONE = dps.mechanisms.Bound(1)


def pick(seed: int = 0):
    """Integers of a seeded generator."""
    return np.random.default_rng(seed).integers


def loss(run, here, there) -> Fraction:
    """One transcript between two arrays of counts, with epsilon 2."""
    return loss_of_transcript(run, np.array(here), np.array(there), TWO, pick())


def test_noise_loses_its_rate_times_the_distance() -> None:
    """Added up over all counts of all calls."""

    def run(counts, draws):
        draws.counts(counts, 1, dps.mechanisms.Bound(3))
        draws.counts(counts[:1], Fraction(1, 2), ONE)

    assert Fraction(1, 3) * 2 + Fraction(1, 2) == loss(run, [4, 4, 4], [5, 3, 4])


def test_a_choice_loses_the_worst_ratio_of_its_law() -> None:
    """The exponential mechanism with two candidates, by hand; of a list every winner counts."""

    def run(counts, draws):
        scores = dps.Scores(counts, 1, range_bound=1)
        draws.top_k(scores, 2, 2, mechanism=dps.mechanism("exponential"))

    laws = [np.exp([a, b]) / np.exp([a, b]).sum() for a, b in ([0, 0], [1, 0])]
    assert float(np.abs(np.log(laws[0] / laws[1])).max()) == pytest.approx(float(loss(run, [0, 0], [1, 0])), abs=1e-9)


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
def test_a_private_scale_is_part_of_the_law(name: str) -> None:
    """The rate moves with the database: what is lost is the ratio of the laws, each at its own rate."""
    mechanism = dps.mechanism(name)

    def scores(counts):
        # Safe for as many steps as the first count.
        at = dps.sensitivity.local(lambda t: float(t >= counts[0]), ceiling=1.0, reach=9)
        return dps.Scores(counts[1:], at, kind="integer")

    def run(counts, draws):
        draws.choose(scores(counts), 2, mechanism=mechanism)

    def runs(counts, draws):
        asked = [draws.prepare(scores(each), 2, mechanism=mechanism) for each in (counts, [4, 0, 0])]
        draws.answer_disjoint(asked, np.array([0, 1, 1]))

    here, there = [3, 1, 0], [4, 1, 0]
    laws = [mechanism.log_pmf(scores(counts), 2) for counts in (here, there)]
    expected = float(np.abs(laws[0] - laws[1]).max())
    assert 0.001 < expected <= 2
    for each in (run, runs):
        assert float(loss(each, here, there)) == pytest.approx(expected, abs=1e-9)


def test_rows_lose_where_they_differ() -> None:
    """A row that is the same on both loses nothing; a candidate that is not valid has no part in the law."""
    valid = np.array([[True, True, False], [True, True, True]])

    def run(rows, draws):
        draws.choose_rows(rows, valid, 2, ONE)

    same = [[0, 0, 0], [3, 1, 2]]
    assert 0 == loss(run, same, same) == loss(run, same, [[0, 0, 9], [3, 1, 2]])
    assert 0 < loss(run, same, [[0, 1, 0], [3, 1, 2]]) <= 2


def test_a_partition_loses_what_two_costs_move_apart() -> None:
    """At a rate for two bounds: one cost up and one down by the bound lose everything that was paid."""

    def run(costs, draws):
        draws.partition(candidates(2), costs, 2, ONE)

    assert 2 == loss(run, [5, 5, 5], [6, 4, 5])
    assert 1 == loss(run, [5, 5, 5], [6, 5, 5])


def test_public_randomness_loses_nothing() -> None:
    """And is the same on both."""
    seen = []

    def run(counts, draws):
        seen.append(draws.uniform(np.full(20, 7)).tolist())
        draws.counts(counts, 2, ONE)

    assert 2 == loss(run, [1], [2])
    assert seen[0] == seen[1]
    assert 1 < len(set(seen[0]))
    assert set(seen[0]) <= set(range(7))


def test_disjoint_parts_add_up_what_really_moved() -> None:
    """A true claim loses what one part costs; a false one, of which both parts hold the record, loses twice that."""

    def run(counts, draws):
        with draws.disjoint(2) as parts:
            for part, count in zip(parts, counts, strict=True):
                part.counts(count.reshape(1), 2, ONE)

    assert 2 == loss(run, [5, 5], [6, 5])
    assert 4 == loss(run, [5, 5], [6, 6])


def test_an_overdraft_is_an_error_here_too() -> None:
    """As it would be in a release."""
    with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
        loss(lambda counts, draws: draws.counts(counts, 3, ONE), [1], [2])


@pytest.mark.parametrize(
    "run",
    [
        lambda counts, draws: [draws.counts(counts[:1], Fraction(1, 9), ONE) for _ in range(counts[0])],
        lambda counts, draws: [draws.counts(counts[:1], Fraction(1, 9), ONE) for _ in range(9 - counts[0])],
        lambda counts, draws: draws.counts(counts, Fraction(1, int(counts[0])), ONE),
        lambda counts, draws: draws.counts(np.zeros(counts[0], dtype=int), 1, ONE),
        lambda counts, draws: draws.uniform(counts),
        lambda counts, draws: draws.uniform(counts) if counts[0] > 4 else draws.counts(counts, 1, ONE),
    ],
)
def test_other_questions_lose_everything(run) -> None:
    """How often is asked, at which rate, about how many numbers, and below which bounds: all of it must be public."""
    with pytest.raises(ValueError, match="A neighbour asks (other|fewer) questions"):
        loss(run, [4], [5])


def test_groups_have_no_candidates_to_compare() -> None:
    """A recording says so, instead of comparing what does not belong together."""
    recording = RecordingNoise(pick())
    with pytest.raises(ValueError, match="follow a script"):
        recording.rank_groups(EXPONENTIAL, np.array([1]), np.array([1]), Fraction(1), 1)


def test_a_recording_serves_behind_a_door() -> None:
    """It notes every draw, with its rate and its outcome."""
    recording = RecordingNoise(pick(1))
    with session_factory_of(lambda: recording)(TWO) as draws:
        noisy = draws.counts(np.array([7654321, 5]), 2, dps.mechanisms.Bound(4))

    (call,) = recording.calls
    assert ("noisy", Fraction(1, 2), noisy.tolist()) == (call.kind, call.rate, call.outcome.tolist())
    assert [7654321, 5] == call.values.tolist()
    assert "76543" not in repr(recording) + repr(call)


def test_a_number_loses_the_worst_ratio_of_its_noise() -> None:
    """Where the scale moves too: epsilon, at the fastest that the bound may move, and to its sign the same."""
    beta, far = Fraction(1, 3), Fraction(7165313105737893, 10**16)  # e^(-1/3), rounded up

    def run(database, draws):
        value, bound = database
        asked = value_question(
            value, bound, epsilon=1, neighbours="add-remove", noise="cauchy", beta=beta, tick=Fraction(1, 10**9)
        )
        draws.noisy_number(asked)

    for here, there in (((0, 1), (far, far)), ((far, far), (0, 1))):
        assert 0.75 < float(loss_of_transcript(run, here, there, TWO, pick())) <= 1
    assert 0 == loss_of_transcript(run, (5, 1), (5, 1), TWO, pick())

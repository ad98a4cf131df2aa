"""Several quantiles in one draw: what whole releases lose, with totals that are right, wrong, or noisy."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.release.open_session import session_factory_of
from dpselect.release.quantiles import joint_release_of
from dpselect.views.grid import EvenGrid

SHARES = [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]


def law(records, shares, grid: int, epsilon, total, cuts: int, pick=None) -> dict[tuple[int, ...], float]:
    """The logarithm of the probability of every transcript."""

    def once(replay: ScriptedNoise) -> None:
        session_factory = session_factory_of(lambda: replay)
        joint_release_of(list(records), shares, EvenGrid(0, 1, grid), epsilon, None, total, pick, cuts, session_factory)

    return dict(transcripts(once, 10**6))


def worst(shares, grid: int, epsilon, total, cuts: int, most: int, pick=None) -> float:
    """The largest loss over all neighbours of up to so many records, as a share of epsilon."""
    laws = {
        records: law(records, shares, grid, epsilon, total, cuts, pick)
        for size in range(most + 1)
        for records in itertools.combinations_with_replacement(range(grid), size)
    }
    assert all(abs(np.exp(list(each.values())).sum() - 1) < 1e-9 or total is None for each in laws.values())
    return max(
        abs(here[script] - laws[there][script]) / float(epsilon)
        for records, here in laws.items()
        for more in range(grid)
        if (there := tuple(sorted([*records, more]))) in laws
        for script in here
    )


@pytest.mark.parametrize("total", [1, 2, 3, None])
def test_a_release_loses_at_most_epsilon(total) -> None:
    """All tables of up to two records on three values of two sub-cells."""
    assert 0.2 < worst(SHARES[:2], 3, Fraction(2), total, 2, 2) <= 1 + 1e-9


def loss(here: list[int], more: int, total: int | None, epsilon: Fraction) -> float:
    """The loss of one record more, as a share of epsilon."""
    first, second = (law(records, SHARES[1:2], 4, epsilon, total, 1) for records in (here, [*here, more]))
    return max(abs(first[script] - second[script]) for script in first) / float(epsilon)


def test_nothing_is_given_away() -> None:
    """Targets that are far above, and records where an edge may go around them: nearly all of epsilon."""
    found = max(
        loss(here, more, total, Fraction(4))
        for here in ([0] * 9, [0] * 5 + [3] * 5, [1] * 6 + [2] * 6, [0] * 9 + [3])
        for more in (0, 3)
        for total in (2, 10, 20)
    )
    assert 0.6 < found <= 1 + 1e-9


@pytest.mark.parametrize("joint", [True, False])
def test_a_noisy_total_is_paid_for_and_decides_alone(joint) -> None:
    """With halving on what is left, too."""
    asked = []

    def pick(left: Fraction, about: int) -> bool:
        asked.append((left, about))
        return joint

    assert worst(SHARES[:2], 2, Fraction(2), None, 2, 2, pick) <= 1 + 1e-9
    assert {Fraction(9, 5)} == {left for left, _ in asked}


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1/2", "2", "6"])
@pytest.mark.parametrize("total", [1, 2, 3, 9, None])
def test_a_release_loses_at_most_epsilon_at_length(total, epsilon) -> None:
    """Three shares, and three records."""
    assert worst(SHARES, 3, Fraction(epsilon), total, 2, 3) <= 1 + 1e-9


DECILES = [Fraction(i, 10) for i in range(1, 10)]


def test_the_release_says_what_ran() -> None:
    """Joint draws with a public total, and halving where it would not be worth while."""
    values = np.arange(1000)
    joint = dps.quantiles(values, DECILES, grid=range(0, 1000, 20), epsilon=2, total=1000)
    poor = dps.quantiles(values, DECILES, grid=range(0, 1000, 20), epsilon=0.01, total=1000)
    noisy = dps.quantiles(values, DECILES, grid=range(0, 1000, 20), epsilon=10, method="joint")
    few = dps.quantiles(values[:5], DECILES, grid=range(0, 1000, 20), epsilon=1, method="joint")

    assert ("joint quantiles, about 1000 records", "recursive halving") == (joint.mechanism, poor.mechanism)
    assert noisy.mechanism.startswith("joint quantiles, about ")
    assert few.mechanism.startswith("recursive halving, about ")
    assert np.abs(np.array(joint.value) - np.arange(100, 1000, 100)).max() < 120


@pytest.mark.parametrize(
    ("total", "values", "spent"),
    [(9, 5, (1, True, "joint quantiles")), (None, 5, (1, False, "joint quantiles or recursive halving"))],
)
def test_the_spend_is_one_entry_for_all(total, values, spent) -> None:
    """The noisy number of records included."""
    entries = []

    class Book:
        def spend(self, guarantee, *, mechanism, count=1, note=""):
            assert (1, "quantiles") == (count, note)
            entries.append((guarantee.epsilon, guarantee.bounded_range, mechanism))

    dps.quantiles(range(values), [0.2, 0.5], grid=range(5), epsilon=1, method="joint", total=total, ledger=Book())

    assert [spent] == entries


class Closed:
    """A ledger that must not hear of anything."""

    def spend(self, *_, **__):
        """Fail the test."""
        raise AssertionError


@pytest.mark.parametrize(
    ("shares", "size", "total", "epsilon"),
    [
        (np.arange(1, 27) / 27, 10, 9, 1),
        ([0.5], 2**16 + 1, 9, 1),
        ([0.5], 10, 2**33, 1),
        ([0.5], 10, None, Fraction(1, 2**40)),
    ],
)
def test_what_is_too_much_is_refused_before_anything_is_spent(shares, size, total, epsilon) -> None:
    """The ledger hears nothing of it."""
    with pytest.raises(ValueError, match="joint draw is of at most|epsilon is too small"):
        dps.quantiles(
            [1], shares, grid=range(size), epsilon=epsilon, method="joint", total=total, ledger=Closed()
        )  # fmt: skip


def test_any_number_of_records_is_an_answer() -> None:
    """More than a total may say, none, and a wrong total."""
    for counts in ([0, 0, 0], [2**59, 0, 2**59], [10**7, 0, 10**7]):
        column = dps.data.Column.from_counts(counts)
        chosen = dps.quantiles(column, [0.2, 0.4, 0.6], grid=range(3), epsilon=100, method="joint", total=10).value
        assert list(chosen) == sorted(chosen)

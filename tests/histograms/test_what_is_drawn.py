"""Every histogram draws exactly what it pays for: the session counts."""

import itertools
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import histograms
from dpselect.histograms.count_arrays import ONE
from dpselect.histograms.identity import estimate, least_rate
from dpselect.histograms.release_histogram import release_histogram
from dpselect.release.open_session import open_session
from dpselect.release.session import Session

every = pytest.mark.parametrize("name", histograms.EVERY_ALGORITHM)


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """What is left of every opening when it is closed."""
    noted, close = [], Session.close
    monkeypatch.setattr(Session, "close", lambda self: noted.append(self.remaining) or close(self))
    return noted


@every
def test_nothing_is_left(name: str, left: list[Fraction]) -> None:
    """In the session itself, to the last fraction: what is paid for and not drawn is accuracy thrown away."""
    for shape, epsilon in itertools.product([(1,), (5,), (64,), (3, 5)], [Fraction(1, 10), Fraction(7, 3), 50]):
        left.clear()
        histograms.EVERY_ALGORITHM[name](np.full(shape, 7), epsilon=epsilon)

        assert [0] == left, (shape, epsilon)


@pytest.mark.parametrize("rounds", [1, 3, 100])
def test_any_number_of_rounds_draws_everything(rounds: int, left: list[Fraction]) -> None:
    """MWEM's shares sum to epsilon exactly."""
    histograms.mwem([3, 1, 4], epsilon=Fraction(1, 3), rounds=rounds)

    assert [0] == left


def test_too_little_is_noticed(left: list[Fraction]) -> None:
    """Planted: half of epsilon is never drawn."""
    release_histogram("half", lambda x, epsilon, draws: draws.counts(x, epsilon / 2, ONE), least_rate, [1, 2], 1, None)

    assert [Fraction(1, 2)] == left


def test_too_much_is_refused() -> None:
    """Planted: an algorithm that draws twice what was paid, at once or in two draws, gives no answer."""

    def twice(counts, epsilon, draws):
        estimate(counts, epsilon, draws)
        return estimate(counts, epsilon, draws)

    for planted in (twice, lambda counts, epsilon, draws: estimate(counts, 2 * epsilon, draws)):
        with dps.budget(epsilon=5) as book:
            with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
                release_histogram("planted", planted, least_rate, [1, 2], 1, None)
            assert 1 == book.totals.epsilon


def test_histograms_come_through_the_door_they_are_handed() -> None:
    """An audit opens another one."""
    entered = []

    @contextmanager
    def session_factory(*args, **settings):
        with open_session(*args, **settings) as draws:
            entered.append(draws.remaining)
            yield draws

    release_histogram("identity", estimate, least_rate, [1, 2], 3, None, session_factory=session_factory)

    assert [3] == entered

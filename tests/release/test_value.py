"""A number with smooth sensitivity: exact losses over all databases of small universes, hostile numbers, refusals."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.mechanisms.smooth.value_noise import NOISES
from dpselect.release import value as value_release
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.release.value_questions import ValueQuestion, value_question
from tests.release.test_open_session import Book

BOTH = pytest.mark.parametrize("noise", NOISES)
Path = list[tuple[Fraction, Fraction]]


def smooth_path(values: list[Fraction], beta: Fraction) -> Path:
    """A universe in which each database has the next one as its neighbour: values and exact smooth bounds."""
    context = decimal.Context(prec=30)
    step = Fraction(context.next_plus(context.exp(decimal.Decimal(-beta.numerator) / beta.denominator)))
    size = len(values)
    local = [max(abs(values[i] - values[j]) for j in (i - 1, i + 1) if 0 <= j < size) for i in range(size)]
    return [(values[i], max(step ** abs(i - j) * local[j] for j in range(size))) for i in range(size)]


def worst(asked: list[ValueQuestion]) -> float:
    """The largest log-ratio of neighbours on a path over epsilon, over the cells around all of them and far ones."""
    centres = [each.centre for each in asked]
    spread = max(math.ceil(each.scale) for each in asked)
    low, high = min(centres), max(centres)
    dense = np.unique(np.linspace(low - 6 * spread, high + 6 * spread, 2001).astype(np.int64))
    far = [10**k * spread for k in range(1, 9)]
    cells = [*dense.tolist(), *(high + each for each in far), *(low - each for each in far)]
    logs = [each.noise.log_cells(cells, each.centre, each.scale) for each in asked]
    return max(float(np.abs(a - b).max()) for a, b in itertools.pairwise(logs)) / float(asked[0].guarantee.epsilon)


def universes(seed: int, count: int) -> Iterator[list[Fraction]]:
    """Random paths of databases whose values move little here and much there."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        steps = rng.exponential(1, 6) * 10.0 ** rng.integers(-3, 1, 6) * rng.choice([-1, 0, 1], 6)
        yield [Fraction(round(each * 1000), 1000) for each in np.cumsum(steps).tolist()]


def questions(path: Path, epsilon: Fraction, beta: Fraction, noise: str, tick: Fraction) -> list[ValueQuestion]:
    """The question of every database of a path."""
    return [
        value_question(value, bound, epsilon=epsilon, neighbours="substitution", noise=noise, beta=beta, tick=tick)
        for value, bound in path
    ]


@BOTH
@pytest.mark.parametrize(
    "epsilon", ["1e-6", *(pytest.param(epsilon, marks=pytest.mark.slow) for epsilon in ("0.1", "1")), "20"]
)
def test_no_neighbours_are_told_apart_by_more_than_epsilon(noise: str, epsilon: str) -> None:
    """From the very integers and scales that are drawn with, for coarse and fine ticks."""
    total, largest = Fraction(epsilon), 0.0
    for number, values in enumerate(universes(18, 24)):
        beta = total / NOISES[noise].degrees * Fraction(1 + number % 9, 10)
        tick = Fraction(1, 10 ** (number % 4))
        loss = worst(questions(smooth_path(values, beta), total, beta, noise, tick))
        largest = max(largest, loss)

        # Logarithms of chances are right to 1e-12.
        assert loss <= 1 + 1e-9 + 4e-12 / float(total)
    assert largest > 0.6


@BOTH
def test_the_promise_is_used_up_where_the_bound_moves_as_fast_as_it_may(noise: str) -> None:
    """Two databases whose bounds differ by e^beta, a fine tick: the loss is epsilon to one part in a thousand."""
    beta = Fraction(9, 10) / NOISES[noise].degrees
    context = decimal.Context(prec=30)
    smaller = Fraction(context.exp(decimal.Decimal(-beta.numerator) / beta.denominator))
    asked = questions([(Fraction(0), Fraction(1)), (smaller, smaller)], Fraction(1), beta, noise, Fraction(1, 10**5))

    assert 0.999 < worst(asked) <= 1 + 1e-9


@BOTH
@pytest.mark.parametrize("fault", ["no tick for the rounding", "a scale that is 2 per cent too small"])
def test_planted_faults_cost_more_than_epsilon(noise: str, fault: str) -> None:
    """The search above has the power to see them."""
    beta, tick = Fraction(9, 10) / NOISES[noise].degrees, Fraction(1)
    # Both values round the far way, so that a move of .02 becomes one of a whole tick.
    path = [(Fraction(149, 100), Fraction(2, 100)), (Fraction(151, 100), Fraction(2, 100))]
    asked = questions(path, Fraction(1), beta, noise, tick)
    assert worst(asked) <= 1
    if fault.startswith("no tick"):
        asked = [replace(each, scale=each.scale / Fraction(102, 100) * Fraction(2, 100)) for each in asked]
    else:
        sharp = questions(
            [(Fraction(0), Fraction(1)), (Fraction(2, 5), Fraction(2, 5))], Fraction(1), beta, noise, Fraction(1, 10**5)
        )
        asked = [replace(each, scale=each.scale * Fraction(98, 100)) for each in sharp]

    assert worst(asked) > 1.005


@BOTH
def test_hostile_numbers_have_answers_and_keep_the_promise(noise: str) -> None:
    """Values at both ends of floating point, bounds of 0, and ticks far from both."""
    values = [0, 1.7e308, -1.7e308, 5e-324, 2**200, -(10**40), Fraction(1, 3), decimal.Decimal("1e-30"), 7.0]
    for value, bound, tick in itertools.product(values, [0, 5e-324, 1.0, 1e300], ["1e-30", "1", "1e200"]):
        asked = value_question(value, bound, epsilon=1, neighbours="edge", noise=noise, beta=0.1, tick=Fraction(tick))
        release = value_release.release_question(asked)

        assert 0 == release.value % Fraction(tick)
        # The neighbour that is as far as the bound allows.
        other = value_question(
            Fraction(value) + Fraction(bound),
            bound,
            epsilon=1,
            neighbours="edge",
            noise=noise,
            beta=0.1,
            tick=Fraction(tick),
        )
        cells = [asked.centre, other.centre, asked.centre + 5 * math.ceil(asked.scale)]
        here, there = (each.noise.log_cells(cells, each.centre, each.scale) for each in (asked, other))
        assert np.abs(here - there).max() <= 1 + 1e-9


@BOTH
@pytest.mark.parametrize("many", [5000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_released_numbers_follow_their_law(noise: str, many: int, entropy) -> None:
    """Chi-square; the laws at 0.7 and 1.3 epsilon are rejected."""
    asked, less, more = (
        value_question(7.25, 1.5, epsilon=2 * factor, neighbours="edge", noise=noise, beta=0.2, tick=0.25)
        for factor in (1, Fraction(7, 10), Fraction(13, 10))
    )
    coins = SystemNoise(lambda: entropy)
    draws = np.array([coins.noisy_number(asked.centre, asked.scale, asked.noise) for _ in range(many)])
    edges = np.arange(asked.centre - 30, asked.centre + 31)
    counts = np.array([np.sum(draws == cell) for cell in edges])
    from tests.verification.test_sampling import THRESHOLD, p_value

    def against(law: ValueQuestion) -> float:
        inside = np.exp(law.noise.log_cells(edges, law.centre, law.scale))
        return p_value(np.append(counts, many - counts.sum()), np.append(inside, 1 - inside.sum()))

    assert against(asked) > 1e-4
    assert against(less) < THRESHOLD
    assert against(more) < THRESHOLD


def test_the_spend_comes_first_and_names_the_noise() -> None:
    """The whole epsilon, once; what a ledger refuses draws nothing."""
    book = Book()
    release = dps.release_value(
        3, 1, epsilon=0.5, neighbours="substitution", noise="cauchy", beta=0.1, tick=1, ledger=book
    )

    assert [(Fraction(1, 2), "release-value, cauchy", 1, "")] == book.spends
    assert (Fraction(1), "release-value, cauchy") == (release.tick, release.mechanism)
    assert dps.Guarantee(0.5, "substitution") == release.guarantee
    with dps.budget(epsilon=0.4, neighbours="substitution"), pytest.raises(dps.BudgetError):
        dps.release_value(3, 1, epsilon=0.5, neighbours="substitution", beta=0.1, tick=1)


def test_a_number_is_drawn_at_the_door_for_what_was_paid() -> None:
    """Half of an epsilon twice; a third draw is refused, and so are other neighbours."""
    asked = value_question(3, 1, epsilon=0.5, neighbours="edge", beta=0.1, tick=0.5)
    with dps.open_session(dps.Guarantee(1, "edge")) as draws:
        assert [0, 0] == [draws.noisy_number(asked) % Fraction(1, 2) for _ in range(2)]
        with pytest.raises(dps.PrivacyError, match="0 is left"):
            draws.noisy_number(asked)
    with dps.open_session(dps.Guarantee(1, "family")) as draws, pytest.raises(dps.PrivacyError, match="use one"):
        draws.noisy_number(asked)


def test_a_replay_knows_how_likely_its_numbers_are() -> None:
    """The second implementation of the door: released values in turn, with the logarithm of their chances."""
    asked = value_question(2, 1, epsilon=1, neighbours="edge", beta=0.1, tick=1)
    for script, cell in (((0,), -4), ((1,), 9)):
        replay = ScriptedNoise(script)
        release = value_release.release_question(
            asked, session_factory=session_factory_of(lambda replay=replay: replay)
        )

        assert cell == release.value
        assert replay.log_chance == asked.noise.log_cells([cell], asked.centre, asked.scale)[0]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"beta": None}, dps.PrivacyError, "A smooth bound belongs to a beta: pass beta="),
        ({"tick": None}, dps.PrivacyError, "how fine the answer is must be public: pass tick="),
        ({"beta": 0.4}, ValueError, "beta must be below epsilon / 3 for student-t noise"),
        ({"beta": -1}, ValueError, "beta must be positive and finite"),
        ({"tick": 0}, ValueError, "tick must be positive and finite"),
        ({"tick": "1"}, TypeError, "tick must be a number"),
        ({"noise": "laplace"}, ValueError, "noise is 'student-t' or 'cauchy'"),
        ({"noise": "cauchy-2"}, ValueError, "'cauchy' is what dpselect.mechanism calls 'cauchy-2'"),
        ({"noise": "cauchy", "beta": 1}, ValueError, "beta must be below epsilon for cauchy noise"),
        ({"neighbours": "rows"}, ValueError, "neighbours must be one of"),
        ({"epsilon": 0}, ValueError, "epsilon must be positive"),
        ({"value": math.nan}, ValueError, "value must be finite"),
        ({"value": [1]}, TypeError, "value must be a number"),
        ({"value": True}, TypeError, "value must be a number"),
        ({"smooth_bound": -1}, ValueError, "smooth_bound must not be negative"),
        ({"smooth_bound": math.inf}, ValueError, "smooth_bound must be finite"),
    ],
)
def test_what_is_missing_or_wrong_is_said_before_anything_is_spent(changed, error, message) -> None:
    """In one sentence that says what to pass, without the private number."""
    book = Book()
    arguments = {"value": 123457, "smooth_bound": 1, "epsilon": 1, "neighbours": "edge", "beta": 0.1, "tick": 1}
    with pytest.raises(error, match=message) as refused:
        dps.release_value(**(arguments | changed), ledger=book)

    assert [] == book.spends
    assert "123457" not in str(refused.value)


@BOTH
def test_a_sensitivity_gives_its_exact_smooth_bound(noise: str) -> None:
    """For the beta and the tick of a public rule, or those that are passed."""
    known = dps.sensitivity.local(lambda t: 1 + t, ceiling=10)
    asked = value_question(5, known, epsilon=1, neighbours="edge", noise=noise)
    law = NOISES[noise]

    assert (law.share(Fraction(1)), Fraction(1, 2**21)) == (asked.beta, asked.tick)
    bound = dps.sensitivity.smooth(known, asked.beta)
    assert law.scale(Fraction(1), asked.beta) * (bound / asked.tick + 1) == asked.scale
    other = value_question(5, known, epsilon=1, neighbours="edge", noise=noise, beta=0.1, tick=0.5)
    assert (Fraction(1, 10), Fraction(1, 2)) == (other.beta, other.tick)
    with pytest.raises(dps.PrivacyError, match="needs a public ceiling"):
        value_question(5, dps.sensitivity.local(lambda t: 1 + t), epsilon=1, neighbours="edge")


@BOTH
@pytest.mark.parametrize("epsilon", ["1", *(pytest.param(epsilon, marks=pytest.mark.slow) for epsilon in ("0.2", "6"))])
def test_the_median_of_every_small_column_keeps_the_promise(noise: str, epsilon: str) -> None:
    """All columns of three values from 0 to 3 and all their neighbours; a beta of half the largest, and almost all."""
    total = Fraction(epsilon)
    universe = dps.audit.vectors(3, range(4))
    for part in (None, Fraction(95, 100)):
        beta = None if part is None else part * total / NOISES[noise].degrees
        asked = []
        for column in universe:
            value, sensitivity = dps.papers.middle_value(column, upper=3)
            asked.append(
                value_question(
                    value,
                    sensitivity,
                    epsilon=total,
                    neighbours="substitution",
                    noise=noise,
                    beta=beta,
                    tick=Fraction(1, 64),
                )
            )
        cells = [*range(-400, 600, 2), -(10**6), 10**6]
        logs = [each.noise.log_cells(cells, each.centre, each.scale) for each in asked]
        losses = [float(np.abs(logs[x] - logs[y]).max()) / float(total) for x, y in universe.pairs()]

        assert 0.4 < max(losses) <= 1 + 1e-9


def test_a_bound_of_its_own_serves_a_number_too() -> None:
    """Asked for the beta of the public rule."""
    seen = []
    known = dps.sensitivity.smooth_bound(lambda beta: seen.append(beta) or 2.5, ceiling=4)
    asked = value_question(5, known, epsilon=1, neighbours="edge", tick=1)

    assert [float(asked.beta)] == pytest.approx(seen)
    assert asked.noise.scale(Fraction(1), asked.beta) * Fraction(7, 2) == asked.scale


def test_numbers_of_numpy_are_numbers() -> None:
    """Of any width; what they hold is exact."""
    plain, single = (
        value_question(value, bound, epsilon=1, neighbours="edge", beta=0.1, tick=1)
        for value, bound in ((7.25, 1.5), (np.float32(7.25), np.float64(1.5)))
    )

    assert (plain.centre, plain.scale) == (single.centre, single.scale)


def test_nothing_private_is_shown() -> None:
    """A question holds the number and its bound, and its name says neither."""
    asked = value_question(123457, 98765, epsilon=1, neighbours="edge", beta=0.1, tick=1)

    assert "123457" not in repr(asked)
    assert "98765" not in repr(asked)

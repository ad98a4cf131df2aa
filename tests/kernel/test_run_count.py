"""What one run may spend of the whole price: exact laws of the released run never lose more, and some lose it all."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.analysis.runs import price_of_runs
from dpselect.kernel.run_count import RunCount

GAMMAS = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 2000))


def price(law: RunCount, epsilon: float) -> float:
    """The formula, in floats."""
    e, gamma = math.exp(epsilon), float(law.gamma)
    return epsilon + float(law.power) * math.log((e + gamma) / (1 + gamma * e))


@pytest.mark.parametrize("eta", [Fraction(1), Fraction(0), Fraction(-1, 2)])
@pytest.mark.parametrize("gamma", [*GAMMAS, Fraction(1, 10**6), Fraction(999, 1000)])
def test_a_run_may_spend_what_the_formula_says_rounded_down(gamma: Fraction, eta: Fraction) -> None:
    """To a millionth, and never more."""
    law = RunCount(gamma, eta)
    for total in (Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(5), Fraction(40)):
        of_run = law.epsilon_of_run(total)

        assert 1 - 2e-5 < price(law, float(of_run)) / float(total) <= 1 + 1e-13
        assert of_run >= total / (2 + eta)


def test_stopping_early_costs_as_little_as_the_logarithmic_law() -> None:
    """The formula with eta = 0."""
    stopping, best = RunCount(Fraction(1, 50), good_enough=Fraction(7)), RunCount(Fraction(1, 50))

    assert RunCount(Fraction(1, 50), Fraction(0)).epsilon_of_run(Fraction(1)) == stopping.epsilon_of_run(Fraction(1))
    assert stopping.epsilon_of_run(Fraction(1)) > best.epsilon_of_run(Fraction(1))


@pytest.mark.parametrize("total", [Fraction(1, 10**300), Fraction(1, 10**30), Fraction(10**6), Fraction(10**300)])
def test_extreme_prices_still_have_an_answer(total: Fraction) -> None:
    """Where enclosures of sixty digits decide nothing, the published third is what remains."""
    of_run = RunCount(Fraction(1, 100)).epsilon_of_run(total)

    assert total / 3 <= of_run < total


@pytest.mark.parametrize(
    ("gamma", "eta", "good_enough", "cap", "words"),
    [
        (Fraction(0), Fraction(1), None, None, "gamma must be at least"),
        (Fraction(1), Fraction(1), None, None, "gamma must be at least"),
        (Fraction(1, 10**7), Fraction(1), None, None, "gamma must be at least"),
        (Fraction(1, 2), Fraction(-1), None, None, "eta must be above -1"),
        (Fraction(1, 2), Fraction(11, 10), None, None, "eta must be above -1"),
        (Fraction(1, 2), Fraction(0), Fraction(3), None, "geometric law alone"),
        (Fraction(1, 2), Fraction(1), None, 0, "cap must be an integer"),
    ],
)
def test_laws_that_are_not_proved_are_refused(gamma, eta, good_enough, cap, words: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=words):
        RunCount(gamma, eta, good_enough, cap)


def released(law: list[Fraction], chances: list[Fraction]) -> list[Fraction]:
    """The law of the best of K outputs, ordered from worst to best, exactly."""
    ends = [Fraction(0), *itertools.accumulate(law)]
    powers = [sum((p * t**k for k, p in enumerate(chances, 1)), Fraction(0)) for t in ends]
    return [high - low for low, high in itertools.pairwise(powers)]


def geometric(gamma: Fraction, most: int) -> list[Fraction]:
    """Its chances, drawn again beyond the cap."""
    weights = [(1 - gamma) ** k for k in range(most)]
    return [weight / sum(weights) for weight in weights]


def pairs(e: Fraction) -> list[tuple[list[Fraction], list[Fraction]]]:
    """Laws of three outputs of which no chance differs by more than a factor e, extremal ones among them."""
    found = []
    for low, middle in itertools.product([Fraction(i, 12) for i in range(1, 11)], [Fraction(1, 10**6), Fraction(1, 6)]):
        for factor in (1 / e, Fraction(1), e):
            moved = max(low / e, 1 - middle * factor - e * (1 - low - middle))
            here, there = [low, middle, 1 - low - middle], [moved, middle * factor, 1 - moved - middle * factor]
            if min(*here, *there) > 0 and all(1 / e <= a / b <= e for a, b in zip(here, there, strict=True)):
                found.append((here, there))
    return found


@pytest.mark.parametrize("most", [1, 2, 5, 12])
@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(1, 20)])
def test_the_best_run_never_loses_more_than_the_price_exactly(gamma: Fraction, most: int) -> None:
    """In fractions, with e^epsilon = 2: a cap that draws again is never dearer."""
    e = Fraction(2)
    most_ratio = e * ((e + gamma) / (1 + gamma * e)) ** 2
    chances = geometric(gamma, most)
    for here, there in pairs(e):
        ratios = [a / b for a, b in zip(released(here, chances), released(there, chances), strict=True)]

        assert max(*ratios, *(1 / ratio for ratio in ratios)) <= most_ratio


def middle_of_three(gamma: Fraction, law: list[Fraction]) -> Fraction:
    """The chance that the middle one is released, without a cap: f(t) = gamma t / (1 - (1-gamma) t)."""
    low, high = (gamma * t / (1 - (1 - gamma) * t) for t in (law[0], law[0] + law[1]))
    return high - low


def test_the_price_is_attained() -> None:
    """Three outputs, the middle one all but impossible, the share below it where the proof says."""
    for gamma in (Fraction(1, 2), Fraction(1, 20)):
        e, tiny = Fraction(2), Fraction(1, 10**7)
        below = e / (1 + e)
        here = [below, tiny, 1 - below - tiny]
        there = [1 - tiny / e - e * here[2], tiny / e, e * here[2]]
        loss = math.log(middle_of_three(gamma, here) / middle_of_three(gamma, there))

        assert 0.99996 < loss / price(RunCount(gamma), math.log(2)) <= 1


def stopped(law: list[Fraction], good: int, chances: list[Fraction]) -> list[Fraction]:
    """The law of the first output from ``good`` on among K, and of none."""
    worse = sum(law[:good], Fraction(0))
    tails = [sum(chances[j:], Fraction(0)) for j in range(len(chances))]
    seen = sum((tail * worse**j for j, tail in enumerate(tails)), Fraction(0))
    return [*(q * seen for q in law[good:]), sum((p * worse**k for k, p in enumerate(chances, 1)), Fraction(0))]


@pytest.mark.parametrize("most", [1, 2, 5, 12])
def test_stopping_early_never_loses_more_than_its_price_exactly(most: int) -> None:
    """In fractions, "none" included."""
    e, gamma = Fraction(2), Fraction(1, 20)
    most_ratio = e * (e + gamma) / (1 + gamma * e)
    chances = geometric(gamma, most)
    for (here, there), good in itertools.product(pairs(e), (1, 2)):
        both = zip(stopped(here, good, chances), stopped(there, good, chances), strict=True)
        ratios = [a / b for a, b in both]

        assert max(*ratios, *(1 / ratio for ratio in ratios)) <= most_ratio


def test_any_law_has_a_price() -> None:
    """Four runs cost four times one; the geometric law what its formula says; cutting costs more than drawing again."""
    law = RunCount(Fraction(1, 50))
    cut, again = RunCount(Fraction(1, 50), cap=800).chances(), RunCount(Fraction(1, 50), cap=10).chances()
    lump = np.append(cut[:9], cut[9:].sum())

    assert abs(price_of_runs([0, 0, 0, 1], epsilon=0.5) - 2) < 1e-5
    assert abs(price_of_runs(cut, epsilon=0.5) - price(law, 0.5)) < 1e-5
    assert price_of_runs(again, epsilon=0.5) < price(law, 0.5) < 1.47 < 2.17 < price_of_runs(lump, epsilon=0.5)
    for bad in ([0.5, 0.4], [1.5, -0.5], [], [[1.0]]):
        with pytest.raises(ValueError, match="chances must be"):
            price_of_runs(bad, epsilon=1)


def difference(law: RunCount, low: float, width: float) -> float:
    """f(low + width) - f(low) of the law without a cap, by its slope where the difference would round."""
    gamma, eta = float(law.gamma), float(law.eta)

    def f(t: float) -> float:
        d = 1 - (1 - gamma) * t
        return math.log(d) / math.log(gamma) if eta == 0 else (d**-eta - 1) / (gamma**-eta - 1)

    if width > 1e-4:
        return f(low + width) - f(low)
    scale = -1 / math.log(gamma) if eta == 0 else eta / (gamma**-eta - 1)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    at = low + width * (nodes + 1) / 2
    return float(width / 2 * (weights * scale * (1 - gamma) * (1 - (1 - gamma) * at) ** (-1 - eta)).sum())


def random_pair(rng: np.random.Generator, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Two laws of which no chance differs by more than a factor e^epsilon: random ones, and near the worst."""
    e = math.exp(epsilon)
    if rng.random() < 0.5:
        low = min(max(e / (1 + e) + rng.uniform(-0.1, 0.1), 0.01), 0.98)
        moved, tiny = max(low / e, 1 - e * (1 - low)), 1e-7
        here = np.array([low - tiny / 2, tiny, 1 - low - tiny / 2])
        return here, np.array([moved - tiny / e / 2, tiny / e, 1 - moved - tiny / e / 2])
    here = rng.random(rng.integers(2, 6)) ** 3
    here /= here.sum()
    there = here * rng.choice([1, e], here.size)
    return here, there / there.sum()


@pytest.mark.slow
@pytest.mark.parametrize("eta", [Fraction(1), Fraction(0), Fraction(-1, 2)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_three_thousand_pairs_lose_no_more_and_some_all_of_it(gamma: Fraction, eta: Fraction) -> None:
    """Random and extremal pairs at four epsilons."""
    law, rng, worst = RunCount(gamma, eta), np.random.default_rng(5), 0.0
    for _ in range(3000):
        epsilon = float(rng.choice([0.1, 0.5, 1, 2]))
        here, there = random_pair(rng, epsilon)
        if np.abs(np.log(here / there)).max() > epsilon * (1 + 1e-6):
            continue
        ends = zip(np.cumsum(here) - here, here, np.cumsum(there) - there, there, strict=True)
        for low, width, moved, other in ends:
            loss = abs(math.log(difference(law, low, width) / difference(law, moved, other)))
            worst = max(worst, loss / price(law, epsilon))

    assert 0.999 < worst <= 1 + 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("cap", [None, 2, 5, 20])
def test_twenty_thousand_pairs_lose_no_more_by_stopping_early(cap: int | None) -> None:
    """Random shares below the threshold, moved as far as a neighbour may; without a cap some lose all of it."""
    rng, worst = np.random.default_rng(7), 0.0
    for gamma in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 500)):
        for epsilon in (0.1, 0.5, 1, 2):
            law, e = RunCount(gamma, good_enough=Fraction(0), cap=cap), math.exp(epsilon)
            chances = law.chances()
            tails = chances[::-1].cumsum()[::-1]
            at = np.append(rng.random(1665), e / (1 + e))
            moved = np.maximum(at / e, 1 - e * (1 - at))
            answer, none = (
                np.log(np.polynomial.polynomial.polyval(at, weights))
                - np.log(np.polynomial.polynomial.polyval(moved, weights))
                for weights in (tails, chances)
            )
            loss = np.maximum(epsilon + answer, np.log(at / moved) + none)
            worst = max(worst, float(loss.max()) / price(law, epsilon))

    assert worst <= 1 + 1e-9
    assert worst > (0.999 if cap is None else 0.9)

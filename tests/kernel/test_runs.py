"""How many runs: the draw against its law, and what a wrong draw looks like."""

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpselect.kernel.run_count import RunCount
from dpselect.kernel.samplers.runs import runs


def exact_law(gamma: Fraction, eta: Fraction, most: int) -> list[Fraction]:
    """The definition, summed exactly."""
    weights, product = [], Fraction(1)
    for k in range(1, most + 1):
        weights.append((1 - gamma) ** (k - 1) * product)
        product *= (k + eta) / (k + 1)
    return [weight / sum(weights) for weight in weights]


def p_value(drawn: np.ndarray, law: list[Fraction]) -> float:
    """Chi-square, with rare numbers put together."""
    expected = np.array([float(chance) for chance in law]) * drawn.size
    counts = np.bincount(drawn, minlength=len(law) + 1)[1:]
    rare = expected < 10
    if rare.any():
        counts, expected = (
            np.append(counts[~rare], counts[rare].sum()),
            np.append(expected[~rare], expected[rare].sum()),
        )
    return float(stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)


def drawn(gamma: Fraction, eta: Fraction, most: int, many: int, fixed: random.Random) -> np.ndarray:
    """That many draws, from bytes that are always the same."""
    entropy = fixed.randbytes
    return np.array([runs(gamma, eta, most, entropy) for _ in range(many)])


@pytest.mark.parametrize(
    ("eta", "most"), [(Fraction(1), 100), (Fraction(0), 4), (Fraction(-1, 2), 100), (Fraction(1, 3), 4)]
)
def test_the_draw_follows_its_law_and_no_other(eta: Fraction, most: int) -> None:
    """Accepted against its own, rejected against those at half of gamma and half as much again."""
    gamma = Fraction(3, 10)
    numbers = drawn(gamma, eta, most, 5000, random.Random(5))

    assert 1 <= numbers.min() <= numbers.max() <= most
    assert p_value(numbers, exact_law(gamma, eta, most)) > 1e-4
    for factor in (Fraction(1, 2), Fraction(3, 2)):
        assert p_value(numbers, exact_law(gamma * factor, eta, most)) < 1e-6


def test_a_number_beyond_the_cap_is_drawn_again_and_not_cut() -> None:
    """A cut law has a lump at its end, and is rejected."""
    gamma, most = Fraction(1, 10), 5
    numbers = drawn(gamma, Fraction(1), most, 4000, random.Random(5))
    lump = [*(gamma * (1 - gamma) ** k for k in range(most - 1)), (1 - gamma) ** (most - 1)]

    assert p_value(numbers, exact_law(gamma, Fraction(1), most)) > 1e-4
    assert p_value(numbers, lump) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("eta", "mean"), [(Fraction(1), 10), (Fraction(0), 3.909), (Fraction(-1, 2), 2.081)])
def test_the_means_are_those_of_the_closed_forms(eta: Fraction, mean: float) -> None:
    """1/gamma, (1/gamma - 1) / ln(1/gamma), eta (1-gamma) / (gamma (1-gamma^eta)), at a cap that nobody sees."""
    numbers = drawn(Fraction(1, 10), eta, 1000, 20_000, random.Random(5))

    assert abs(numbers.mean() - mean) < 5 * numbers.std() / numbers.size**0.5


def test_chances_are_those_of_the_definition() -> None:
    """In floats, for what is planned and what is replayed."""
    for eta in (Fraction(1), Fraction(0), Fraction(-9, 10)):
        law = RunCount(Fraction(1, 7), eta)

        assert 70 == law.most == law.chances().size
        np.testing.assert_allclose(law.chances(), [float(x) for x in exact_law(law.gamma, eta, 70)], rtol=1e-12)

"""The worst chances: never below those of any database, attained, and right to many digits for numbers of any size."""

import math
import random
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpselect.mechanisms import worst_tails
from dpselect.mechanisms.worst_tails import chance, exponential, gumbel, least_exponent, worst_mean
from tests.mechanisms.worst_laws import flipped, peeled

LAWS = [(exponential, flipped), (gumbel, peeled)]
FINE = Context(prec=800, Emin=-999999999, Emax=999999999)


def exponent(base: Fraction, times: int) -> Fraction:
    """Return times ln base, a little less."""
    return Fraction(Context(prec=100).ln(Decimal(float(base)))) * times - Fraction(1, 10**60)


def survey(tail, law, databases: int, seed: int) -> float:
    """Return the largest ratio of an exact chance to the worst one; no chance may be above it."""
    chosen, most = random.Random(seed), 0.0
    for _ in range(databases):
        k = chosen.choice([1, 1, 2])
        count, base, t = chosen.randint(k + 1, 5), Fraction(chosen.choice([5, 8, 12]), 4), chosen.choice([1, 2])
        scores = [chosen.choice([0, 0, 0, 1, 2, 3]) for _ in range(count)]
        last = sorted(scores)[-k]
        weights = [base**score for score in scores]
        exact = law(weights, k, {i for i, score in enumerate(scores) if score <= last - t})
        worst = Fraction(chance(tail, k, Decimal(count - k), exponent(base, t)))

        assert exact <= worst
        most = max(most, float(exact / worst))
    return most


@pytest.mark.parametrize(("tail", "law"), LAWS)
def test_no_database_is_worse_and_one_is_as_bad(tail, law) -> None:
    """The exact chances of random databases, by rational arithmetic; the ratio 1 occurs."""
    assert survey(tail, law, 80, 7) > 1 - 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(("tail", "law"), LAWS)
def test_none_of_thousands_of_databases_is_worse(tail, law) -> None:
    """The same, for longer."""
    assert survey(tail, law, 4000, 11) > 1 - 1e-15


def around(k: int, rest: int, p: Decimal) -> Fraction:
    """Return the chance for exponential noise by its alternating sum, in 800 digits."""
    with localcontext(FINE):
        return -Fraction(sum(math.comb(rest, j) * (-p) ** j * k / (k + j) for j in range(1, rest + 1)))


@pytest.mark.parametrize("rest", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("k", [1, 2, 9])
def test_every_form_agrees_with_the_exact_sum(k, rest) -> None:
    """From exponents that hardly matter to those that leave nothing; upwards, by less than 10^-15."""
    for p in ("1e-250", "1e-9", "0.001", "0.01", "0.2", "0.7", "0.95", "0.999999"):
        # The exponent is rounded, and this is its p.
        x = Fraction(-FINE.ln(Decimal(p)).quantize(Decimal("1e-70"), context=FINE))
        exact, share = around(k, rest, Decimal(p)), 1 + Fraction(1, 10**15)
        product = math.prod(Fraction(i) / (i + rest * Fraction(p)) for i in range(1, k + 1))

        assert exact <= Fraction(chance(exponential, k, Decimal(rest), x)) <= exact * share
        assert 1 - product <= Fraction(chance(gumbel, k, Decimal(rest), x)) <= (1 - product) * share


@pytest.mark.parametrize("count", [2, 10**6, 10**12, 10**300])
def test_permute_and_flip_is_its_closed_form_at_any_size(count) -> None:
    """1 - (1 - (1-p)^m) / (m p), in 800 digits; across all forms of the sum."""
    for x in (Fraction(1, 10**9), Fraction(1, 10), 3, 12, 27, 29, 60, 700):
        with localcontext(FINE):
            p = (-Decimal(Fraction(x).numerator) / Fraction(x).denominator).exp()
            exact = Fraction(1 - (1 - (count * (1 - p).ln()).exp()) / (count * p))
        worst = Fraction(chance(exponential, 1, Decimal(count - 1), Fraction(x)))

        assert exact * (1 - Fraction(1, 10**100)) <= worst <= min(Fraction(1), exact * (1 + Fraction(1, 10**15)))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 10**12), st.floats(1e-6, 60), st.floats(1.000001, 1.5))
def test_chances_fall_with_the_distance_and_rise_with_the_number(k, rest, x, more) -> None:
    """Also where one form of the sum ends and another begins."""
    for tail in (exponential, gumbel):
        here = chance(tail, k, Decimal(rest), Fraction(x))

        assert chance(tail, k, Decimal(rest), Fraction(x * more)) <= here
        assert chance(tail, k, Decimal(int(rest * more) + 1), Fraction(x)) >= here


@pytest.mark.parametrize("tail", [exponential, gumbel])
def test_long_lists_are_the_product_and_the_integral(tail) -> None:
    """A hundred thousand winners: the harmonic sum to 10^-7, and no chance below the first three terms."""
    k, rest, p = 100_000, 10**9, 1e-12
    x = Fraction(-math.log(p))
    exact = -math.expm1(-math.fsum(math.log1p(rest * p / i) for i in range(1, k + 1)))
    if tail is exponential:
        w = rest * p * k / (k + 1)
        exact = w - (rest * p) ** 2 / 2 * k / (k + 2)

    assert math.isclose(exact, float(chance(tail, k, Decimal(rest), x)), rel_tol=3e-7)


@pytest.mark.parametrize("tail", [exponential, gumbel])
@pytest.mark.parametrize("probability", ["1e-299", "0.3", "0.95", "0.999999999999"])
def test_the_inverse_is_enough_and_a_little_less_is_not(tail, probability) -> None:
    """For one of two, and for lists from 10^12: to nine digits."""
    wish = Fraction(probability)
    for k, rest in ((1, 1), (1, 10**12), (20, 80), (1000, 10**12)):
        x = least_exponent(tail, k, Decimal(rest), wish)
        if x:
            assert Fraction(chance(tail, k, Decimal(rest), x)) <= 1 - wish
            assert Fraction(chance(tail, k, Decimal(rest), x * (1 - Fraction(3, 10**8)))) > 1 - wish
        else:
            assert math.comb(rest + k, k) * wish <= 1


def test_a_wish_that_chance_grants_needs_nothing() -> None:
    """Exactly: one of m at random is right with probability 1/m, and k of m with one in all sets."""
    for tail in (exponential, gumbel):
        assert 0 == least_exponent(tail, 1, Decimal(2), Fraction(1, 3))
        assert 0 < least_exponent(tail, 1, Decimal(2), Fraction(1, 3) + Fraction(1, 10**12)) < 1
        assert (
            0
            == least_exponent(tail, 2, Decimal(3), Fraction(1, 10))
            < least_exponent(tail, 2, Decimal(3), Fraction(1, 9))
        )
        assert 0 == least_exponent(tail, 5, Decimal(0), Fraction(99, 100))
        assert 0 == chance(tail, 5, Decimal(0), Fraction(1))


@pytest.mark.parametrize(("count", "mean"), [(1, 0), (2, 0.2785), (5, 0.7178), (20, 1.5235), (10**12, 23.4751)])
def test_the_worst_mean_is_that_of_a_common_gap(count, mean) -> None:
    """The figures of a search over all gaps; the largest of common gaps is just below."""
    gaps = [i / 1000 for i in range(1, 30000)]
    most = max((g * (count - 1) * math.exp(-g) / (1 + (count - 1) * math.exp(-g)) for g in gaps), default=0)

    assert math.isclose(mean, float(worst_mean(count)), abs_tol=1e-4)
    assert most <= float(worst_mean(count)) <= most + 1e-6


def test_what_exceeds_every_limit_is_a_chance_of_one() -> None:
    """Very long lists at hardly any epsilon: no sum of a million terms is begun."""
    assert 1 == chance(exponential, 10**6, Decimal(10**12), Fraction(1, 100))
    assert 1 == chance(exponential, 2000, Decimal(3000), Fraction(1, 100))
    assert worst_tails.ways(10**6, Decimal(10**12)) > 10**300

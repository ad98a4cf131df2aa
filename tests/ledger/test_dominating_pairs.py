"""The best totals of plans: against exact laws, the normal curve, dp_accounting and the published table."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from scipy.stats import norm

import dpselect as dps
from dpselect.ledger import Event, dominating_pairs, losses
from dpselect.ledger.dominating_pairs import PlanPart, fixed_questions, optimum
from dpselect.ledger.losses import Grid

MILLIONTH = Fraction(1, 10**6)


def pure(epsilon, **kinds) -> PlanPart:
    """A part at this epsilon."""
    return PlanPart(dps.Guarantee(epsilon, "add-remove", **kinds))


def by_rho(rho, squared=0) -> PlanPart:
    """Gaussian noise."""
    return PlanPart(dps.Guarantee.from_rho(rho, MILLIONTH, "add-remove"), gaussian=True, squared=Fraction(squared))


def least(atoms, delta: float) -> float:
    """The least epsilon at delta of a law of losses that is listed."""
    chances, at = (np.array(each) for each in zip(*atoms, strict=True))
    low, high = 0.0, max(float(at.max()), 0.0)
    for _ in range(200):
        middle = (low + high) / 2
        spent = float((chances * np.maximum(-np.expm1(middle - at), 0)).sum())
        low, high = (low, middle) if spent <= delta else (middle, high)
    return high


def response(epsilon: float) -> list[tuple[float, float]]:
    """Chances and losses of randomised response."""
    truth = 1 / (1 + math.exp(-epsilon))
    return [(truth, epsilon), (1 - truth, -epsilon)]


def together(*laws):
    """Every sum of independent losses."""
    return [
        (math.prod(chance for chance, _ in each), sum(loss for _, loss in each)) for each in itertools.product(*laws)
    ]


@pytest.mark.parametrize(("amounts", "delta"), [([0.7, 0.7], 0.01), ([0.3, 1.1, 0.5], 1e-4), ([1.0] * 6, 1e-3)])
def test_pure_parts_by_enumeration(amounts: list[float], delta: float) -> None:
    """Of different epsilons too; never below, and at most a thousandth above."""
    exact = least(together(*map(response, amounts)), delta)

    assert exact <= optimum([pure(each) for each in amounts], delta) <= 1.001 * exact


def test_geometric_noise_by_enumeration() -> None:
    """Of numbers that move by several steps, beside one that moves by one."""
    rate, moves = 0.2, 4
    ends = [(z, 1.0 if z in (0, moves) else -math.expm1(-rate)) for z in range(moves + 1)]
    law = [(end * math.exp(-rate * z) / (1 + math.exp(-rate)), rate * (moves - 2 * z)) for z, end in ends]
    part = PlanPart(dps.Guarantee(Fraction(4, 5), "add-remove"), moves=moves)
    exact = least(together(law, law, law, response(0.4)), 1e-3)

    assert exact <= optimum([part, part, part, pure(0.4)], 1e-3) <= 1.001 * exact
    alone = PlanPart(dps.Guarantee(Fraction(4, 5), "add-remove"), moves=1)
    assert optimum(3 * [alone], 1e-3) == optimum(3 * [pure(0.8)], 1e-3)


@pytest.mark.parametrize("rho", [0.001, 0.03, 0.125, 1.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-15])
def test_gaussian_noise_by_its_curve(rho: float, delta: float) -> None:
    """Several are one."""
    root = math.sqrt(2 * rho)
    low, high = 0.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        spent = norm.sf(middle / root - root / 2) - math.exp(middle + norm.logsf(middle / root + root / 2))
        low, high = (low, middle) if spent <= delta else (middle, high)

    assert high <= optimum([by_rho(Fraction(rho) / 3)] * 3, delta) <= 1.002 * high + 1e-9


@pytest.mark.parametrize("variance", [1, 9, 50])
def test_discrete_gaussian_noise_on_one_count(variance: int) -> None:
    """By its exact law; on more numbers it is dominated by normal noise that is a little narrower."""
    rho = Fraction(1, 2 * variance)
    place = np.arange(-400, 401)
    weights = np.exp(-(place**2) / (2 * variance))
    exact = least(list(zip(weights / weights.sum(), (1 - 2 * place) / (2 * variance), strict=True)), 1e-6)
    found = optimum([by_rho(rho, 1)], 1e-6)

    assert exact <= found <= 1.001 * exact
    if variance > 6:
        two = optimum([by_rho(rho, 2)], 1e-6)
        # A number that moves by 1 has half of the squares.
        assert optimum([by_rho(rho / 2, 1)], 1e-6) < two
        # Two numbers that move by 1 each.
        half = list(zip(weights / weights.sum(), (1 - 2 * place) / (2 * variance), strict=True))
        assert least(together(half[300:501], half[300:501]), 1e-3) <= optimum([by_rho(2 * rho, 2)], 1e-3)
    else:
        with pytest.raises(ValueError, match="so small a variance"):
            by_rho(rho, 2)


def test_laplace_noise_by_dp_accounting() -> None:
    """Their own distribution of it, which is rounded up too."""
    ledger = pld.PLDAccountant(value_discretization_interval=1e-4)
    ledger.compose(dp_accounting.LaplaceDpEvent(2.0), 20)
    found = optimum(20 * [pure(0.5, laplace=True)], 1e-6)

    assert found == pytest.approx(ledger.get_epsilon(1e-6), rel=1e-3)


@pytest.mark.parametrize(
    ("count", "epsilon", "published"),
    [
        (10, 0.1, 0.629),
        (10, 1, 7.71),
        (30, 0.3, 3.85),
        (100, 0.1, 2.246),
        pytest.param(100, 0.5, 14.31, marks=pytest.mark.slow),
        pytest.param(1000, 0.03, 2.127, marks=pytest.mark.slow),
    ],
)
def test_choices_with_fixed_questions_are_at_the_optimum(count: int, epsilon: float, published: float) -> None:
    """Of Dong, Durfee and Rogers: the worst two-point law, and within one per cent of it; adaptive ones cost more."""
    choices = count * [pure(epsilon, bounded_range=True)]
    found = optimum(choices, 1e-6, adaptive=False)
    worst = 0.0
    for top in np.linspace(0.01, 0.99, 491) * epsilon:
        here = -np.expm1(top - epsilon) / -np.expm1(-epsilon)
        answers = np.arange(count + 1)
        chances = np.exp(
            [
                math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1)
                + (count - n) * math.log(here) + n * math.log1p(-here)
                for n in range(count + 1)
            ]
        )  # fmt: skip
        worst = max(worst, least(list(zip(chances, count * top - answers * epsilon, strict=True)), 1e-6))

    assert worst * (1 - 1e-9) <= found <= 1.001 * worst
    assert round(found, 3 if published < 3 else 2) == published
    assert found < optimum(choices, 1e-6) < 1.11 * found


def test_fixed_questions_may_have_losses_of_their_own() -> None:
    """Three choices with other top losses each are no worse than what is found."""
    epsilon, delta = 0.8, 0.01
    found = fixed_questions(Fraction(4, 5), 3, delta)

    def law(top: float):
        here = -math.expm1(top - epsilon) / -math.expm1(-epsilon)
        return [(here, top), (1 - here, top - epsilon)]

    tops = np.linspace(0.01, 0.79, 14)
    worst = max(least(together(*map(law, each)), delta) for each in itertools.combinations_with_replacement(tops, 3))
    assert 0.98 * found < worst <= found


@pytest.mark.parametrize("many", [13, pytest.param(25, marks=pytest.mark.slow)])
def test_adaptive_choices_are_covered(many: int) -> None:
    """A second question whose losses follow the first answer."""
    epsilon, delta = 1.0, 0.23

    def law(top: float):
        here = -math.expm1(top - epsilon) / -math.expm1(-epsilon)
        return [(here, top), (1 - here, top - epsilon)]

    tops, worst = np.linspace(0.02, 0.98, many), 0.0
    for first, high, low in itertools.product(tops, repeat=3):
        (up, gain), (down, loss) = law(first)
        atoms = [(up * chance, gain + more) for chance, more in law(high)]
        atoms += [(down * chance, loss + more) for chance, more in law(low)]
        worst = max(worst, least(atoms, delta))
    choices = 2 * [pure(1, bounded_range=True)]

    assert optimum(choices, delta, adaptive=False) * 1.001 < worst <= optimum(choices, delta)


def test_an_approximate_part_tells_everything_with_its_delta() -> None:
    """The deltas are off the top; where they are more than delta nothing holds."""
    leaky = PlanPart(dps.Guarantee(1, "add-remove", Fraction(1, 10**7)))
    exact = least([(chance, loss) for chance, loss in together(response(1), response(1))], 1e-3 - 2e-7)

    assert exact <= optimum([leaky, leaky], 1e-3) <= 1.001 * exact
    assert math.isinf(optimum(11 * [leaky], 1e-6))


def test_a_thousand_parts_of_all_kinds() -> None:
    """In seconds, and below the sums."""
    plan = 10 * [pure(0.1, bounded_range=True)] + 10 * [pure(0.1, laplace=True)] + 10 * [by_rho(Fraction(1, 100), 1)]
    plan += 10 * [PlanPart(dps.Guarantee(Fraction(1, 5), "add-remove"), moves=5)] + 960 * [pure(0.05)]
    found, rho = optimum(plan, 1e-6), sum(part.rho for part in plan)

    assert 0.8 * found < optimum(plan[40:], 1e-6) < found
    assert found < 0.99 * float(dps.kernel.rho_conversion.epsilon_of(rho, MILLIONTH))


def test_more_costs_more_and_the_sum_is_never_exceeded() -> None:
    """One part costs its epsilon."""
    assert 0.1 == pytest.approx(optimum([pure(0.1)], 1e-30), abs=1e-9)
    assert 0 == optimum([], 1e-6)
    assert optimum([pure(0.1)], 0.5) == 0
    found = [optimum(many * [pure(0.3, laplace=True)], 1e-6) for many in (1, 5, 20, 60)]
    assert found == sorted(found)
    with pytest.raises(ValueError, match="delta must"):
        optimum([pure(1)], 0)
    with pytest.raises(ValueError, match="gaussian=True"):
        PlanPart(dps.Guarantee.from_rho(1, 1e-6, "edge"))
    with pytest.raises(ValueError, match="Geometric noise is pure"):
        PlanPart(dps.Guarantee(1, "edge", 1e-6), moves=1)


FAULTS = {
    "masses rounded down": (Grid, "atoms", lambda true: lambda grid, atoms, infinite=0.0: true(
        grid, [(Fraction(math.floor(loss / Fraction(grid.step))) * Fraction(grid.step), mass) for loss, mass in atoms],
        infinite,
    )),
    "what is above the grid is lost": (losses.LossPmf, "__init__", lambda true: lambda self, low, masses, infinite=0.0,
        slack=1.0: true(self, low, masses, 0.0, slack)),
    "the last row of a convolution is lost": (losses, "_convolve", lambda true: lambda one, other: true(
        one, other) * (np.arange(one.size + other.size - 1) < one.size + other.size - 2)),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_faults_are_noticed(fault, monkeypatch) -> None:
    """Each makes some total smaller than the truth."""
    place, name, wrong = fault
    monkeypatch.setattr(place, name, wrong(getattr(place, name)))
    pairs = [
        (least(together(*map(response, [0.7, 0.7])), 0.01), lambda: optimum([pure(0.7), pure(0.7)], 0.01)),
        (least(together(*map(response, [0.3, 1.1, 0.5])), 1e-4), lambda: optimum(map(pure, [0.3, 1.1, 0.5]), 1e-4)),
        (1 - 1e-9, lambda: optimum([PlanPart(dps.Guarantee(1, "add-remove", Fraction(1, 10)))], 0.1)),
    ]

    assert any(found() < exact * (1 - 1e-9) for exact, found in pairs)


def test_what_lies_above_the_grid_counts() -> None:
    """It is infinite, and what lies below is raised to the end."""
    grid = Grid(1.0, 2)
    law = grid.atoms([(Fraction(3), 0.25), (Fraction(-7), 0.5), (Fraction(1), 0.25)])

    assert 0.25 == law.infinite
    assert {-2: 0.5, 1: 0.25} == {law.low + at: mass for at, mass in enumerate(law.masses.tolist()) if mass}


def test_a_convolution_is_that_of_numpy() -> None:
    """Of any lengths."""
    generator = np.random.default_rng(2)
    for one, other in ((1, 1), (5, 900), (127, 128), (128, 129), (700, 1000)):
        left, right = generator.random(one), generator.random(other)
        assert np.allclose(np.convolve(left, right), losses._convolve(left, right), rtol=1e-12, atol=0)
    assert dominating_pairs._UP > 1


@pytest.mark.parametrize("kind", [{}, {"laplace": True}, {"bounded_range": True}])
def test_extreme_totals_have_a_sum(kind) -> None:
    """Numbers that no float can raise e to: the smaller sum stands, and nothing overflows."""
    for epsilon, count in ((700, 10**5), (10**300, 2), (Fraction(1, 10), 10**12)):
        part, many = pure(epsilon, **kind), count * Fraction(epsilon)
        for adaptive in (True, False):
            found = optimum({part: count}, MILLIONTH, adaptive=adaptive)
            assert float(many) * 0.01 < found <= float(many)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-12", "1e-15"])
def test_fixed_questions_of_tiny_epsilons_are_not_below_the_truth(epsilon: str) -> None:
    """Of one release: its law has H(x) = (1 - e^((x - epsilon) / 2))^2 / (1 - e^-epsilon), at e^-x and more digits."""
    end = Fraction(epsilon)
    # With x = share epsilon, H(x) lies between these, and above the delta that was asked for only below the truth.
    share = Fraction(9, 10)
    delta = end * (1 - share) ** 2 / 4
    found = fixed_questions(end, 1, float(delta))

    assert share * end * (1 - Fraction(1, 10**8)) <= Fraction(found) <= end


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(36, 2, 1e-9), (38, 3, 1e-6), (20, 2, 1e-6), (60, 3, 1e-6)])
def test_fixed_questions_of_large_epsilons_are_not_below_the_truth(epsilon: int, count: int, delta: float) -> None:
    """All answers high, each with a loss of epsilon - short, are one event among those that delta must cover."""
    found = fixed_questions(Fraction(epsilon), count, delta)

    for short in np.geomspace(1e-6, 10, 200):
        chance = (-math.expm1(-short) / -math.expm1(-epsilon)) ** count
        assert chance * -math.expm1(min(found - count * (epsilon - short), 0)) <= delta
    assert found <= count * epsilon


@pytest.mark.parametrize("many", [-1, 0, 2.5, True])
def test_how_many_parts_there_are_is_a_number(many) -> None:
    """A negative number would take back what others cost; 0.0001 of a release is none."""
    with pytest.raises(ValueError, match="how many"):
        optimum({pure(0.5): 40, pure(1): many}, 1e-6)


@pytest.mark.parametrize("moves", [-1000, 2.5, True])
def test_moves_are_a_number(moves) -> None:
    """A negative one had a smaller price than any release of its epsilon."""
    with pytest.raises(ValueError, match="moves"):
        PlanPart(dps.Guarantee(0.1, "add-remove"), moves=moves)


def test_parts_are_of_one_relation() -> None:
    """An edge and a record are two steps: no sum is about either."""
    parts = [pure(1), PlanPart(dps.Guarantee(1, "edge"))]
    with pytest.raises(ValueError, match="add-remove and edge"):
        optimum(parts, 1e-6)
    events = [Event("", relation, "x", Fraction(1)) for relation in ("add-remove", "edge")]
    with pytest.raises(ValueError, match="add-remove and edge"):
        dps.ledger.report(events, 1e-6)

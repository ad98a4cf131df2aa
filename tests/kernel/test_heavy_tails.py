"""Draws with heavy tails: integers that decide, bits that stay uniform, and the argmax of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.kernel.bernoulli_exp import new_entropy
from dpselect.kernel.samplers import heavy_families, heavy_tails
from dpselect.kernel.samplers.heavy_families import Family, family
from dpselect.mechanisms.sampler import noisy_max
from dpselect.mechanisms.smooth import noise_distributions as noises
from tests.chance import accept

GAMMAS = (0, 2, 3, 4, 5, 6, 10)
DEPTH, COIN = 11, 24


def noise_of(gamma: int, sides: int = 1) -> noises.NoiseDistribution:
    """The law of a family."""
    return noises.cauchy(gamma, sides) if gamma else noises.student_t(sides)


def stream(seed: int) -> Callable[[int], bytes]:
    """Bytes that come again."""
    return np.random.default_rng(seed).bytes


def share(law: Family, k: int, verdict: bool) -> int:
    """How many of 2^24 coins are accepted for sure (or are not rejected for sure) with this prefix of U: monotone."""
    low, high = 0, 2**COIN
    while low < high:
        middle = (low + high) // 2
        decided = law.decide(k, k + 1, middle, DEPTH, COIN)
        low, high = (middle + 1, high) if (decided if verdict else decided is not False) else (low, middle)
    return low


@pytest.fixture(scope="module")
def cells() -> dict[int, tuple[np.ndarray, ...]]:
    """Of every family the least and the largest z of each cell of U, and bounds on its chance to be accepted."""
    k = np.arange(2**DEPTH)
    with np.errstate(divide="ignore"):
        near, far = (2**DEPTH - 1 - k) / (k + 1.0), (2**DEPTH - k) / k
    found = {}
    for gamma in GAMMAS:
        law = family(gamma)
        sure, open_ = (np.array([share(law, int(i), verdict) for i in k], dtype=float) for verdict in (True, False))
        found[gamma] = near, far, sure, open_
    return found


@pytest.mark.parametrize("gap", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_law_of_two_is_enclosed_by_what_integers_decide(gamma: int, gap: float, cells) -> None:
    """All 2^11 prefixes of U: the chance that the second wins lies between the sure and the possible cells.

    No draw and no statistics: the acceptance as it runs against quadrature, within a few hundredths of the chance.
    """
    near, far, sure, open_ = cells[gamma]
    # All mass that is accepted is between the two sums.
    least, most = sure / open_.sum(), open_ / sure.sum()
    order = np.argsort(far)
    below = np.concatenate(([0.0], np.cumsum(least[order])))
    certain = (least * below[np.searchsorted(far[order], near - gap, side="right")]).sum()
    order = np.argsort(near)
    below = np.concatenate(([0.0], np.cumsum(most[order])))
    possible = (most * below[np.searchsorted(near[order], far - gap, side="left")]).sum()

    sampler = noisy_max(noise_of(gamma))
    chance = np.exp(sampler.tick_log_pmf(np.array([1, 0]), Fraction(gap)))[1]
    assert certain <= chance <= possible
    assert possible - certain < (0.06 if gamma < 10 else 0.3) * chance


@pytest.mark.parametrize(
    "gamma",
    [
        0,
        2,
        3,
        4,
        10,
        40,
        41,
        *(pytest.param(gamma, marks=pytest.mark.slow) for gamma in (*range(5, 10), *range(12, 39), 100, 255, 256)),
    ],
)
def test_no_ratio_is_above_one(gamma: int) -> None:
    """On a fine grid, and in exact arithmetic where it is largest; and the constant wastes less than a twentieth."""
    law = family(gamma)
    z = np.concatenate((np.linspace(0, 3, 300_001), np.logspace(0.4, 12, 1000)))
    ratio = law.ratio(1 / (1 + z))
    assert 0.95 < ratio.max() <= 1
    top = Fraction(float(z[ratio.argmax()]))
    for near in (top * (1 + Fraction(i, 10**7)) for i in range(-20, 21)):
        height = 1 / (1 + near**gamma) if gamma else 1 / (1 + near**2) ** 2
        assert (1 + near) ** 2 * height <= law.ceiling


@pytest.mark.parametrize("gamma", [-2, 1, 257, 1000])
def test_other_families_are_refused(gamma: int) -> None:
    """Powers below 2, and those beyond a public limit."""
    with pytest.raises(ValueError, match="whole number from 2 to 256"):
        family(gamma)


@pytest.mark.parametrize("gamma", [*GAMMAS, 50, pytest.param(256, marks=pytest.mark.slow)])
def test_floats_agree_with_integers_about_every_cell(gamma: int, monkeypatch) -> None:
    """Prefixes at the edges and at random, coins at the threshold and beside it: floats decide only what is so."""
    law, draw = family(gamma), np.random.default_rng(gamma)
    k = np.concatenate(
        (
            [2**32, 2**32 + 1, 2**52 - 1, 2**52 + 2, 2**53 - 2, 2**53 - 1],
            draw.integers(2**32, 2**53, 1500),
            2**32 + draw.integers(0, 2**34, 300),
            2**53 - draw.integers(1, 2**30, 100),
        )
    ).astype(np.int64)
    ratio = law.ratio((k + 0.5) * 2.0**-53) * 2.0**32
    for moved in (-5000, -1, 0, 1, 5000):
        coin = np.clip(np.floor(ratio) + moved, 0, 2**32 - 1).astype(np.uint32)
        unsure = set()

        def watched(_, prefix, v, __, unsure=unsure):
            unsure.add((prefix, v))
            return False, prefix, 53

        monkeypatch.setattr(heavy_tails, "settle", watched)
        accepted = set(first_batch(law, k, coin))
        assert abs(moved) < 5000 or sum(v > 0 for _, v in unsure) < 40
        for prefix, v in zip(k.tolist(), coin.tolist(), strict=True):
            verdict = law.decide(prefix, prefix + 1, v, 53, 32)
            if (prefix, v) not in unsure:
                assert verdict is (prefix in accepted), (prefix, v)


def first_batch(law: Family, k: np.ndarray, coin: np.ndarray) -> list[int]:
    """The accepted prefixes among these; as many follow that are rejected, so that none is surplus."""
    more = k.size + 64
    k = np.concatenate((k, np.full(more, 2**53 - 3)))
    coin = np.concatenate((coin, np.full(more, 2**32 - 1, dtype=np.uint32)))
    script = [(k.astype(np.uint64) << np.uint64(11)).tobytes(), coin.tobytes()]

    def entropy(count: int) -> bytes:
        if script:
            return script.pop(0)
        return np.full(count // 8, 2**63, dtype=np.uint64).tobytes() if next(turn) else bytes(count)

    turn = cycle((True, False))
    return heavy_tails._noise(law, 1, (k.size - 16) // 2, entropy).k.tolist()


def test_a_prefix_of_zero_is_settled_and_keeps_its_bits() -> None:
    """U below 2^-53: undecided, then accepted by the bits that follow, which stay; or rejected by its coin."""
    law = family(0)
    words, coins = np.full(20, 2**63, dtype=np.uint64), np.zeros(20, dtype=np.uint32)
    words[0] = 0
    for coin_bits, accepted in ((bytes(8), True), (b"\xff" * 8, False)):
        answers = [words.tobytes(), coins.tobytes(), *([b"\xfe" * 8, coin_bits] * 8)]
        noise = heavy_tails._noise(law, 1, 2, lambda count, answers=answers: answers.pop(0))
        if accepted:
            k, bits = noise.longer[0]
            assert (0, 53 + 64 * 2) == (noise.k[0], bits)
            assert k == int.from_bytes(b"\xfe" * 16, "big")
            low, high = noise.contender(0, 0, Fraction(0)).bounds()
            assert 2**53 < low < high < 2**54
        else:
            assert noise.k.tolist() == [2**52, 2**52]
            assert not noise.longer


def test_the_largest_of_planted_prefixes_wins_and_ties_are_broken_by_fresh_bits() -> None:
    """Equal prefixes are refined with 64 bits each, from the stream; a prefix of zero beats any other."""
    coins = np.zeros(20, dtype=np.uint32)
    words = np.full(20, 2**63, dtype=np.uint64)
    for first, second, winner in ((b"\x00" * 8, b"\x01" * 8, 0), (b"\x01" * 8, b"\x00" * 8, 1)):
        answers = [words.tobytes(), coins.tobytes(), first, second]
        assert winner == heavy_tails.heavy_tails(
            np.array([5, 5]), Fraction(1), lambda count, answers=answers: answers.pop(0), 0, 1
        )
        assert not answers
    # z of the second is larger by more than the gap; then by less.
    words[:2] = [2**63, 2**62]
    for gap, winner in ((Fraction(199, 100), 1), (Fraction(201, 100), 0)):
        answers = [words.tobytes(), coins.tobytes()]
        assert winner == heavy_tails.heavy_tails(
            np.array([1, 0]), gap, lambda count, answers=answers: answers.pop(0), 0, 1
        )


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(
    ("gamma", "seeds"),
    [(0, 300), (4, 300), *(pytest.param(gamma, 1200, marks=pytest.mark.slow) for gamma in (0, 2, 4, 6, 10))],
)
def test_the_winner_is_the_argmax_of_what_was_drawn(gamma: int, sides: int, seeds: int) -> None:
    """Replayed with the same bytes: the position whose exact value is largest, whatever ticks and rates."""
    draw = np.random.default_rng(gamma)
    for seed in range(seeds):
        ticks = draw.integers(-4, 5, int(draw.integers(1, 9))) * int(draw.choice([1, 2**30, 2**58]))
        rate = Fraction(int(draw.integers(1, 99)), 7) * Fraction(2) ** int(
            draw.choice([0, -30, -58, -900, -1200, 1100])
        )
        noise = heavy_tails._noise(family(gamma), sides, ticks.size, stream(seed))
        whole = 1 << 53
        values = []
        for i, k in enumerate(noise.k.tolist()):
            z = Fraction(2 * whole - 2 * k - 1, 2 * k + 1)
            values.append((1 if noise.sign is None else int(noise.sign[i])) * z - int(ticks.max() - ticks[i]) * rate)

        assert heavy_tails.heavy_tails(ticks, rate, stream(seed), gamma, sides) == values.index(max(values))


@pytest.mark.parametrize("chunk", [1, 3])
def test_chunks_change_nothing_but_the_order_of_bytes(chunk: int, monkeypatch) -> None:
    """The best of several chunks wins, also where all others are in the first."""
    monkeypatch.setattr(heavy_tails, "_CHUNK", chunk)
    ticks = np.array([0, 0, 0, 0, 0, 0, 1])

    assert {6} == {heavy_tails.heavy_tails(ticks, Fraction(10) ** 400, new_entropy(), 0, 2) for _ in range(50)}


@pytest.mark.chance(2.1e-6)
@pytest.mark.parametrize(
    ("gamma", "sides", "bits"),
    [
        (0, 1, 53),
        (0, 1, 20),
        *(pytest.param(gamma, sides, 53, marks=pytest.mark.slow) for gamma in GAMMAS for sides in (1, 2)),
        *(pytest.param(gamma, 3 - sides, 20, marks=pytest.mark.slow) for gamma in GAMMAS for sides in (1, 2)),
    ],
)
def test_draws_follow_the_law(gamma: int, sides: int, bits: int, monkeypatch) -> None:
    """Accepted against their law, rejected at .7 and 1.3 of the rate; with 20 bits all is settled by integers."""
    monkeypatch.setattr(heavy_tails, "PREFIX", bits)
    monkeypatch.setattr(heavy_families, "PREFIX", bits)
    ticks, rate, sampler = np.array([0, -1, -3]), Fraction(2, 3), noisy_max(noise_of(gamma, sides))

    def law(at: Fraction) -> dict[int, float]:
        return dict(enumerate(np.exp(sampler.tick_log_pmf(ticks, at)).tolist()))

    verdict = audit.sampler(
        lambda: heavy_tails.heavy_tails(ticks, rate, new_entropy(), gamma, sides),
        law(rate),
        against={"blunt": law(rate * Fraction(7, 10)), "sharp": law(rate * Fraction(13, 10))},
    )
    accept(verdict)


@pytest.mark.chance(2e-8)
@pytest.mark.parametrize("bits", [53, 20])
def test_rows_are_drawn_one_by_one_at_their_own_rates(bits: int, monkeypatch) -> None:
    """Each row has the law of a draw by itself, and not that of 0.7 or 1.3 of its rate."""
    monkeypatch.setattr(heavy_tails, "PREFIX", bits)
    monkeypatch.setattr(heavy_families, "PREFIX", bits)
    many = 8192
    rows = np.array([[0, -1, -3], [5, 5, 9], [-7, -7, -8]])
    rates = [Fraction(2, 3), Fraction(1, 5), Fraction(10) ** 300]
    won = heavy_tails.heavy_tails_rows(rows, rates, np.tile([2, 0, 1], many), new_entropy(), 0, 1)
    for row, place in ((0, 1), (1, 2), (2, 0)):
        law, *wrong = (
            dict(enumerate(np.exp(noisy_max(noise_of(0)).tick_log_pmf(rows[row], rates[row] * factor)).tolist()))
            for factor in (1, Fraction(7, 10), Fraction(13, 10))
        )
        # At the last rate there is no noise that counts, and no other law.
        against = dict(zip(("0.7", "1.3"), wrong, strict=True)) if row < 2 else {}
        accept(audit.sampler(iter(won[place::3].tolist()).__next__, law, against=against, draws=many))


def test_ties_within_a_row_are_broken_by_fresh_bits_of_that_row() -> None:
    """Equal prefixes in one row of two: 64 bits more for each of the two, and nothing for the other row."""
    count = 2 * 4 + 16
    words = np.full(count, 2**63, dtype=np.uint64)
    words[:4] = [2**63, 2**62, 2**63, 2**63]
    script = [words.tobytes(), bytes(4 * count), b"\x01" * 8, b"\x00" * 8]
    won = heavy_tails.heavy_tails_rows(
        np.array([[3, 3]]), [Fraction(1)], np.array([0, 0]), lambda _: script.pop(0), 0, 1
    )

    assert [1, 1] == won.tolist()
    assert not script


@pytest.mark.chance(2.1e-6)
@pytest.mark.parametrize(
    "mechanism",
    [
        dps.mechanism("smooth-noisy-max"),
        pytest.param(dps.mechanism("smooth-noisy-max", noise="cauchy-2"), marks=pytest.mark.slow),
        pytest.param(dps.mechanism("smooth-private-selection"), marks=pytest.mark.slow),
        pytest.param(dps.mechanism("smooth-private-selection", gamma=10, sides=2), marks=pytest.mark.slow),
        pytest.param(dps.mechanism("local-dampening-t"), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_releases_follow_the_law_of_the_mechanism(mechanism) -> None:
    """In a session: accepted against its distribution, rejected against those of .7 and 1.3 epsilon."""
    scores = dps.Scores([3.0, 1.5, 0.0], 1)

    verdict = audit.sampler_of(mechanism, scores, epsilon=2)
    accept(verdict)


@pytest.mark.chance(2.1e-6)
@pytest.mark.parametrize("name", ["smooth-noisy-max", pytest.param("smooth-private-selection", marks=pytest.mark.slow)])
def test_several_winners_are_peeled(name: str) -> None:
    """Released pairs have the law of one draw after another, each at half of epsilon; not of 0.7 or 1.3 epsilon."""
    mechanism, scores = dps.mechanism(name), dps.Scores([3.0, 1.5, 0.0], 1)

    def law(factor: Fraction) -> dict[tuple[int, int], float]:
        ticks, rate = mechanism.quantize(scores, factor * 4)
        first = np.exp(mechanism.tick_log_pmf(ticks, rate))
        chances = {}
        for i in range(3):
            left = [j for j in range(3) if j != i]
            second = np.exp(mechanism.tick_log_pmf(ticks[left], rate))
            chances |= {(i, j): float(first[i] * p) for j, p in zip(left, second, strict=True)}
        return chances

    with dps.open_session(dps.Guarantee(8, "add-remove"), count=20_000) as draws:
        verdict = audit.sampler(
            lambda: tuple(draws.top_k(scores, 2, 8, mechanism=mechanism)),
            law(Fraction(1)),
            against={f"{float(factor)} epsilon": law(factor) for factor in (Fraction(7, 10), Fraction(13, 10))},
        )
    accept(verdict)

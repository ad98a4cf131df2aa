"""Functions agree with the definitions that Coq proved, on what the extracted definitions gave for small inputs."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel import bernoulli_exp
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.kernel.samplers.heavy_families import Family
from dpselect.kernel.units import TICKS, floor_ticks
from dpselect.mechanisms import pmf
from dpselect.mechanisms.local_dampening import dampen
from dpselect.mechanisms.ordered_pmf import list_chance
from dpselect.mechanisms.shifted_local_dampening import shift
from dpselect.mechanisms.smooth import slides
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.scores.sensitivity import Sensitivity
from tests.proofs.table import PROOFS

ANSWERS = {"T": True, "F": False, "?": None}
# Half a tick, which the end-to-end theorem leaves to floating point.
HALF_A_TICK = Fraction(1, 2 * TICKS)
# The rate at which a gap of one halves a coin.
HALVES = Fraction(math.log(2))


def vectors(name: str) -> list[dict[str, Any]]:
    """Return what proofs/reference.ml printed."""
    read: list[dict[str, Any]] = json.loads((PROOFS / "vectors" / f"{name}.json").read_text(encoding="utf-8"))
    return read


DAMPENING, *PROFILES = vectors("dampening")
SCORES = [Fraction(text) for text in DAMPENING["scores"]]
FLOATS = np.array([float(score) for score in SCORES])


def sensitivity_of(profile: dict[str, Any]) -> Sensitivity:
    """Return delta, and from its reach on the ceiling."""
    delta, ceiling = profile["delta"], profile["ceiling"]
    return dps.sensitivity.local(
        lambda t: float(delta[t] if t < len(delta) else ceiling), ceiling=float(ceiling), reach=len(delta)
    )


def require_near(computed: np.ndarray, exact: list[int], profile: dict[str, Any]) -> None:
    """Refuse what is not within half a tick of the reference."""
    for score, unit, expected in zip(SCORES, computed.tolist(), exact, strict=True):
        error = abs(Fraction(unit) - Fraction(expected, DAMPENING["denominator"]))
        assert error <= HALF_A_TICK, (score, unit, profile["delta"], profile["ceiling"])


def test_dampened_scores_agree_with_the_reference() -> None:
    """All deltas of up to four steps that do not fall, with ceilings of up to four: within half a tick."""
    assert len(PROFILES) * len(SCORES) == 21156
    for profile in PROFILES:
        require_near(dampen(FLOATS, sensitivity_of(profile)), profile["dampened"], profile)


def test_zeros_agree_with_the_reference() -> None:
    """T, -T or 0 by what zero means, exactly."""
    for profile in PROFILES:
        for zero in ("best", "worst"):
            (unit,) = dampen(np.zeros(1), sensitivity_of(profile), zero)
            assert Fraction(unit) == Fraction(profile[zero], DAMPENING["denominator"])


@pytest.mark.parametrize("direction", ["growing", "shrinking"])
def test_shifted_scores_agree_with_the_reference(direction: str) -> None:
    """In both directions, within half a tick."""
    for profile in PROFILES:
        require_near(shift(FLOATS, sensitivity_of(profile), direction), profile[direction], profile)


def test_ticks_agree_with_the_reference() -> None:
    """Sixteen ticks in a unit and a clip of 3 there, 2^20 and 2^30 here: the same numbers times 2^16."""
    rows = vectors("ticks")
    units = np.array([float(Fraction(row["units"]) / 2**16) for row in rows])
    # What is not beyond the reference's clip, of a third of a unit at most.
    inside = np.array([abs(Fraction(row["units"])) <= 3 for row in rows])
    exact = np.array([Fraction(row["units"]).denominator in (1, 2, 4, 8, 16) for row in rows])
    ticks = floor_ticks(units, range_bound=2).ticks
    reference = np.array([row["tick"] for row in rows])

    assert ticks[inside & exact].tolist() == reference[inside & exact].tolist()
    assert abs(ticks[inside] - reference[inside]).max() <= 1
    assert set(reference[~inside].tolist()) == {-48, 48}


def test_laws_agree_with_the_reference() -> None:
    """Coins 2^-gap of up to five candidates: permute-and-flip and the exponential mechanism."""
    assert len(vectors("laws")) > 100
    for row in vectors("laws"):
        gaps, counts = np.unique(row["gaps"], return_counts=True)
        for name, compute in (("permute_and_flip", pmf.permute_and_flip), ("exponential", pmf.exponential)):
            computed = np.exp(compute(gaps, counts, HALVES)).tolist()
            expected = [float(Fraction(row[name][row["gaps"].index(gap)])) for gap in gaps.tolist()]
            assert computed == pytest.approx(expected, rel=1e-11, abs=0), (name, row["gaps"])


@pytest.mark.parametrize("row", vectors("lists"), ids=lambda row: str(row["gaps"]))
def test_one_shot_lists_add_up_and_begin_as_permute_and_flip(row: dict[str, Any]) -> None:
    """Their chances are those of all ordered lists of one, two and three; a list of one is permute-and-flip."""
    chances = {tuple(each["winners"]): Fraction(each["chance"]) for each in row["lists"]}
    for k in range(1, min(3, len(row["gaps"])) + 1):
        assert sum(chance for winners, chance in chances.items() if len(winners) == k) == 1
    gaps, counts = np.unique(row["gaps"], return_counts=True)
    flipped = dict(
        zip(gaps.tolist(), np.exp(pmf.permute_and_flip_at(gaps * np.log(2.0), counts)).tolist(), strict=True)
    )
    for position, gap in enumerate(row["gaps"]):
        assert float(chances[(position,)]) == pytest.approx(flipped[gap], rel=1e-11)
        # Whoever is named second was not named first.
        named = sum(chance for winners, chance in chances.items() if winners[:1] == (position,) and len(winners) == 2)
        assert named == chances[(position,)]


@pytest.mark.parametrize("row", vectors("lists"), ids=lambda row: str(row["gaps"]))
def test_one_shot_lists_agree_with_the_reference(row: dict[str, Any]) -> None:
    """The law that audits and tests compare with, at weights 2^-gap: the same fractions."""
    weights = [Fraction(1, 2**gap) for gap in row["gaps"]]
    for each in row["lists"]:
        losers = sorted(weight for place, weight in enumerate(weights) if place not in each["winners"])
        chance = list_chance(tuple(weights[place] for place in each["winners"]), tuple(losers))
        assert chance == Fraction(each["chance"]), each


@pytest.mark.parametrize("row", vectors("decisions"), ids=lambda row: f"{row['gamma']}, {row['bits']} bits")
def test_decisions_agree_with_the_reference(row: dict[str, Any]) -> None:
    """Every cell of U and V, for Student t and four gammas."""
    family = Family(row["gamma"], Fraction(row["ceiling"]))
    for k, line in enumerate(row["decided"]):
        for v, letter in enumerate(line):
            assert family.decide(k, k + 1, v, row["bits"], row["coin"]) is ANSWERS[letter], (k, v)


def test_decisions_that_are_close_agree_with_the_reference() -> None:
    """Prefixes of 53 and 32 bits next to where the decision changes."""
    for row in vectors("near"):
        family = Family(row["gamma"], Fraction(row["ceiling"]))
        assert family.decide(row["k"], row["k"] + 1, row["v"], 53, 32) is ANSWERS[row["decided"]]


@pytest.mark.parametrize("row", vectors("coins"), ids=lambda row: f"{row['low']}-{row['high']}, {row['prefix']}")
def test_settled_coins_agree_with_the_reference(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """One word, then another of zeros, with an enclosure each; what neither decides needs a third."""
    enclosures = iter([(Fraction(row["low"]), Fraction(row["high"])), (Fraction(3, 8), Fraction(3, 8))])
    words = iter([row["word"], 0])
    monkeypatch.setattr(bernoulli_exp, "exponential_between", lambda _, __: next(enclosures))

    def settled() -> bool | None:
        try:
            return bernoulli_exp.settle(1, Fraction(1), row["prefix"], lambda _: next(words).to_bytes(8, "big"))
        except StopIteration:
            return None

    assert settled() is ANSWERS[row["heads"]]


@pytest.mark.parametrize(
    "row", vectors("releases"), ids=lambda row: f"{row['each']}, {row['delta']}, {'ranged' if row['ranged'] else 'not'}"
)
def test_what_draws_leave_agrees_with_the_reference(row: dict[str, Any]) -> None:
    """Of releases that were not begun, and of the one that was, in epsilon and in delta."""
    each, delta = Fraction(row["each"]), Fraction(row["delta"])
    for case in row["cases"]:
        allowance = PrivacyFilter(each, Neighbours.ADD_REMOVE, shape=2 * row["ranged"], delta=delta)
        releases, rest, rest_delta = case["now"]
        allowance._unused = int(releases), Fraction(rest), Fraction(rest_delta)
        epsilon, price, count = case["draw"]
        left = allowance._after(Fraction(epsilon), int(count), Fraction(price))
        expected = case["left"] and tuple(map(Fraction, case["left"]))
        assert left == expected, case


def test_slides_agree_with_the_table_that_is_proved() -> None:
    """Each shift of Slide.v costs its epsilon at most, and is less than 1 in 5000 below the shift that is used."""
    (listed,) = re.findall(
        r"shifts : list \(R \* R\) :=\s*\[(.*?)\]\.", (PROOFS / "Slide.v").read_text("utf-8"), re.DOTALL
    )
    rows = [tuple(Fraction(each.replace(" ", "")) for each in row) for row in re.findall(r"\((.*?), (.*?)\)", listed)]

    assert len(rows) == 5
    for epsilon, proved in rows:
        assert slides.slide(HeavyTail(0), proved) <= epsilon
        assert 0 <= slides.shift(HeavyTail(0), epsilon) - proved < proved / 5000

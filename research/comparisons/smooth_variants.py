"""Which noise for a smooth bound: every variant on majorities, percentiles, slow bounds and markers, by exact laws.

    DPSELECT_DATA=... python -m research.comparisons.smooth_variants

No draw is made. A figure is the probability that a wrong candidate is named, at the same epsilon for all; mechanisms
marked * promise (epsilon, delta) with delta = 10^-6, all others pure epsilon. Each variant has two figures: with what
a user gets who passes no share, and with the best of some public shares, clips, gammas or sigmas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.base import Mechanism
from dpselect.scores.zero import SIGNS
from research.comparisons.zero import with_zero
from research.engine import data
from research.papers import markers

DELTA = 1e-6
SHARES = (0.02, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95)
# Clips are so many units of noise beyond ln m.
CLIPS = (1, 2, 4, 6, 8, 11, 15, 20)
STUDIES = 5


@dataclass(frozen=True)
class Variant:
    """A mechanism with a smooth bound, and what a user may choose of it.

    Attributes:
        label: as printed; * promises a delta.
        name, fixed: the mechanism.
        choices: public parameters beside the share, and what they may be. A clip is in units beyond ln m.
    """

    label: str
    name: str = "smooth-noisy-max"
    fixed: dict[str, Any] = field(default_factory=dict)
    choices: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def default(self) -> Mechanism:
        """Return it as a user gets it."""
        return dps.mechanism(self.name, **self.fixed)

    def every(self, candidates: int) -> Iterator[Mechanism]:
        """Yield it with each share and choice."""
        for phi, *others in product(SHARES, *self.choices.values()):
            own = dict(zip(self.choices, others, strict=True))
            if "clip" in own:
                own["clip"] = round(math.log(candidates) + own["clip"], 6)
            yield dps.mechanism(self.name, **(self.fixed | own | {"phi": phi}))


VARIANTS = (
    Variant("smooth noisy max, Student t"),
    Variant("smooth noisy max, Cauchy", fixed={"noise": "cauchy-4"}, choices={"noise": ("cauchy-2", "cauchy-4")}),
    Variant("smooth noisy max, exponential, clipped", fixed={"noise": "exponential"}, choices={"clip": CLIPS}),
    Variant("smooth noisy max, Laplace, clipped", fixed={"noise": "laplace"}, choices={"clip": CLIPS}),
    Variant("smooth private selection", "smooth-private-selection", choices={"gamma": (2, 4, 6)}),
    Variant("smooth noisy max, exponential *", fixed={"noise": "exponential", "delta": DELTA}),
    Variant("smooth noisy max, Laplace *", fixed={"noise": "laplace", "delta": DELTA}),
    Variant(
        "smooth noisy max, Laplace-log-normal * (law)",
        fixed={"noise": "laplace-log-normal", "delta": DELTA},
        choices={"sigma": (0.25, 0.5, 1.0)},
    ),
)


@dataclass(frozen=True)
class Case:
    """One column: scores and epsilon.

    Attributes:
        label: above the column.
        epsilon: of the selection.
        scores: one study, or several of which the mean is shown.
        better: scores of a better question with the same answers, and what they are, if there is one.
        shared: the scores that dampening takes, where they differ.
    """

    label: str
    epsilon: float
    scores: tuple[dps.Scores, ...]
    better: tuple[dps.Scores, ...] = ()
    shared: tuple[dps.Scores, ...] = ()

    def wrong(self, mechanism: Mechanism, scores: tuple[dps.Scores, ...] = ()) -> float:
        """Return the probability of a candidate that is not the best, the mean over the studies."""
        chances = [_wrong(mechanism.pmf(each, self.epsilon), each) for each in scores or self.scores]
        return float(np.mean(chances))

    def best(self, variant: Variant) -> float:
        """Return the least of it over the public parameters of a variant."""
        every = variant.every(len(self.scores[0]))
        return min(self.wrong(each) for each in (variant.default(), *every))


def _wrong(law: NDArray[np.float64], scores: dps.Scores) -> float:
    return float(law[scores.values < scores.values.max()].sum())


def rows(case: Case, better: str = "", shared: str = "") -> Iterator[tuple[str, float, float]]:
    """Yield label, the figure that a user gets and, where there is a choice, the best."""
    flip = dps.mechanism("permute-and-flip")
    none = math.nan
    if better:
        yield f"permute-and-flip on {better}", case.wrong(flip, case.better), none
    yield "permute-and-flip on the score", case.wrong(flip), none
    for zero in SIGNS:
        made = with_zero("local-dampening-flip", zero)
        yield f"local-dampening-flip, zero {zero}{shared}", case.wrong(made, case.shared), none
    yield f"local-dampening-t{shared}", case.wrong(dps.mechanism("local-dampening-t"), case.shared), none
    for variant in VARIANTS:
        yield variant.label, case.wrong(variant.default()), case.best(variant)


def figure(chance: float) -> str:
    """Return three digits, "" for none."""
    if math.isnan(chance):
        return ""
    if chance < 1e-99:
        return "<1e-99"
    return f"{chance:.3f}" if chance >= 0.01 else f"{chance:.4f}" if chance >= 0.001 else f"{chance:.1e}"


def table(title: str, cases: list[Case], better: str = "", shared: str = "") -> str:
    """Return a table: a line per mechanism; per case the figure that a user gets and the best."""
    columns = [list(rows(case, better, shared)) for case in cases]
    width = max(18, *(len(case.label) + 2 for case in cases))
    half = width // 2
    lines = ["", title, f"  {'':46s}" + "".join(f"{case.label:>{2 * half}}" for case in cases)]
    lines.append(f"  {'':46s}" + f"{'default':>{half}}{'best':>{half}}" * len(cases))
    for line in zip(*columns, strict=True):
        cells = "".join(f"{figure(usual):>{half}}{figure(best):>{half}}" for _, usual, best in line)
        lines.append(f"  {line[0][0]:46s}{cells}".rstrip())
    return "\n".join(lines)


def leaf(m: int, lead: int, epsilon: float) -> Case:
    """Return m classes of which the first leads all others by so many rows."""
    counts = [lead, *[0] * (m - 1)]
    exact = dps.utilities.counts(counts)
    return Case(f"{m}, {lead}, {epsilon:g}", epsilon, (dps.utilities.majority(counts),), (exact,))


def slow(m: int, slope: float, epsilon: float) -> Case:
    """Return a lead of a tenth among m, and a sensitivity of .01 that grows by the slope with every step, up to 1."""
    at = dps.sensitivity.profiles(
        lambda t: np.minimum(1.0, 0.01 + slope * t)[:, None], ceiling=1.0, reach=math.ceil(0.99 / slope)
    )
    return Case(f"{m}, {slope:g}, {epsilon:g}", epsilon, (dps.Scores([0.1, *[0.0] * (m - 1)], at, zero="worst"),))


def ranked(name: str, upper: int, p: int, epsilon: float) -> Case:
    """Return the percentile of the 4096 counts of a histogram, on the grid of integers up to a public bound."""
    values, grid = data.histogram(name), np.arange(upper + 1)
    cells = dps.papers.percentile(values, p, grid=grid)
    ranks = dps.utilities.percentile(values, p, grid=grid)
    return Case(f"{name}, {p}, {epsilon:g}", epsilon, (cells,), (ranks,))


def significant(label: str, studies: list[markers.Study], epsilon: float) -> Case:
    """Return markers by the TDT; dampening takes one sensitivity for all."""
    own = tuple(dps.utilities.tdt(b, c, families=families) for b, c, families in studies)
    return Case(f"{label}, {epsilon:g}", epsilon, own, shared=tuple(map(flat, own)))


def flat(scores: dps.Scores) -> dps.Scores:
    """Return the same scores with one sensitivity for all."""
    at = dps.sensitivity.flatten(scores.sensitivity)
    return dps.Scores(scores.values, at, neighbours=scores.neighbours.value, zero=scores.zero)


LEAVES = (
    (2, 20, 0.5),
    (2, 20, 1),
    (10, 200, 0.1),
    (10, 60, 0.5),
    (10, 20, 1),
    (10, 5, 2),
    (100, 20, 1),
    (100, 2, 5),
    (1000, 20, 2),
)
SLOW = ((10, 1e-4, 1), (10, 1e-4, 2), (10, 1e-3, 2), (100, 1e-4, 2), (100, 1e-4, 5), (1000, 1e-4, 2))
# Public bounds: what is larger counts as the bound, so that of income the 99th percentile is not asked for.
COLUMNS: tuple[tuple[str, int, tuple[int, ...], tuple[float, ...]], ...] = (
    ("hepth", 1_000, (50, 90, 99), (1, 2, 5)),
    ("income", 3_000, (50, 90), (0.5, 1, 2, 5)),
    ("patent", 20_000, (50, 90, 99), (5, 10, 20)),
)


def of_counts() -> Iterator[str]:
    """Yield the tables of majorities and percentiles."""
    cases = [leaf(*each) for each in LEAVES]
    yield table("Majorities, 0/1: classes, lead of the first over all others, epsilon", cases, "the counts")
    for name, upper, percentages, epsilons in COLUMNS:
        cases = [ranked(name, upper, p, e) for p in percentages for e in epsilons]
        yield table(f"Percentiles of {name}, 0/1 on a grid of {upper + 1}: column, p, epsilon", cases, "ranks")


def of_reals() -> Iterator[str]:
    """Yield the tables of slow bounds and of markers."""
    cases = [slow(*each) for each in SLOW]
    yield table("Slow bounds, LS(t) = .01 + slope t, lead .1: candidates, slope, epsilon", cases)
    real = [(*map(np.asarray, data.markers()), 215)]
    yield table(
        "Markers, six real ones of 215 families",
        [significant("six", real, e) for e in (3, 6, 9, 15)],
        shared=", shared",
    )
    noise = np.random.default_rng(2)
    made = [markers.simulated(10, noise) for _ in range(STUDIES)]
    title = f"Markers, ten simulated ones of 150 families, mean of {STUDIES} studies"
    yield table(title, [significant("ten", made, e) for e in (1, 3, 6)], shared=", shared")


def main() -> None:
    """Print the tables."""
    print("Probability that a wrong candidate is named; mechanisms with * promise (epsilon, 10^-6), others epsilon.")
    for tables in (of_counts, of_reals):
        for each in tables():
            print(each, flush=True)


if __name__ == "__main__":
    main()

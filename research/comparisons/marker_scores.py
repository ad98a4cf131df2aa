"""The most significant markers by the TDT statistic or by the SHD score, one or a joint list: exact laws.

    python -m research.comparisons.marker_scores

Studies are those of Yamamoto and Shibuya 2024, 150 families, simulated with public parameters. The SHD score counts the
families between a marker and the significance threshold, at level .05 divided by the number of markers. A figure is
the mean over studies: the probability that a most significant marker is named, or the share of the three most
significant that a list of three holds.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

import dpselect as dps
from research.papers import markers
from research.papers.baselines import shd

EPSILONS = (1.0, 3.0, 9.0, 21.0)
STUDIES, ONE, LISTS = 20, 100, 16
_RANGE = 2
Laws = dict[str, NDArray[np.float64]]


def distances(study: markers.Study) -> dps.Scores:
    """Return the SHD scores of a study."""
    b, c, families = study
    threshold = float(chi2.isf(0.05 / len(b), 1))
    values = shd.score(b, c, families=families, threshold=threshold)
    return dps.Scores(values, 1, neighbours="family", zero="worst", kind="integer")


def single(study: markers.Study, epsilon: float) -> Laws:
    """Return the law of every way to name one marker."""
    b, c, families = study
    exact = dps.utilities.tdt(b, c, families=families)
    flip = dps.mechanism("permute-and-flip")
    laws = {
        "TDT, permute-and-flip": flip.pmf(exact, epsilon),
        "SHD, permute-and-flip": flip.pmf(distances(study), epsilon),
        "TDT, SPS, exact smooth bound": markers.law_of(markers.EXACT, study, epsilon),
        "TDT, smooth noisy max": markers.law_of(markers.SNM, study, epsilon),
        "TDT, local-dampening-t": markers.law_of(markers.HEAVY, study, epsilon),
    }
    return {name: np.asarray(law) for name, law in laws.items()}


def lists(study: markers.Study, epsilon: float) -> dict[str, float]:
    """Return the share of the three best that a list of three holds, expected, by every way to draw it."""
    b, c, families = study
    exact = dps.utilities.tdt(b, c, families=families)
    best = set(np.argsort(-exact.values, kind="stable")[:3].tolist())
    near = distances(study)
    joint = dps.accuracy.joint_pmf(near, 3, epsilon=epsilon)
    return {
        "TDT, peeled": _peeled(exact.values / exact.sensitivity.ceiling, epsilon, best),
        "SHD, peeled": _peeled(near.values, epsilon, best),
        "SHD, joint": sum(p * len(best.intersection(names)) / 3 for names, p in joint.items()),
    }


def _peeled(steps: NDArray[np.float64], epsilon: float, best: set[int]) -> float:
    """Return the share for three exponential draws without replacement, each at a third of epsilon."""
    weights = np.exp((steps - steps.max()) * epsilon / 3 / _RANGE)
    i, j, k = np.array([*permutations(range(len(steps)), 3)]).T
    first, second = weights[i], weights[j]
    total = weights.sum()
    law = first / total * second / (total - first) * weights[k] / (total - first - second)
    hits = np.isin(np.stack((i, j, k)), [*best]).sum(axis=0)
    return float(law @ hits) / 3


def table() -> dict[str, list[float]]:
    """Return the figures of every row, one for each epsilon."""
    rng = np.random.default_rng(2024)
    studies = [(markers.simulated(ONE, rng), markers.simulated(LISTS, rng)) for _ in range(STUDIES)]
    result: dict[str, list[float]] = {}
    for epsilon in EPSILONS:
        found: dict[str, list[float]] = {}
        for one, few in studies:
            for name, law in single(one, epsilon).items():
                found.setdefault(f"one of {ONE}: {name}", []).append(markers.chance(law, one))
            for name, share in lists(few, epsilon).items():
                found.setdefault(f"three of {LISTS}: {name}", []).append(share)
        for name, figures in found.items():
            result.setdefault(name, []).append(float(np.mean(figures)))
    return result


def main() -> None:
    """Print the table."""
    print(f"{'epsilon':<46}" + " ".join(f"{epsilon:7g}" for epsilon in EPSILONS))
    for name, figures in sorted(table().items()):
        print(f"{name:<46}" + " ".join(f"{figure:7.3f}" for figure in figures))


if __name__ == "__main__":
    main()

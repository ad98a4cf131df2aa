"""Selection by stability and by large margins beside other mechanisms, on majorities: exact laws, no sampling.

    python -m research.comparisons.stability

The first of m classes leads all others by the same number of rows. A figure is the probability that the best class is
not named: a wrong one is, or none. Those marked * promise (epsilon, 10^-6), the others pure epsilon.
"""

from __future__ import annotations

import numpy as np

import dpselect as dps
from research.papers.baselines import large_margin, stability

DELTA = 1e-6
# Classes, lead, epsilon: the columns of docs/measured/smooth-noise.md, and nearer leads.
PLACES = ((2, 20, 0.5), (10, 200, 0.1), (10, 20, 1.0), (10, 5, 2.0), (10, 8, 2.0), (100, 20, 1.0), (1000, 20, 2.0))
_ROWS = 1000


def table() -> dict[str, list[float]]:
    """Return the figures of every mechanism, one for each place."""
    result: dict[str, list[float]] = {}
    for m, lead, epsilon in PLACES:
        counts = np.full(m, _ROWS, dtype=np.int64)
        counts[0] += lead
        winner = dps.utilities.majority(counts)
        scored = {
            "permute-and-flip on the counts": ("permute-and-flip", {}, dps.utilities.counts(counts)),
            "local-dampening-flip on 0/1 scores": ("local-dampening-flip", {}, winner),
            "smooth noisy max, Student t": ("smooth-noisy-max", {}, winner),
            "smooth noisy max, exponential *": (
                "smooth-noisy-max",
                {"noise": "exponential", "delta": DELTA},
                winner,
            ),
        }
        for name, (mechanism, given, scores) in scored.items():
            law = np.asarray(dps.mechanism(mechanism, **given).pmf(scores, epsilon))
            result.setdefault(name, []).append(float(law[1:].sum()))
        lost = stability.refused(stability.distance(counts), epsilon, DELTA)
        result.setdefault("stability *", []).append(lost)
        few = large_margin.pmf(counts, epsilon, DELTA)
        result.setdefault("large margin *", []).append(float(few[1:].sum()))
    return result


def main() -> None:
    """Print the table."""
    print("classes, lead, epsilon:", "; ".join(f"{m}, {lead}, {epsilon:g}" for m, lead, epsilon in PLACES))
    for name, figures in table().items():
        print(f"{name:<36}" + " ".join(f"{figure:9.2g}" for figure in figures))


if __name__ == "__main__":
    main()

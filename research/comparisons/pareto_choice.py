"""Where one private choice by degree and ego density ends: on the Pareto front, or how far behind it.

    python -m research.comparisons.pareto_choice

Exact laws, no sampling. "behind" is the median number of nodes that match or beat the chosen one in both objectives,
less that of the front. Beside the Pareto score stands the weighted sum, degree + 100 ego density, held to the same
front; what local dampening did while zero was neutral is printed by ``zero``. Reads the graphs from the folder named by
DPSELECT_DATA.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect import datasets

EPSILONS = (0.1, 1, 2, 5, 10, 20, 50)
MECHANISMS = {
    "exponential": "global",
    "permute-and-flip": "global",
    "local-dampening-flip": "local",
    "local-dampening-t": "local",
    "smooth-noisy-max": "local",
}


def summary(law: NDArray[np.float64], behind: NDArray[np.float64]) -> str:
    """Return the chance of the front, and the median of what stands between it and the choice."""
    order = np.argsort(behind)
    median = behind[order][np.searchsorted(np.cumsum(law[order]), 0.5)]
    return f"{law[behind == 0].sum():8.3f} {median:7.0f}"


def main() -> None:
    """Print a table for each graph."""
    for name in ("github", "enron", "lesmis"):
        graph = dps.Graph.from_name(name) if name == "lesmis" else datasets.graph(name)
        parts = [dps.utilities.degree(graph), dps.utilities.ego_density(graph)]
        score = np.asarray(dps.multiobjective.pareto(parts).values, dtype=float)
        behind = score.max() - score
        print(f"\n{name}: {len(score)} nodes, {int((behind == 0).sum())} on the front; chance of the front, behind")
        print(f"{'epsilon':38s}" + "".join(f"{epsilon:>17g}" for epsilon in EPSILONS))
        for score_name, combine in (
            ("Pareto", dps.multiobjective.pareto),
            ("weights 1, 100", lambda p, **k: dps.multiobjective.aggregate(p, [1, 100], **k)),
        ):
            for mechanism, reach in MECHANISMS.items():
                scores = combine(parts, sensitivity=reach)
                laws = [dps.mechanism(mechanism).pmf(scores, epsilon) for epsilon in EPSILONS]
                figures = " ".join(summary(np.asarray(law), behind) for law in laws)
                print(f"{score_name:15s} {mechanism:22s} {figures}", flush=True)


if __name__ == "__main__":
    main()

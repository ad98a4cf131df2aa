"""The shares of rho that MST gives to columns, choices and pairs, on made-up tables that no other comparison uses.

    python -m research.comparisons synthesis_shares [--repeats N]

Fifteen tables at two epsilons: columns that depend on a hidden class, or on one or two columns before them. Printed is
the mean total variation of pairs, as a geometric mean over tables of its ratio to the thirds and plain distances of
the publication.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np

import dpselect as dps
import dpselect.synthesis.mst as module
from research.comparisons.synthesis_tables import Codes, Integers, total_variation

EPSILONS, DELTA = (Fraction(1, 2), Fraction(2)), Fraction(1, 10**9)
SIZES = {"two": [2], "few": [2, 3, 4, 6], "many": [2, 3, 5, 8, 12, 20]}
KINDS = (("hidden", "two"), ("hidden", "many"), ("one", "many"), ("both", "many"), ("one", "few"))
PUBLISHED = (Fraction(1, 3), Fraction(1, 3), 0)
# Of rho: columns, and choices; what is taken off a distance, in mean noise.
VARIANTS = (
    PUBLISHED,
    (Fraction(1, 3), Fraction(1, 3), 1),
    (Fraction(1, 10), Fraction(1, 10), 1),
    (Fraction(3, 10), Fraction(1, 10), 1),
    (Fraction(2, 5), Fraction(1, 20), 1),
    (Fraction(1, 2), Fraction(1, 20), 0),
    (Fraction(1, 2), Fraction(1, 20), 1),
    (Fraction(1, 2), Fraction(1, 50), 1),
    (Fraction(3, 5), Fraction(1, 20), 1),
)


def made_up(seed: int, rows: int, depends: str, sizes: str) -> Codes:
    """Return a table of 8 to 16 columns, each dependent on a hidden class or on columns before it."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(SIZES[sizes], int(rng.integers(8, 17))).tolist()
    hidden = rng.choice(5, rows, p=rng.dirichlet(np.ones(5)))
    columns: list[Integers] = []
    for place, size in enumerate(codes):
        parents = [] if depends == "hidden" else rng.permutation(place)[: 1 if depends == "one" else 2]
        group = hidden if depends == "hidden" else np.zeros(rows, dtype=np.int64)
        for parent in parents:
            group = group * codes[parent] + columns[parent]
        weights = rng.dirichlet(np.full(size, 0.4)) * size / 2 + 1e-3
        ends = rng.dirichlet(weights, int(group.max()) + 1).cumsum(axis=1)
        columns.append(np.minimum((rng.random(rows)[:, None] > ends[group]).sum(axis=1), size - 1))
    return columns, codes


def error(true: Codes, epsilon: Fraction) -> float:
    """Return the mean total variation of pairs of one synthesis."""
    columns, sizes = true
    frame = {f"c{place}": column for place, column in enumerate(columns)}
    described = dps.Dataset.of(frame, columns={f"c{place}": [*range(size)] for place, size in enumerate(sizes)})
    made = dps.synthesize(described, epsilon=epsilon, delta=DELTA, method="mst").value.sample(len(columns[0]))
    return total_variation(true, [np.array([each or 0 for each in column.tolist()]) for column in made.values()], 2)


def main() -> None:
    """Print the ratio of every variant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=2)
    repeats = parser.parse_args().repeats
    cases = [(rows, *kind) for rows in (2000, 10_000, 40_000) for kind in KINDS]
    tables = [made_up(seed, *case) for seed, case in enumerate(cases)]
    shipped, noise = module.SHARES, module.MEAN_ABSOLUTE
    for epsilon in EPSILONS:
        first = None
        for columns, choices, off in VARIANTS:
            module.SHARES, module.MEAN_ABSOLUTE = (columns, choices, 1 - columns - choices), noise * off
            errors = np.array([np.mean([error(true, epsilon) for _ in range(repeats)]) for true in tables])
            first = errors if first is None else first
            ratio = float(np.exp(np.log(errors / first).mean()))
            note = ", as here" if shipped == module.SHARES and off else ""
            words = f"columns {columns}, choices {choices}, {'noise' if off else 'nothing'} off"
            print(f"epsilon {float(epsilon):g}: {words}: {ratio:.3f}{note}", flush=True)
    module.SHARES, module.MEAN_ABSOLUTE = shipped, noise


if __name__ == "__main__":
    main()

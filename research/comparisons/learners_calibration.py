"""Whether probabilities of the tree and of the boosted learner are what they say: reliability by tenths.

    python -m research.comparisons.learners_calibration          # the stored figures
    DPSELECT_DATA=... python -m research.comparisons.learners_calibration CELLS

CELLS is the folder that ``learners`` fills. Each pair of a record and a class counts (in two classes: the second), all
splits together; pairs fall into ten even bins by the probability that was said, and the share of those that are of the
class is compared with the mean of what was said. The error is the mean distance, weighted by pairs.
``python docs/pictures/calibration.py`` draws the stored figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STORED = Path(__file__).parent / "results" / "learners_calibration.txt"
TABLES, LEARNERS, EPSILONS = ("adult", "nursery"), ("tree", "boosted"), (0.5, 1.0, 4.0)
BINS = 10


class Curve(NamedTuple):
    """Said and seen shares of each bin that holds pairs, and how many it holds."""

    said: list[float]
    seen: list[float]
    pairs: list[int]

    @property
    def error(self) -> float:
        """Return the mean distance, weighted by pairs."""
        return float(np.average(np.abs(np.subtract(self.said, self.seen)), weights=self.pairs))


def curve(said: NDArray[np.float64], true: NDArray[np.bool_]) -> Curve:
    """Return the reliability of probabilities.

    >>> curve(np.array([0.1, 0.1, 0.9, 0.9]), np.array([False, False, True, False]))
    Curve(said=[0.1, 0.9], seen=[0.0, 0.5], pairs=[2, 2])
    """
    code = np.minimum((said * BINS).astype(int), BINS - 1)
    pairs = np.bincount(code, minlength=BINS)
    there = pairs > 0
    means = [np.bincount(code, w, BINS)[there] / pairs[there] for w in (said, true)]
    return Curve(means[0].round(4).tolist(), means[1].round(4).tolist(), pairs[there].tolist())


def measured(cells: Path) -> Iterator[str]:
    """Yield the lines that are stored, of all cells."""
    from research.comparisons.learners_peers import where
    from research.comparisons.learners_tables import REPORTED, coded, trained
    from research.engine import data

    yield "table learner epsilon error | said seen pairs of each bin"
    for table in TABLES:
        y = coded(data.table(table))["y"]
        for learner in LEARNERS:
            for epsilon in EPSILONS:
                said, true = [], []
                for path, split in ((where(cells, table, learner, epsilon, s), s) for s in REPORTED):
                    if path.exists():
                        with np.load(path) as cell:
                            shares = cell["probabilities"].astype(float)
                        label = np.eye(shares.shape[1], dtype=bool)[y[~trained(len(y), split)]]
                        first = 1 if shares.shape[1] == 2 else 0
                        said.append(shares[:, first:].ravel()), true.append(label[:, first:].ravel())
                one = curve(np.concatenate(said), np.concatenate(true))
                bins = "  ".join(f"{a:.4f} {b:.4f} {n}" for a, b, n in zip(*one, strict=True))
                yield f"{table} {learner} {epsilon:g} {one.error:.4f} | {bins}"


def stored() -> dict[tuple[str, str, float], Curve]:
    """Return the stored curves."""
    result = {}
    for line in STORED.read_text(encoding="utf-8").splitlines()[1:]:
        head, bins = line.split(" | ")
        table, learner, epsilon, _ = head.split()
        rows = [part.split() for part in bins.split("  ")]
        result[table, learner, float(epsilon)] = Curve(
            [float(row[0]) for row in rows], [float(row[1]) for row in rows], [int(row[2]) for row in rows]
        )
    return result


def main() -> None:
    """Print the curves, of cells or stored."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", type=Path, nargs="?")
    args = parser.parse_args()
    if args.cells is not None:
        STORED.write_text("\n".join(measured(args.cells)) + "\n", encoding="utf-8")
    print(STORED.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()

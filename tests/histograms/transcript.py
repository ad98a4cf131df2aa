"""The exact loss of a histogram release: run it on one database, replay it on a neighbour, add up every draw.

Everything released is forced to be the same on both, so what is computed from it is the same too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product

import numpy as np

from dpselect.histograms.draws import Draws
from dpselect.release.partition import least_cost

Run = Callable[[np.ndarray, Fraction, Draws], object]


class First(Draws):
    """Draw from a seeded generator, and remember what was asked and what came out."""

    def __init__(self, seed: int) -> None:
        self.random, self.calls = np.random.default_rng(seed), []

    def noisy(self, counts, epsilon, sensitivity):
        """Any integers are possible; these are near."""
        out = counts + self.random.integers(-3, 4, counts.shape)
        self.calls.append((counts, epsilon, sensitivity, out))
        return out

    def choose(self, scores, epsilon, mechanism):
        """Any candidate is possible."""
        out = int(self.random.integers(len(scores)))
        self.calls.append((scores, epsilon, mechanism, out))
        return out

    def partition(self, candidates, costs, epsilon, sensitivity):
        """Any partition is possible."""
        out = least_cost(candidates, self.random.integers(0, 10, costs.shape))
        self.calls.append((costs, epsilon, sensitivity, out))
        return out


class Second(Draws):
    """Return what was released before, and add up the worst log-ratio of every draw."""

    def __init__(self, first: First) -> None:
        self.calls, self.loss = list(first.calls), Fraction(0)

    def noisy(self, counts, epsilon, sensitivity):
        """Geometric noise: the rate times the distance, attained far out."""
        before, rate, bound, out = self.calls.pop(0)
        assert (rate, bound) == (epsilon, sensitivity)
        self.loss += epsilon / sensitivity * int(np.abs(counts - before).sum())
        return out

    def choose(self, scores, epsilon, mechanism):
        """The exact law, at its worst candidate."""
        before, rate, _, out = self.calls.pop(0)
        assert rate == epsilon
        apart = np.abs(mechanism.log_law(scores, epsilon) - mechanism.log_law(before, epsilon)).max()
        # Less the rounding of a logarithm, so that a loss of epsilon is not called more.
        self.loss += Fraction(max(0.0, float(apart) - 1e-12))
        return out

    def partition(self, _, costs, epsilon, sensitivity):
        """The noise of the kept interval hides how far two costs with the changed cell move apart."""
        before, rate, bound, out = self.calls.pop(0)
        assert (rate, bound) == (epsilon, sensitivity)
        moved = costs - before
        self.loss += epsilon / (2 * sensitivity) * int(moved.max(initial=0) - moved.min(initial=0))
        return out


def losses(
    run: Run, shape: tuple[int, ...], epsilon: Fraction, most: int = 2, seeds: int = 1, every: int = 1
) -> Iterator[tuple]:
    """Yield (loss, histogram, changed cell) for histograms of counts up to ``most`` and one record more.

    All of them, or one in ``every``.
    """
    cells = int(np.prod(shape))
    for number, values in enumerate(islice(product(range(most + 1), repeat=cells), 0, None, every)):
        for cell in range(cells):
            x = np.array(values, dtype=np.int64)
            y = x.copy()
            y[cell] += 1
            for seed in range(seeds):
                for a, b in ((x, y), (y, x)):
                    first = First(1000 * number + seed)
                    run(a.reshape(shape), epsilon, first)
                    second = Second(first)
                    run(b.reshape(shape), epsilon, second)
                    assert not second.calls
                    yield second.loss, values, cell


def counterexample(
    run: Run, shape: tuple[int, ...], epsilon: Fraction = Fraction(1), most: int = 2, every: int = 1
) -> str:
    """Return a pair of histograms on which more than epsilon is lost, or ""."""
    worst, values, cell = max(losses(run, shape, epsilon, most, every=every), key=lambda found: found[0])
    if worst <= epsilon:
        return ""
    return f"{values} and one record more in cell {cell}: loss {float(worst):.3f}, claimed {float(epsilon):.3f}"

"""The exact loss of a histogram release, on all small histograms and their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product

import numpy as np

import dpselect as dps
from dpselect.audit import loss_of_transcript
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.release.noise_source import NoiseSource
from dpselect.release.session import Session
from dpselect.release.system_noise import SystemNoise

Run = Callable[[np.ndarray, Fraction, Session], object]


def paid(epsilon: Fraction, outcomes: NoiseSource | None = None) -> Session:
    """What was opened by paying epsilon, to draw from coins or from elsewhere."""
    return Session(PrivacyFilter(Fraction(epsilon), Neighbours.ADD_REMOVE), outcomes or SystemNoise())


def losses(
    run: Run, shape: tuple[int, ...], epsilon: Fraction, most: int = 2, seeds: int = 1, every: int = 1
) -> Iterator[tuple]:
    """Yield (loss, histogram, changed cell) for histograms of counts up to ``most`` and one record more.

    All of them, or one in ``every``.
    """
    cells, guarantee = int(np.prod(shape)), dps.Guarantee(epsilon, "add-remove")
    for number, values in enumerate(islice(product(range(most + 1), repeat=cells), 0, None, every)):
        for cell in range(cells):
            x = np.array(values, dtype=np.int64)
            y = x.copy()
            y[cell] += 1
            for seed in range(seeds):
                for a, b in ((x, y), (y, x)):
                    pick = np.random.default_rng(1000 * number + seed).integers
                    here, there = a.reshape(shape), b.reshape(shape)
                    loss = loss_of_transcript(
                        lambda counts, draws: run(counts, epsilon, draws), here, there, guarantee, pick
                    )
                    yield loss, values, cell


def counterexample(
    run: Run, shape: tuple[int, ...], epsilon: Fraction = Fraction(1), most: int = 2, every: int = 1
) -> str:
    """Return a pair of histograms on which more than epsilon is lost, or ""."""
    worst, values, cell = max(losses(run, shape, epsilon, most, every=every), key=lambda found: found[0])
    if worst <= epsilon:
        return ""
    return f"{values} and one record more in cell {cell}: loss {float(worst):.3f}, claimed {float(epsilon):.3f}"

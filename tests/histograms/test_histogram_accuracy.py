"""Who wins where, on public histograms."""

from functools import partial

import numpy as np
import pytest

from dpselect import datasets, histograms

NAMES = ["hepth", "income", "medcost", "patent", "adult_2d", "beijing_taxi_s", "cabspotting_s", "checkin", "loan"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.data(*NAMES),
]


def errors(name: str, scale: int) -> dict[str, float]:
    """Mean scaled error of each algorithm at epsilon 0.1, on prefixes or random ranges."""
    counts = histograms.shapes.resample(np.load(datasets.checked_file(name)), scale, seed=2)
    asked = histograms.Workload.random_ranges(counts.shape, 2000, seed=1)
    if counts.ndim == 1:
        asked = histograms.Workload.prefixes(counts.shape)
    repeats = 30 if counts.ndim == 1 else 6
    runs = {**histograms.EVERY_ALGORITHM, "mwem": partial(histograms.mwem, queries=asked)}
    return {
        key: float(
            np.mean([histograms.scaled_average_error(run(counts, epsilon=0.1), counts, asked) for _ in range(repeats)])
        )
        for key, run in runs.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_small_data(name: str) -> None:
    """At eN = 100 uniform or dawa, and mwem, beat identity; a price on buckets never hurts much."""
    found = errors(name, 1000)

    assert min(found["uniform"], found["dawa"]) < found["identity"]
    assert found["mwem"] < found["identity"]
    assert found["coarse_dawa"] < 1.3 * found["dawa"]


@pytest.mark.parametrize("name", NAMES)
def test_large_data(name: str) -> None:
    """At eN = 10^7 identity or hb is the best of the published algorithms, give or take chance; mwem is far behind."""
    found = errors(name, 10**8)
    flat = min(found["identity"], found["hb"])

    assert flat <= 1.5 * min(error for key, error in found.items() if key != "coarse_dawa")
    assert found["mwem"] > 5 * flat

"""Made-up histograms."""

import itertools

import numpy as np
import pytest

from dpselect.histograms import shapes
from dpselect.histograms.public_numbers import PublicNumbers


@pytest.mark.parametrize("name", shapes.EVERY_SHAPE)
def test_exactly_as_many_records(name: str) -> None:
    """Integers >= 0 that sum to the scale, the same for the same seed."""
    for shape, scale in itertools.product([(1,), (100,), (16, 24)], [0, 1, 37, 10**6]):
        counts = shapes.make(name, shape, scale, seed=8)

        assert (shape, scale, np.int64) == (counts.shape, counts.sum(), counts.dtype)
        assert 0 <= counts.min()
        assert np.array_equal(counts, shapes.make(name, shape, scale, seed=8))


def test_shapes_differ() -> None:
    """Between names and seeds: from one cell with nearly everything to even."""
    made = [shapes.make(name, (64, 64), 10**5, seed=seed) for name in shapes.EVERY_SHAPE for seed in (1, 2)]
    largest = [counts.max() / counts.sum() for counts in made]
    empty = [(counts == 0).mean() for counts in made]

    assert len(made) == len({counts.tobytes() for counts in made})
    assert (min(largest) < 0.001, max(largest) > 0.8) == (True, True)
    assert (min(empty) < 0.01, max(empty) > 0.9) == (True, True)


def test_resampling_keeps_the_shape() -> None:
    """Means follow the public histogram, in both the exact and the normal range; empty cells stay empty."""
    public = np.array([0, 1, 10, 100, 1000])
    drawn = np.array([shapes.resample(public, 2222, seed=seed) for seed in range(300)])

    assert {2222} == set(drawn.sum(axis=1).tolist())
    assert not drawn[:, 0].any()
    assert np.allclose(2 * public, drawn.mean(axis=0), atol=4 * np.sqrt(2 * public / 300))
    # Multinomial variances, at most 2 n p.
    assert np.allclose(1, drawn.var(axis=0)[1:4] / (2 * public[1:4] * (1 - public[1:4] / 1111)), atol=0.35)


def test_public_numbers_are_even() -> None:
    """Mean and variance of a uniform and of a normal number; no seed repeats another."""
    numbers = PublicNumbers(3)
    uniform, normal = numbers.uniform(100_000), numbers.normal(100_000)

    assert abs(uniform.mean() - 1 / 2) < 0.005
    assert abs(uniform.var() - 1 / 12) < 0.002
    assert abs(normal.mean()) < 0.015
    assert abs(normal.var() - 1) < 0.03
    assert not np.isin(PublicNumbers(4).uniform(1000), uniform).any()


@pytest.mark.parametrize(
    "refused, told",
    [
        (lambda: shapes.make("round", (4,), 5), "name must be one of uniform"),
        (lambda: shapes.make("uniform", (4,), -1), "scale must be"),
        (lambda: shapes.make("uniform", (4,), 1.5), "scale must be"),
        (lambda: shapes.make("uniform", (), 5), "one or two dimensions"),
        (lambda: shapes.make("uniform", (4,), 5, seed=1.5), "seed must be"),
        (lambda: shapes.resample([0, 0], 5), "at least one record"),
    ],
)
def test_refusals(refused, told: str) -> None:
    """One sentence says what to pass."""
    with pytest.raises(ValueError, match=told):
        refused()

"""Smooth private selection as Yamamoto and Shibuya 2024 released it: noise that ends, capped beta, drawn counts."""

import math

import numpy as np
import pytest

import dpselect as dps
from research.papers import markers
from research.papers import smooth_private_selection_table_2 as table_2
from research.papers.released import drawn_counts, truncated_noise

RNG = np.random.default_rng


@pytest.mark.parametrize("sides", [1, 2])
def test_the_law_is_that_of_drawn_noise(sides: int) -> None:
    """Against forty thousand draws; ties are split, and a gap beyond the ends is never made up for."""
    values, draws = np.array([0.0, 1.3, 1.0]), 40_000
    z, weights, _ = truncated_noise._grid(4, sides)
    noisy = values + RNG(2).choice(z, (draws, 3), p=weights)
    law = truncated_noise.law(values, 4, sides)

    assert np.abs(np.bincount(noisy.argmax(axis=1), minlength=3) / draws - law).max() < 0.012
    assert truncated_noise.law(np.array([1.0, 1.0]), 4, sides).tolist() == [0.5, 0.5]
    width = 10 * sides
    assert truncated_noise.law(np.array([0.0, width + 0.1]), 4, sides)[0] == 0
    assert truncated_noise.law(np.array([0.0, width - 0.1]), 4, sides)[0] > 0


def test_the_law_tends_to_that_of_the_whole_noise_near_the_best() -> None:
    """Hundredths and an end at 10 hardly matter for close candidates; what the library draws has a tail."""
    study = (np.array([140, 120]), np.array([60, 60]), 150)
    one = markers.as_released(study, 9.0, theorem=5, sides=1)
    two = markers.published(study, 9.0, theorem=5, sides=1)

    assert np.abs(one - two).max() < 0.01


def test_beta_is_capped_so_that_half_of_epsilon_is_left() -> None:
    """Where beta alone would cost all of epsilon there is a law as released, and none as described."""
    study = markers.simulated(20, RNG(1))

    assert markers.as_released(study, 3.0, theorem=5, sides=1, gamma=10).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="beta costs all"):
        markers.published(study, 3.0, theorem=5, sides=1, gamma=10)


def test_as_released_no_epsilon_covers_it_and_as_described_it_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    """An outcome that becomes impossible, on tables of eight families; the same mechanisms with all of the noise."""
    monkeypatch.setattr(markers, "LINE", 8)

    assert math.isinf(markers.losses("SPS (IV) Th.5, one-sided, as released")[-1].value)
    for name in ("SPS (IV) Th.5, one-sided", markers.EM, markers.SNM):
        assert 0 < max(point.value for point in markers.losses(name)) <= 1 + 1e-9


def test_drawn_counts_fit_the_six_statistics() -> None:
    """Within what whole numbers allow; the third is the best, which the first would be by its printed P value."""
    for seed in range(5):
        b, c, families = drawn_counts.drawn(RNG(seed))
        values = dps.utilities.tdt(b, c, families=families).values

        assert (b + c <= 2 * families).all()
        assert (values >= np.array(drawn_counts.STATISTICS) - 1e-9).all()
        assert values.argmax() == 2
    b, c, families = drawn_counts.NOTEBOOK
    assert np.abs(dps.utilities.tdt(b, c, families=families).values - drawn_counts.STATISTICS).max() < 0.5


@pytest.mark.slow
def test_the_notebooks_table_fits_what_is_printed_and_random_ones_differ() -> None:
    """A chi-square of 41 on 42 cells; single random tables reach more than twice that, and the lead is gone."""
    points = {(p.panel, p.series, p.x): p.value for p in (*table_2._notebook(), *table_2._random(6))}

    assert points[table_2.CHI_SQUARE, table_2.NOTEBOOK, 50] == pytest.approx(40.7, abs=0.3)
    assert points[table_2.LEADS, table_2.NOTEBOOK, 0] == 100
    assert points[table_2.LEADS, table_2.RANDOM, 0] < 50
    assert points[table_2.CHI_SQUARE, table_2.RANDOM, 95] > 60

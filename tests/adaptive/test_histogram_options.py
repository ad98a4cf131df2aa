"""Histograms as options: metafeatures keep their sensitivities, and every algorithm answers."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect import histograms
from dpselect.adaptive import histogram_options

SHAPES = [(5,), (16,), (3, 4), (8, 8)]


@pytest.mark.parametrize("shape", SHAPES)
def test_sensitivities_hold_and_are_attained(shape) -> None:
    """One record more moves a metafeature by its sensitivity at most; counts and roughness attain it."""
    moved = {each.name: 0.0 for each in histogram_options.metafeatures() if not each.public}
    for kind, scale in itertools.product(("sparse", "steps", "uniform"), (0, 3, 200)):
        counts = histograms.shapes.make(kind, shape, scale)
        for place in range(counts.size):
            more = counts.copy()
            more.flat[place] += 1
            for each in histogram_options.metafeatures():
                change = abs(each.value(more) - each.value(counts))
                if each.public:
                    assert 0 == change
                else:
                    moved[each.name] = max(moved[each.name], change / float(each.sensitivity))

    assert all(share <= 1 + 1e-9 for share in moved.values())
    assert (1.0, 1.0, 1.0) == (moved["total"], moved["nonzero"], moved["roughness"])
    assert moved["spread"] > 0.999


def test_spread_bound_is_rounded_up() -> None:
    """sqrt(k - 1) / k for sixteen blocks."""
    assert 0 < float(histogram_options.SPREAD) - np.sqrt(15) / 16 < 1e-6


@pytest.mark.parametrize("option", histogram_options.options(), ids=lambda option: option.name)
def test_every_algorithm_answers(option) -> None:
    """At a large epsilon the error of an option is small where its assumption holds: on a flat histogram."""
    counts = np.full((8, 8), 50)

    assert 0.01 > histogram_options.range_error(counts, option.answer(counts, Fraction(20)))


def test_unknown_names() -> None:
    """A name that is none of theirs."""
    with pytest.raises(ValueError, match="The histogram 'magic' does not exist"):
        histogram_options.options(["magic"])

"""Pictures of laws: every bar is an exact chance, and a neighbour's marks come with the largest ratio."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import dpselect as dps
from dpselect._display.families import look
from dpselect.mechanisms.base import UnitMechanism
from dpselect.mechanisms.sampler import EXPONENTIAL
from dpselect.mechanisms.scaling import scale

NAMES = ["tea", "coffee", "milk"]


def votes(*values: int) -> dps.Scores:
    """Scores of drinks, one vote per person."""
    return dps.Scores(list(values), 1, NAMES, range_bound=1, kind="integer")


def widths(axes) -> list[list[float]]:
    """The lengths of the bars of every law."""
    return [[patch.get_width() for patch in bars] for bars in axes.containers]


def words(figure) -> str:
    """What stands in the legend and above the axes."""
    (legend,) = figure.legends
    (axes,) = figure.axes
    shown = [text.get_text() for text in legend.get_texts()] + [text.get_text() for text in axes.texts]
    return "\n".join([axes.get_title(loc="left"), *shown])


def test_every_bar_is_an_exact_chance() -> None:
    """In the order of the scores, for every mechanism and every epsilon, the smaller one first."""
    scores = votes(5, 9, 1)
    (axes,) = dps.plot.plot_pmf(scores, epsilon=[1, 0.2], mechanism=["exponential", "permute-and-flip"]).axes
    best_first = [1, 0, 2]
    expected = [
        dps.mechanism(name).pmf(scores, epsilon)[best_first]
        for name in ("exponential", "permute-and-flip")
        for epsilon in (0.2, 1)
    ]

    np.testing.assert_allclose(widths(axes), expected, atol=1e-12)
    assert ["coffee", "tea", "milk"] == [label.get_text() for label in axes.get_yticklabels()]


def test_the_picture_says_whom_it_is_for() -> None:
    """Chances are computed from scores, so private ones must not be drawn."""
    assert "public or made-up data only" in words(dps.plot.plot_pmf(votes(5, 9, 1), epsilon=1))


def test_many_candidates_share_the_last_bar() -> None:
    """The best nine, and all others together; no chance is lost."""
    scores = dps.Scores(range(40), 1, kind="integer")
    (axes,) = dps.plot.plot_pmf(scores, epsilon=0.1).axes
    (lengths,) = widths(axes)

    assert 10 == len(lengths)
    assert pytest.approx(1) == sum(lengths)
    assert "the other 31" == axes.get_yticklabels()[-1].get_text()


def test_a_neighbour_is_marked_with_the_largest_ratio() -> None:
    """It is at most what epsilon allows."""
    here, there = votes(60, 57, 3), votes(60, 58, 3)
    text = words(dps.plot.plot_pmf(here, epsilon=1, mechanism="permute-and-flip", neighbour=there))
    flip = dps.mechanism("permute-and-flip")
    ratio = np.exp(np.abs(flip.log_pmf(here, 1) - flip.log_pmf(there, 1)).max())

    assert f"largest ratio {ratio:.3g} (at coffee), allowed 2.72" in text


def test_a_sensitivity_that_is_too_small_is_seen() -> None:
    """Planted: one neighbour moves a score by ten, and declared is one."""
    assert "MORE THAN THE ALLOWED 2.72" in words(
        dps.plot.plot_pmf(votes(60, 57, 3), epsilon=1, neighbour=votes(60, 67, 3))
    )


def test_one_mechanism_has_one_colour() -> None:
    """That of the public table, for the largest epsilon; a second one of the same family is hatched."""
    figure = dps.plot.plot_pmf(
        votes(5, 9, 1), epsilon=1, mechanism=["permute-and-flip", "exponential", "noisy-max-laplace"]
    )
    flip, exponential, laplace = (next(iter(bars)) for bars in figure.axes[0].containers)
    colours = {
        name: tuple(int(look(name).colour[i : i + 2], 16) for i in (1, 3, 5)) for name in dps.mechanisms.MECHANISMS
    }

    def colour(bar) -> tuple[int, ...]:
        return tuple(round(255 * part) for part in bar.get_facecolor()[:3])

    assert colours["permute-and-flip"] == colour(flip)
    assert colours["exponential"] == colour(exponential) == colour(laplace)
    assert not exponential.get_hatch()
    assert laplace.get_hatch()


def test_a_mechanism_of_a_users_own_is_drawn() -> None:
    """It has a colour by its name, the same in every picture."""
    own = UnitMechanism("my-mechanism", "When it is mine.", scale, EXPONENTIAL)
    figure = dps.plot.plot_pmf(votes(5, 9, 1), epsilon=1, mechanism=["exponential", own])

    (bars,) = {each[0].get_facecolor()[:3] for each in figure.axes[0].containers[1:2]}
    assert look("my-mechanism").colour == "#" + "".join(f"{round(255 * part):02x}" for part in bars)


def test_axes_of_somebody_are_drawn_into(tmp_path: Path) -> None:
    """They keep their figure, which can be saved at once, and never over a file."""
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    file = tmp_path / "law.svg"

    assert figure is dps.plot.plot_pmf(votes(5, 9, 1), epsilon=1, ax=right, path=file)
    assert not left.patches
    assert 3 == len(right.patches)
    assert "<svg" in file.read_text()
    with pytest.raises(FileExistsError):
        dps.plot.plot_pmf(votes(5, 9, 1), epsilon=1, path=file)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"epsilon": range(1, 8)}, "room for 1 to 6 laws"),
        ({"epsilon": []}, "room for 1 to 6 laws"),
        ({"epsilon": 1, "neighbour": dps.Scores([1, 2], 1)}, "same public candidates"),
        ({"epsilon": 1, "path": "law.doc"}, "not a picture"),
        ({"epsilon": 1, "mechanism": "telepathy"}, "The mechanism 'telepathy' does not exist"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict, message: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        dps.plot.plot_pmf(votes(5, 9, 1), **asked)

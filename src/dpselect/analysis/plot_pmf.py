"""Exact chances as bars: how likely each candidate is to be named, and what one neighbour changes about it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._display.families import family, lighter, look
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.scores.scores import Scores, require_scores
from dpselect.sources.figures import new_figure, require_picture
from dpselect.sources.output import save_figure

Floats = NDArray[np.float64]
# Bars that can be told apart, and candidates that have a bar of their own where there are more.
_LAWS, _SHOWN, _LETTERS = 6, 9, 24
# Ratios beyond this many powers of e are shown as powers.
_MOST_LABELS = 12
_HATCHES = ("", "///", "...", "xxx")
_TITLE = "How likely each candidate is to be named"
_PUBLIC = "Exact; for public or made-up data only"
_INK = "#1a1a1a"


@dataclass(frozen=True)
class _MechanismPmf:
    """One mechanism at one epsilon: its chances, those on a neighbour, and how it looks."""

    name: str
    epsilon: Fraction
    here: Floats
    there: Floats | None
    colour: str
    hatch: str

    def label(self, candidates: Any) -> str:
        """Return the line of the legend."""
        start = f"{self.name}, epsilon {float(self.epsilon):g}"
        if self.there is None:
            return start
        loss = np.abs(self.here - self.there)
        worst, epsilon = int(loss.argmax()), float(self.epsilon)
        allowed = "allowed" if loss[worst] <= epsilon * (1 + 1e-9) + 1e-9 else "MORE THAN THE ALLOWED"
        least = f"largest ratio {_power(float(loss[worst]))} (at {_short(candidates[worst])}), {allowed}"
        return f"{start}\n    {least} {_power(epsilon)}"


def plot_pmf(
    scores: Scores,
    *,
    epsilon: Epsilon | Iterable[Epsilon],
    mechanism: str | Mechanism | Iterable[str | Mechanism] | None = None,
    neighbour: Scores | None = None,
    ax: Any = None,
    path: str | Path | None = None,
    overwrite: bool = False,
) -> Any:
    """Draw the exact chance of each candidate as bars; return the matplotlib figure, which notebooks show.

    The chances are functions of the scores, so this is for public or made-up data, and the picture says so. Nothing is
    drawn at random and nothing is spent. The best candidates stand first; of more than ten, those after the first nine
    share one bar.

    Args:
        scores: of a public or made-up database.
        epsilon: of one selection, or several.
        mechanism: a name or what :func:`dpselect.mechanism` returned, or several; ``None`` means what
            :func:`dpselect.select` would draw with.
        neighbour: the scores of the same candidates on a neighbouring database. Its chances are marked on the bars, and
            the legend says the largest ratio of two chances, and what epsilon allows.
        ax: matplotlib's axes to draw into; otherwise a figure is made.
        path: where the picture is saved, if anywhere: a .png, .svg or .pdf file.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ImportError: matplotlib is not installed.
        PrivacyError: a mechanism does not apply to these scores.
        ValueError: more than six laws, a neighbour with other candidates, no such mechanism, an epsilon that is not
            positive and finite, or a file of another kind.

    >>> import dpselect as dps
    >>> votes = dps.Scores({"tea": 60, "coffee": 57}, sensitivity=1, range_bound=1, kind="integer")
    >>> figure = dps.plot.plot_pmf(votes, epsilon=[0.1, 1], mechanism="permute-and-flip")
    >>> [len(axes.patches) for axes in figure.axes]
    [4]
    """
    require_picture(path)
    pmfs = _mechanism_pmfs(require_scores(scores), epsilon, mechanism, neighbour)
    names, chances, marks = _rows(scores, pmfs)
    figure = new_figure(figsize=_size(pmfs, names), layout="constrained") if ax is None else ax.get_figure()
    axes = figure.subplots() if ax is None else ax
    _draw(axes, pmfs, names, chances, marks)
    _legend(figure if ax is None else axes, axes, [pmf.label(scores.candidates) for pmf in pmfs])
    if path is not None:
        save_figure(figure, path, overwrite=overwrite)
    return figure


def _mechanism_pmfs(scores: Scores, epsilon: Any, mechanism: Any, neighbour: Scores | None) -> list[_MechanismPmf]:
    """Return the laws in the order of their bars."""
    if neighbour is not None and list(require_scores(neighbour).candidates) != list(scores.candidates):
        raise InputError("A neighbour has the same public candidates, in the same order: pass scores of those.")
    named = [default_mechanism(scores)] if mechanism is None else [*map(require_mechanism, _several(mechanism))]
    epsilons = sorted({exact_epsilon(each) for each in _several(epsilon)})
    if not 1 <= len(named) * len(epsilons) <= _LAWS:
        raise InputError(f"One picture has room for 1 to {_LAWS} laws: pass fewer mechanisms or epsilons.")
    pmfs, drawn = [], list[str]()
    for number, (each, value) in enumerate(product(named, epsilons)):
        kind = family(each.name)
        if number % len(epsilons) == 0:
            drawn.append(kind)
        # Smaller epsilons are lighter, and a second mechanism of one family is hatched.
        tint = 0.65 * (1 - (number % len(epsilons) + 1) / len(epsilons))
        here = each.log_pmf(scores, value)
        there = None if neighbour is None else each.log_pmf(neighbour, value)
        hatch = _HATCHES[(drawn.count(kind) - 1) % len(_HATCHES)]
        pmfs.append(
            _MechanismPmf(_mechanism_text(each), value, here, there, lighter(look(each.name).colour, tint), hatch)
        )
    return pmfs


def _several(what: Any) -> list[Any]:
    return list(what) if isinstance(what, Iterable) and not isinstance(what, str) else [what]


def _mechanism_text(mechanism: Mechanism) -> str:
    return ", ".join([mechanism.name, *(f"{name}={value}" for name, value in mechanism.parameters.items())])


def _rows(scores: Scores, pmfs: Sequence[_MechanismPmf]) -> tuple[list[str], list[Floats], list[Floats | None]]:
    """Return the names of rows, and for each law the chances and the neighbour's chances of the rows."""
    order = np.argsort(-scores.values.astype(np.float64), kind="stable")
    shown = order if order.size <= _SHOWN + 1 else order[:_SHOWN]
    rest = order[shown.size :]

    def of_rows(log_law: Floats) -> Floats:
        chances = np.exp(log_law)
        return np.append(chances[shown], chances[rest].sum()) if rest.size else chances[shown]

    names = [_short(scores.candidates[int(place)]) for place in shown]
    names += [f"the other {rest.size:,}"] if rest.size else []
    marks = [None if pmf.there is None else of_rows(pmf.there) for pmf in pmfs]
    return names, [of_rows(pmf.here) for pmf in pmfs], marks


def _size(pmfs: Sequence[_MechanismPmf], names: Sequence[str]) -> tuple[float, float]:
    lines = sum(1 if pmf.there is None else 2 for pmf in pmfs)
    return 7.0, 1.3 + len(names) * (0.16 + 0.15 * len(pmfs)) + 0.22 * lines


def _draw(
    axes: Any,
    pmfs: Sequence[_MechanismPmf],
    names: Sequence[str],
    chances: Sequence[Floats],
    marks: Sequence[Floats | None],
) -> None:
    thick = 0.8 / len(pmfs)
    rows = np.arange(len(names))
    most = max(float(each.max()) for each in [*chances, *(mark for mark in marks if mark is not None)])
    for number, (pmf, here, there) in enumerate(zip(pmfs, chances, marks, strict=True)):
        heights = rows - 0.4 + thick * (number + 0.5)
        looks = {"color": pmf.colour, "hatch": pmf.hatch, "edgecolor": "white", "linewidth": 0.5}
        axes.barh(heights, here, thick, zorder=2, **looks)
        if there is not None:
            for colour, width in (("white", 4), (_INK, 2)):
                # With a white edge, so that a mark is seen on a dark bar.
                axes.plot(there, heights, "|", color=colour, markersize=24 * thick, markeredgewidth=width, zorder=3)
        for height, chance, other in zip(heights, here, here if there is None else there, strict=True):
            at = (max(chance, other), height)
            axes.annotate(_chance(chance), at, (5, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(rows, names, parse_math=False)
    axes.set(xlim=(0, 1.14 * most), ylim=(len(names) - 0.4, -0.6), xlabel="chance of being named")
    axes.set_title(_TITLE, loc="left", pad=20, fontsize=11, fontweight="bold")
    points = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(_PUBLIC, (0, 1), (0, 6), **points, fontsize=8.5, color="0.3")
    axes.grid(axis="x", color="0.9", zorder=0)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(holder: Any, axes: Any, labels: Sequence[str]) -> None:
    """Say below the axes what the bars and marks are."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    handles = [*axes.containers[-len(labels) :]]
    if any("\n" in label for label in labels):
        handles.append(Line2D([], [], linestyle="", marker="|", color=_INK, markersize=10, markeredgewidth=2))
        labels = [*labels, "the same on the neighbour"]
    below = axes.transAxes + ScaledTranslation(0, -0.55, axes.figure.dpi_scale_trans)
    beside = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0}
    where = beside if holder is axes else {"loc": "outside lower left"}
    holder.legend(handles, labels, frameon=False, fontsize=8.5, **where)


def _chance(chance: float) -> str:
    return "<0.001" if 0 < chance < 0.0005 else f"{chance:.3f}"


def _power(exponent: float) -> str:
    return f"{math.exp(exponent):.3g}" if exponent <= _MOST_LABELS else f"e^{exponent:.3g}"


def _short(candidate: Any) -> str:
    words = str(candidate)
    return words if len(words) <= _LETTERS else words[: _LETTERS - 1] + "…"

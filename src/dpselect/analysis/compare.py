"""Accuracy of each mechanism at each epsilon: exact figures from laws, as a table and a picture.

For data that anybody may see: the figures are functions of the scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._display.families import family, look
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.scores.scores import Scores, require_scores
from dpselect.sources.figures import new_figure, require_picture, with_zero
from dpselect.sources.output import save_figure

# Of tables: what any terminal shows.
_WIDTH = 80
# Line styles that can be told apart in grey.
_STYLES = ("-", "--", "-.", ":")
# What an axis says of an objective whose weight has this sign.
_DIRECTION = {1: "", -1: ", less is better", 0: ", not counted"}


@dataclass(frozen=True)
class ComparisonRow:
    """One mechanism on one problem.

    Attributes:
        name: the mechanism, and the score where there are several.
        epsilons: exact, increasing.
        best: the probability of naming a best candidate, shape (epsilons,).
        error: the expected distance of the score of the one named from the best, shape (epsilons,).
        why: empty, or why the mechanism does not apply.
        distance: where candidates are numbers, the expected distance of the one named from the nearest best candidate,
            in their own unit, shape (epsilons,); else empty.
        unit: what that unit is called, or empty.
    """

    name: str
    epsilons: tuple[Fraction, ...]
    best: tuple[float, ...]
    error: tuple[float, ...]
    why: str = ""
    distance: tuple[float, ...] = ()
    unit: str = ""


def row(
    scores: Scores, mechanism: str | Mechanism, epsilons: Sequence[Any], *, label: str = "", unit: str = ""
) -> ComparisonRow:
    """Return the exact figures of one mechanism, each from its law.

    Args:
        scores: of public data.
        mechanism: a mechanism or its name.
        epsilons: of one selection each.
        label: what tells these scores from others.
        unit: what the candidates are numbers of, such as ``"euros"``: then errors are shown in it instead of in the
            score.

    Raises:
        ValueError, TypeError: an epsilon that is not positive and finite; no Scores or no Mechanism; a unit, and
            candidates that are not numbers.

    >>> import dpselect as dps
    >>> votes = dps.Scores([60, 40, 5], sensitivity=1, range_bound=1, kind="integer")
    >>> one = row(votes, dps.mechanism("permute-and-flip"), [0.1])
    >>> round(one.best[0], 3), round(one.error[0], 2)
    (0.93, 1.46)
    """
    require_scores(scores)
    mechanism = require_mechanism(mechanism)
    exact = tuple(sorted(exact_epsilon(epsilon) for epsilon in epsilons))
    short = scores.values.max() - scores.values.astype(np.float64)
    name = f"{mechanism.name}, {label}" if label else mechanism.name
    try:
        pmfs = [mechanism.pmf(scores, epsilon) for epsilon in exact]
    except (PrivacyError, ValueError) as reason:
        return ComparisonRow(name, exact, (), (), str(reason))
    best = tuple(float(probabilities[short == 0].sum()) for probabilities in pmfs)
    error = tuple(float(probabilities @ short) for probabilities in pmfs)
    if not unit:
        return ComparisonRow(name, exact, best, error)
    away = _from_the_best(np.asarray(scores.candidates, dtype=np.float64), short == 0)
    return ComparisonRow(
        name, exact, best, error, distance=tuple(float(probabilities @ away) for probabilities in pmfs), unit=unit
    )


def _from_the_best(values: NDArray[np.float64], best: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how far each value is from the nearest of the best.

    >>> _from_the_best(np.array([1.0, 2.0, 4.0, 9.0]), np.array([False, True, True, False]))
    array([1., 0., 0., 5.])
    """
    right = np.sort(values[best])
    after = np.searchsorted(right, values)
    below, above = right[np.maximum(after - 1, 0)], right[np.minimum(after, right.size - 1)]
    return np.minimum(np.abs(values - below), np.abs(values - above))


def table(rows: Sequence[ComparisonRow]) -> str:
    """Return two tables as text: the probability of a best candidate, and the expected error, in the unit of the
    candidates where they have one.

    Beneath them stands why a mechanism does not apply. A table that is wider than 80 columns goes on beneath itself.

    >>> print(table([ComparisonRow("exponential", (Fraction(1), Fraction(2)), (0.5, 0.75), (1.5, 0.25))]))
    probability of naming a best candidate
      epsilon          1      2
      exponential  0.500  0.750
    <BLANKLINE>
    expected error in the score
      epsilon        1     2
      exponential  1.5  0.25
    """
    names = ["epsilon", *(each.name for each in rows)]
    head = [f"{float(epsilon):g}" for epsilon in rows[0].epsilons]
    best = [[f"{chance:.3f}" for chance in each.best] for each in rows]
    error = [[_figure(distance) for distance in _errors(each)] for each in rows]
    why = [fill(f"{each.name} is not applicable: {_fact(each.why)}.", _WIDTH) for each in rows if each.why]
    return "\n\n".join(
        [
            *_columns("probability of naming a best candidate", names, [head, *best]),
            *_columns(_error_unit(rows), names, [head, *error]),
            *(["\n".join(why)] if why else []),
        ]
    )


def _errors(row: ComparisonRow) -> tuple[float, ...]:
    return row.distance if row.unit else row.error


def _error_unit(rows: Sequence[ComparisonRow]) -> str:
    """Return what the errors are measured in."""
    units = {each.unit for each in rows if not each.why}
    return f"expected error, in {units.pop()}" if len(units) == 1 and any(units) else "expected error in the score"


def _columns(title: str, names: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table with a title, in equal pieces that stay within the width if their first column does."""
    left = 2 + max(map(len, names))
    widths = [2 + max(len(row[column]) for row in cells if row) for column in range(len(cells[0]))]
    for many in dict.fromkeys(-(-len(widths) // pieces) for pieces in range(1, len(widths) + 1)):
        pieces = [range(len(widths))[start : start + many] for start in range(0, len(widths), many)]
        if all(left + sum(widths[column] for column in piece) <= _WIDTH for piece in pieces):
            break
    for piece in pieces:
        yield "\n".join([f"{title}, continued" if piece[0] else title, *_lines(names, cells, piece, left, widths)])


def _lines(
    names: Sequence[str], cells: Sequence[Sequence[str]], piece: range, left: int, widths: Sequence[int]
) -> Iterator[str]:
    for name, row in zip(names, cells, strict=True):
        shown = "".join(f"{row[column]:>{widths[column]}}" for column in piece) if row else "  not applicable"
        yield f"{f'  {name}':<{left}}{shown}"


def draw(rows: Sequence[ComparisonRow], path: str | Path | None = None, *, overwrite: bool = False) -> Any:
    """Draw both figures against epsilon, errors on a log axis that has a place for 0; return the matplotlib figure.

    Args:
        rows: what was compared.
        path: where the picture is saved, if anywhere: its ending says its kind (.png, .svg, .pdf).
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ImportError: matplotlib is not installed.
        ValueError: a file of another kind, or no mechanism that applies.
    """
    require_picture(path)
    shown = [each for each in rows if not each.why]
    if not shown:
        raise InputError("No mechanism applies to these scores, so there is nothing to draw: see the table.")
    figure = new_figure(figsize=(10, 4.2), layout="constrained")
    best, error = figure.subplots(1, 2)
    drawn: Counter[str] = Counter()
    for number, each in enumerate(shown):
        name = family(each.name)
        # Mechanisms that agree lie on each other: those below are wider.
        width = 1.2 + 3.2 * (1 - number / len(shown))
        # Of one family the second has another line, and so on.
        looks = {
            "linestyle": _STYLES[drawn[name] % len(_STYLES)],
            "marker": look(each.name).marker,
            "markersize": 3 + width,
            "linewidth": width,
            "color": look(each.name).colour,
        }
        drawn[name] += 1
        x = [float(epsilon) for epsilon in each.epsilons]
        best.plot(x, each.best, label=each.name, **looks)
        error.plot(x, _errors(each), **looks)
    best.set(xscale="log", xlabel="epsilon", ylabel="probability of naming a best candidate", ylim=(-0.02, 1.02))
    error.set(xscale="log", xlabel="epsilon", ylabel=_error_unit(shown))
    with_zero(error, [value for each in shown for value in _errors(each)])
    for axes in (best, error):
        axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(color="0.9")
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    if path is not None:
        save_figure(figure, path, overwrite=overwrite)
    return figure


def draw_front(
    objectives: Sequence[Scores],
    names: Sequence[str],
    chosen: Sequence[int],
    private: Sequence[int],
    path: str | Path,
    *,
    label: str = "drawn privately",
    weights: Sequence[Any] = (1, 1),
    overwrite: bool = False,
) -> None:
    """Draw two objectives of public data: all candidates, the front, what is best and what was drawn with noise.

    Args:
        objectives: two scores of the same candidates.
        names: what they are called.
        chosen: positions of the best candidates without noise.
        private: positions drawn privately.
        path: a .png, .svg or .pdf file.
        label: how they were drawn.
        weights: of the two objectives; their signs say which way is better, and one of weight 0 does not count.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ImportError: matplotlib is not installed.
        ValueError: not two objectives, weights that are both zero, or a file of another kind.
    """
    if not len(objectives) == len(names) == len(weights) == 2 or not any(weights):
        raise InputError("The front is drawn for two objectives: pass two, two names and two weights, not both zero.")
    require_picture(path)
    x, y = (each.values.astype(np.float64) for each in objectives)
    signs = [(weight > 0) - (weight < 0) for weight in weights]
    figure = new_figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(x, y, ".", color="0.75", markersize=3, label="candidates", rasterized=True)
    if all(signs):
        # A point covers what lies below and to the left of it where more is better, so the front is a staircase.
        front = _staircase(signs[0] * x, signs[1] * y)
        axes.plot(x[front], y[front], color="0.3", linewidth=1, label="front", drawstyle="steps-pre")
    else:
        # Only one objective counts, and the best candidate in it is on the front, whatever the other.
        along, values = (axes.axvline, signs[0] * x) if signs[0] else (axes.axhline, signs[1] * y)
        along(sum(signs) * values.max(), color="0.3", linewidth=1, label="front")
    axes.plot(x[list(chosen)], y[list(chosen)], "s", color="C0", markersize=8, fillstyle="none", label="best, no noise")
    axes.plot(x[list(private)], y[list(private)], "x", color="C3", markersize=8, label=label)
    axes.set(**{f"{axis}label": name + _DIRECTION[sign] for axis, name, sign in zip("xy", names, signs, strict=True)})
    for values, rescale in ((x, axes.set_xscale), (y, axes.set_yscale)):
        # Degrees and the like: a few are far larger than all others.
        if values.min() >= 0 and values.max() > 100 * max(1.0, float(np.median(values))):
            rescale("symlog", linthresh=1.0)
    axes.grid(color="0.9")
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    save_figure(figure, path, overwrite=overwrite)


def _staircase(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions that no other beats in both, larger is better, from the least ``x`` to the largest.

    >>> _staircase(np.array([3.0, 1.0, 2.0, 1.0]), np.array([0.0, 5.0, -1.0, 2.0]))
    array([1, 0])
    """
    order = np.lexsort((-y, -x))
    highest = np.concatenate(([-np.inf], np.maximum.accumulate(y[order])[:-1]))
    return order[y[order] > highest][::-1]


def _fact(why: str) -> str:
    """Return what is wrong, without what to do about it: the other mechanisms stand in the table."""
    fact = why.partition(":")[0].rstrip(".")
    return fact[:1].lower() + fact[1:]


def _figure(distance: float) -> str:
    """Return three digits, or all of those before the point; what is less than any double can tell is 0."""
    if distance < 1e-12:
        return "0"
    return f"{distance:.0f}" if 1000 <= distance < 10**7 else f"{distance:.3g}"

"""Exact chances as bars: how likely each candidate is to be named, and what one neighbour changes about it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import INK, WIDTH, chart_of, colour_of, letters, marks, shown_as
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.scores.scores import Scores, require_scores

# Candidates that have a bar of their own where there are more, and letters of a name.
SHOWN, _LETTERS = 24, 28
PUBLIC = "Exact. For public or made-up data only."


def pmf_chart(
    scores: Scores,
    *,
    epsilon: Epsilon,
    mechanism: str | Mechanism | None = None,
    neighbour: Scores | None = None,
    width: float = WIDTH,
    shown: int = SHOWN,
) -> Picture:
    """Draw the exact chance of each candidate as bars; return a picture that notebooks show.

    The chances are functions of the scores, so this is for public or made-up data, and the chart says so. Nothing is
    drawn at random and nothing is spent. The best candidates stand first; of more than 25, those after the first 24
    share one bar (``shown`` and ``shown + 1``).

    Args:
        scores: of a public or made-up database.
        epsilon: of one selection.
        mechanism: a name or what :func:`dpselect.mechanism` returned; ``None`` means what :func:`dpselect.select`
            would draw with.
        neighbour: the scores of the same candidates on a neighbouring database: their chances are marked on the bars.
        width: of the chart in pixels.
        shown: how many candidates have a bar of their own where there are more.

    Raises:
        PrivacyError: the mechanism does not apply to these scores.
        ValueError: a neighbour with other candidates, no such mechanism, or an epsilon that is not positive and finite.

    >>> import dpselect as dps
    >>> votes = dps.Scores({"tea": 60, "coffee": 57}, sensitivity=1, range_bound=1, kind="integer")
    >>> chart = dps.plot.pmf_chart(votes, epsilon=0.5)
    >>> [(row["candidate"], round(row["chance"], 3)) for row in chart.to_dict()["data"]["values"]]
    [('tea', 0.888), ('coffee', 0.112)]
    """
    if neighbour is not None and list(require_scores(neighbour).candidates) != list(require_scores(scores).candidates):
        raise InputError("A neighbour has the same public candidates, in the same order: pass scores of those.")
    if shown < 1:
        raise InputError("shown is at least 1: how many candidates have a bar of their own.")
    drawn = default_mechanism(require_scores(scores)) if mechanism is None else require_mechanism(mechanism)
    value = exact_epsilon(epsilon)
    here = drawn.pmf(scores, value)
    there = None if neighbour is None else drawn.pmf(neighbour, value)
    return pmf_bars(scores, here, there, drawn.name, float(value), width, shown)


def pmf_bars(
    scores: Scores,
    here: NDArray[np.float64],
    there: NDArray[np.float64] | None,
    name: str,
    epsilon: float,
    width: float = WIDTH,
    shown: int = SHOWN,
    part: str = "",
) -> Picture:
    """Draw chances that are known already, each of shape (m,), with what else the title says; as :func:`pmf_chart`."""
    rows = _rows(scores, here, there, shown)
    order = [row["place"] for row in rows]
    axis: dict[str, Any] = {"labelExpr": "slice(datum.label, indexof(datum.label, ' ') + 1)"}
    base = {
        "y": shown_as("place:N", sort=order, title=None, axis=axis),
        "tooltip": [shown_as("candidate:N"), shown_as("chance:Q")],
    }
    most = max(max(row["chance"], row.get("neighbour", 0)) for row in rows)
    # The figure behind the longest bar takes 3.5 letters, of the two thirds that names leave at least.
    scale = {"domain": [0, max(most / (1 - 5.25 * letters(width) / width), 1e-9)], "nice": False}
    x = shown_as("chance:Q", title="chance of being named", axis={"tickCount": int(width / 90)}, scale=scale)
    figures = marks("text", align="left", dx=6, color=INK)
    layers = [
        marks("bar", color=colour_of(name))(x=x, **base),
        figures(x=shown_as("end:Q"), text=shown_as("written:N"), **base),
    ]
    if there is not None:
        # White around black, so that a mark is seen on a dark bar too.
        look: dict[str, Any] = {"color": INK, "thickness": 3, "stroke": "white", "strokeWidth": 1, "bandSize": 14}
        layers.append(marks("tick", **look)(x=shown_as("neighbour:Q"), **base))
    said = " Black marks: the same on the neighbour." if there is not None else ""
    title, height = f"{name}, epsilon {epsilon:.4g}{part}", {"step": round(19 * letters(width) / 12)}
    return chart_of(
        layers,
        title,
        rows=rows,
        height=height,
        subtitle=PUBLIC + said,
        width=width,
        named_rows=[row["candidate"] for row in rows],
    )


def _rows(
    scores: Scores, here: NDArray[np.float64], there: NDArray[np.float64] | None, most: int
) -> list[dict[str, Any]]:
    """Return a row for each bar, the best candidate first."""
    # Not as floats: two large integers that differ by one would be equal.
    order = np.argsort(scores.values[::-1], kind="stable")[::-1]
    order = scores.values.size - 1 - order
    shown = order if order.size <= most + 1 else order[:most]
    rest = order[shown.size :]
    groups = [(short(scores.candidates[int(place)]), np.array([place])) for place in shown]
    groups += [(f"the other {rest.size:,}", rest)] if rest.size else []
    rows = []
    for number, (name, places) in enumerate(groups):
        chance = float(here[places].sum())
        # Two candidates may be cut to the same name: the number keeps their bars apart.
        row: dict[str, Any] = {
            "place": f"{number} {name}",
            "candidate": name,
            "chance": chance,
            "written": chance_text(chance),
        }
        row["end"] = chance
        if there is not None:
            row["neighbour"] = float(there[places].sum())
            row["end"] = max(chance, row["neighbour"])
        rows.append(row)
    return rows


def chance_text(chance: float) -> str:
    """Return a chance as a chart and a table print it.

    >>> chance_text(0.25), chance_text(0.0001), chance_text(0)
    ('0.250', '<0.001', '0.000')
    """
    return "<0.001" if 0 < chance < 0.0005 else f"{chance:.3f}"


def short(candidate: Any) -> str:
    """Return a name that fits beside an axis.

    >>> short("a name of more letters than fit there")
    'a name of more letters than…'
    """
    words = str(candidate)
    return words if len(words) <= _LETTERS else words[: _LETTERS - 1] + "…"

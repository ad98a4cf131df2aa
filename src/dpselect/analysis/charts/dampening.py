"""Dampening as a change of ranks: where two lines cross, a better candidate falls behind a worse one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import INK, WIDTH, chart_of, colour_of, marks, shown_as
from dpselect.analysis.charts.pmf_chart import PUBLIC, short
from dpselect.analysis.dampened_scores import SHOWN, DampenedScores, dampen_scores, inversions
from dpselect.scores.scores import Scores, require_scores

_COLUMNS = ("score", "local dampening", "shifted")
_CALM = "#9a9a9a"


def dampening_chart(scores: Scores, *, direction: str = "growing", shown: int = SHOWN, width: float = WIDTH) -> Picture:
    """Draw the ranks of candidates before and after dampening; return a picture that notebooks show.

    Three columns: the scores, what local dampening makes of them, and what its shifted form does, each in units of one
    neighbour; the best stands on top. Lines of the pair with the largest lead that is inverted are thick. Effective
    scores are functions of the data, so this is for public or made-up data, and the chart says so.

    Args:
        scores: of a public or made-up database.
        direction: of the shift, ``"growing"`` or ``"shrinking"``.
        shown: how many candidates, the best ones.
        width: of the chart in pixels.

    Raises:
        PrivacyError: the sensitivity has no public reach, or is a smooth bound alone.
        ValueError: another direction.

    >>> import dpselect as dps
    >>> markers = dps.utilities.tdt([24, 50], [0, 16], families=40, candidates=["rs1", "rs2"])
    >>> rows = dps.plot.dampening_chart(markers).to_dict()["data"]["values"]
    >>> [(row["candidate"], row["rank"]) for row in rows if row["column"] == "local dampening"]
    [('rs1', 2), ('rs2', 1)]
    """
    known = dampen_scores(require_scores(scores), direction, shown)
    names = [short(scores.candidates[int(place)]) for place in known.places]
    axis = {"orient": "top", "labelAngle": 0, "ticks": False, "domain": False, "labelLimit": width / 3.2}
    ranks = {"reverse": True, "domain": [0.5, len(names) + 0.5], "nice": False}
    base = {
        "x": shown_as("column:N", sort=[*_COLUMNS], title=None, scale={"padding": 0.5}, axis=axis),
        "y": shown_as("rank:Q", axis=None, scale=ranks),
        "detail": shown_as("place:N"),
    }
    told = {"condition": {"test": "datum.told", "value": colour_of("local-dampening")}, "value": _CALM}
    thick = {"condition": {"test": "datum.told", "value": 3.5}, "value": 1.4}
    layers = [
        marks("line")(stroke=told, strokeWidth=thick, **base),
        marks("point", filled=True, size=36, opacity=1)(fill=told, **base),
        marks("text", dy=-10, color=INK)(text=shown_as("label:N"), **base),
    ]
    title, height = "Ranks before and after dampening", max(120, 40 * len(names))
    return chart_of(layers, title, rows=_rows(known, names), height=height, subtitle=PUBLIC, width=width)


def _rows(known: DampenedScores, names: list[str]) -> list[dict[str, Any]]:
    """Return a row for each candidate and column."""
    turned = inversions(known.values, known.classic)
    told = {turned[0].better, turned[0].worse} if turned else set()
    rows = []
    for column, values in zip(_COLUMNS, (known.values, known.classic, known.shifted), strict=True):
        for place, rank in enumerate(_ranks(values)):
            figure = f"{values[place]:.3g}"
            rows.append(
                {
                    "place": place,
                    "candidate": names[place],
                    "column": column,
                    "rank": rank,
                    "label": f"{names[place]} {figure}" if column == _COLUMNS[0] else figure,
                    "told": place in told,
                }
            )
    return rows


def _ranks(values: NDArray[np.float64]) -> list[int]:
    """Return ranks from 1, of equals the one with the better score first, so that no tie crosses."""
    order = np.argsort(-values, kind="stable")
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.arange(1, values.size + 1)
    return [*ranks.tolist()]

"""The best attack on two neighbours: the trade-off curve of a promise, as a picture."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import GREY, INK, WIDTH, chart_of, colour_of, marks, shown_as
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.rho_conversion import epsilon_of
from dpselect.ledger.attack import attack_success, in_words

_POINTS, _HEIGHT = 100, 300
# Deltas at which a promise by rho is looked at: any of them holds, and all of them together.
_DELTAS = tuple(Fraction(1, 2**power) for power in range(1, 40))


def risk_chart(guarantee: Guarantee, *, width: float = WIDTH) -> Picture:
    """Draw how often an attacker may be right about one record, against how often wrong; return a picture.

    The attacker says "in" or "out" after seeing the answer. The line is the best that anybody can do: how often they
    say "in" where the record is in, for each share of false alarms. On the dashed line the answer says nothing.

    Args:
        guarantee: of all that is released.
        width: of the chart in pixels.

    >>> import dpselect as dps
    >>> chart = risk_chart(dps.Guarantee(1, "add-remove"))
    >>> [round(row["found"], 2) for row in chart.to_dict()["data"]["values"]][::25]
    [0.0, 0.68, 0.82, 0.91, 1.0]
    """
    rows = [
        {"alarms": place / _POINTS, "found": detection_rate(guarantee, place / _POINTS)} for place in range(_POINTS + 1)
    ]
    axis = {"scale": {"domain": [0, 1]}, "axis": {"tickCount": 6, "format": "%"}}
    alarms = shown_as("alarms:Q", title='says "in" where the record is out', **axis)
    right = shown_as("found:Q", title='says "in" where the record is in', **axis)
    nothing = [{"alarms": 0, "found": 0}, {"alarms": 1, "found": 1}]
    layers: list[dict[str, Any]] = [
        marks("line", rows=nothing, color=GREY, strokeDash=[4, 4])(x=alarms, y=right),
        marks("area", color=colour_of("permute-and-flip"), opacity=0.15)(x=alarms, y=right),
        marks("line", color=INK)(x=alarms, y=right),
    ]
    below = f"An attacker {in_words(attack_success(guarantee))}. Dashed: the answer says nothing."
    return chart_of(
        layers, "What an attacker can tell about one record", height=_HEIGHT, rows=rows, subtitle=below, width=width
    )


def detection_rate(guarantee: Guarantee, alarms: float) -> float:
    """Return how often a record that is in may be found at most, where a share of those that are out is reported.

    >>> import dpselect as dps
    >>> detection_rate(dps.Guarantee(1, "add-remove"), 0.0), detection_rate(dps.Guarantee(1, "add-remove", 0.25), 0.0)
    (0.0, 0.25)
    """
    if guarantee.stated_rho is None:
        pairs = [(float(guarantee.epsilon), float(guarantee.delta))]
    else:
        pairs = [(float(epsilon_of(guarantee.stated_rho, delta)), float(delta)) for delta in _DELTAS]
    return min(1.0, *(_within(epsilon, delta, alarms) for epsilon, delta in pairs))


def _within(epsilon: float, delta: float, alarms: float) -> float:
    """Return what (epsilon, delta) allows, from both sides."""
    grown = math.exp(min(epsilon, 700.0))
    return min(delta + grown * alarms, 1 - (1 - delta - alarms) / grown if alarms < 1 - delta else 1.0)

"""Axes that show most of what there is: scales, error bars within what is possible, and a note of what runs off."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from research.engine.experiment import Point

# Others that are left less of the height than this are flattened.
_FLAT = 0.25
_SHARES = re.compile("accuracy|share|recall|probability")


def scale_of(wanted: str, label: str, values: Sequence[float]) -> str:
    """Return the scale of a panel: parts of a hundred and what stays within a decade need no logarithms."""
    within = min(values) > 0 and max(values) < 10 * min(values)
    return "linear" if "per cent" in label or within else wanted


def wild(lines: dict[str, list[Point]], scale: str) -> list[str]:
    """Return the series above which all others would be flattened: as few as do it, at most a third of them."""
    if scale == "symlog" or min(p.value for line in lines.values() for p in line) <= 0:
        return []
    place = math.log if scale == "log" else float
    tops = sorted(lines, key=lambda name: max(p.value for p in lines[name]), reverse=True)

    def height(names: Sequence[str]) -> float:
        values = [place(p.value) for name in names for p in lines[name]]
        return max(values) - min(values)

    for number in range(1, len(tops) // 3 + 1):
        if height(tops[number:]) < _FLAT * height(tops):
            return tops[:number]
    return []


def span(each: Point, scale: str, label: str) -> tuple[float, float]:
    """Return the ends of an error bar: two standard errors, within what is possible."""
    twice = 0.0 if math.isnan(each.error) else 2 * each.error
    low, high = each.value - twice, each.value + twice
    if scale == "log":
        # As far down as up on a log axis, where a bar to zero would have no end.
        low = each.value**2 / high if high > 0 else each.value
    most = 100.0 if "per cent" in label else 1.0 if _SHARES.search(label) else math.inf
    if each.value >= 0:
        low = max(low, 0.0)
    return low, max(each.value, min(high, most))


def set_heights(axes: Any, scale: str, values: Sequence[float], bars: Sequence[tuple[float, float]]) -> None:
    """Set the scale and the ends of the y axis by values, and by error bars as far as they leave room."""
    if scale == "symlog":
        axes.set_yscale("symlog", linthresh=1e-2 if max(map(abs, values)) > 1 else 1e-4)
        if min(values) >= 0:
            axes.set_ylim(bottom=0)
        return
    axes.set_yscale(scale)
    there, back = (math.log, math.exp) if scale == "log" else (float, float)
    # What an axis cannot show does not set its ends.
    inside = [there(each) for each in values if math.isfinite(each) and (scale != "log" or each > 0)]
    ends = [there(each) for bar in bars for each in bar if math.isfinite(each) and (scale != "log" or each > 0)]
    if not inside:
        return
    least, most = min(inside), max(inside)
    # Bars may take half as much again as the values; longer ones run off.
    room = (most - least) / 2 or abs(most) / 10 or 1.0
    low, high = max(min([*ends, least]), least - room), min(max([*ends, most]), most + room)
    if scale != "log" and least >= 0:
        # Nothing is below 0 where no value is: a flat line at 0 stands at the bottom.
        low = max(low, 0.0)
    margin = 0.05 * (high - low) or room
    axes.set_ylim(back(low - margin), back(high + margin))


def cut(axes: Any, scale: str, lines: dict[str, list[Point]]) -> dict[str, Point]:
    """Cut the x axis where one series alone goes on for decades, and return the ends of what runs off."""
    if scale != "log" or len(lines) < 2:
        return {}
    counted: dict[float, int] = {}
    for line in lines.values():
        for each in line:
            counted[each.x] = counted.get(each.x, 0) + 1
    shared = [x for x, number in counted.items() if number > 1]
    if not shared or max(counted) < 100 * max(shared):
        return {}
    least, most = math.log(min(counted)), math.log(max(shared))
    margin = 0.05 * (most - least)
    axes.set_xlim(math.exp(least - margin), math.exp(most + margin))
    return {name: line[-1] for name, line in lines.items() if line[-1].x > max(shared)}

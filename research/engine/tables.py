"""Results as tables of text: a row per series, a column per x, with printed values and differences if any."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from research.engine.experiment import Experiment, Point, Printed, Results
from research.engine.verdicts import figure

Places = Mapping[tuple[str, float], Printed]


@dataclass(frozen=True)
class Sheet:
    """A titled table; ``rows`` begin with the series."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(experiment: Experiment, results: Results) -> list[Sheet]:
    """Return one table per panel: ours with its standard error; printed and the difference below."""
    result = []
    for panel in results.panels():
        places = {(p.series, p.x): p for p in experiment.printed if p.panel == panel}
        names = results.series(panel)
        lines = {name: {p.x: p for p in results.line(panel, name)} for name in names}
        across = sorted({x for line in lines.values() for x in line} | {x for _, x in places})
        rows = []
        for name in names:
            cells = []
            for x in across:
                ours = lines[name].get(x)
                if ours is None:
                    cells.append("")
                elif ours.runs and not math.isnan(ours.error):
                    cells.append(f"{figure(ours.value)} ± {figure(round(ours.error, 5))}")
                else:
                    cells.append(figure(ours.value))
            rows.append((experiment.series_label(results, name, names), *cells))
            if any((name, x) in places for x in across):
                rows.append(("  printed", *(_printed(places, name, x) for x in across)))
                rows.append(("  difference", *(_difference(places, lines[name], name, x) for x in across)))
        for name in dict.fromkeys(series for series, _ in places if series not in names):
            rows.append((f"{name}, printed", *(_printed(places, name, x) for x in across)))
        result.append(Sheet(panel, (experiment.x_label, *(figure(x) for x in across)), tuple(rows)))
    return result


def _printed(places: Places, name: str, x: float) -> str:
    place = places.get((name, x))
    return "" if place is None else figure(place.value)


def _difference(places: Places, line: Mapping[float, Point], name: str, x: float) -> str:
    place, ours = places.get((name, x)), line.get(x)
    if place is None or ours is None:
        return ""
    difference = ours.value - place.value
    return f"{'+' if difference >= 0 else '-'}{figure(abs(difference))}"

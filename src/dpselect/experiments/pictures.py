"""Pictures of results as SVG: ours and the printed values together, legible in grey-scale print."""

from __future__ import annotations

import io
import math
from typing import Any

from dpselect.experiments.experiment import Experiment, Printed, Results

# Dark to light and blue to orange, so that neighbours differ in lightness too.
_COLOURS = (
    "#0b3c5d",
    "#d1495b",
    "#00798c",
    "#edae49",
    "#6a4c93",
    "#5b8e3e",
    "#8d6e63",
    "#444444",
    "#3d9be9",
    "#b5179e",
)
_GREYS = ("#4d4d4d", "#7a7a7a", "#a3a3a3")
_MARKERS = "osD^vPX<>p"
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5, 1, 1.5, 1, 1.5)))
_ACROSS = 3


def svg(experiment: Experiment, results: Results) -> str:
    """Return one picture of all panels; empty when nothing was measured.

    Ours: lines with error bars of two standard errors. Printed: hollow markers in the same colour, not joined. Series
    that are not private are grey underneath.
    """
    # One x alone is a table, not a line.
    panels = [each for each in results.panels() if len({p.x for p in results.points if p.panel == each}) > 1]
    if not panels:
        return ""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(series for panel in panels for series in results.series(panel)))
    across = min(_ACROSS, len(panels)) if len(panels) != 4 else 2
    down = math.ceil(len(panels) / across)
    entries = len(names) + any(place.panel in panels for place in experiment.printed)
    columns = 2 if across > 1 else 1
    legend = 0.24 * math.ceil(entries / columns) + 0.3
    width = max(4.3 * across, 6.5)
    settings = {"svg.fonttype": "path", "svg.hashsalt": experiment.name, "font.size": 9, "axes.titlesize": 10}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(width, 3.0 * down + legend), layout="constrained")
        canvas = FigureCanvasSVG(figure)
        grid = figure.subplots(down, across, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _panel(axes, experiment, results, panel, names)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        handles: dict[str, Any] = {}
        for axes in grid.flat:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        if "printed" in handles:
            handles["printed"] = handles.pop("printed")
        # Outside the axes, so that no line is covered.
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=columns, frameon=False)
        sink = io.BytesIO()
        canvas.print_svg(sink, metadata={"Date": None})
    text = sink.getvalue().decode()
    return text[text.index("<svg") :]


def _panel(axes: Any, experiment: Experiment, results: Results, panel: str, names: list[str]) -> None:
    places = [place for place in experiment.printed if place.panel == panel]
    for name in results.series(panel):
        number = names.index(name)
        line = results.line(panel, name)
        private = name not in experiment.not_private
        colour = _COLOURS[number % len(_COLOURS)] if private else _GREYS[number % len(_GREYS)]
        # Beyond ten series colours come again, with other markers and dashes.
        marker = _MARKERS[(number + 3 * (number // 10)) % len(_MARKERS)]
        bars = [0 if math.isnan(each.error) else 2 * each.error for each in line]
        axes.errorbar(
            [each.x for each in line],
            [each.value for each in line],
            yerr=bars if any(bars) else None,
            color=colour,
            linestyle=_DASHES[(number + 2 * (number // 10)) % len(_DASHES)],
            marker=marker,
            # Long lines carry about six markers, each line at places of its own.
            markevery=(number % 3, len(line) // 6) if len(line) > 16 else None,
            markersize=4.5,
            markerfacecolor=colour if private else "#ffffff",
            linewidth=1.5 if private else 1.1,
            elinewidth=0.7,
            capsize=1.5,
            label=experiment.called(name, results.series(panel)),
            zorder=2 if private else 1,
        )
        own = [place for place in places if place.series == name]
        _printed(axes, own, colour, marker)
    _printed(axes, [place for place in places if place.series not in results.series(panel)], "#000000", "*")
    if places:
        axes.plot([], [], linestyle="", marker="o", markersize=8, fillstyle="none", color="#000000", label="printed")
    endings = (label for ending, label in experiment.y_labels.items() if panel.endswith(ending))
    axes.set(title=panel, xlabel=experiment.x_label, ylabel=next(endings, experiment.y_label))
    axes.set_xscale(experiment.x_scale)
    values = [p.value for name in results.series(panel) for p in results.line(panel, name)]
    if experiment.y_scale == "symlog":
        axes.set_yscale("symlog", linthresh=1e-2 if max(map(abs, values)) > 1 else 1e-4)
    else:
        axes.set_yscale(experiment.y_scale)
    if min(values) > 0 and experiment.y_scale == "log":
        # A bar that reaches zero runs off the axis, instead of stretching it.
        axes.set_ylim(bottom=min(values) / 2)
    if min(values) >= 0 and experiment.y_scale == "symlog":
        axes.set_ylim(bottom=0)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _printed(axes: Any, places: list[Printed], colour: str, marker: str) -> None:
    axes.plot(
        [place.x for place in places],
        [place.value for place in places],
        linestyle="",
        marker=marker,
        markersize=8,
        fillstyle="none",
        color=colour,
        zorder=3,
    )

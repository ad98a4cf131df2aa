"""Pictures of results as SVG: ours and the printed values together, legible in grey-scale print."""

from __future__ import annotations

import html
import io
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple

from dpselect._display.families import FAMILIES, lighter
from research.engine import axes as limits
from research.engine import verdicts
from research.engine.authors import PAPERS
from research.engine.experiment import Experiment, Point, Printed, Results
from research.engine.verdicts import figure as written

# Lines of the three accounts, the strongest what is sound; a second line of one family and account is dashed closer.
_DASHES: dict[str, tuple[Any, ...]] = {
    "sound": ("-", (0, (9, 1.5))),
    "as described": ((0, (6, 2)), (0, (6, 2, 1, 2))),
    "as released": ((0, (1.5, 1.5)), (0, (1.5, 1.5, 4, 1.5))),
    "reference": ((0, (4, 4)), (0, (8, 3, 1, 3))),
}
# Variants of one mechanism within one account are lighter.
_TINTS = (0.0, 0.35, 0.55, 0.15)
_WIDTHS = {"sound": 2.4, "as described": 1.7, "as released": 1.7, "reference": 1.2}
# For series whose experiment does not say what they are.
_COLOURS = ("#0b3c5d", "#d1495b", "#00798c", "#edae49", "#6a4c93", "#5b8e3e")
_BLACK = "#000000"
_MARKERS = "osD^vP"
# For series that only the paper has: shapes that no line of ours carries.
_PRINTED_ONLY = "*hd8H"
_IN_TURN = ("as released", "sound", "as described", "reference")
# More lines than these are not seen in one picture.
MOST = 6
_ACROSS = 2
# Points of print between printed markers at one x.
_APART = 6.0
# Inches of a panel, and letters that can be read when the page is half as wide.
_WIDE, _ALONE, _HIGH, _LETTERS = 3.6, 5.4, 3.2, 13
# Letters of a title, and of a line of the legend.
_SHORT, _LONG = 24, 60


class _Look(NamedTuple):
    colour: Any
    marker: str
    dash: Any
    width: float


def svg(experiment: Experiment, results: Results) -> str:
    """Return one picture of all panels, with its title for readers of screens; empty when nothing was measured."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    title = f"{PAPERS[experiment.paper].authors}, {experiment.item}: {experiment.title}"
    settings = {
        "svg.fonttype": "path",
        "svg.hashsalt": experiment.name,
        "font.size": _LETTERS,
        "axes.titlesize": _LETTERS,
        "axes.titleweight": "bold",
    }
    with mpl.rc_context(settings):
        drawn = drawing(experiment, results)
        if drawn is None:
            return ""
        sink = io.BytesIO()
        FigureCanvasSVG(drawn).print_svg(sink, metadata={"Date": None, "Title": title})
    text = sink.getvalue().decode()
    return f'<svg role="img" aria-label="{html.escape(title)}"' + text[text.index("<svg") + len("<svg") :]


def drawing(experiment: Experiment, results: Results) -> Any:
    """Return the picture as a figure of matplotlib; None when no panel has two x.

    Ours: lines with filled markers and error bars of two standard errors, cut at the ends of what is possible: whole
    and thick what is sound, dashed as described, dotted as released. Printed: open markers in the same colour and
    shape, not joined, side by side where several stand at one x. What would flatten all others runs off the axis, with
    a note above the panel.
    """
    drawn = panels(experiment, results)
    if not drawn:
        return None
    from matplotlib.figure import Figure

    names = shown(experiment, results, drawn)
    every = {series for panel in drawn for series in results.series(panel)}
    # A number that only a series which is left out was compared with is not shown either.
    places = [
        place
        for place in experiment.printed
        if place.panel in drawn and (place.series in names or place.series not in every)
    ]
    alone = list(dict.fromkeys(place.series for place in places if place.series not in names))
    across = min(_ACROSS, len(drawn))
    down = math.ceil(len(drawn) / across)
    labels = [experiment.series_label(results, name, names) for name in names]
    entries = sum(-(-len(label) // _LONG) for label in labels) + len(alone) + bool(places)
    legend = 0.27 * entries + 0.3
    figure = Figure(figsize=(_WIDE * _ACROSS if across > 1 else _ALONE, _HIGH * down + legend), layout="constrained")
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, panel in zip(grid, drawn, strict=False):
        printed = [place for place in places if place.panel == panel]
        looks = {name: _look(experiment, names, name) for name in names}
        looks |= {name: _Look(_BLACK, _PRINTED_ONLY[n % len(_PRINTED_ONLY)], "", 0) for n, name in enumerate(alone)}
        _panel(axes, experiment, results, panel, printed, looks)
        _printed(axes, printed, looks)
    for axes in grid[len(drawn) :]:
        axes.set_visible(False)
    _legend(figure, grid, names, alone, places)
    return figure


def _legend(
    figure: Any, grid: Sequence[Any], names: Sequence[str], alone: Sequence[str], places: list[Printed]
) -> None:
    from matplotlib.legend_handler import HandlerTuple

    handles: dict[str, Any] = {}
    for axes in grid:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    for number, name in enumerate(alone):
        handles[f"{_text(name)}, printed"] = _open(_PRINTED_ONLY[number % len(_PRINTED_ONLY)], 8.5)
    if any(place.series in names for place in places):
        # Several shapes, so that none is taken for one series only.
        shapes = tuple(_open(shape, 7) for shape in "os^")
        beside = len({(place.panel, place.x) for place in places}) < len(places)
        handles["printed (open markers, set side by side)" if beside else "printed (open markers)"] = shapes
    figure.legend(
        handles.values(),
        [fill(label, _LONG) for label in handles],
        # Outside the axes, so that no line is covered.
        loc="outside lower center",
        ncols=1,
        frameon=False,
        # Long enough to show the dashes of an account.
        handlelength=3.5,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.6)},
    )


def _open(marker: str, size: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=marker, markersize=size, fillstyle="none", color=_BLACK)


def panels(experiment: Experiment, results: Results) -> list[str]:
    """Return the panels that are pictures: one x alone is a table, and so are facts that belong to no account."""
    lines = [each for each in results.panels() if len({p.x for p in results.points if p.panel == each}) > 1]
    return [each for each in lines if not experiment.series or any(map(experiment.described, results.series(each)))]


def shown(experiment: Experiment, results: Results, panels: Sequence[str]) -> list[str]:
    """Return the series that a picture shows, at most six: those that the experiment names, or in turn one as released,
    one sound, one as described and one reference, the printed first. What is best at the stated privacy is among them.
    """
    names = list(dict.fromkeys(series for panel in panels for series in results.series(panel)))
    best = [name for name, _ in verdicts.best(experiment, results)[:1] if experiment.task and name in names]
    if experiment.drawn:
        chosen = [name for name in experiment.drawn if name in names]
        return chosen if set(best) <= {*chosen} else [*chosen[: MOST - 1], *best]
    printed = {place.series for place in experiment.printed}
    turn: Counter[str] = Counter()

    def rank(name: str) -> tuple[bool, bool, int, int]:
        described = experiment.described(name)
        kind = described.kind if described else "sound"
        turn[kind] += 1
        return name not in best, name not in printed, turn[kind], _IN_TURN.index(kind)

    first = sorted(names, key=rank)[:MOST]
    return [name for name in names if name in first]


def _look(experiment: Experiment, names: Sequence[str], name: str) -> _Look:
    described = experiment.described(name)
    if described is None:
        number = names.index(name)
        return _Look(_COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)], "-", 1.7)
    look = FAMILIES[described.family]
    alike = [
        other.name
        for other in experiment.series
        if other.name in names and (other.kind, other.family) == (described.kind, described.family)
    ]
    dashes, number = _DASHES[described.kind], alike.index(name)
    colour = lighter(look.colour, _TINTS[min(number, len(_TINTS) - 1)])
    return _Look(colour, look.marker, dashes[number % len(dashes)], _WIDTHS[described.kind])


def _panel(
    axes: Any, experiment: Experiment, results: Results, panel: str, places: list[Printed], looks: dict[str, _Look]
) -> None:
    label = experiment.label(panel)
    lines = {name: results.line(panel, name) for name in results.series(panel) if name in looks}
    wild = limits.wild(lines, experiment.y_scale)
    points = [each for name, line in lines.items() if name not in wild for each in line]
    values = [each.value for each in points] + [place.value for place in places if place.series not in wild]
    scale = limits.scale_of(experiment.y_scale, label, values)
    spans = {name: [limits.span(each, scale, label) for each in line] for name, line in lines.items()}
    single = [name for name, line in lines.items() if len(line) == 1]
    for number, (name, line) in enumerate(lines.items()):
        look = looks[name]
        # Lone points of several series stand side by side too.
        aside = single.index(name) - (len(single) - 1) / 2 if name in single else 0.0
        ends = list(zip(line, spans[name], strict=True))
        bars = [[each.value - low for each, (low, _) in ends], [high - each.value for each, (_, high) in ends]]
        drawn = axes.errorbar(
            [each.x for each in line],
            [each.value for each in line],
            # From beyond the panel a bar would be a stroke through all of it.
            yerr=bars if any(map(any, bars)) and name not in wild else None,
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            # Long lines carry about six markers, each line at places of its own.
            markevery=(number % 3, len(line) // 6) if len(line) > 16 else None,
            markersize=6,
            linewidth=look.width,
            elinewidth=0.7,
            capsize=1.5,
            label=_text(experiment.series_label(results, name, list(lines))),
            zorder=2,
            **({"transform": _aside(axes, aside)} if aside else {}),
        )
        for bar in (*drawn[1], *drawn[2]):
            # Many bars lie on each other: the lines must be seen through them.
            bar.set_alpha(0.45)
    across = experiment.x_labels.get(panel, experiment.x_label)
    # Along the axis there is room for so many letters only.
    axes.set(xlabel=_text(across), ylabel=fill(_text(label), _SHORT))
    axes.set_xscale(experiment.x_scale)
    # What stands aside does not widen an axis by itself.
    axes.update_datalim([*((each.x, each.value) for each in points), *((place.x, place.value) for place in places)])
    if places:
        axes.margins(x=0.08)
    axes.autoscale_view(scaley=False)
    limits.set_heights(axes, scale, values, [span for name in lines if name not in wild for span in spans[name]])
    _title(axes, panel, lines, wild, limits.cut(axes, experiment.x_scale, lines), across)
    _plain(axes)


def _title(
    axes: Any, panel: str, lines: Mapping[str, list[Point]], wild: Sequence[str], ends: Mapping[str, Point], across: str
) -> None:
    """Set the title, and above the panel where what runs off is."""
    notes = [f"↑ {_text(name)}: {_range([p.value for p in lines[name]])}" for name in wild]
    notes += [
        f"→ {_text(name)}: {written(end.value)} at {_text(across)} {written(end.x)}" for name, end in ends.items()
    ]
    # A long title would run into the panel beside it.
    axes.set_title(_text(panel), pad=6 + 13 * len(notes), fontsize=_LETTERS if len(panel) <= _SHORT else 9)
    for number, note in enumerate(notes):
        height = 4 + 13 * (len(notes) - 1 - number)
        words = axes.annotate(
            note, (0, 1), (0, height), xycoords="axes fraction", textcoords="offset points", fontsize=9
        )
        # A long note would make the panels narrow.
        words.set_in_layout(False)


def _plain(axes: Any) -> None:
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _printed(axes: Any, places: list[Printed], looks: dict[str, _Look]) -> None:
    for x in dict.fromkeys(place.x for place in places):
        here = [place for place in places if place.x == x]
        for number, place in enumerate(here):
            axes.plot(
                [x],
                [place.value],
                linestyle="",
                marker=looks[place.series].marker,
                markersize=8.5,
                fillstyle="none",
                color=looks[place.series].colour,
                zorder=3,
                transform=_aside(axes, number - (len(here) - 1) / 2),
            )


def _aside(axes: Any, places: float) -> Any:
    """Return where to draw what is moved sideways by so many places."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transData + ScaledTranslation(places * _APART / 72, 0, axes.figure.dpi_scale_trans)


def _range(values: Sequence[float]) -> str:
    low, high = (written(float(f"{each:.3g}")) for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _text(text: str) -> str:
    """Return a label set in type: x_p and MO_g with an index, a minus sign; names of files stay."""
    indexed = re.sub(r"\b([A-Za-z]|[A-Z]{2,})_([a-z]+)\b", r"\1$_{\\mathrm{\2}}$", text)
    return indexed.replace(" - ", " − ")

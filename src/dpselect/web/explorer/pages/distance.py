"""Sensitivity by distance: how far one neighbour could move each score, and what dampening makes of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpselect.analysis.charts.dampening import dampening_chart
from dpselect.analysis.charts.distance import sensitivity_chart
from dpselect.analysis.dampened_scores import DampenedScores, Inversion, dampen_scores, inversions
from dpselect.queries import TopK
from dpselect.scores.scores import Scores
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.distance_scores import BOUND, CLASS, COUNTS, KINDS, MARKERS, SPLITS, DistanceScore
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, PageTable, State, View
from dpselect.web.explorer.form_fields import ChoiceField, CountsField, Field, FiguresField, NumberField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening, options
from dpselect.web.explorer.ranking import public_graph


def _fields(material: Material) -> Sequence[Field]:
    return (
        ChoiceField("score", "Score", tuple((name, kind.words) for name, kind in KINDS.items()), "tdt"),
        FiguresField(
            "marker",
            "Markers",
            ("first allele", "second allele"),
            MARKERS,
            high=10**6,
            help="For genetic markers: how often each allele was transmitted.",
        ),
        CountsField("count", "Votes or values", COUNTS, high=10**6, help="For votes and for the median."),
        FiguresField(
            "split",
            "Splits",
            ("yes, left", "no, left"),
            SPLITS,
            high=CLASS,
            help=f"For information gain and Gini: of {CLASS} yes and {CLASS} no, how many are on the left side.",
        ),
        NumberField(
            "bound",
            "Public bound",
            max(BOUND, int(material.graph.degrees.max(initial=0))),
            2,
            10**6,
            whole=True,
            help="Families, the largest value, rows, or neighbours of a node: whatever the score needs.",
        ),
        NumberField("beta", "Beta", 0.05, 0.001, 10, slider=True, help="How fast the smooth bound discounts distance."),
        ChoiceField(
            "direction",
            "Shift for sensitivities that are",
            (("growing", "larger for better candidates"), ("shrinking", "smaller for better candidates")),
            "growing",
        ),
    )


def _view(state: State, material: Material) -> View:
    kind = KINDS[state["score"]]
    if kind.metric and material.max_degree is not None:
        # The command takes the described bound.
        state = {**state, "bound": material.max_degree}
    scores = kind.scores(state, public_graph(material.graph))
    direction, beta = state["direction"], float(state["beta"])
    known = dampen_scores(scores, direction)
    names = [str(scores.candidates[int(place)]) for place in known.places]
    classic, shifted = (inversions(known.values, units) for units in (known.classic, known.shifted))
    said = _headline(scores, names, known, classic)
    words = [_why(scores, names, known, classic[0])] if classic else []
    words.append(_shift_says(names, known, classic, shifted))
    curves = Chart(
        "How far one neighbour could move each score",
        lambda width: sensitivity_chart(scores, beta=beta, width=width),
        "A line per candidate: here at distance 0, and further away as far as the worst case.",
    )
    ranks = Chart(
        "What dampening makes of the order",
        lambda width: dampening_chart(scores, direction=direction, width=width),
        "Where lines cross, a better candidate falls behind a worse one.",
    )
    return View(
        said,
        (curves, ranks, Note("Why", words), _table(scores, names, known)),
        _commands(state, kind, material),
        _example(state, material, kind),
    )


def _headline(scores: Scores, names: Sequence[str], known: DampenedScores, classic: Sequence[Inversion]) -> str:
    if scores.sensitivity.fixed:
        return (
            f"One neighbour moves each of these scores by at most {scores.sensitivity.ceiling:g}, whatever the data: "
            "all distances are alike, and dampening changes no order."
        )
    if not classic:
        return f"Local dampening keeps the order of the {len(names)} candidates shown."
    pair = classic[0]
    a, b = names[pair.better], names[pair.worse]
    more = f" and {len(classic) - 1} more pairs" if len(classic) > 2 else " and one more pair" if classic[1:] else ""
    return (
        f"Local dampening inverts {a} and {b}{more}: {a} has the better score, {known.values[pair.better]:.3g} against "
        f"{known.values[pair.worse]:.3g}, and the worse dampened score, {known.classic[pair.better]:.3g} against "
        f"{known.classic[pair.worse]:.3g}."
    )


def _why(scores: Scores, names: Sequence[str], known: DampenedScores, pair: Inversion) -> str:
    """Say whose steps are wider, and at which distance they first are."""
    # Dampening counts steps from zero, so of two scores below zero the worse one must have the wider steps.
    wide, other = (pair.better, pair.worse) if known.values[pair.better] > 0 else (pair.worse, pair.better)
    distances = np.arange(int(np.ceil(np.abs(known.classic[[wide, other]]).max())) + 1)
    deltas = scores.sensitivity.at(distances)[:, known.places[[wide, other]]]
    t = int(np.argmax(deltas[:, 0] > deltas[:, 1]))
    return (
        f"Local dampening cuts a score into steps as wide as what one neighbour could change. {names[wide]} has the "
        f"wider ones ({deltas[t, 0]:.3g} against {deltas[t, 1]:.3g} at distance {t}), so its {known.values[wide]:.3g} "
        f"makes {known.classic[wide]:.3g} steps, and the {known.values[other]:.3g} of {names[other]} makes "
        f"{known.classic[other]:.3g}."
    )


def _shift_says(
    names: Sequence[str], known: DampenedScores, classic: Sequence[Inversion], shifted: Sequence[Inversion]
) -> str:
    start = "Shifted dampening counts steps down from a point far above all scores"
    if not shifted:
        kept = "restores the order" if classic else "keeps the order too"
        if classic:
            a, b = classic[0].better, classic[0].worse
            kept += f": {names[a]} has {known.shifted[a]:.3g} and {names[b]} {known.shifted[b]:.3g}"
        return f"{start}. Here it {kept}."
    a, b = shifted[0].better, shifted[0].worse
    return (
        f"{start}. Here it inverts {names[a]} and {names[b]}: {known.shifted[a]:.3g} against {known.shifted[b]:.3g}. "
        "Shift in the direction in which sensitivities go with the scores; where they go neither way, do not dampen."
    )


def _table(scores: Scores, names: Sequence[str], known: DampenedScores) -> PageTable:
    here, next_to = scores.sensitivity.at([0, 1])[:, known.places]
    columns = (known.values, here, next_to, known.classic, known.shifted)
    rows = [
        [name, *(f"{cell:.4g}" for cell in cells)]
        for name, cells in zip(names, zip(*columns, strict=True), strict=True)
    ]
    header = ("candidate", "score", "sensitivity here", "one step away", "dampened", "shifted")
    note = "Dampened and shifted scores are what the mechanisms rank: one neighbour moves each by at most 1."
    return PageTable("Scores before and after", header, rows, note)


def _commands(state: State, kind: DistanceScore, material: Material) -> Commands:
    shift = f'dps.mechanism("shifted-local-dampening", direction="{state["direction"]}")'
    python = f"{_opening(state, kind, material)}scores = {kind.python(state)}\n"
    python += f"dps.select(scores, epsilon=1, mechanism={shift}, ledger=ledger)"
    note = (
        "Which mechanism draws is chosen on public data like these. The bound is public: never read it from the data."
    )
    if kind.metric and material.description and state["direction"] == "growing":
        query = TopK(kind.metric, mechanism="shifted-local-dampening", epsilon=Fraction(1))
        commands = example_dataset.commands(material.description, query)
        if material.max_degree is None:
            note += f" Write it as max_degree = {state['bound']} into {material.description}."
        return replace(commands, note=f"{commands.note} {note}")
    if kind.command is None:
        return Commands("", python, f"No command chooses by this score with shifted dampening: use the Python. {note}")
    if state["direction"] != "growing":
        # On the command line the shift is always for sensitivities that grow with the scores.
        return Commands("", python, f"No command shifts in this direction: use the Python. {note}")
    return Commands(kind.command(state) + (options(material.graph_reading) if kind.metric else ""), python, note)


def _opening(state: State, kind: DistanceScore, material: Material) -> str:
    """Return what defines the private data: a graph in its file, or figures in the place of those of this page."""
    if kind.metric:
        nodes = 'nodes = Path("nodes.txt").read_text(encoding="utf-8").splitlines()'
        graph = f'graph = dps.Graph.read("friends.csv", nodes=nodes{keywords(material.graph_reading)})'
        return opening("friends.ledger", nodes, graph, paths=True)
    here = "# Of this page: put the private figures in their place."
    return opening("study.ledger" if kind.command else "people.ledger", here, kind.setup(state, material))


def _example(state: State, material: Material, kind: DistanceScore) -> str:
    lines = ["import dpselect as dps\n", kind.setup(state, material), f"scores = {kind.python(state)}"]
    lines += [kind.named] if kind.named else []
    lines += [f"dps.plot.sensitivity_chart(scores, beta={exact_text(state['beta'])})", "# %%"]
    lines.append(f'dps.plot.dampening_chart(scores, direction="{state["direction"]}")')
    return "\n".join(lines)


PAGE = Content(
    _fields,
    _view,
    {
        "marker": ("score", ("tdt",)),
        "count": ("score", ("votes", "median")),
        "split": ("score", ("information-gain", "gini")),
    },
)

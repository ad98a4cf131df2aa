"""The scores whose sensitivity a page shows: each as the library makes it, in Python, and as a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpselect import papers, utilities
from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.web.explorer.explorer_page import State
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.ranking import score_nodes

Row = tuple[str, tuple[int, ...]]
# Of rs1 all alleles were transmitted one way: one family changes that more than it changes rs2, which has more of them.
MARKERS: tuple[Row, ...] = (("rs1", (24, 0)), ("rs2", (50, 16)), ("rs3", (30, 12)), ("rs4", (16, 14)))
# Each splits the same rows, so many of each class: what is not on the left is on the right.
CLASS = 10
SPLITS: tuple[Row, ...] = (("windy", (9, 2)), ("humid", (6, 3)), ("weekend", (3, 0)))
COUNTS = (("Ann", 10), ("Ben", 12), ("Cleo", 13), ("Dan", 35), ("Eva", 38))
BOUND = 40
# The sensitivity of a marker is followed family by family.
_FAMILIES = 20_000


@dataclass(frozen=True)
class DistanceScore:
    """A score that can be looked at.

    Attributes:
        words: what a user reads.
        scores: state and graph to the scores of the library.
        python: state to what makes them in Python, of names that ``setup`` defines.
        setup: state to statements that make the data of a notebook.
        command: state to a command that chooses by this score with shifted dampening; ``None`` where no command does.
        metric: of a graph, as ``dpselect top-k`` names it; empty where the score is of something else.
        named: Python that gives candidates their names, where the score has numbers for them.
    """

    words: str
    scores: Callable[[State, Any], Scores]
    python: Callable[[State], str]
    setup: Callable[[State, Material], str]
    command: Callable[[State], str] | None = None
    named: str = ""
    metric: str = ""


def _figures(state: State, column: int) -> list[int]:
    return [cells[column] for _, cells in state["marker"]]


def _tables(state: State) -> dict[str, list[list[int]]]:
    return {name: [[*cells], [CLASS - cell for cell in cells]] for name, cells in state["split"]}


def _tdt(state: State) -> Scores:
    if state["bound"] > _FAMILIES:
        raise InputError(
            f"A page shows studies of up to {_FAMILIES:,} families: take fewer, or call "
            "dpselect.plot.sensitivity_chart in Python, which takes the time that it needs."
        )
    names = [name for name, _ in state["marker"]]
    return utilities.tdt(_figures(state, 0), _figures(state, 1), families=state["bound"], candidates=names)


def _median(state: State) -> Scores:
    names, values = zip(*state["count"], strict=True)
    # It names records by their numbers, and here they have names.
    nearest = papers.median([*values], lower=0, upper=state["bound"])
    return Scores(
        nearest.values, nearest.sensitivity, [*names], nearest.neighbours.value, nearest.range_bound, zero=nearest.zero
    )


def _graph_kind(words: str, function: str, more: str = "") -> DistanceScore:
    call = f"dps.utilities.{function}(graph, max_degree={{bound}}{more})"

    def scores(state: State, graph: Any) -> Scores:
        kind = (("sensitivity", "degree"),) if more else ()
        return score_nodes(graph, function, (("max_degree", int(state["bound"])), *kind))

    return DistanceScore(
        words,
        scores,
        lambda state: call.format(bound=state["bound"]),
        lambda _, material: material.graph_python,
        lambda state: (
            f"dpselect top-k friends.csv {function.replace('_', '-')} --nodes nodes.txt "
            f"--max-degree {state['bound']} --epsilon 1 --mechanism shifted-local-dampening --ledger friends.ledger"
        ),
        metric=function.replace("_", "-"),
    )


def _table_setup(state: State, _: Material) -> str:
    return f"tables = {_tables(state)!r}"


KINDS = {
    "tdt": DistanceScore(
        "genetic markers (TDT)",
        lambda state, _: _tdt(state),
        lambda state: f"dps.utilities.tdt(b, c, families={state['bound']}, candidates=names)",
        lambda state, _: (
            f"names = {[name for name, _ in state['marker']]!r}\nb = {_figures(state, 0)}\nc = {_figures(state, 1)}"
        ),
        lambda state: (
            f"dpselect snp study.csv --families {state['bound']} --epsilon 1 --mechanism shifted-local-dampening "
            "--ledger study.ledger"
        ),
    ),
    "votes": DistanceScore(
        "votes: one person, one vote",
        lambda state, _: Scores(dict(state["count"]), 1, range_bound=1, kind="integer"),
        lambda _: 'dps.Scores(counts, sensitivity=1, range_bound=1, kind="integer")',
        lambda state, _: f"counts = {dict(state['count'])!r}",
    ),
    "median": DistanceScore(
        "who is nearest to the median",
        lambda state, _: _median(state),
        lambda state: f"dps.papers.median(values, lower=0, upper={state['bound']})",
        lambda state, _: (
            f"names = {[name for name, _ in state['count']]!r}\nvalues = {[value for _, value in state['count']]}"
        ),
        named="scores = dps.Scores(\n    scores.values, scores.sensitivity, names, scores.neighbours.value, "
        "scores.range_bound, zero=scores.zero\n)",
    ),
    "information-gain": DistanceScore(
        "information gain of a split",
        lambda state, _: utilities.information_gain(_tables(state), max_records=state["bound"]),
        lambda state: f"dps.utilities.information_gain(tables, max_records={state['bound']})",
        _table_setup,
    ),
    "gini": DistanceScore(
        "Gini impurity of a split",
        lambda state, _: utilities.gini(_tables(state)),
        lambda _: "dps.utilities.gini(tables)",
        _table_setup,
    ),
    "ego-betweenness": _graph_kind(
        "ego betweenness in the graph, as published", "ego_betweenness", ', sensitivity="degree"'
    ),
    "open-pairs": _graph_kind("open pairs in the graph", "open_pairs"),
    "linear-decay": _graph_kind("linear decay in the graph", "linear_decay"),
}

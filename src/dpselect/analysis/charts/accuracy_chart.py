"""Accuracy of a tree on a public table against epsilon: exact, as far as a law is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dpselect.analysis.charts.chart_picture import Picture
from dpselect.analysis.charts.look import GREY, INK, WIDTH, chart_of, marks, shown_as
from dpselect.analysis.charts.pmf_chart import PUBLIC
from dpselect.analysis.label_pmf import label_pmf
from dpselect.learn.nonprivate import first_split, leaf_epsilons

Floats = NDArray[np.float64]
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
ONE, BEST, NONE = "one split, drawn", "the best splits", "most frequent class"
# A colour and a dash of its own for every line.
_LOOKS = {ONE: ("#c1440e", [1, 0]), BEST: ("#0b3c5d", [7, 4]), NONE: (GREY, [2, 3])}
_HEIGHT = 260


def accuracy_chart(
    model: Any,
    X: Any,
    y: Any,
    *,
    epsilons: Sequence[float] = EPSILONS,
    epsilon: float | None = None,
    width: float = WIDTH,
) -> Picture:
    """Draw how often a tree is right on a public table, against epsilon; return a picture that notebooks show.

    Nothing is drawn at random, so the three lines are what has an exact law: a tree of one level, over all splits that
    it may draw; the tree of the best splits, with labels by noisy counts; and the most frequent class for everybody. A
    label is the class with the largest noisy count, and records are those that the tree is grown from.

    Args:
        model: a :class:`dpselect.learn.DPTreeClassifier`.
        X, y: a public or made-up table, as for its ``fit``.
        epsilons: where the lines are computed.
        epsilon: one that is marked.
        width: of the chart in pixels.

    Raises:
        TypeError, ValueError, PrivacyError: as :func:`dpselect.learn.first_split`.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> model = DPTreeClassifier(1, max_depth=1, bins=4, domains={0: (0, 400)}, classes=[0, 1])
    >>> chart = accuracy_chart(model, X, y, epsilons=[0.02, 1], epsilon=1)
    >>> [round(row["accuracy"], 2) for row in chart.to_dict()["layer"][0]["data"]["values"]]
    [0.5, 1.0, 0.5, 1.0, 0.5, 0.5]
    """
    return accuracy_lines(accuracies(model, X, y, epsilons), epsilons, epsilon, width)


def accuracies(model: Any, X: Any, y: Any, epsilons: Sequence[float] = EPSILONS) -> dict[str, list[float]]:
    """Return the lines of :func:`accuracy_chart`, one accuracy for each epsilon, by name."""
    rows: dict[str, list[float]] = {ONE: [], BEST: [], NONE: []}
    for epsilon in epsilons:
        at = clone(model).set_params(epsilon=epsilon)
        counts, left = leaf_epsilons(at, X, y)
        total = max(int(counts.sum()), 1)
        rows[BEST].append(float((label_pmf(counts, epsilon=left) * counts).sum()) / total)
        rows[ONE].append(one_split(at.set_params(max_depth=1), X, y))
        rows[NONE].append(float(counts.sum(axis=0).max()) / total)
    return rows


def one_split(model: Any, X: Any, y: Any) -> float:
    """Return the expected accuracy of a tree of one level, over the splits and the labels that it may draw.

    Args:
        model, X, y: as for :func:`dpselect.learn.first_split`; the model has at most one level.
    """
    asked = first_split(model, X, y)
    if asked is None:
        counts, left = leaf_epsilons(model, X, y)
        return float((label_pmf(counts, epsilon=left) * counts).sum() / max(counts.sum(), 1))
    probabilities = asked.mechanism.pmf(asked.scores, asked.epsilon)
    # What is hardly ever drawn adds nothing that shows.
    shown = np.flatnonzero(probabilities > 1e-9)
    sides = np.concatenate([asked.sides[place] for place in shown])
    right = (label_pmf(sides, epsilon=float(asked.leaf)) * sides).sum(axis=1)
    owner = np.repeat(np.arange(shown.size), [len(asked.sides[place]) for place in shown])
    total = max(int(asked.sides[0].sum()), 1)
    return float(np.bincount(owner, right) @ probabilities[shown] / probabilities[shown].sum()) / total


def accuracy_lines(
    accuracy: Mapping[str, Sequence[float]], epsilons: Sequence[float], epsilon: float | None, width: float = WIDTH
) -> Picture:
    """Draw accuracies that are known already; otherwise as :func:`accuracy_chart`."""
    rows: list[dict[str, Any]] = [
        {"tree": name, "epsilon": at, "accuracy": each}
        for name, line in accuracy.items()
        for at, each in zip(epsilons, line, strict=True)
    ]
    least = min(row["accuracy"] for row in rows)
    names, looks = [*accuracy], [_LOOKS[name] for name in accuracy]
    legend = {"orient": "bottom", "direction": "horizontal" if width > 480 else "vertical", "title": None}
    colour, dash = (
        shown_as("tree:N", scale={"domain": names, "range": [look[part] for look in looks]}, legend=legend)
        for part in (0, 1)
    )
    x = shown_as("epsilon:Q", title="epsilon", scale={"type": "log", "nice": False}, axis={"values": [*epsilons]})
    y = shown_as("accuracy:Q", title="share of records labelled right", scale={"domain": [max(0, least - 0.05), 1]})
    layers = [marks("line", rows=rows, strokeWidth=2)(x=x, y=y, color=colour, strokeDash=dash)]
    if epsilon is not None and min(epsilons) <= epsilon <= max(epsilons):
        layers.append(marks("rule", rows=[{"epsilon": float(epsilon)}], color=INK)(x=shown_as("epsilon:Q")))
    upright = "" if len(layers) == 1 else " Upright line: the epsilon of the page."
    return chart_of(layers, "Accuracy against epsilon", subtitle=PUBLIC + upright, width=width, height=_HEIGHT)

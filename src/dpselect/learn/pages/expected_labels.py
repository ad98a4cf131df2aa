"""Expected figures of the labels and ranks of a model, by released shares alone, and a chart of gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpselect._display.markup import drawing, mark
from dpselect.learn.importances import even_points
from dpselect.learn.node_shares import plain_shares
from dpselect.learn.pages.colours import colour_of

if TYPE_CHECKING:
    from markupsafe import Markup

Floats = NDArray[np.float64]
_POINTS = 2048
# Shares of the records, in per cent, for which gains are told.
_TOLD = (1, 5, 10, 20, 50)
# Pixels: of the chart, and its margins.
_SIZE, _LEFT, _TOP, _FOOT = 260, 52, 10, 40


@dataclass(frozen=True, eq=False)
class ExpectedLabels:
    """Groups of records for which the model says shares of classes.

    Attributes:
        records: how many there are of each group, or which part of all, shape (groups,); not negative.
        shares: of the classes, shape (groups, classes).
        places: the label of each group, as its place among the classes, shape (groups,).
    """

    records: Floats
    shares: Floats
    places: NDArray[np.int64]

    @property
    def recalls(self) -> Floats:
        """Return for each class which share of its records gets its label, shape (classes,)."""
        held = self.records[:, None] * self.shares
        return np.asarray((held * self._says).sum(axis=0) / np.maximum(held.sum(axis=0), 1e-300))

    @property
    def balanced_accuracy(self) -> float:
        """Return the mean of the recalls."""
        return float(self.recalls.mean())

    @property
    def f1(self) -> float:
        """Return F1 of the second of two classes, and the mean over classes of several."""
        held = self.records[:, None] * self.shares
        right = 2 * (held * self._says).sum(axis=0)
        each = right / np.maximum((held + self.records[:, None] * self._says).sum(axis=0), 1e-300)
        return float(each[1] if each.size == 2 else each.mean())

    def gains(self) -> tuple[Floats, Floats]:
        """Return shares of the records, likeliest of the second class first, and of that class, which they hold."""
        order = np.argsort(-self.shares[:, 1], kind="stable")
        records, held = self.records[order], (self.records * self.shares[:, 1])[order]
        sums = (np.concatenate(([0.0], np.cumsum(each))) for each in (records, held))
        found, gained = (each / max(float(each[-1]), 1e-300) for each in sums)
        return found, gained

    @property
    def _says(self) -> NDArray[np.bool_]:
        return np.asarray(self.places[:, None] == np.arange(self.shares.shape[1]))


def expected_labels(model: Any) -> ExpectedLabels:
    """Return what is expected of a fitted classifier: by the leaves of a drawn tree, otherwise by chances.

    Chances are those at values drawn by the released shares of each column, as if columns were independent.
    """
    if len(getattr(model, "trees_", ())) == 1:
        tree = model.trees_[0]
        shares = plain_shares(tree)[tree.leaves]
        return ExpectedLabels(np.maximum(tree.records[tree.leaves], 0.0), shares, model._places(shares))
    shares = model._chances(even_points(model.partial_dependence_.weights, _POINTS))
    return ExpectedLabels(np.ones(_POINTS), shares, model._places(shares))


def labels_told(model: Any) -> dict[str, Any]:
    """Return figures and, of two classes, a chart of gains."""
    expected, labels = expected_labels(model), [str(label) for label in model.classes_.tolist()]
    two = len(labels) == 2
    found, gained = expected.gains()
    return {
        "alone": len(getattr(model, "trees_", ())) == 1,
        "threshold": model.threshold,
        "second": labels[1],
        "balanced": f"{expected.balanced_accuracy:.2f}",
        "f1": f"{expected.f1:.2f}",
        "f1_of": labels[1] if two else "",
        "recalls": [(label, f"{100 * recall:.0f} %") for label, recall in zip(labels, expected.recalls, strict=True)],
        "gains": [(part, f"{100 * np.interp(part / 100, found, gained):.0f} %") for part in _TOLD] if two else [],
        "chart": _gain_chart(found, gained, labels[1]) if two else None,
    }


def _gain_chart(found: Floats, gained: Floats, label: str) -> Markup:
    """Return the curve of gains beside that of a guess."""
    right, foot = _LEFT + _SIZE, _TOP + _SIZE
    marks = []
    for part in (0.0, 0.5, 1.0):
        x, y = _LEFT + _SIZE * part, foot - _SIZE * part
        marks.append(mark("line", x1=_LEFT, x2=right, y1=f"{y:g}", y2=f"{y:g}", stroke="#e4e4e4"))
        marks.append(mark("text", f"{100 * part:.0f} %", x=_LEFT - 6, y=f"{y + 4:g}", text_anchor="end"))
        marks.append(mark("text", f"{100 * part:.0f} %", x=f"{x:g}", y=foot + 16, text_anchor="middle"))
    marks.append(mark("line", x1=_LEFT, x2=right, y1=foot, y2=_TOP, stroke="#999", stroke_dasharray="4 4"))
    steps = " ".join(
        f"{_LEFT + _SIZE * x:.1f},{foot - _SIZE * y:.1f}" for x, y in zip(found.tolist(), gained.tolist(), strict=True)
    )
    marks.append(mark("polyline", points=steps, fill="none", stroke=colour_of(0), stroke_width=2))
    marks.append(mark("text", "share of all records", x=f"{_LEFT + _SIZE / 2:g}", y=foot + 34, text_anchor="middle"))
    size = {"viewBox": f"0 0 {right + 24} {foot + _FOOT}"}
    return drawing(*marks, **size, aria_label=f"gains: which share of {label} the likeliest records hold")

"""Small boosted models of one made-up table, fitted once for all tests that only read them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dpselect.learn import DPBoostedTreesClassifier

JOBS = ["nurse & <script>", "smith", "farmer"]
_ROWS = 1200
DOMAINS = {"age": (0, 100), "job": JOBS}
TABLE: dict[str, list[Any]] = {
    "age": [row % 100 for row in range(_ROWS)],
    "job": [JOBS[row // 100 % 3] for row in range(_ROWS)],
    "who": [row // 2 for row in range(_ROWS)],
}
_LABELS = ["<b>no</b>", "yes", "perhaps"]


def labels(classes: int) -> list[str]:
    """Old nurses are rich; with three classes farmers may be."""
    both = zip(TABLE["age"], TABLE["job"], strict=True)
    return [
        _LABELS[2] if classes == 3 and job == "farmer" else _LABELS[int(age >= 50 and job != "smith")]
        for age, job in both
    ]


def fitted(classes: int, **settings: Any) -> DPBoostedTreesClassifier:
    """A model of two or three classes at epsilon 20; a delta of 1e-6 where none is named."""
    return _fitted(classes, tuple(sorted({"delta": 1e-6, "rounds": 12, **settings}.items())))


@lru_cache
def _fitted(classes: int, settings: tuple[tuple[str, Any], ...]) -> DPBoostedTreesClassifier:
    asked = dict(settings)
    model = DPBoostedTreesClassifier(20, domains=DOMAINS, classes=_LABELS[:classes], **asked)
    table = {name: column for name, column in TABLE.items() if name != "who" or "person" in asked}
    return model.fit(table, labels(classes))

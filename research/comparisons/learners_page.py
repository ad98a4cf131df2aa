"""The tables of the page "which learner when", from stored figures.

python -m research.comparisons.learners_page
"""

from __future__ import annotations

from collections.abc import Iterator

from research.comparisons import learners_calibration as calibration
from research.comparisons.learners import NAMED, PRIVATE, RULE, STORED, epsilons_of, figures, stored
from research.comparisons.learners_families import FAMILIES
from research.comparisons.learners_measures import MEASURES, standings
from research.comparisons.learners_tables import EPSILONS
from research.comparisons.trees import SETS

COLUMNS = (RULE, "tree", "boosted-pure", "forest", "dp-ebm", "diffprivlib-forest", "diffprivlib-logistic", "privatree",
           "not-private")  # fmt: skip
OF_FAMILIES = (RULE, "tree", "boosted", "boosted-additive", "dp-ebm", "diffprivlib-forest", "not-private")
# Printed by other commands, and shown as they are.
PRINTED = ("learners_rule.txt", "learners_speed.txt")
OURS = (RULE, "tree", "forest", "boosted-pure")


def number(value: float | None) -> str:
    """Write three digits without the zero before the point."""
    return "" if value is None else f"{value:.3f}".removeprefix("0")


def measured(
    rows: dict[str, list[object]],
    measure: str,
    names: tuple[str, ...] = SETS,
    columns: tuple[str, ...] = COLUMNS,
) -> Iterator[str]:
    """Yield a table of one measure: one row per dataset, figures by epsilon."""
    result = figures(rows, measure)
    yield "| data | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for name in names:
        cells = [
            " / ".join(number(result.mean(name, learner, epsilon)) for epsilon in epsilons_of(learner)).strip(" /")
            for learner in columns
        ]
        yield f"| {name} | " + " | ".join(cells) + " |"


def counted(rows: dict[str, list[object]]) -> Iterator[str]:
    """Yield on how many of nine tables each of ours is first or level with the best private other."""
    yield "| first or level, of nine; epsilon | " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " |"
    yield "|---" * (len(EPSILONS) + 1) + "|"
    for measure in MEASURES:
        result, word = figures(rows, measure), measure.replace("_", "-")
        for learner, rivals, beside in ((RULE, NAMED, ""), *((name, PRIVATE, ", beside ours too") for name in OURS)):
            others = [name for name in rivals if name != learner]
            counts = [
                sum(one.level for one in standings(result, list(SETS), learner, others, epsilon))
                for epsilon in EPSILONS
            ]
            yield f"| {word}: {learner}{beside} | " + " | ".join(map(str, counts)) + " |"


def calibrated() -> Iterator[str]:
    """Yield the mean distance between what is said and what is seen."""
    curves = calibration.stored()
    yield "| mean distance; epsilon | " + " | ".join(f"{epsilon:g}" for epsilon in calibration.EPSILONS) + " |"
    yield "|---" * (len(calibration.EPSILONS) + 1) + "|"
    for table in calibration.TABLES:
        for learner in calibration.LEARNERS:
            errors = [number(curves[table, learner, epsilon].error) for epsilon in calibration.EPSILONS]
            yield f"| {table}, {learner} | " + " | ".join(errors) + " |"


def tables() -> dict[str, list[str]]:
    """Return the lines of all of them, and of what other commands printed."""
    rows = stored()
    result = {
        "counted": counted(rows),
        "auc": measured(rows, "auc"),
        "log_loss": measured(rows, "log_loss"),
        "families_auc": measured(rows, "auc", tuple(FAMILIES), OF_FAMILIES),
        "families_log_loss": measured(rows, "log_loss", tuple(FAMILIES), OF_FAMILIES),
        "calibrated": calibrated(),
    }
    shown = {name: (STORED.parent / name).read_text(encoding="utf-8").splitlines() for name in PRINTED}
    return {name: list(lines) for name, lines in result.items()} | shown


if __name__ == "__main__":
    for lines in tables().values():
        print("\n".join(lines), end="\n\n")

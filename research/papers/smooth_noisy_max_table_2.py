"""Chaves 2024, Tables 1 and 2: which sensitivity each mechanism uses, whether its noise is free, what it costs to draw.

Table 2 repeats Table 1 with a row more. Every mark is measured: a mechanism uses the local sensitivity where its law
moves with it, and that of single candidates where its law moves with those; its complexity is how the time of a draw
grows with the number of candidates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

import dpselect as dps
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results
from research.engine.series import Series
from research.engine.verdicts import reproduced

EM, PF, RNM, LD, SNM = "Exponential", "Permute-and-flip", "Report-noisy-max", "Local dampening", "Smooth Noisy Max"
# The mechanism of each row, and others of the library that draw the same scores with another noise.
NAMED = {
    EM: ("exponential",),
    PF: ("permute-and-flip",),
    RNM: ("noisy-max-laplace", "exponential", "permute-and-flip"),
    LD: ("local-dampening", "local-dampening-flip", "local-dampening-t"),
    SNM: ("smooth-noisy-max",),
}
_NOISES = ("student-t", "cauchy-2", "cauchy-4", "exponential", "laplace")
MOVED, SECONDS, NOISES = "how far the law moves", "seconds a draw", "laws of one row"
KINDS = {"Global": 1.0, "Local": 2.0, "Element": 3.0}
SIZES = (10_000.0, 100_000.0)
_EPSILON, _STEPS = 2, 30
# A law that moves by less does not move.
_STILL = 1e-9
# Ten times as many candidates take ten times as long, or a little more, where the draw is linear.
_LINEAR = 25.0
# The thesis's marks: global, local and element sensitivity, extensibility, complexity. An empty mark is none.
MARKS = {
    EM: ("yes", "no", "no", "no", "High"),
    PF: ("yes", "no", "no", "no", "Low"),
    RNM: ("yes", "no", "no", "yes", "Low"),
    LD: ("yes", "yes", "yes", "no", "High"),
    SNM: ("yes", "yes", "", "yes", "Low"),
}


def grid(_: Effort) -> list[Cell]:
    """One cell per row."""
    return [{"row": row} for row in NAMED]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """How far the law moves with each sensitivity, how many laws the row has, and the seconds of a draw."""
    row = str(cell["row"])
    made = dps.mechanism(NAMED[row][0])
    points = [Point(MOVED, row, x, _moved(made, _PAIRS[kind])) for kind, x in KINDS.items()]
    points.append(Point(NOISES, row, 1.0, float(_laws(row))))
    for size in SIZES:
        scores = dps.Scores(np.arange(int(size)) % 1000, _local(1.0), kind="integer")
        runs = [_seconds(partial(dps.select, scores, epsilon=1, mechanism=made)) for _ in range(effort.least)]
        points.append(Point(SECONDS, row, size, float(np.median(runs))))
    return points


def _local(ceiling: float) -> dps.Sensitivity:
    """Return a sensitivity that is 0 for some steps, and then the ceiling."""
    return dps.sensitivity.local(lambda t: ceiling * float(t >= _STEPS), ceiling=ceiling)


def _scores(sensitivity: object) -> dps.Scores:
    return dps.Scores([1.0, 0.0, 0.5], sensitivity)  # type: ignore[arg-type]


_PAIRS: dict[str, tuple[dps.Scores, dps.Scores]] = {
    "Global": (_scores(1.0), _scores(2.0)),
    "Local": (_scores(_local(2.0)), _scores(2.0)),
    "Element": (_scores([0.5, 1.0, 2.0]), _scores(2.0)),
}


def _moved(made: dps.mechanisms.Mechanism, pair: tuple[dps.Scores, dps.Scores]) -> float:
    """Return the total variation distance of the laws of two scores that differ in their sensitivity alone."""
    one, other = (np.asarray(made.pmf(scores, _EPSILON)) for scores in pair)
    return float(np.abs(one - other).sum() / 2)


def _laws(row: str) -> int:
    """Return how many different laws the mechanisms of a row have: one noise each."""
    made = [dps.mechanism(name) for name in NAMED[row]]
    if row == SNM:
        made = [dps.mechanism("smooth-noisy-max", noise=noise) for noise in _NOISES]
    scores = _PAIRS["Local"][0]
    return len({tuple(np.round(np.asarray(each.pmf(scores, _EPSILON)), 9).tolist()) for each in made})


def _seconds(draw: Callable[[], object]) -> float:
    start = time.process_time()
    draw()
    return time.process_time() - start


def _uses(row: str, kind: str, mark: str) -> Claim:
    def judge(results: Results) -> Judgement:
        moved = results.at(MOVED, row, KINDS[kind]).value
        shown = f"the law moves by {moved:.3g}"
        if not mark:
            used = "used" if moved > _STILL else "not used"
            return Judgement(shown, "not comparable", f"the thesis leaves it to future research; here it is {used}")
        held = (moved > _STILL) == (mark == "yes")
        return Judgement(shown, reproduced(private=True) if held else "refuted", "total variation, exact laws")

    return Claim(f"{row} uses {kind.lower()} sensitivity", mark or "no mark", judge)


def _extensible(row: str, mark: str) -> Claim:
    def judge(results: Results) -> Judgement:
        laws = int(results.at(NOISES, row, 1.0).value)
        shown = f"{laws} different {'law' if laws == 1 else 'laws'} by the noise"
        held = (laws > 1) == (mark == "yes")
        return Judgement(shown, reproduced(private=True) if held else "refuted", ", ".join(_of(row)))

    return Claim(f"{row} takes several noises", mark, judge)


def _of(row: str) -> tuple[str, ...]:
    return _NOISES if row == SNM else NAMED[row]


def _complexity(row: str, mark: str) -> Claim:
    def judge(results: Results) -> Judgement:
        few, many = (results.at(SECONDS, row, size).value for size in SIZES)
        shown = f"{many / few:.1f} times as long for 10 times as many"
        low = many / few <= _LINEAR
        why = f"{few:.2g} and {many:.2g} s; low means at most {_LINEAR:g} times: linear"
        return Judgement(shown, reproduced(private=True) if low == (mark == "Low") else "refuted", why)

    return Claim(f"{row}: complexity", mark, judge)


def _claims() -> tuple[Claim, ...]:
    return tuple(
        claim
        for row, (*uses, extensible, complexity) in MARKS.items()
        for claim in (
            *(_uses(row, kind, mark) for kind, mark in zip(KINDS, uses, strict=True)),
            _extensible(row, extensible),
            _complexity(row, complexity),
        )
    )


_FAMILIES = {
    EM: "exponential",
    PF: "permute-and-flip",
    RNM: "noisy counts",
    LD: "local dampening",
    SNM: "smooth noisy max, t",
}
EXPERIMENT = Experiment(
    name="smooth_noisy_max_table_2",
    paper="000",
    item="Table 2",
    title="Which sensitivity each mechanism uses, whether its noise may be another, and how the time of a draw grows.",
    method=(
        "Table 1 is these rows without the last. Global, local and element: the law of three candidates at epsilon 2 "
        "with that sensitivity against the law with its ceiling of 2 for everybody, in total variation. Extensibility: "
        "how many different laws the row has by its noise; dampened scores are drawn by three mechanisms here. "
        "Complexity: the median processor time of a draw from ten and a hundred thousand candidates, whose sensitivity "
        "is 0 for thirty steps."
    ),
    grid=grid,
    measure=measure,
    x_label="sensitivity (1 global, 2 local, 3 element)",
    y_label="total variation",
    y_labels={SECONDS: "seconds", NOISES: "laws"},
    x_labels={SECONDS: "candidates", NOISES: "row"},
    task="",
    better="lower",
    claims=_claims(),
    series=tuple(Series(row, "reference", _FAMILIES[row]) for row in NAMED),
    kind="table",
    remark=(
        "Complexity is of a program, not of a mechanism: with sensitivities in closed form every draw here is linear "
        "in the number of candidates, dampening included, as far as these sizes tell."
    ),
)

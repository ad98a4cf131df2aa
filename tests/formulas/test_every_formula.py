"""Every formula of the grammar is refused before a row is read, or answers on every table of at most three rows."""

from __future__ import annotations

import decimal
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.formulas import derived_sensitivity, margins, scores
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.elementary import Logarithm, SquareRoot, XLogX
from dpselect.formulas.expression import Expression, Linear, Parallel, Quotient, ZeroBasedQuotient
from dpselect.formulas.grammar import GroupSum
from dpselect.formulas.group_scores import decimal_value
from dpselect.release import best
from dpselect.release.best import GroupRanking

COLUMNS = {"v": {"lower": -1, "upper": 1}}
CELLS = (-1, 0, 1, None)
ROWS = [(place, cell) for place in "AB" for cell in CELLS]
TABLES = [table for many in range(4) for table in itertools.combinations_with_replacement(ROWS, many)]
STATISTICS = [
    "count()", "count(v = 1)", "count(v != 0)", "count(v < 0)", "sum(v)", "avg(v)", "rate(v >= 0)", "overall(count())",
    "overall(sum(v))", "overall(avg(v))",
]  # fmt: skip
NUMBERS = ["0", "1", "-2", ".5"]
ONE = ["{}", "-{}", "square({})", "sqrt({})", "log({})", "xlogx({})", "abs({})", "clip({}, 0, 1)", "clip({}, -2, .5)"]
TWO = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "min({}, {})", "max({}, {})", "parallel({}, {})"]
# Of what cancels in fifty digits.
_ROUNDING = Decimal(10) ** -40
# What ratios are given, and whose rows are protected.
PRIORS: list[dict[str, Any]] = [{"prior": "1:0"}, {"prior": "0.5:1"}, {"min_rows": 1}, {"min_rows": 3}]
UNITS: list[dict[str, Any]] = [{}, {"person": "who", "rows_per_person": 1}, {"person": "who", "rows_per_person": 2}]


def one_deep() -> list[str]:
    """Each operator over each statistic, and over each pair of them and of numbers."""
    atoms = STATISTICS + NUMBERS
    ones = [form.format(each) for form in ONE for each in STATISTICS]
    return ones + [form.format(one, other) for form in TWO for one in atoms for other in atoms]


def two_deep(many: int) -> list[str]:
    """Each operator over what is one deep, sampled; half of them over parts that roots and quotients take."""
    draw, shallow = random.Random(41), one_deep()
    tame = [f"({draw.choice(['square', 'abs'])}({each}) + {draw.choice(['1', '.5', '0'])})" for each in shallow]
    found = []
    for place in range(many):
        form = (ONE[1:] + TWO)[place % (len(ONE) - 1 + len(TWO))]
        parts = [draw.choice(draw.choice([shallow, tame, STATISTICS + NUMBERS])) for _ in range(form.count("{}"))]
        found.append(form.format(*parts))
    return found


@cache
def sums(of: GroupSum, read: bool) -> tuple[int, ...]:
    """A statistic of both groups of every table; a row without a cell does not count where the cell is read."""
    found = []
    for table, group in itertools.product(TABLES, "AB"):
        cells = [cell for place, cell in table if (of.overall or place == group) and not (read and cell is None)]
        if of.column is not None:
            found.append(sum(cells))
        else:
            found.append(sum(of.condition is None or bool(of.condition.holds(cell)) for cell in cells))
    return tuple(found)


def faults(text: str, **more: Any) -> Iterator[str]:
    """Yield what goes wrong with a formula on any of the tables; nothing where it is refused without them."""
    try:
        ranking = GroupRanking.of(text, COLUMNS, **more)
    except FormulaError:
        return
    read = bool(ranking.columns.columns)
    counts = {name: np.array(sums(each, read)) for name, each in ranking.score.sums.items()}
    yield from _without_value(ranking, counts)
    try:
        made = scores(ranking.formula, counts, ranking.kinds)
        moves = np.array([made.sensitivity.at(t) for t in (0, 1, 2, 7)])
        # Each table by itself is a few of these groups, and its margins are of the same reaches.
        apart = margins(ranking.formula, counts, ranking.kinds, 2)
        drawn = dps.mechanism("permute-and-flip").pmf(apart, 1)
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
        return
    for name, each in (("scores", made.values), ("margins", apart.values), ("chances", drawn)):
        if not np.isfinite(each).all():
            yield f"{name} are not finite"
    if np.isnan(moves).any() or (moves[1:] < moves[:-1]).any() or (moves < 0).any():
        yield "the sensitivity is not a number, or falls"


def _without_value(ranking: GroupRanking, counts: dict[str, np.ndarray]) -> Iterator[str]:
    """Yield the first statistics of which the formula has no value in plain arithmetic."""
    with decimal.localcontext(prec=50):
        for each in {tuple(one) for one in zip(*(every.tolist() for every in counts.values()), strict=True)}:
            held = dict(zip(counts, each, strict=True))
            if not _has_value(ranking.formula, held):
                yield f"no value at {held}"
                return


def _has_value(formula: Expression, held: dict[str, int]) -> bool:
    """Return whether no part of a formula divides by 0, or takes the root or logarithm of what has none."""
    parts = [] if isinstance(formula, Linear) else [*formula.parts]
    if not all(_has_value(each, held) for each in parts):
        return False
    values = [decimal_value(each, held) for each in parts]
    if isinstance(formula, ZeroBasedQuotient):
        return values[1] > 0 or values == [0, 0]
    if isinstance(formula, (Quotient, Logarithm)):
        return values[-1] > 0
    return not isinstance(formula, (SquareRoot, XLogX, Parallel)) or min(values) > -_ROUNDING


def settings(place: int, text: str) -> dict[str, Any]:
    """The order, whose rows are protected, and what ratios are given, in turns."""
    ratio = "avg(" in text or "rate(" in text
    given = PRIORS[place % 4] if ratio else {}
    return {"order": ("highest", "lowest")[place % 2], **UNITS[place % 3], **given}


def wrong(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the formulas with which something goes wrong, and what."""
    found = {}
    for place, text in enumerate(texts):
        more = settings(place, text)
        if said := [*faults(text, **more)]:
            found[f"{text} {more}"] = said
    return found


def test_formulas_are_refused_without_rows_or_answer_on_every_table() -> None:
    """Each operator over statistics, and some within each other; as many are accepted as refused."""
    texts = [*one_deep()[::23], *two_deep(40)]
    assert wrong(texts) == {}

    accepted = sum(_is_accepted(text, settings(place, text)) for place, text in enumerate(texts))
    assert len(texts) / 3 < accepted < len(texts) * 0.9


@pytest.mark.slow
def test_every_operator_over_every_statistic_and_many_within_each_other() -> None:
    """The same of all pairs of statistics, and of a thousand formulas two deep."""
    assert wrong(one_deep()) == {}
    assert wrong(two_deep(1000)) == {}


def _is_accepted(text: str, more: dict[str, Any]) -> bool:
    try:
        GroupRanking.of(text, COLUMNS, **more)
    except FormulaError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("log(avg(v) + 2)", {"prior": "1:0"}),
        ("parallel(count(v = 1), count()) / (overall(count()) + 1)", {}),
        ("rate(v >= 0) - overall(rate(v >= 0))", {"prior": ".5:1", "person": "who", "rows_per_person": 2}),
        ("sqrt(max(sum(v), 0))", {"order": "lowest"}),
        ("rate(v >= 0)", {"min_rows": 2}),
    ],
)
def test_a_release_is_drawn_from_small_tables(text: str, more: dict[str, Any]) -> None:
    """Through rows, two of each person, whatever cells are missing."""
    for table in TABLES[::17]:
        rows: dict[str, list[Any]] = {"place": [place for place, _ in table], "v": [cell for _, cell in table]}
        rows["who"] = [place // 2 for place in range(len(table))]
        release = dps.best(rows, epsilon=1, by="place", groups=["A", "B"], score=text, columns=COLUMNS, **more)
        assert release.value[0] in ("A", "B")


@pytest.mark.parametrize(
    ("owner", "guard", "planted", "text"),
    [
        (derived_sensitivity, "_positive", lambda *_: True, "({} / {})"),
        (derived_sensitivity, "_positive", lambda *_: True, "log({})"),
        (derived_sensitivity, "_lowest", lambda *_: np.inf, "sqrt({})"),
        (best, "require_value", lambda *_: None, "min({}, {})"),
    ],
)
def test_a_guard_that_is_removed_is_missed(
    owner: Any, guard: str, planted: Callable[..., Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each refusal is one that some table needs."""
    texts = [
        text.format(*each)
        for each in itertools.product(["count()", "count(v < 0)", "sum(v)", "avg(v)", "0"], repeat=text.count("{}"))
    ]
    assert wrong(texts) == {}
    monkeypatch.setattr(owner, guard, planted)

    assert wrong(texts)


@pytest.mark.parametrize("text", ["min(count(), 0)", "avg(v) * 0", "parallel(count(), 0)", "clip(count() + 1, 0, 1)"])
def test_a_formula_that_no_row_changes_is_refused(text: str) -> None:
    """Though a statistic is named in it; before any row is read."""
    with pytest.raises(FormulaError, match="the same whatever the rows are"):
        dps.best("nowhere.csv", epsilon=1, by="place", groups=["A", "B"], score=text, columns=COLUMNS,
                 prior="1:0" if "avg" in text else None)  # fmt: skip

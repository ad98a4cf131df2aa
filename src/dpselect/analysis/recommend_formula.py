"""Recommend a mechanism, and a prior or a minimum size, for a formula, on data that may be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpselect._display.html_table import grid, table
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms import mechanism
from dpselect.release.best import GroupRanking

# By margins, as dpselect.best draws; by the largest possible move; and by the derived sensitivity.
MARGINS, _LARGEST = "margins", "permute-and-flip"
_BY_SENSITIVITY = (_LARGEST, "smooth-noisy-max", "local-dampening-flip")
# What is better by this share of the range of scores is advised in place of what is usual.
_GAIN = 0.01


@dataclass(frozen=True)
class FormulaRow:
    """One way to name the best group, judged by the score that is wanted.

    Attributes:
        small_groups: what averages and rates are given: a prior such as ``20:3``, or a minimum size such as ``20``;
            empty for neither.
        mechanism: ``margins``, or what draws from the scores and their derived sensitivity.
        chance: how likely the group with the best wanted score is named.
        shortfall: the expected distance of the wanted score of who is named from the best one.
        why: why it does not apply, with ``nan`` for both figures; else empty.
    """

    small_groups: str
    mechanism: str
    chance: float
    shortfall: float
    why: str = ""


@dataclass(frozen=True)
class FormulaRecommendation:
    """Advice on how to ask for the best group by a formula, on data like these.

    What is advised in place of margins is nearer to the best on average, and names it at least as often.

    Attributes:
        small_groups, mechanism: of the row that is advised.
        sentence: the advice in words.
        table: one row for each prior or size and mechanism, best first; those that do not apply last.
    """

    small_groups: str
    mechanism: str
    sentence: str
    table: tuple[FormulaRow, ...]

    def _repr_html_(self) -> str:
        rows = [(row.small_groups, row.mechanism, *((row.why, "") if row.why else _figures(row))) for row in self.table]
        header = ("prior or size", "mechanism", "chance of the best", "shortfall")
        return table("Recommendation", [("advice", self.sentence)]) + grid(header, rows)

    def __str__(self) -> str:
        lines = [self.sentence, "", f"{'prior or size':<18}{'mechanism':<24}{'chance':>8}{'shortfall':>12}"]
        for row in self.table:
            chance, shortfall = _figures(row)
            figures = f"{chance:>8}{shortfall:>12}" if not row.why else row.why
            lines.append(f"{row.small_groups:<18}{row.mechanism:<24}{figures}")
        return "\n".join(lines)


def _figures(row: FormulaRow) -> tuple[str, str]:
    return f"{row.chance:.3f}", f"{row.shortfall:.4g}"


def recommend_formula(
    table: Any,
    *,
    epsilon: Epsilon,
    by: str,
    groups: Sequence[Any],
    score: str,
    columns: Mapping[str, Any],
    prior: str | None = None,
    min_rows: int | None = None,
    others: Sequence[str | int] = (),
    order: str = "highest",
    person: str | None = None,
    rows_per_person: int = 1,
    data: str | None = None,
) -> FormulaRecommendation:
    """Compare ways to name the best group by a formula, by their exact laws, on data that may be looked at.

    Every prior and minimum size is tried with margins, which :func:`dpselect.best` draws by, and with three mechanisms
    on the scores and their derived sensitivity: ``permute-and-flip`` by the largest possible move,
    ``smooth-noisy-max`` and ``local-dampening-flip``. All are judged by the score that is wanted: with more rows in a
    prior, an answer is more surely the best by that prior, and less surely by the one that is wanted.

    Args:
        table, epsilon, by, groups, score, columns, order, person, rows_per_person: as for :func:`dpselect.best`, of
            one group; the table is public, or an example.
        prior, min_rows: of the score that is wanted, by which all are judged.
        others: further priors, such as ``"50:3"``, and minimum sizes, such as ``20``, that may stand in for it.
        data: ``"public"`` or ``"example"``.

    Raises:
        PrivacyError: ``data`` is missing or something else.
        FormulaError, TypeError, ValueError: as :func:`dpselect.best`.

    >>> import dpselect as dps
    >>> rows = {"shop": ["a"] * 400 + ["b"] * 300 + ["c"] * 2, "stars": [4] * 400 + [3, 4] * 150 + [5] * 2}
    >>> asked = {"by": "shop", "groups": ["a", "b", "c"], "columns": {"stars": {"lower": 1, "upper": 5}}}
    >>> advice = dps.accuracy.recommend_formula(
    ...     rows, epsilon=1, score="avg(stars)", prior="5:3", others=["50:3", 20], data="example", **asked)
    >>> advice.small_groups, advice.mechanism, advice.table[0].chance > 0.99
    ('50:3', 'margins', True)
    """
    if data not in ("public", "example"):
        raise PrivacyError(
            'A mechanism or a prior chosen by looking at private rows leaks: pass data="public" or data="example" for '
            "rows that may be seen, and ask the private ones as it advises."
        )
    total, found = exact_epsilon(epsilon), list[FormulaRow]()
    settings = [*dict.fromkeys([(prior, min_rows), *map(_setting, others)])]
    rankings = [
        GroupRanking.of(score, columns, weight, order, person, rows_per_person, least) for weight, least in settings
    ]
    rankings[0].require(1, len(groups))
    wanted = rankings[0].scores(table, by, groups).values
    for ranking, (weight, least) in zip(rankings, settings, strict=True):
        found += [
            _row(str(weight or least or ""), draw, law, wanted)
            for draw, law in _laws(ranking, table, by, groups, total)
        ]
    return _advice(found, score, total, _GAIN * float(wanted.max() - wanted.min()))


def _setting(other: str | int) -> tuple[str | None, int | None]:
    return (None, other) if isinstance(other, int) else (other, None)


def _row(named: str, draw: str, law: Any, wanted: Any) -> FormulaRow:
    if isinstance(law, str):
        return FormulaRow(named, draw, float("nan"), float("nan"), law)
    best = wanted.argmax()
    return FormulaRow(named, draw, float(law[best]), float(law @ (wanted[best] - wanted)))


def _laws(ranking: GroupRanking, table: Any, by: str, groups: Sequence[Any], epsilon: Fraction) -> Iterator[Any]:
    """Yield the name of each way to draw with its law, or with why it does not apply."""
    yield MARGINS, mechanism(_LARGEST).pmf(ranking.margins(table, 1, by, groups), epsilon)
    scores = ranking.scores(table, by, groups)
    for name in _BY_SENSITIVITY:
        try:
            yield name, mechanism(name).pmf(scores, epsilon)
        except (PrivacyError, ValueError) as reason:
            yield name, str(reason)


def _advice(found: list[FormulaRow], score: str, epsilon: Fraction, gain: float) -> FormulaRecommendation:
    ordered = sorted(found, key=lambda row: (bool(row.why), row.shortfall))
    usual = next(row for row in ordered if row.mechanism == MARGINS)
    # What is nearer on average and names the best less often is no better: it names what is large, not what is best.
    better = next(row for row in ordered if row.chance >= usual.chance)
    # What is wanted stays where nothing is clearly better, and so do margins.
    chosen = next(row for row in (found[0], usual, better) if row.shortfall <= better.shortfall + gain)
    with_it = f" with {chosen.small_groups}" if chosen.small_groups else ""
    sentence = (
        f"Use {chosen.mechanism}{with_it}: on data like these the group that is named at epsilon {epsilon} is the best "
        f"by {score} with probability {chosen.chance:.3f}, and {chosen.shortfall:.3g} behind it on average."
    )
    if chosen.mechanism != MARGINS:
        sentence += (
            f" dpselect.best draws by margins, which are {usual.shortfall:.3g} behind: pass "
            f"dpselect.formulas.scores(..) to dpselect.select(.., mechanism={chosen.mechanism!r})."
        )
    return FormulaRecommendation(chosen.small_groups, chosen.mechanism, sentence, tuple(ordered))

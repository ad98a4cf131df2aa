"""A release on the command line: the mechanism that was asked for, the answer in words and for programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli.command import CommandAnswer
from dpselect.cli.plan_text import facts_text, promise, state_error
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.tables import ReleaseFacts
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.joint_top_k import JOINT
from dpselect.mechanisms.worst_case import error_bound_of, error_bound_of_source
from dpselect.release.one_shot import ONE_SHOT, PEELING, has_gaps, method_of
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release
from dpselect.release.select import grouped_method

# From here on a share is written out.
_TINY = Decimal("1e-8")
# More candidates than this are not laid out for a bound on the error.
_MOST = 10**7 + 1


def mechanism_of(request: Request, default: str) -> dps.mechanisms.Mechanism:
    """Return the mechanism that was asked for, or the default.

    Raises:
        ValueError: there is none of this name, the empty one included.
    """
    return dps.mechanism(default if request.mechanism is None else request.mechanism)


def best(
    request: Request,
    scores: dps.Scores,
    mechanism: dps.mechanisms.Mechanism,
    k: int = 1,
    unit: str = "",
    method: str | None = None,
    gaps: bool = True,
    **facts: str,
) -> Release[tuple[Any, ...]]:
    """Release the best k candidates, from the ledger of the command line; ``facts`` are recorded.

    ``unit`` says what a score counts, where that is known, and ``method`` how a list is drawn, where that was asked.
    ``gaps`` are released wherever they are free, unless they would say nothing: neighbouring values of a fine grid have
    nearly the same score, so the lead of the best is small however sure it is.
    """
    book = accountant_of(request, **facts)
    k = require_count(k, len(scores))
    if method == JOINT:
        if k > 1 and mechanism.name == "exponential":
            request.outcome.says(error_bound_of(scores, k, request.epsilon, mechanism, JOINT), unit)
        return dps.top_k(scores, k, epsilon=request.epsilon, mechanism=mechanism, method=JOINT, ledger=book)
    asked = question(scores, exact_epsilon(request.epsilon) / k, mechanism)
    way = method_of(asked, k, method, book)
    request.outcome.says(error_bound_of(scores, k, request.epsilon, mechanism, way), unit)
    sensitivity = scores.sensitivity
    if sensitivity.fixed:
        request.outcome.bound = bound(
            len(scores), sensitivity.ceiling, scores.range_bound, lambda: request.epsilon / k, mechanism
        )
    free = (
        gaps
        and method != PEELING
        and (k == 1 or way == ONE_SHOT)
        and mechanism.measure(scores) is not None
        and has_gaps(asked, k)
    )
    return dps.top_k(scores, k, epsilon=request.epsilon, mechanism=mechanism, method=method, gaps=free, ledger=book)


def best_stored(
    request: Request,
    source: dps.data.Candidates,
    mechanism: dps.mechanisms.Mechanism,
    method: str | None = None,
    unit: str = "",
    **facts: str,
) -> Release[tuple[Any, ...]]:
    """Release the best k candidates of an engine, from the ledger of the command line: as :func:`best`."""
    book, total = accountant_of(request, **facts), exact_epsilon(request.epsilon)
    k = require_count(request.k, source.known)
    way = grouped_method(source, k, total, mechanism, method, book)
    request.outcome.says(error_bound_of_source(source, k, total, mechanism, way), unit)
    example = source.example()
    gaps = (
        method != PEELING
        and (k == 1 or way == ONE_SHOT)
        and example is not None
        and mechanism.measure(example) is not None
        and has_gaps(question(example, total / k, mechanism), k, source.known or 0)
    )
    return dps.top_k(source, k, epsilon=request.epsilon, mechanism=mechanism, method=method, gaps=gaps, ledger=book)


def bound(
    candidates: int | None,
    sensitivity: Any,
    range_bound: int,
    epsilon: Callable[[], Any],
    mechanism: dps.mechanisms.Mechanism,
) -> Callable[[], float | None]:
    """Return how to find what the expected error of one draw is at most, whatever the data.

    It follows from the number of candidates and one constant sensitivity, so it is found from scores that are all
    zero: no private one has a part in it.
    """

    def found() -> float | None:
        if candidates is None or not 1 <= candidates <= _MOST:
            return None
        example = dps.Scores(np.zeros(candidates), float(sensitivity), range_bound=range_bound)
        try:
            return dps.accuracy.expected_error_bound(example, epsilon=epsilon(), mechanism=mechanism)
        except (ValueError, dps.PrivacyError):
            return None

    return found


def answer_of(
    release: Release[Any],
    lines: Sequence[str],
    note: str = "",
    unit: str = "",
    *,
    protected: str | None = None,
    **more: Any,
) -> CommandAnswer:
    """Return a release as lines and, after a note, what it cost and how accurate it is at worst; and for programs.

    ``protected`` is what one step between databases is, in words, where the relation alone does not say it.
    """
    facts = {
        "candidates": release._answer["candidates"],
        **more,
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
        **state_error(release.error_bound, unit),
    }
    if release.p_value is not None:
        facts |= {"gaps": release.gaps, "p_value": release.p_value}
    cost = f"{facts_text(release.guarantee, protected=protected)}, by {release.mechanism}"
    beneath = ReleaseFacts(cost, release.error_bound.describe(unit), _p_value_lines(release), note)
    return CommandAnswer.of([*lines, beneath], facts)


def _p_value_lines(release: Release[Any]) -> list[str]:
    """Return what the p-value says, and no more, where there is one."""
    if release.p_value is None:
        return []
    one = len(release._answer["candidates"]) == 1
    if release.p_value >= 1:
        least = "the choice" if one else "the last name"
        return [f"no p-value: {least} has no lead over the others in this draw, which says nothing about it"]
    wrong = "a wrong choice" if one else "a wrong name"
    # Rounded up, so that what is printed is a p-value too.
    shown = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(release.p_value))
    share = f"{shown.scaleb(2).normalize():f}" if shown > _TINY else f"{shown.scaleb(2):g}"
    return [f"p = {shown:g}: whatever the data, {wrong} comes with a p this small in at most {share} % of releases"]


def ranking_lines(release: Release[Any]) -> list[str]:
    """Return the winners, one per line, in the order of their selection: one winner may stand by itself."""
    return [f"{rank:>3}  {escape_name(name)}" for rank, name in enumerate(release._answer["candidates"], 1)]


def escape_name(name: Any) -> str:
    """Return a name on one line for a terminal: what would move or colour text, or turn its direction, is escaped.

    Names may be data that people unknown to us wrote.
    """
    return "".join(
        each if each.isprintable() or unicodedata.category(each) == "Zs" else each.encode("unicode_escape").decode()
        for each in str(name)
    )

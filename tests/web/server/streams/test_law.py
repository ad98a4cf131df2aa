"""The law of what is served: exact losses over a small universe with restarts, and a sample against the definition."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from scipy import stats

from dpselect.audit.replay import Replay, log_chance_of, transcripts
from dpselect.release.above_threshold import stream_of
from dpselect.release.opened import door_to
from dpselect.release.threshold_rules import ThresholdRules, threshold_rules
from dpselect.web.server.desk import Desk
from dpselect.web.server.house import House
from dpselect.web.server.streams.desk import StreamDesk
from dpselect.web.server.streams.records import Stored
from tests.release.threshold_law import law
from tests.web.server.streams.desks import Resuming, doors, house_of, opened, started, told

EPSILON = 6
# All tables of at most two rows of one kind and one of the other: neighbours differ by one row.
UNIVERSE = {f"a{a}b{b}": ["a"] * a + ["b"] * b for a in range(3) for b in range(2)}
NEIGHBOURS = [(f"a{a}b{b}", f"a{c}b{d}") for a in range(3) for b in range(2) for c, d in ((a + 1, b), (a, b + 1))]
NEIGHBOURS = [pair for pair in NEIGHBOURS if pair[1] in UNIVERSE]
A, B = ({"where": {"kind": kind}} for kind in "ab")
RESTART: dict[str, Any] = {}


def rules_of(positives: int, line: int, epsilon: Any = EPSILON) -> ThresholdRules:
    """The rules that the server gives to a stream of counts."""
    rules = threshold_rules(
        epsilon, positives=positives, sensitivity=1, kind="integer", range_bound=1, neighbours="add-remove",
        levels=(), share=None,
    )  # fmt: skip
    return replace(rules, line=rules.threshold_ticks(line))


def served(
    house: House, dataset: str, asked: Sequence[Any], positives: int, kind: Callable[[Desk], StreamDesk]
) -> Callable[[Replay], list[str]]:
    """Return what ann sees, as a function of the outcomes: the server's own code, which is ended at a RESTART."""

    def seen(replay: Replay) -> list[str]:
        def scripted(threshold: int, epsilon: Any, *, positives: int, ledger: Any, **_: Any) -> Any:
            return stream_of(rules_of(positives, threshold, epsilon), ledger, door_to(lambda: replay))

        desk = started(house, kind)
        with doors(scripted):
            opening = {"epsilon": EPSILON, "positives": positives, "threshold": 1}
            number, shown = opened(desk, dataset, opening).id, []
            for query in asked:
                if query is RESTART:
                    desk = started(house, kind)
                    continue
                reply = told(desk, number, query)
                shown.append(reply.answer if isinstance(reply, Stored) else str(reply))
        return shown

    return seen


def worst_loss(house: House, asked: Sequence[Any], positives: int, kind: Callable[[Desk], StreamDesk]) -> float:
    """The largest log-ratio of any transcript over all neighbouring tables of the universe, by brute force."""
    there = [name for name in UNIVERSE if name in house.datasets]
    laws = {name: dict(transcripts(served(house, name, asked, positives, kind))) for name in there}
    pairs = [(laws[one], laws[other]) for one, other in NEIGHBOURS if {one, other} <= {*there}]
    assert all({*one} == {*other} for one, other in pairs)
    losses = [abs(one[script] - other[script]) for one, other in pairs for script in one]
    return max(losses)


@pytest.mark.parametrize(
    ("positives", "asked"), [(1, [A, B, RESTART, A, B]), (2, [A, RESTART, A]), (1, [A, A, A, A]), (2, [A, B, A])]
)
def test_no_transcript_loses_more_than_was_paid(positives, asked) -> None:
    """All transcripts of all small tables, restarts among them, with exact chances of the server's own code."""
    with house_of(UNIVERSE) as house:
        worst = worst_loss(house, asked, positives, StreamDesk)

    assert 0.3 * EPSILON < worst <= EPSILON + 1e-9


def test_a_chain_of_queries_loses_nearly_what_was_paid() -> None:
    """The statement above is not about queries that tell little: a chain of them reaches the bound."""
    asked, script = [A] * 8 + [B], (0,) * 8 + (1,)
    with house_of({"one": ["a"] * 2, "other": ["a"] * 3}) as house:
        chances = [log_chance_of(served(house, name, asked, 1, StreamDesk), script) for name in ("one", "other")]

    assert 0.9 * EPSILON < chances[0] - chances[1] <= EPSILON + 1e-9


def test_a_stream_that_resumes_with_a_fresh_threshold_is_caught() -> None:
    """Each fresh threshold costs once more: with one restart the same enumeration finds a loss far above the price."""
    asked, tables = [A, A, RESTART, A, A, B], {name: UNIVERSE[name] for name in ("a1b0", "a2b0", "a1b1", "a2b1")}
    with house_of(tables) as house:
        faulty = worst_loss(house, asked, 1, Resuming)
        right = worst_loss(house, asked, 1, StreamDesk)

    assert right <= EPSILON + 1e-9
    assert faulty > 1.2 * EPSILON


def cell_of(answers: Sequence[Any]) -> tuple[Any, ...]:
    """Two answers as one of a few cells: where it was above, and by how much, 4 for more."""
    return tuple(None if not each["above"] else min(each["gap"], 4) for each in answers)


def chances(epsilon: Fraction, values: Sequence[int]) -> dict[tuple[Any, ...], float]:
    """The exact chance of each cell by the definition, for a stream of one answer above."""
    rules = rules_of(1, 0, epsilon)
    raised, levels = math.exp(-rules.rate), [(0, math.exp(-rules.levels[0].rate))]
    result: dict[tuple[Any, ...], float] = {(None, None): law(values, (None, None), raised, levels)}
    for before in ((), (None,)):
        asked = values[: len(before) + 1]
        gaps = [law(asked, (*before, (0, gap)), raised, levels) for gap in range(4)]
        result |= {(*before, gap): chance for gap, chance in enumerate(gaps)}
        result[(*before, 4)] = law(asked, (*before, (0, None)), raised, levels) - sum(gaps)
    return result


def p_value(seen: Counter[tuple[Any, ...]], expected: dict[tuple[Any, ...], float]) -> float:
    """How likely so large a distance from a law is, under it."""
    many = seen.total()
    cells = sorted(expected, key=str)
    return float(stats.chisquare([seen[cell] for cell in cells], [many * expected[cell] for cell in cells]).pvalue)


def test_answers_have_the_law_of_their_epsilon() -> None:
    """Of 900 served streams of two queries the law at epsilon is accepted, at 0.7 and 1.3 epsilon it is rejected."""
    epsilon, values, seen = Fraction(1), (1, 2), Counter[tuple[Any, ...]]()
    with house_of({"few": ["a", "b", "b"]}) as house:
        desk = started(house)
        for _ in range(900):
            number, answers = opened(desk, "few", {"epsilon": 1, "threshold": 0}).id, list[Any]()
            for query in (A, B):
                reply = told(desk, number, query)
                assert isinstance(reply, Stored)
                answers.append(json.loads(reply.answer))
                if answers[-1]["ended"]:
                    break
            seen[cell_of(answers)] += 1
        desk.stop()

    right = chances(epsilon, values)
    assert math.isclose(1, sum(right.values()), abs_tol=1e-9)
    assert {*seen} <= {*right}
    assert p_value(seen, right) > 1e-6
    for wrong in (Fraction(7, 10), Fraction(13, 10)):
        assert p_value(seen, chances(wrong, values)) < 1e-6

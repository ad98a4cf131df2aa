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

from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.release.above_threshold import stream_of
from dpselect.release.open_session import session_factory_of
from dpselect.release.threshold_rules import ThresholdRules, threshold_rules
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.state import ServerState
from dpselect.web.server.streams.records import StoredAnswer
from dpselect.web.server.streams.sessions import SparseVectorSessions
from tests.chance import believe, reject
from tests.release.threshold_law import law
from tests.web.server.streams.desks import Resuming, doors, opened, server_state_of, started, told

EPSILON = 6
# Answers above of the sampled streams.
POSITIVES = 12
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
    server_state: ServerState,
    dataset: str,
    asked: Sequence[Any],
    positives: int,
    kind: Callable[[JobQueue], SparseVectorSessions],
) -> Callable[[ScriptedNoise], list[str]]:
    """Return what ann sees, as a function of the outcomes: the server's own code, which is ended at a RESTART."""

    def seen(replay: ScriptedNoise) -> list[str]:
        def scripted(threshold: int, epsilon: Any, *, positives: int, ledger: Any, **_: Any) -> Any:
            return stream_of(rules_of(positives, threshold, epsilon), ledger, session_factory_of(lambda: replay))

        jobs = started(server_state, kind)
        with doors(scripted):
            opening = {"epsilon": EPSILON, "positives": positives, "threshold": 1}
            number, shown = opened(jobs, dataset, opening).id, []
            for query in asked:
                if query is RESTART:
                    jobs = started(server_state, kind)
                    continue
                reply = told(jobs, number, query)
                shown.append(reply.answer if isinstance(reply, StoredAnswer) else str(reply))
        return shown

    return seen


def worst_loss(
    server_state: ServerState, asked: Sequence[Any], positives: int, kind: Callable[[JobQueue], SparseVectorSessions]
) -> float:
    """The largest log-ratio of any transcript over all neighbouring tables of the universe, by brute force."""
    there = [name for name in UNIVERSE if name in server_state.datasets]
    laws = {name: dict(transcripts(served(server_state, name, asked, positives, kind))) for name in there}
    pairs = [(laws[one], laws[other]) for one, other in NEIGHBOURS if {one, other} <= {*there}]
    assert all({*one} == {*other} for one, other in pairs)
    losses = [abs(one[script] - other[script]) for one, other in pairs for script in one]
    return max(losses)


@pytest.mark.parametrize(
    ("positives", "asked"),
    [
        (1, [A, B, RESTART, A, B]),
        (2, [A, RESTART, A]),
        (1, [A, A, A, A]),
        pytest.param(2, [A, B, A], marks=pytest.mark.slow),
    ],
)
def test_no_transcript_loses_more_than_was_paid(positives, asked) -> None:
    """All transcripts of all small tables, restarts among them, with exact chances of the server's own code."""
    with server_state_of(UNIVERSE) as server_state:
        worst = worst_loss(server_state, asked, positives, SparseVectorSessions)

    assert 0.3 * EPSILON < worst <= EPSILON + 1e-9


def test_a_chain_of_queries_loses_nearly_what_was_paid() -> None:
    """The statement above is not about queries that tell little: a chain of them reaches the bound."""
    asked, script = [A] * 8 + [B], (0,) * 8 + (1,)
    with server_state_of({"one": ["a"] * 2, "other": ["a"] * 3}) as server_state:
        chances = [
            log_chance_of(served(server_state, name, asked, 1, SparseVectorSessions), script)
            for name in ("one", "other")
        ]

    assert 0.9 * EPSILON < chances[0] - chances[1] <= EPSILON + 1e-9


def test_a_stream_that_resumes_with_a_fresh_threshold_is_caught() -> None:
    """Each fresh threshold costs once more: with one restart the same enumeration finds a loss far above the price."""
    asked, tables = [A, A, RESTART, A, A, B], {name: UNIVERSE[name] for name in ("a1b0", "a2b0", "a1b1", "a2b1")}
    with server_state_of(tables) as server_state:
        faulty = worst_loss(server_state, asked, 1, Resuming)
        right = worst_loss(server_state, asked, 1, SparseVectorSessions)

    assert right <= EPSILON + 1e-9
    assert faulty > 1.2 * EPSILON


def log_chance(epsilon: Fraction, values: Sequence[int], answers: Sequence[Any]) -> float:
    """The exact chance of one transcript by the definition, for a stream of so many answers above at this epsilon."""
    rules = rules_of(POSITIVES, 0, epsilon)
    transcript = [(0, each["gap"]) if each["above"] else None for each in answers]
    raised, levels = math.exp(-rules.rate), [(0, math.exp(-rules.levels[0].rate))]
    return math.log(law(values[: len(answers)], transcript, raised, levels))


@pytest.mark.chance(2.1e-6)
def test_answers_have_the_law_of_their_epsilon() -> None:
    """Whole transcripts of 200 served streams reject the laws at 0.7 and 1.3 epsilon; their first answers fit epsilon.

    Under a wrong law, the chance that the right one is likelier by a factor x is at most 1 / x: 1 / x is a p-value.
    The powers are Chernoff's bounds for the log-ratios of 20,000 simulated streams; they fail less often than that.
    """
    asked, values, laws = [A, B] * 6, [-1, 0] * 6, [Fraction(share, 10) * 8 for share in (7, 10, 13)]
    sums, above = [0.0, 0.0, 0.0], Counter[bool]()
    with server_state_of({"few": ["b"]}) as server_state:
        jobs = started(server_state)
        for _ in range(200):
            number = opened(jobs, "few", {"epsilon": 8, "positives": POSITIVES, "threshold": 1}).id
            answers = list[Any]()
            for query in asked:
                reply = told(jobs, number, query)
                assert isinstance(reply, StoredAnswer)
                answers.append(json.loads(reply.answer))
                if answers[-1]["ended"]:
                    break
            above[answers[0]["above"]] += 1
            sums = [total + log_chance(each, values, answers) for total, each in zip(sums, laws, strict=True)]
        jobs.stop()

    lower, right, upper = sums
    reject(math.exp(lower - right), 1e-4, power=1 - 1e-9)
    reject(math.exp(upper - right), 1e-4, power=1 - 1e-6)
    # Not only among these three: the first answers alone have the chance that the definition gives.
    chance = math.exp(log_chance(laws[1], values, [{"above": False}]))
    believe(stats.binomtest(above[False], above.total(), chance).pvalue, 1e-6)

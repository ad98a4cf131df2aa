"""A thread that is interrupted in the midst of a draw, by a signal or by collecting garbage, and draws there again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dpselect as dps
from tests.interrupted import interruptions

PAID, PRICE = dps.Guarantee(3, "add-remove"), dps.Guarantee(2, "add-remove")
Scene = tuple[Callable[[], Any], Callable[[], Any], list[str]]


class Stage:
    """Draws of which one price is paid for, and who got it."""

    def __init__(self) -> None:
        self.draws, self.got = dps.open_session(PAID).__enter__(), list[str]()
        # Blocks stay open until somebody leaves them.
        self.blocks: list[Any] = []

    def take(self, name: str, draws: Any = None) -> None:
        """Take the price."""
        (draws or self.draws).spend(PRICE)
        self.got.append(name)

    def begin(self, draws: Any = None) -> Callable[[], Any]:
        """Enter a block of attempts, and leave it open."""
        self.blocks.append((draws or self.draws).attempts())
        begun: Callable[[], Any] = self.blocks[-1].__enter__()
        return begun

    def leave(self) -> None:
        """Leave the first block."""
        self.blocks[0].__exit__(None, None, None)


def draw_and_draw() -> Scene:
    """The same draws, twice."""
    stage = Stage()
    return lambda: stage.take("draw"), lambda: stage.take("signal"), stage.got


def draw_and_attempt() -> Scene:
    """The interrupt leaves a block open whose attempt has drawn."""
    stage = Stage()
    return lambda: stage.take("draw"), lambda: stage.take("signal", stage.begin()()), stage.got


def attempt_and_draw() -> Scene:
    """The other way round."""
    stage = Stage()
    return lambda: stage.take("draw", stage.begin()()), lambda: stage.take("signal"), stage.got


def attempt_and_attempt() -> Scene:
    """Two blocks of the same draws."""
    stage = Stage()
    attempt = lambda name: stage.take(name, stage.begin()())  # noqa: E731
    return lambda: attempt("draw"), lambda: attempt("signal"), stage.got


def end_and_attempt() -> Scene:
    """While a block ends another attempt of it draws, and afterwards the whole."""
    stage = Stage()
    attempt = stage.begin()

    def run() -> None:
        stage.leave()
        stage.take("draw")

    return run, lambda: stage.take("signal", attempt()), stage.got


def end_and_part() -> Scene:
    """While a block ends an attempt that was begun before draws from an attempt of its own."""
    stage = Stage()
    part = stage.begin()()

    def run() -> None:
        stage.leave()
        stage.take("draw")

    return run, lambda: stage.take("signal", stage.begin(part)()), stage.got


def attempt_and_end() -> Scene:
    """While an attempt begins its block is left, and the whole draws."""
    stage = Stage()
    attempt = stage.begin()

    def interrupt() -> None:
        stage.leave()
        stage.take("signal")

    return lambda: stage.take("draw", attempt()), interrupt, stage.got


def part_and_end() -> Scene:
    """While an attempt draws its block is left, and the whole draws."""
    stage = Stage()
    part = stage.begin()()

    def interrupt() -> None:
        stage.leave()
        stage.take("signal")

    return lambda: stage.take("draw", part), interrupt, stage.got


SCENES = (
    draw_and_draw,
    draw_and_attempt,
    attempt_and_draw,
    attempt_and_attempt,
    end_and_attempt,
    end_and_part,
    attempt_and_end,
    part_and_end,
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_one_price_gets_one_draw_wherever_a_draw_is_interrupted(scene: Callable[[], Scene]) -> None:
    """Interrupted at every step, two who want 2 of 3 are never both served, and nearly always one is."""
    outcomes = list(interruptions("kernel/privacy_filter.py", scene))

    assert not [got for got in outcomes if len(got) > 1]
    assert ["draw"] in outcomes or ["signal"] in outcomes


@pytest.mark.parametrize("closing", ["run", "interrupt"])
@pytest.mark.parametrize("begun", [False, True])
def test_a_door_that_closes_leaves_no_attempt_behind(closing: str, begun: bool) -> None:
    """An attempt that begins while the session closes, or a session that closes while an attempt begins."""

    def scene() -> tuple[Callable[[], Any], Callable[[], Any], Any]:
        stage, parts = Stage(), list[Any]()
        attempt = stage.begin() if begun else lambda: stage.begin()()
        lend, close = lambda: parts.append(attempt()), stage.draws.close
        return *((close, lend) if closing == "run" else (lend, close)), (stage, parts)

    for stage, parts in interruptions("kernel/privacy_filter.py", scene):
        stage.draws.close()
        for part in parts:
            with pytest.raises(dps.PrivacyError, match="has ended"):
                stage.take("late", part)
        assert 0 == stage.draws.remaining


def test_one_price_gets_one_answer_wherever_a_question_is_interrupted() -> None:
    """A stream that was paid for one answer above gives one."""

    def scene() -> Scene:
        stream, got = dps.above_threshold(0, epsilon=100, positives=1), list[str]()
        ask = lambda: got.append(str(stream.ask(10**9)))  # noqa: E731
        return ask, ask, got

    outcomes = list(interruptions("release/sparse_vector.py", scene))

    assert all(got == ["above"] for got in outcomes)


def test_a_session_counts_what_is_released_in_the_midst_of_a_spend() -> None:
    """It refuses in a sentence, or counts both: nothing hangs and nothing is forgotten."""

    def scene() -> tuple[Callable[[], Any], Callable[[], Any], Any]:
        with dps.budget(epsilon=3) as book:
            pass
        got = list[str]()

        def spend() -> None:
            book.spend(PRICE, mechanism="mine")
            got.append("spent")

        return spend, spend, (book, got)

    for file in ("ledger/in_memory.py", "ledger/composition.py"):
        for book, got in interruptions(file, scene):
            assert ["spent"] == got
            assert (2, 1) == (book.totals.epsilon, len(book.events))

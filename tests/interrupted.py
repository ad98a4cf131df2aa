"""Calls that are interrupted everywhere: what a signal handler or collected garbage does, without waiting for one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

from dpselect.kernel.errors import BudgetError, PrivacyError

LONGEST = 20_000


def interruptions(file: str, scene: Callable[[], tuple[Callable[[], Any], Callable[[], Any], Any]]) -> Iterator[Any]:
    """Run a scene once for every step of Python in a file, and yield what each run came to.

    Args:
        file: how the name of the file ends in which calls are interrupted.
        scene: sets it anew, and returns what runs, what interrupts it, and what to yield. Either may be refused.
    """
    for step in range(LONGEST):
        run, interrupt, outcome = scene()
        if not _interrupted(file, step, run, interrupt):
            assert step > 20, f"Nothing of {file} was run."
            return
        yield outcome
    raise AssertionError("The call does not end.")


def _interrupted(file: str, step: int, run: Callable[[], Any], interrupt: Callable[[], Any]) -> bool:
    steps = [step]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.endswith(file):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps[0] -= 1
            if steps[0] == -1:
                with suppress(PrivacyError, BudgetError):
                    interrupt()
        return trace

    # Python 3.12 decides when a trace is set whether steps are traced at all, and looks at this frame.
    sys._getframe().f_trace_opcodes = True
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(PrivacyError, BudgetError):
            run()
    finally:
        sys.settrace(before)
    return steps[0] < 0

"""The end of a command: its answer, or one sentence and an exit status that shows whether anything was paid.

No text of another library reaches the screen, because it may quote private values: what is not a
:class:`~dpselect.kernel.errors.DPSelectError` is put into words here. ``DPSELECT_TRACEBACK=1`` shows where an error
arose, for people who may see the data.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from dpselect._optional import missing
from dpselect.cli import click_commands, paths, tables
from dpselect.cli.command import CommandAnswer
from dpselect.cli.paths import UnsavedError
from dpselect.cli.request import Request
from dpselect.kernel.errors import Advice, DPSelectError, FileError
from dpselect.sources.urls import scrub

ANSWERED, PAID, REFUSED, DEFECT, STOPPED = 0, 1, 2, 70, 130
_HOME = str(Path(__file__).parents[1])
_TRACEBACK = "DPSELECT_TRACEBACK"


@contextmanager
def notice_interrupt(request: Request) -> Iterator[None]:
    """Remember an interrupt: a library that is loading may turn it into an error of its own."""

    def stop(*_: object) -> NoReturn:
        request.outcome.stopped = True
        raise KeyboardInterrupt

    # Elsewhere than in the main thread, or where interrupts are ignored, nothing is changed.
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class OutputError(DPSelectError):
    """Standard output does not take what was paid for.

    Attributes:
        release: all of it, as text.
    """

    def __init__(self, release: str) -> None:
        super().__init__()
        self.release = release


def deliver(answer: CommandAnswer, request: Request) -> None:
    """Print the answer of a command on standard output, as one JSON object where that was asked for.

    Raises:
        OutputError: that cannot be written, and something was paid.
        OSError: it cannot be written, and nothing was paid; a ``BrokenPipeError`` in either case.
    """
    text = answer.text
    if request.json:
        named = {"command": " ".join(filter(None, [request.command, request.task]))}
        text = _as_json({**named, **answer.facts})
    paid = bool(text and request.outcome.paid)
    if sys.stdout is None and not paid:
        # A user who closes it wants no words.
        return
    try:
        drawn = not request.json and text and not request.verb.verbatim and tables.on_terminal()
        left = request.outcome.left if drawn and answer.parts else None
        _print(tables.draw_parts(answer.parts or [text], left="" if left is None else left()) if drawn else text)
    except BrokenPipeError:
        raise
    except OSError:
        silence()
        if paid:
            raise OutputError(text) from None
        raise


def _as_json(facts: dict[str, Any]) -> str:
    """Return a JSON object; a released model, which is nothing but numbers, takes one line of it, the last."""
    rest = json.dumps({name: fact for name, fact in facts.items() if name != "model"}, indent=2, default=str)
    if "model" not in facts:
        return rest
    return rest.removesuffix("\n}") + f',\n  "model": {json.dumps(facts["model"], default=str)}\n}}'


def help_status(status: int, request: Request) -> int:
    """Return the status of a command that printed a page of help, once standard output has taken it."""
    try:
        _print("")
    except BrokenPipeError:
        silence()
    except OSError as error:
        silence()
        return ending(error, request)
    return status


def silence() -> None:
    """Forget what standard output did not take: the interpreter would complain about it when it closes."""
    sys.stdout = _nowhere()


@cache
def _nowhere() -> TextIO:
    """Return a stream that keeps nothing; it is open until the process ends."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", closefd=False)


def _print(text: str) -> None:
    """Print on standard output at once.

    Raises:
        OSError: it is closed, or cannot be written.
    """
    if sys.stdout is None:
        raise FileError("Standard output is closed: open it.")
    if text:
        print(text)
    sys.stdout.flush()


def ending(error: BaseException, request: Request) -> int:
    """Print one sentence on standard error and return the status of the command."""
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error)
    paid = request.outcome.paid
    stopped = request.outcome.stopped and not isinstance(error, UnsavedError)
    status, words = _status_and_message(KeyboardInterrupt() if stopped else error, request)
    if isinstance(error, UnsavedError):
        try:
            _print(error.release)
        except OSError:
            silence()
            print(error.release, file=sys.stderr)
    elif isinstance(error, OutputError):
        print(error.release, file=sys.stderr)
    if not isinstance(error, UnsavedError) and paid and "stays spent" not in words:
        words = f"{words} What was spent before this stays spent."
    words = scrub(words, request.texts())
    tables.print_notice(f"{request.prog}: {' '.join(words.split())}")
    return status


def _status_and_message(error: BaseException, request: Request) -> tuple[int, str]:
    paid = request.outcome.paid
    status = PAID if paid else REFUSED
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, "Stopped."
    if isinstance(error, UnsavedError):
        return PAID, (
            f"The answer was paid for and could not be saved, so it is printed above, whole: keep it. {error}"
        )
    if isinstance(error, OutputError):
        return PAID, (
            "The answer was paid for and standard output could not be written, so it is printed above, on standard "
            "error, whole: keep it."
        )
    if isinstance(error, click.ClickException):
        return REFUSED, click_commands.sentence(error)
    if isinstance(error, DPSelectError):
        return status, _message(error, request)
    if isinstance(error, OSError):
        return status, _of_system(error)
    if isinstance(error, ImportError):
        return status, str(missing(error))
    if isinstance(error, UnicodeError):
        return status, "A file or a name holds text that is not UTF-8: save it as UTF-8, or name it otherwise."
    if isinstance(error, RecursionError):
        return status, "What a file holds is nested too deeply: pass one without thousands of brackets in each other."
    if isinstance(error, (MemoryError, OverflowError)):
        return status, "That is more than fits into memory: check the numbers given."
    where = _where(error)
    return PAID if paid else DEFECT, (
        f"This is a defect of dpselect ({type(error).__name__} {where}): please report it. {_TRACEBACK}=1 in the "
        "environment shows more, which may quote private values."
    )


def _message(error: BaseException, request: Request) -> str:
    """Return a message of the library, with the options of the command in place of the arguments it names."""
    message = error.args[0] if error.args else ""
    return paths.with_option_names(message, request) if isinstance(message, Advice) else str(error)


def _where(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_HOME)]
    return f"in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "outside of it"


def _of_system(error: OSError) -> str:
    named = error.filename if isinstance(error.filename, (str, bytes)) else ""
    name = os.fsdecode(named) or "A file"
    name = f"{name[:100]}..." if len(name) > 100 else name
    match error.errno:
        case errno.ENOENT:
            return f"The file {name} does not exist: check its path."
        case errno.EISDIR:
            return f"{name} is a folder: pass a file."
        case errno.ENOTDIR:
            return f"{name} leads through a file as if it were a folder: check the path."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"{name} may not be read or written: check its rights and those of its folder."
        case errno.ENOSPC | errno.EDQUOT:
            return "The disk is full: free some space."
        case errno.ENAMETOOLONG:
            return f"{name} is too long for the name of a file."
        case errno.ELOOP:
            return f"{name} is a link that leads to itself: pass a file."
    return f"{name} cannot be used ({os.strerror(error.errno) if error.errno else type(error).__name__}): check it."

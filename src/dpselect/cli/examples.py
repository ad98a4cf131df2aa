"""Examples on a page of help: lines that a shell reads as one command, however narrow the page is."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CONTINUED, _INDENT = " \\", "    "


def wrapped(command: str, width: int) -> list[str]:
    """Return a command in lines of a width, broken before options only; a longer option stays whole."""
    lines = [""]
    for part in _parts(command):
        longer = f"{lines[-1]} {part}" if lines[-1].strip() else f"{lines[-1]}{part}"
        if len(longer) + len(_CONTINUED) > width and lines[-1].strip():
            lines.append(f"{_INDENT}{part}")
        else:
            lines[-1] = longer
    return [f"{line}{_CONTINUED}" for line in lines[:-1]] + lines[-1:]


def commands(page: str) -> list[str]:
    """Return the commands under the examples of a page of help, each on one line."""
    _, _, end = re.sub(r"^Examples?:$", "\0", page, flags=re.MULTILINE).rpartition("\0")
    joined = end.replace(f"{_CONTINUED}\n", " ")
    return [" ".join(line.split()) for line in joined.splitlines() if line.strip().startswith("dpselect ")]


def _parts(command: str) -> Iterator[str]:
    """Yield what stays on one line: the verb with its arguments, and each option with its values."""
    yield from re.split(r" (?=--?[a-z])", command)

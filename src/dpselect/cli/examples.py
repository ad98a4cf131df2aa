"""Examples on a page of help: lines that a shell reads as one command, however narrow the page is."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CONTINUED, _INDENT = " \\", "    "
# A word as a shell reads it, blanks in quotes included.
_WORD, _OPTION = re.compile(r"""(?:'[^']*'|"[^"]*"|[^ '"])+"""), re.compile("--?[a-z]")


def wrap_command(command: str, width: int) -> list[str]:
    r"""Return a command in lines of a width, broken before options; one that is too long for a line, before its values.

    >>> wrap_command("dpselect check people.csv --where 'a = 1 and b = -x' --by age", 40)
    ['dpselect check people.csv \\', "    --where 'a = 1 and b = -x' \\", '    --by age']
    """
    lines = [""]
    for part in _parts(command):
        fits = len(_INDENT) + len(part) + len(_CONTINUED) <= width
        for piece in [part] if fits else _WORD.findall(part):
            longer = f"{lines[-1]} {piece}" if lines[-1].strip() else f"{lines[-1]}{piece}"
            if len(longer) + len(_CONTINUED) > width and lines[-1].strip():
                lines.append(f"{_INDENT}{piece}")
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
    words: list[str] = []
    for word in _WORD.findall(command):
        if words and _OPTION.match(word):
            yield " ".join(words)
            words = []
        words.append(word)
    yield " ".join(words)

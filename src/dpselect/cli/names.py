"""Public lists on the command line: a number of names, a file with one per line, or a few with commas between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpselect.cli.command import CommandAnswer
from dpselect.cli.options import nodes
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError

# What N stands for the whole numbers of, by the option that may say it.
_NAME_KINDS = {"domain": "public names", "groups": "groups"}


def names(text: str | None, option: str, noun: str) -> Any:
    """Return a range, or a list of integers when all are, else of text; ``None`` where the option was left out.

    Raises:
        ValueError: neither a number nor a file nor names with commas between them.
    """
    if text is None:
        return None
    if "," in text and not Path(text).is_file():
        listed = [each.strip() for each in text.split(",") if each.strip()]
        if not listed:
            raise InputError(f"{option} names no {noun}: write some, with commas between.")
        whole = all(each.isascii() and each.isdigit() and str(int(each)) == each for each in listed)
        return [int(each) for each in listed] if whole else listed
    if not text.isdecimal() and not Path(text).is_file():
        raise InputError(
            f"{option} takes names with commas between, a file with one {noun} per line, or N for the whole numbers "
            f"0 .. N-1: the file {text!r} does not exist, and a single name ends with a comma, as in {f'{text},'!r}."
        )
    public = nodes(text, option, noun)
    return range(public) if isinstance(public, int) else public


def note_lists(answer: CommandAnswer, request: Request) -> CommandAnswer:
    """Return the answer with a line for each public list that is a number: text in the column is none of its names."""
    notes = []
    for name, noun in _NAME_KINDS.items():
        text = request.get(name)
        if isinstance(text, str) and text.isdecimal():
            notes.append(f"the {noun} of --{name} {text} are the whole numbers 0 to {int(text) - 1}")
    return answer.with_line("\n".join(notes), {"notes": notes}) if notes else answer

"""Options of questions that say nothing of how a file is understood: a check takes them, so that a question is pasted.

They stand on no page of help, and what they say is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dpselect.cli import click_commands, command_registry
from dpselect.cli.command import Command
from dpselect.cli.options import Argument, CommandOption, Exact, Role

_WORD = Exact("word", str)
# The panels whose verbs ask a private table.
_PANELS = ("Ask a private table or graph", "Learn from a private table", "More")


def beyond(own: Iterable[CommandOption | Argument], verb: str) -> Iterator[CommandOption]:
    """Yield an option for each that a question has and ``own`` does not.

    One that is a flag of one question and has a value in another is none: what follows it could be either.

    Args:
        own: what the verb declares itself.
        verb: its name.
    """
    taken = {name for each in own for name in each.opts} | {"--json", "--all"}
    found: dict[str, list[CommandOption]] = {}
    for each in _questions(verb):
        for option in click_commands.options_of(each):
            if isinstance(option, CommandOption) and option.opts[0] not in taken:
                found.setdefault(option.opts[0], []).append(option)
    for name, options in found.items():
        if len({option.is_flag for option in options}) == 1:
            several = any(option.several for option in options)
            # No command line may hold the password of a ledger, this one neither.
            role = Role.LEDGER if options[0].role is Role.LEDGER else None
            yield CommandOption(
                name,
                type=None if options[0].is_flag else _WORD,
                role=role,
                is_flag=bool(options[0].is_flag),
                several=several,
                multiple=several,
                hidden=True,
                expose_value=role is not None,
                help="of the question; nothing is checked by it",
            )


def _questions(verb: str) -> Iterator[Command]:
    for name in (name for panel in _PANELS for name in command_registry.panels()[panel] if name != verb):
        found = command_registry.verb(name)
        yield from (each for each in (found, *found.tasks.values()) if each.spends)

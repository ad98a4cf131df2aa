"""Every command of the command line, with what it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from dpselect.cli import click_commands, command_registry
from dpselect.cli.options import Argument, CommandOption

Every = list[tuple[tuple[str, ...], list[Any]]]


def every_command() -> Every:
    """Return the words of every verb and task, and what each declares."""
    root = click_commands.root()
    return [leaf for name in command_registry.lines() for leaf in _leaves(root.import_command(name), (name,))]


def _leaves(verb: click.Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    yield words, [param for param in verb.params if isinstance(param, (CommandOption, Argument))]
    if isinstance(verb, click.Group):
        for name, task in verb.commands.items():
            yield from _leaves(task, (*words, name))

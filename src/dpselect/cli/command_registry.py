"""The commands by name: those of this package, those of queries, and those that other packages register.

An entry point of the group ``dpselect.commands`` names a package. The package has ``PANELS``, as
:mod:`dpselect.cli.commands` has it, the names of commands that it extends, ``EXTENDED``, and a module for each command,
which holds ``VERB``. A package that cannot be imported registers nothing: a clone has commands that an installation
lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dpselect.cli import commands
from dpselect.cli.command import Command

if TYPE_CHECKING:
    from dpselect.queries.base import Query

GROUP = "dpselect.commands"
# A package may have a command of the same name that does more.
EXTENSIBLE = frozenset({"audit", "datasets"})
# Commands of the folder research, which stands in a clone beside the package.
OF_A_CLONE = frozenset({"compare", "reproduce"})
# What few people need.
LAST = "More"
# Where queries stand on the page of help, by what they answer; all others where the first one does.
_PLACES = {
    "winners": "Ask a private table or graph",
    "model": "Learn from a private table",
    "table": "Learn from a private table",
}
# Commands that also ask something else: a word that says so, and the module.
OTHERWISE = {
    "select": (re.compile("--sensitivity(=|$)"), "dpselect.cli.score_arguments"),
    "datasets": (re.compile("(?i)https?://"), "dpselect.cli.served.datasets"),
}
_plugin_names: list[str] = []


def register(package: str) -> None:
    """Add the commands of a package to those of this process."""
    _plugin_names.append(package)
    packages.cache_clear()


@cache
def packages() -> tuple[str, ...]:
    """Return the packages that register commands and can be imported."""
    # Most commands are of this package, and need no list of installed ones.
    from importlib.metadata import entry_points

    named = [*_plugin_names, *(point.value for point in entry_points(group=GROUP))]
    return tuple(name for name in dict.fromkeys(named) if _is_installed(name))


def panels() -> dict[str, dict[str, str]]:
    """Return every command with its line, below the titles of the help page."""
    merged = {title: dict(lines) for title, lines in commands.PANELS.items()}
    for name, query in queries().items():
        place = _PLACES.get(query.form, _PLACES["winners"])
        merged[place] = {name: query.about()} | merged[place]
    for package in packages():
        for title, lines in import_module(package).PANELS.items():
            merged[title] = merged.get(title, {}) | lines
    return {title: lines for title, lines in merged.items() if title != LAST} | {LAST: merged[LAST]}


@cache
def queries() -> Mapping[str, type[Query[Any]]]:
    """Return the queries by the names of their commands, last one first; their fields are read without NumPy."""
    from dpselect.queries.registry import QUERIES

    named = {name.replace("_", "-"): query for name, query in QUERIES.items()}
    return {name: named[name] for name in reversed(named) if name not in commands.VERBS}


def lines() -> dict[str, str]:
    """Return the line of every command."""
    return {name: line for each in panels().values() for name, line in each.items()}


def line(name: str) -> str:
    """Return the line of one command; only a command of another package needs the list of packages."""
    if name in commands.VERBS:
        return commands.VERBS[name]
    return queries()[name].about() if name in queries() else lines()[name]


def is_command(name: str) -> bool:
    """Return whether there is such a command."""
    return name in commands.VERBS or name in queries() or name in lines()


def verb(name: str, words: Sequence[str] = ()) -> Command:
    """Return what a command does; its module is imported.

    Args:
        name: of the command.
        words: after it; some say that it is about something else.

    Raises:
        KeyError: there is no such command.
    """
    if name in OTHERWISE and any(map(OTHERWISE[name][0].match, words)):
        other: Command = import_module(OTHERWISE[name][1]).VERB
        return other
    if name not in commands.VERBS and name in queries():
        from dpselect.cli.query_commands import verb_of

        return verb_of(queries()[name])
    package = None if name in commands.VERBS and name not in EXTENSIBLE else next(_of(name), None)
    if package is None and name not in commands.VERBS:
        raise KeyError(name)
    package = package or commands.__name__
    found: Command = import_module(f"{package}.{name.replace('-', '_')}").VERB
    return found


def _of(name: str) -> Iterator[str]:
    """Yield the packages that have a command."""
    for package in packages():
        module = import_module(package)
        if name in module.EXTENDED or any(name in lines for lines in module.PANELS.values()):
            yield package


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False

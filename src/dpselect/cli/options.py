"""Options and arguments of commands: exact numbers, names from a list, public candidates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich_click.rich_parameter import RichArgument, RichOption

from dpselect.kernel.errors import InputError
from dpselect.kernel.neighbours import Neighbours

# Only newer versions of Click let a type say what it holds.
if TYPE_CHECKING:
    _Type = click.ParamType[Any]
    _Choices = click.Choice[Any]
else:
    _Type = click.ParamType
    _Choices = click.Choice

# What stands where a value belongs and is a number: -1e3 and -1/2 too.
NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)
BUDGET, OUTPUT, READING = "Budget", "Output", "How the file is read"
# What continental Europe writes for thousands, and is read as a fraction.
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.000")
_EPSILON = "epsilon must be positive and finite, such as 0.5"


class Role(Enum):
    """The purpose of a path."""

    INPUT = "read, where it is a file: it may also be a number, a name or a URL"
    OUTPUT = "written as a whole, replaced with --overwrite only"
    NEW = "made, never replaced, such as made-up data"
    NEW_LEDGER = "the same for a ledger or its copy, in a file or in PostgreSQL"
    LEDGER = "spent from"
    FOLDER = "a folder of results"


class CommandOption(RichOption):
    """An option; ``role`` and ``endings`` where it names a path, ``several`` where many words may follow it.

    ``rare`` where a page of help has it with ``--all`` only; ``complete`` returns the names that a shell may offer.
    """

    def __init__(
        self,
        *names: str,
        role: Role | None = None,
        endings: Sequence[str] = (),
        several: bool = False,
        rare: bool = False,
        complete: Callable[[], Sequence[str]] | None = None,
        **settings: Any,
    ) -> None:
        if role is not None or complete is not None:
            settings["shell_complete"] = _files if complete is None else _names(complete)
        super().__init__(names, **settings)
        self.role, self.endings, self.several, self.rare = role, tuple(endings), several, rare

    def get_rich_table_row(self, ctx: Any, formatter: Any, panel: Any = None) -> list[Any]:  # noqa: ARG002
        """Return what a page of help shows: the name with its value, and what it is."""
        return [_option_cell(self, formatter), self.get_rich_help(ctx, formatter)]


class Argument(RichArgument):
    """An argument; ``role`` where it names a path."""

    def __init__(self, name: str, role: Role | None = None, **settings: Any) -> None:
        super().__init__([name], shell_complete=_files if role else None, **settings)
        self.role, self.endings, self.several = role, (), False

    def get_rich_table_row(self, ctx: Any, formatter: Any, panel: Any = None) -> list[Any]:  # noqa: ARG002
        """Return what a page of help shows: its name, and what it is."""
        return [_option_cell(self, formatter), self.get_rich_help(ctx, formatter)]


def _names(every: Callable[[], Sequence[str]]) -> Callable[[Any, Any, str], list[str]]:
    """Let the shell complete a name of a list that only its own command needs to know."""
    return lambda _ctx, _parameter, incomplete: [name for name in every() if name.startswith(incomplete)]


def every_mechanism() -> Sequence[str]:
    """Return the names of all mechanisms."""
    from dpselect.mechanisms import MECHANISMS

    return [*MECHANISMS]


def _files(_: Any, parameter: Any, incomplete: str) -> list[Any]:
    """Let the shell complete the name of a file or a folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir" if parameter.role is Role.FOLDER else "file")]


def _option_cell(parameter: CommandOption | Argument, formatter: Any) -> Any:
    from rich.text import Text

    name = Text(parameter.opts[0] if isinstance(parameter, CommandOption) else "", style=formatter.config.style_option)
    takes = not (isinstance(parameter, CommandOption) and parameter.is_flag)
    value = Text((parameter.metavar or "VALUE") if takes else "", style=formatter.config.style_metavar)
    return Text(" ").join([part for part in (name, value) if part])


class Exact(_Type):
    """A type given by a function from text that raises ``ValueError`` with half a sentence."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; one that is not text is a default and stays."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            apart = " ".join(part for part in value.replace(",", " ").split())
            if getattr(param, "several", False) and apart != value and param is not None:
                raise click.BadParameter(
                    f"{value!r} are several: write spaces between, as in {param.opts[0]} {apart}", ctx, param
                ) from None
            raise click.BadParameter(str(error), ctx, param) from None


def one_of(names: Sequence[Any], why: str = "") -> click.Choice[Any]:
    """Return the type of a word from a list; another one is refused with the nearest."""
    return _Choice([str(name) for name in names], why)


class _Choice(_Choices):
    def __init__(self, names: Sequence[str], why: str) -> None:
        super().__init__(names)
        self.why = why

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.choices:
            return value
        if self.why and "," in value:
            raise click.BadParameter(f"{value!r} are several: {self.why}", ctx, param)
        begun = [each for each in self.choices if value and each.startswith(str(value))]
        near = begun or get_close_matches(str(value), self.choices, 1)
        meant = f"did you mean {near[0]}? It is" if near else "it is"
        raise click.BadParameter(f"{value!r} is not one of them: {meant} one of {', '.join(self.choices)}", ctx, param)


def option(name: str, *, type: Any = str, panel: str | None = None, **settings: Any) -> CommandOption:
    """Return an option with one value, or with ``several=True`` as many as follow it."""
    if settings.get("several"):
        settings["multiple"] = True
    if "default" in settings and not settings.get("multiple"):
        settings.setdefault("show_default", False)
    return CommandOption(name, type=type, panel=panel, **settings)


def flag(name: str, words: str, panel: str | None = None, *, rare: bool = False) -> CommandOption:
    """Return an option without a value."""
    return CommandOption(name, is_flag=True, help=words, panel=panel, rare=rare)


def yes() -> CommandOption:
    """Return the option that confirms a large epsilon."""
    return flag("--yes", "an epsilon above 10 is meant", BUDGET, rare=True)


RELATION = option(
    "--neighbours",
    type=one_of([*Neighbours]),
    default="add-remove",
    metavar="RELATION",
    help=f"the neighbouring relation: {', '.join(Neighbours)} (default add-remove)",
)
DRY_RUN = flag("--dry-run", "print the cost and the record of the release; spend nothing", BUDGET)


def argument(name: str, *, metavar: str, words: str, **settings: Any) -> Argument:
    """Return an argument."""
    return Argument(name, metavar=metavar, help=words, **settings)


class _AmbiguousError(ValueError):
    """A number that two conventions read differently."""


def _number(text: str) -> Fraction:
    if _THOUSANDS.fullmatch(text):
        raise _AmbiguousError(f"{text} is read as {text[:-4]}: write {text[:-4]}000 or {text[:-4]}")
    try:
        if len(text) > 40:
            raise ValueError
        exponent = text.lower().partition("e")[2]
        if exponent and abs(int(exponent)) > 400:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{text!r} is not a number: write one such as 50, 0.5 or 1/3") from None


def _epsilon(text: str) -> Fraction:
    try:
        value = _number(text)
    except _AmbiguousError:
        raise
    except ValueError:
        raise InputError(f"{text!r} is not a number: {_EPSILON}") from None
    if value <= 0:
        raise InputError(f"{text!r} is too small: {_EPSILON}")
    return value


def _whole(text: str) -> int:
    try:
        if len(text) > 40:
            raise ValueError
        return int(text)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a whole number: write one such as 3") from None


def weight_of(text: str) -> Fraction:
    """Return an exact weight, or half a sentence that says what one is."""
    try:
        return _number(text)
    except _AmbiguousError:
        raise
    except ValueError:
        raise InputError(f"{text!r} is not a weight: write a finite number such as 2, 0.5 or -1") from None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a number of seconds: write one such as 20") from None


number, epsilon, whole = Exact("number", _number), Exact("epsilon", _epsilon), Exact("whole", _whole)
seconds = Exact("seconds", _seconds)
DELTA = option(
    "--delta",
    type=number,
    default=Fraction(0),
    metavar="D",
    help="for names without a public list: far below one over the number of persons, such as 1e-6",
)


def nodes(text: str | None, name: str = "--nodes", noun: str = "label", attribute: str | None = None) -> Any:
    """Return a number of nodes, a list of labels (integers when all are), or None when not given.

    Args:
        text: a number, or a file.
        name: the option.
        noun: what a line of the file names.
        attribute: what names the nodes of a GraphML file; their ids without it.
    """
    if text is None:
        return None
    of = "node" if noun == "label" else noun
    if text.isdecimal():
        if not int(text):
            raise InputError(f"{name} must be at least 1: how many public {of}s there are.")
        return int(text)
    # Only graphs need it.
    from dpselect.sources import graphml

    if not Path(text).is_file():
        raise InputError(f"{name} takes a number or a file with one {noun} per line: {text!r} is neither.")
    graph = of == "node" and text.lower().endswith(graphml.ENDING)
    try:
        lines = (
            graphml.nodes(Path(text), attribute) if graph else Path(text).read_text(encoding="utf-8-sig").splitlines()
        )
    except UnicodeDecodeError:
        raise InputError(f"{text} is not UTF-8 text: save it as UTF-8.") from None
    labels = [line.strip() for line in lines if line.strip()]
    if not labels:
        raise InputError(f"{text} lists no {of}: write one {noun} per line.")
    # "007" is a label and "7" an integer: only lists that survive the way there and back are integers.
    integers = all(label.isascii() and label.isdigit() and str(int(label)) == label for label in labels)
    return [int(label) for label in labels] if integers else labels

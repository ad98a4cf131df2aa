"""Verbs as commands of Click: help pages, several words after one option, and refusals that name what is meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import click
import rich_click
from click.core import ParameterSource

from dpselect.cli import certificates, command_registry, completion, options, paths
from dpselect.cli.command import Command
from dpselect.cli.examples import wrap_command
from dpselect.cli.options import BUDGET, NEGATIVE, OUTPUT, READING, Argument, CommandOption, Role
from dpselect.cli.request import Request

NAME = "dpselect"
_ALL = "--all"
_ABOUT = "Answer questions about private tables and graphs under differential privacy.\n\nTry first: dpselect demo"
# What others call a verb.
_ELSEWHERE = {
    "hist": "histogram", "counts": "histogram", "percentile": "quantiles", "keys": "partitions",
    "above": "above-threshold",
}  # fmt: skip
_LOOK = {
    "theme": "default-slim",
    "max_width": 100,
    "text_markup": None,
    "text_paragraph_linebreaks": "\n\n",
    "padding_helptext_first_line": (0, 0, 1, 0),
    "show_arguments": True,
    "options_table_column_types": ["opt_all", "help"],
    "options_table_help_sections": ["help", "required"],
    "required_long_string": "(required)",
}


class _Page:
    """The end of a page of help: examples that can be copied."""

    verb: Command

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, broken only where a shell goes on reading."""
        if self.verb.example:
            from rich.text import Text

            lines = [
                line for each in self.verb.example.splitlines() for line in wrap_command(each, formatter.width - 2)
            ]
            title = "Examples" if "\n" in self.verb.example else "Example"
            page = "\n".join([f"{title}:", *(f"  {line}" for line in lines), ""])
            formatter.write(Text(page, no_wrap=True, overflow="ignore"))
        super().format_epilog(ctx, formatter)  # type: ignore[misc]


class Task(_Page, rich_click.RichCommand):
    """A verb without tasks, or a task of a verb."""

    def __init__(self, name: str, verb: Command, **settings: Any) -> None:
        super().__init__(name=name, **settings)
        self.verb = verb

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with several words after an option that takes several, and nothing ignored."""
        ctx.allow_extra_args = True
        words = [*_spread(args, ctx)]
        _require_once(words, ctx)
        return super().parse_args(ctx, words)


class Tasks(_Page, rich_click.RichGroup):  # type: ignore[misc]
    """A verb that has tasks, or the list of all verbs."""

    def __init__(self, name: str, verb: Command, **settings: Any) -> None:
        super().__init__(name=name, no_args_is_help=False, **settings)
        self.verb = verb

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse up to the first word that is not an option: the rest is for the task."""
        _require_once(args, ctx)
        ctx.args = click.Command.parse_args(self, ctx, args)
        return ctx.args

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the task, or say which one may be meant."""
        if not self.has_command(args[0]):
            if ctx.resilient_parsing:
                return None, None, args
            if ctx.parent is None and args[0] in command_registry.OF_A_CLONE:
                ctx.fail(f"{args[0]} comes with a clone of dpselect: run python -m research {args[0]} in its folder.")
            names = self.list_commands(ctx)
            near = get_close_matches(args[0], [*names, *_ELSEWHERE], 1)
            meant = f", did you mean {_ELSEWHERE.get(near[0], near[0])}" if near else ""
            kind = "command" if ctx.parent is None else "task"
            listed = f"; it is one of {', '.join(names)}" if ctx.parent is not None and not near else ""
            ctx.fail(f"the {kind} {args[0]!r} does not exist{meant}{listed}: see {ctx.command_path} --help.")
        return args[0], self.import_command(args[0], args[1:]), args[1:]

    def has_command(self, name: str) -> bool:
        """Return whether there is such a task."""
        return name in self.commands

    def import_command(self, name: str, words: Sequence[str] = ()) -> click.Command:  # noqa: ARG002
        """Return a task by its name."""
        return self.commands[name]


class Root(Tasks):
    """All verbs; the file of one is imported when it runs."""

    def __init__(self, *, whole: bool, **settings: Any) -> None:
        super().__init__(NAME, Command(), **settings)
        self.whole, self.rest = whole, dict[str, str]()

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return every verb, in the order of the list."""
        return [*command_registry.lines()]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page of help; only here the commands of other packages are looked for."""
        titles = command_registry.panels()
        if not self.whole:
            self.rest = titles.pop(command_registry.LAST)
            self.epilog = f"{self.epilog}\n\ndpselect --help --all explains more: {', '.join(self.rest)}."
        self.panels = [rich_click.RichCommandPanel(title, commands=[*names]) for title, names in titles.items()]
        self.panels.append(rich_click.RichOptionPanel("Options"))
        super().format_help(ctx, formatter)

    def has_command(self, name: str) -> bool:
        """Return whether there is such a verb."""
        return command_registry.is_command(name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return what a list shows of a verb, without its file."""
        if not self.has_command(cmd_name):
            return None
        return rich_click.RichCommand(name=cmd_name, help=command_registry.line(cmd_name), hidden=cmd_name in self.rest)

    def import_command(self, name: str, words: Sequence[str] = ()) -> click.Command:
        """Return a verb as a command."""
        whole = _ALL in words or completion.is_completing()
        return _command(name, command_registry.verb(name, words), command_registry.line(name), whole=whole)


def root(*, whole: bool = True) -> Root:
    """Return the whole command line; its page of help has every command, or those that most people need."""
    version = CommandOption(
        "--version", is_flag=True, is_eager=True, callback=_version, help="Show the version and exit."
    )
    every = CommandOption(_ALL, is_flag=True, help="With --help: show every command.")
    return Root(
        whole=whole,
        params=[version, every],
        help=_ABOUT,
        epilog="dpselect COMMAND --help explains a command and shows an example.",
        context_settings={"rich_help_config": _LOOK},
    )


def parse_options(words: Sequence[str], request: Request) -> None:
    """Fill in what a command line asks; nothing of it is ignored.

    Raises:
        click.ClickException: it asks for something that there is not.
        click.exceptions.Exit: a page of help or the version was printed, which was all.
    """
    context = root(whole=_ALL in words).make_context(NAME, [*words], obj=request)
    if not context.args:
        print(context.get_help())
        context.exit()
    asked = [context]
    while isinstance(context.command, Tasks) and context.args:
        name, command, rest = context.command.resolve_command(context, context.args)
        assert command is not None
        request.prog = f"{context.command_path} {name}"
        context = command.make_context(name, rest, parent=context)
        asked.append(context)
    _fill(request, asked)
    verb: Command = context.command.verb  # type: ignore[attr-defined]
    if context.args:
        word = context.args[0]
        hint = verb.hint(request, context.args) if verb.hint else ""
        context.fail(f"{word!r} is one word too many{hint}: see {context.command_path} --help.")
    if verb.run is None:
        *first, last = verb.tasks
        context.fail(f"name a task: {', '.join(first)} or {last}; see {context.command_path} --help.")
    if request.get("all"):
        context.fail(f"{_ALL} goes with --help: leave it out, or add that.")
    if verb.spends and not request.dry_run and not request.yes:
        _require_meant(request, context)
    request.verb, request.line = verb, command_registry.line(request.command)


def _require_meant(request: Request, context: click.Context) -> None:
    """Refuse an epsilon that protects next to nothing, unless ``--yes`` allows it."""
    from dpselect.mechanisms import large_epsilon

    # What is beyond 10^300 is not an epsilon, and is refused as such.
    if request.epsilon is not None and large_epsilon.LARGEST < request.epsilon <= 10**300:
        context.fail(f"{large_epsilon.meaning(request.epsilon)}: pass --yes if it is meant.")


def _fill(request: Request, asked: Sequence[click.Context]) -> None:
    """Take over the values; what is said before a task holds for the task, which may not say it again."""
    request.command, request.task = [*(each.info_name for each in asked[1:]), None][:2]
    stated = set[str]()
    for context in asked:
        for parameter in context.command.params:
            assert parameter.name is not None
            said = context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT
            if said and parameter.name in stated and not getattr(parameter, "is_flag", False):
                _fail_twice(parameter, context)
            if said:
                stated.add(parameter.name)
            if said or parameter.name not in request.parameters:
                setattr(request, parameter.name, context.params.get(parameter.name))
            request.parameters[parameter.name] = parameter


def sentence(error: click.ClickException) -> str:
    """Return what a refused command line should have said."""
    if isinstance(error, click.NoSuchOption):
        assert error.ctx is not None
        # Without the dashes, which every option shares.
        every = (name for each in error.ctx.command.get_params(error.ctx) for name in each.opts)
        known = {name.lstrip("-"): name for name in every if name.startswith("-")}
        name, bare = error.option_name, error.option_name.lstrip("-")
        begun = [each for each in known if bare and each.startswith(bare)]
        near = [known[each] for each in begun or get_close_matches(bare, known, 1)]
        meant = f", did you mean {' or '.join(near)}" if near else ""
        verb = getattr(error.ctx.command, "verb", None)
        if verb is not None and name in verb.elsewhere:
            return f"the option {name} does not exist: {verb.elsewhere[name]}."
        return f"the option {name} does not exist{meant}: see {error.ctx.command_path} --help."
    if isinstance(error, click.MissingParameter) and error.param is not None:
        words = getattr(error.param, "help", None) or "it is required"
        return f"{paths.label_of(error.param)} is required: {words}."
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{paths.label_of(error.param)}: {error.message.rstrip('.')}."
    return error.message


def _command(name: str, verb: Command, summary: str, *, whole: bool = False) -> Task | Tasks:
    """Return the command of a verb or a task; a whole page of help has the rare options, too."""
    # Required options come first; the order of arguments is that of the command line.
    params = sorted(options_of(verb), key=_rank)
    for each in params:
        if isinstance(each, CommandOption) and each.rare:
            each.hidden = not whole and _has_rare(verb)
    settings: dict[str, Any] = {
        "params": params,
        "help": f"{summary}\n\n{verb.about}".strip(),
        "short_help": summary,
        "panels": [*_panels(verb)],
    }
    if not verb.tasks:
        return Task(name, verb, **settings)
    tasks = {task: _command(task, each, each.summary) for task, each in verb.tasks.items()}
    return Tasks(name, verb, commands=tasks, subcommand_metavar="[TASK]" if verb.run else "TASK", **settings)


def options_of(verb: Command) -> list[CommandOption | Argument]:
    """Return what a verb declares, and what every verb of its kind has."""
    return [*verb.options, *_common_options(verb)]


def _rank(parameter: CommandOption | Argument) -> int:
    return 0 if isinstance(parameter, Argument) else 1 if parameter.required else 2


def _panels(verb: Command) -> Iterator[Any]:
    """Yield the parts of a page of help, what is used most first; those that stay empty are not shown."""
    if verb.tasks:
        yield rich_click.RichCommandPanel("Tasks", commands=[*verb.tasks])
    own = [str(each.panel) for each in verb.options if each.panel not in (None, BUDGET, READING, OUTPUT)]
    for title in dict.fromkeys(("Arguments", "Options", BUDGET, *own, READING, OUTPUT)):
        yield rich_click.RichOptionPanel(title)


def _has_rare(verb: Command) -> bool:
    """Return whether a page of help leaves out what few people need, unless it is to be whole."""
    return any(isinstance(each, CommandOption) and each.rare for each in verb.options)


def _common_options(verb: Command) -> Iterator[CommandOption | Argument]:
    """Yield what every verb of this kind has."""
    if verb.spends:
        yield options.option(
            "--epsilon",
            type=options.epsilon,
            required=not verb.plans_errors,
            panel=BUDGET,
            metavar="E",
            help="the privacy budget, such as 0.5",
        )
    if verb.plans_errors:
        words = "with --dry-run, instead of --epsilon: which epsilon it takes to err by less than T in 95 % of answers"
        yield options.option("--error", type=options.number, panel=BUDGET, metavar="T", rare=True, help=words)
    if verb.mechanism is not None:
        yield options.option(
            "--mechanism",
            panel=BUDGET,
            metavar="NAME",
            complete=options.every_mechanism,
            help=f"default: {verb.mechanism}; see dpselect mechanisms",
        )
    if verb.spends:
        yield options.DRY_RUN
        yield options.yes()
        yield paths.ledger("--ledger", help="spend from this ledger; see dpselect budget create", panel=BUDGET)
        yield from certificates.options()
    if verb.spends or any(each.role is Role.OUTPUT for each in verb.options):
        yield options.flag("--overwrite", "replace files that exist; never a ledger", OUTPUT, rare=True)
    if verb.json and verb.run is not None:
        yield options.flag("--json", "print one JSON object", OUTPUT)
    if _has_rare(verb):
        yield options.flag(_ALL, "with --help: show every option", OUTPUT)


def _spread(args: Sequence[str], ctx: click.Context) -> Iterator[str]:
    """Yield the words of a command line with an option before each of several values; refuse an option without any."""
    known = {
        name: each for each in ctx.command.get_params(ctx) if isinstance(each, CommandOption) for name in each.opts
    }
    words = [*args]
    if ctx.resilient_parsing:
        # Somebody is typing: what is not complete is not refused.
        yield from words
        return
    while words:
        word = words.pop(0)
        yield word
        if word == "--":
            yield from words
            return
        parameter = known.get(word)
        if parameter is None or parameter.is_flag:
            continue
        if not words or _option_like(words[0]):
            ctx.fail(f"{word} needs a value: see {ctx.command_path} --help.")
        yield words.pop(0)
        while parameter.several and words and not _option_like(words[0]):
            yield word
            yield words.pop(0)


def _require_once(words: Sequence[str], ctx: click.Context) -> None:
    """Refuse an option with one value that is given twice: which of them is meant is not guessed."""
    if ctx.resilient_parsing:
        return
    _, _, order = ctx.command.make_parser(ctx).parse_args(args=[*words])
    for parameter, times in Counter(order).items():
        if times > 1 and not (parameter.multiple or getattr(parameter, "is_flag", False)):
            _fail_twice(parameter, ctx)


def _fail_twice(parameter: click.Parameter, ctx: click.Context) -> NoReturn:
    ctx.fail(f"{paths.label_of(parameter)} is given twice: give it once, see {ctx.command_path} --help.")


def _option_like(word: str) -> bool:
    return bool(re.match(r"-[^\s]", word)) and " " not in word and not NEGATIVE.match(word)


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    import dpselect

    print(f"{NAME} {dpselect.__version__}")
    ctx.exit()

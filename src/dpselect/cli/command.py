"""The declaration of a verb. A new verb is a file that holds one of these and a line in
:mod:`dpselect.cli.commands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpselect.cli.tables import Part

if TYPE_CHECKING:
    from dpselect.certificates.certificate import Certificate
    from dpselect.cli.options import Argument, CommandOption
    from dpselect.cli.request import Request


@dataclass(frozen=True)
class CommandAnswer:
    """The answer of a command.

    Attributes:
        text: for people, on standard output.
        facts: the same for programs: what ``--json`` prints as one object.
        status: 0, or 1 where a claim of the library broke.
        parts: the text once more, with its tables, which a terminal draws; none where the text is all.
        certificate: of a release that was made elsewhere, by who made it.
    """

    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    status: int = 0
    parts: Sequence[Part] = ()
    certificate: Certificate | None = None

    @classmethod
    def of(cls, parts: Sequence[Part], facts: Mapping[str, Any]) -> CommandAnswer:
        """Return an answer with tables, or with the facts of a release."""
        text = "\n".join(part if isinstance(part, str) else part.plain() for part in parts)
        return cls(text, facts, parts=parts)

    def with_line(self, line: str, facts: Mapping[str, Any]) -> CommandAnswer:
        """Return the same answer with one line and some facts more."""
        parts = (*self.parts, line) if self.parts else ()
        return replace(self, text=f"{self.text}\n{line}", facts={**self.facts, **facts}, parts=parts)


@dataclass(frozen=True)
class Command:
    """A verb of the command line, or one task of a verb.

    Attributes:
        run: returns the answer; ``None`` where a task must be named.
        options: what it takes beyond what every verb has.
        example: a command that works, shown by ``--help``; several on a line each.
        about: what is protected, as "Protected: ", and what the one line of the list leaves open.
        plans_errors: whether a dry run finds the epsilon that an error takes.
        spends: whether it releases: then it also has ``--epsilon``, ``--ledger`` and ``--dry-run``.
        mechanism: what it draws with by default, in words; ``None`` where there is nothing to choose.
        summary: one line; of a verb it stands in the list of verbs.
        tasks: what follows the verb, by name.
        json: whether it answers, so that ``--json`` can print the answer.
        hint: what stray words may mean, as the end of a sentence.
        verbatim: whether its lines are for a file or a program, and stay whole on a terminal.
        elsewhere: options that it does not have and another verb does, and what to do instead.
    """

    run: Callable[[Request], CommandAnswer] | None = None
    options: Sequence[CommandOption | Argument] = ()
    example: str = ""
    about: str = ""
    spends: bool = False
    plans_errors: bool = False
    mechanism: str | None = None
    summary: str = ""
    tasks: Mapping[str, Command] = field(default_factory=dict)
    json: bool = True
    verbatim: bool = False
    hint: Callable[[Request, Sequence[str]], str] | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)

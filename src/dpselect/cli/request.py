"""One command line while it runs: the options that go in, and the outcome that comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpselect.mechanisms.error_bound import ErrorBound


@dataclass
class Outcome:
    """The outcome of a command.

    Attributes:
        paid: whether anything was spent, or released without a ledger.
        stopped: whether the user interrupted.
        spends: what was paid, with the row of each spend in the ledger.
        balance: what a dry run found left in the ledger; ``None`` without one.
        left: what is left of the ledger, in words, once something was paid; ``None`` without one.
        bound: what a dry run may say of the expected error, or ``None``.
        said: of the error, before it is paid for; ``None`` before anything is.
        scope: what the error is of, where that is not the whole release.
        reach: how a dry run finds what a name needs to be revealed, or ``None`` where names are public.
        check: how a dry run finds, for the curator alone, how much of a file is not understood; ``None`` where it does
            not look.
        choice: why a rule chose what runs, in words; ``None`` where it was named.
        protected: what one step between databases is, in words, where the guarantee alone does not say it.
        counted: how many rows of each person count, the first ones; ``None`` where all do.
        nouns: what each value of the answer is, in words, such as ``("median",)``; empty where names say it.
        dropped: what the form of a graph has and was left out, in words, said once the command was not refused.
    """

    paid: bool = False
    stopped: bool = False
    spends: list[Any] = field(default_factory=list)
    balance: Any = None
    left: Callable[[], str] | None = None
    bound: Callable[[], Any] | None = None
    said: ErrorBound | None = None
    scope: str = ""
    reach: Callable[[], Any] | None = None
    check: Callable[[], str] | None = None
    choice: str | None = None
    protected: str | None = None
    counted: int | None = None
    nouns: tuple[str, ...] = ()
    dropped: list[str] = field(default_factory=list)

    def says(self, bound: ErrorBound, unit: str = "") -> None:
        """Note what a release says of its error before it is paid for, so that a dry run can say it."""
        self.said = replace(bound, unit=unit or bound.unit, scope=self.scope or bound.scope)

    @property
    def error_bound(self) -> ErrorBound:
        """Return how wrong the release may be whatever the data, or why that is not known."""
        # A page of help loads no NumPy.
        from dpselect.mechanisms.error_bound import NoBound

        return NoBound() if self.said is None else self.said


class Request(SimpleNamespace):
    """The options of a command line, an attribute each.

    Attributes:
        words: the command line as it was typed.
        command: the verb, such as ``"budget"``; the task of a verb that has several is ``task``.
        line: what the list of commands says of it.
        prog: what messages begin with, such as ``"dpselect budget show"``.
        verb: what runs; ``None`` before the command line has been understood.
        parameters: everything that the command declares, by name.
        outcome: what has become of it.
    """

    outcome: Outcome

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(
            words=[str(word) for word in words],
            command=None,
            task=None,
            line="",
            prog="dpselect",
            verb=None,
            parameters={},
            json=False,
            dry_run=False,
            overwrite=False,
            outcome=Outcome(),
        )

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of an option that the command may not have."""
        return getattr(self, name, default)

    def texts(self) -> Iterator[str]:
        """Yield every text of the command line: the words, and of what reads as an option its name and its value."""
        for word in self.words:
            yield word
            if word.startswith("-"):
                name, _, value = word.partition("=")
                yield from (word.lstrip("-"), name.lstrip("-"), value)

"""One way to answer, among several that may be chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError

# What a programmer expects: released metafeatures and the option's epsilon to its loss.
Predict = Callable[[Mapping[str, float], float], float]


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """An algorithm that answers at a cost.

    Attributes:
        name: as it stands in traces and reports.
        answer: (database, epsilon) to an answer, epsilon being an exact Fraction. It must be epsilon-differentially
            private by itself, and needs no ledger: the epsilon is paid for already, and whatever it releases with the
            library or draws at ``dpselect.open_session`` is taken from that, up to epsilon.
        predict: the programmer's expectation of its loss, or ``None``.
        rehearse: (database, epsilon) to nothing; raises what ``answer`` would raise for public reasons, before anything
            is spent. It must read public facts of the database only, such as domains. ``None`` where there is none.

    Raises:
        ValueError, TypeError: no name, or nothing to call.

    >>> Option("zero", lambda database, epsilon: 0)
    Option('zero')

    Limits: Options are trusted in what the library cannot see. What an option releases with the library, in the thread
    that called it, is paid from the epsilon it was given, and an overdraft raises ``PrivacyError``. A choice maker
    cannot see what else an option does with the data: noise of its own, another library, a ledger or
    ``dpselect.budget`` of its own, another thread. The options that ship refuse before the choice is paid for; one of
    your own that has no ``rehearse=`` and refuses afterwards has cost the whole epsilon, and so has any that refuses
    because of its rows, such as more of them than ``max_records``.
    """

    name: str
    answer: Callable[[Any, Fraction], Any]
    predict: Predict | None = None
    rehearse: Callable[[Any, Fraction], None] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError("An option needs a name: Option(name, answer).")
        if not callable(self.answer) or not all(
            each is None or callable(each) for each in (self.predict, self.rehearse)
        ):
            raise InputTypeError(
                f"Option {self.name!r} needs functions: answer(database, epsilon), and predict and rehearse or None."
            )

    def __repr__(self) -> str:
        return f"Option({self.name!r})"


def dry_run_options(options: Iterable[Option], database: Any, epsilon: Fraction) -> None:
    """Let options that may be chosen refuse, for public reasons, before anything is spent.

    Raises:
        PrivacyError, ValueError, TypeError: what the option says, with its name.
    """
    for option in options:
        if option.rehearse is None:
            continue
        try:
            option.rehearse(database, epsilon)
        except (TypeError, ValueError, PrivacyError) as error:
            raise type(error)(f"Option {option.name!r} would refuse at epsilon {epsilon}: {error}") from None

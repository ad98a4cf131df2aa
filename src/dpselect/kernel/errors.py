"""The errors of our own: their base, a privacy claim that would be false, a budget that does not reach; and advice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from dpselect._public import named_publicly


class DPSelectError(Exception):
    """The base of all exceptions of dpselect. Their words are the library's own, so a command may print them."""


class PrivacyError(DPSelectError):
    """A privacy claim would be false: a public fact is missing or a sensitivity has no bound; the message says so."""


class BudgetError(DPSelectError):
    """The budget does not allow a release: nothing was spent and nothing was drawn.

    The message says what was asked, what is left and what would fit.
    """


class InputError(DPSelectError, ValueError):
    """An argument, an option or a file holds what dpselect does not take."""


class InputTypeError(DPSelectError, TypeError):
    """An argument is of another type than dpselect takes."""


class FileError(DPSelectError, OSError):
    """A file, a folder or an address cannot be used."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""


class ExistingFileError(FileError, FileExistsError):
    """A file is there already, and stays as it is."""


class ForbiddenFileError(FileError, PermissionError):
    """A file, a folder or a database refuses what was asked of it."""


class LostConnectionError(FileError, ConnectionError):
    """A database or a server does not answer."""


class MissingLibraryError(DPSelectError, ImportError):
    """A library of an extra is not installed."""


class Advice(str):
    """A message that knows which arguments it names, so that a command line can name its options instead.

    In the template ``{max_depth}`` names an argument, ``{unknown="clip"}`` passes one, ``{this|that}`` is said in
    Python | on a command line, and what is given by name is a fact, shown as it is.

    >>> print(Advice("{path} is deep: lower {max_depth}, or pass {unknown='clip'}.", path="a.csv"))
    a.csv is deep: lower max_depth, or pass unknown='clip'.
    """

    template: str
    facts: Mapping[str, object]

    def __new__(cls, template: str, **facts: object) -> Advice:
        """Return the message in Python's words."""
        advice = super().__new__(cls, _fill_template(template, facts, lambda argument: argument.partition("|")[0]))
        advice.template, advice.facts = template, facts
        return advice

    def with_words(self, words: Callable[[str], str]) -> str:
        """Return the message with other words for its arguments."""
        return _fill_template(self.template, self.facts, words)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def _fill_template(template: str, facts: Mapping[str, object], words: Callable[[str], str]) -> str:
    named = re.compile(r"{(.+?)}")
    return named.sub(lambda match: str(facts[match[1]]) if match[1] in facts else words(match[1]), template)


named_publicly("dpselect", globals(), ["BudgetError", "DPSelectError", "PrivacyError"])

"""Text of a description: read with the line of whatever cannot be used, and written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from dpselect.dataset.description_parts import DatasetError, Key
from dpselect.kernel.errors import MissingFileError

Refusal = TypeVar("Refusal", bound=DatasetError)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ERROR_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)")
# How a line begins that says something: the head of a table, or a key.
_START = re.compile(r"""[ \t]*(?:\[|(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')[ \t]*[.=])""")
_UNFILLED_ADVICE = "this is not filled in: write a public value in the place of each ?, or delete the line."
_NO_TOML = "this is not TOML: write name = value, each name once, text in quotes, and close every bracket and quote."
# These stand at the end, each below its own head.
_TABLES = ("columns", "budget")


def content(
    path: str | Path, advice: str = "", refusal: type[DatasetError] = DatasetError
) -> tuple[dict[str, Any], str]:
    """Return what a file says, and its text.

    Args:
        path: of the file.
        advice: what to do where there is no such file.
        refusal: what is raised where it cannot be read.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not TOML, or a value of it is not filled in (which line).
    """
    file = Path(path)
    if not file.is_file():
        advice = advice or f"write one with dpselect describe data.csv > {file.name}."
        raise MissingFileError(f"The file {path} does not exist: {advice}")
    # A file with another ending that cannot be read is most likely the data.
    described = advice or f"write one with dpselect describe {file.name} > {file.stem}.toml."
    named = "" if file.suffix.lower() == ".toml" else f"this is a file of another kind than TOML: {described}"
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise refusal((), named or "this is not text in UTF-8: save it as such.", f"{path}: ") from None
    try:
        return tomllib.loads(text, parse_float=Decimal), text
    except (ValueError, RecursionError, ArithmeticError) as error:
        stopped = _ERROR_POSITION.search(str(error))
        line, column = (int(stopped[1]), int(stopped[2])) if stopped else (text.count("\n") + 1, 0)
        is_unfilled = str(error).startswith("Invalid value") and text.split("\n")[line - 1][column - 1 : column] == "?"
        reason = _UNFILLED_ADVICE if is_unfilled else named or _NO_TOML
        raise refusal((), reason, f"{path}, line {line}: ") from None


def locate_error(error: Refusal, path: str | Path, text: str) -> Refusal:
    """Return the same error with the file and the line that it is about: that of the key, or of what it is in."""
    return type(error)(error.key, error.reason, place_of(error.key, path, key_lines(text)))


def place_of(key: Key, path: str | Path, lines: Mapping[Key, int]) -> str:
    """Return how a message about a key begins: with the file, and the line of the key or of what it is in."""
    while key and key not in lines:
        key = key[:-1]
    return f"{path}, line {lines[key]}: " if key else f"{path}: "


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line on which a text that is TOML says each key first, which the parser does not tell.

    >>> key_lines("a = 1\\n[columns]\\nx = {lower = 0}\\n")
    {('a',): 1, ('columns',): 2, ('columns', 'x'): 3, ('columns', 'x', 'lower'): 3}
    >>> key_lines("[[query]]\\nkey = 'a'\\n[[query]]\\nkey = 'b'\\n")
    {('query',): 1, ('query', '1'): 1, ('query', '1', 'key'): 2, ('query', '2'): 3, ('query', '2', 'key'): 4}
    """
    lines, found, table = text.split("\n"), dict[Key, int](), Key()
    starts = [place for place, line in enumerate(lines) if _START.match(line)]
    begun = 0
    for end in [*starts, len(lines)]:
        try:
            said = tomllib.loads("\n".join(lines[begun:end]))
        except ValueError:
            # What looks like a start is inside of a value.
            continue
        is_head = lines[begun].lstrip().startswith("[") and begun < end
        keys = [*_keys(said, () if is_head else table)]
        if is_head and lines[begun].lstrip().startswith("[["):
            # The tables of a list are numbered from 1.
            number = 1 + sum(each[:-1] == keys[-1] and each[-1].isdigit() for each in found)
            keys.append((*keys[-1], str(number)))
        table = keys[-1] if is_head else table
        for each in keys:
            found.setdefault(each, begun + 1)
        begun = end
    return found


def _keys(said: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, each in said.items():
        yield (*above, name)
        if isinstance(each, dict):
            yield from _keys(each, (*above, name))


def toml_of(facts: Mapping[str, Any]) -> str:
    """Return the text of facts: a line for each, then the tables of columns and of the budget.

    >>> print(toml_of({"source": "a.csv", "columns": {"x": {"lower": Fraction(0), "upper": Fraction(1, 2)}}}), end="")
    source = "a.csv"
    <BLANKLINE>
    [columns]
    x = {lower = 0, upper = 0.5}
    """
    lines = [f"{name} = {value(facts[name])}" for name in facts if name not in _TABLES]
    for table in _TABLES:
        if table in facts:
            lines += ["", f"[{table}]", *(f"{key(name)} = {value(each)}" for name, each in facts[table].items())]
    return "\n".join(lines) + "\n"


def key(name: str) -> str:
    """Return a key as TOML writes it."""
    return name if _BARE.fullmatch(name) else value(name)


def value(of: Any) -> str:
    """Return a value as TOML writes it, numbers exactly."""
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, str):
        return json.dumps(of, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(of, Fraction):
        return _number(of)
    if isinstance(of, date):
        return of.isoformat()
    if isinstance(of, Mapping):
        return f"{{{', '.join(f'{key(name)} = {value(each)}' for name, each in of.items())}}}"
    if isinstance(of, (list, tuple)):
        return f"[{', '.join(map(value, of))}]"
    return repr(of)


def _number(number: Fraction) -> str:
    """Return a decimal number where it is one, and else a quotient, as text."""
    rest, digits = number.denominator, 0
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest, times = rest // prime, times + 1
        digits = max(digits, times)
    if rest != 1:
        return f'"{number}"'
    whole = str(abs(int(number * 10**digits))).rjust(digits + 1, "0")
    text = f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    return f"-{text}" if number < 0 else text

"""Text of SQL as the nodes of sqlglot, and what reads them: whatever is not named by a reader is refused.

Nothing is evaluated. A text is short and not deep before it is parsed, so hostile ones end soon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dpselect._optional import not_installed
from dpselect.queries.base import QueryError
from dpselect.queries.sql.kinds import EXPLAIN
from dpselect.sources.engines import engine

if TYPE_CHECKING:
    from dpselect.dataset import Dataset

MOST_LETTERS, _MOST_WORDS, _DEEPEST = 4000, 600, 24
ALLOWED = (
    "one SELECT .. FROM the dataset with WHERE, GROUP BY, ORDER BY and LIMIT, over COUNT, SUM, AVG, RATE, OVERALL, "
    "FILTER, CASE, MEDIAN and PERCENTILE_CONT, with + - * / and SQRT, LN, POWER, SQUARE, XLOGX, ABS, LEAST, GREATEST, "
    "CLIP and PARALLEL"
)
# What the parser notes of a dialect, and no word of the text says.
_NOTES = frozenset({"big_int", "typed", "safe", "ignore_nulls", "nulls_first"})
_QUOTED = frozenset({"STRING", "IDENTIFIER"})
# What people call nodes that no word of the text names.
_PLACES = {
    "literal": "A number or a text",
    "column": "A column",
    "star": "*",
    "identifier": "A table before a column",
    "tablealias": "Another name of the table",
    "limitoptions": "Anything but a whole number after LIMIT",
    "placeholder": "A parameter",
    "parameter": "A parameter",
    **dict.fromkeys(("add", "sub", "mul", "div", "mod", "intdiv"), "Arithmetic"),
    **dict.fromkeys(("eq", "neq", "lt", "lte", "gt", "gte", "and", "or", "not"), "A condition"),
}
_NUMBER = re.compile(r"(\d{1,15}\.?\d{0,15}|\.\d{1,15})([eE][+-]?\d{1,2})?", re.ASCII)
_SIGNS = {"eq": "=", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
# Of files and frames, and of engines that sqlglot does not know.
_DIALECT = "duckdb"


def refusal(wrong: str) -> QueryError:
    """Return the refusal of what is outside of the grammar: what is wrong, and the words that are allowed."""
    return QueryError(f"{wrong}: write {ALLOWED}.")


def node_refusal(node: Any, name: str = "") -> QueryError:
    """Return the refusal of a node, by its kind, or by its name where it has none."""
    if name_of(node) == "anonymous" and re.fullmatch(r"\w{1,40}", str(node.this)):
        return refusal(f"{str(node.this).upper()} is not allowed here")
    kind = name_of(node) or name.strip("_")
    return refusal(f"{_PLACES.get(kind, kind.replace('_', ' ').upper() or 'This')} is not allowed here")


def dialect_of(dataset: Dataset) -> str:
    """Return the dialect of the engine that has the rows, as sqlglot calls it."""
    if not dataset.in_engine:
        return _DIALECT
    there = engine(dataset.place.partition("://")[0].lower())
    return there.dialect or there.name


def parse_select(text: Any, dialect: str) -> tuple[Any, bool]:
    """Return the SELECT of a text, and whether EXPLAIN stands before it.

    Raises:
        ImportError: sqlglot is not installed.
        QueryError: it is anything else than one short SELECT.
    """
    if not isinstance(text, str) or not 0 < len(text) <= MOST_LETTERS:
        raise refusal(f"SQL is a text of 1 to {MOST_LETTERS} letters")
    if not all(each.isprintable() or each in "\n\r\t" for each in text):
        raise refusal("SQL has signs that cannot be printed")
    try:
        from sqlglot import exp
        from sqlglot.dialects.dialect import Dialect
    except ImportError:
        raise not_installed("SQL needs sqlglot", "sql") from None
    reader, explain = Dialect.get_or_raise(dialect if Dialect.get(dialect) else _DIALECT), EXPLAIN.match(text)
    text = text[explain.end() :] if explain else text
    try:
        tokens = reader.tokenize(text)
    except Exception:
        # Whatever a parser says of a hostile text, it is refused, and not quoted.
        raise refusal("A comment or a quote does not end") from None
    try:
        parsed = reader.parser().parse(_plain(tokens), text)
    except QueryError:
        raise
    except Exception:
        raise refusal("This is not a SELECT that can be read") from None
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Select):
        raise node_refusal(parsed[0] if parsed else None)
    return parsed[0], explain is not None


def _plain(tokens: list[Any]) -> list[Any]:
    """Return the tokens of one SELECT; refuse what no parser needs to see."""
    if any(each.comments or each.token_type.name == "HINT" for each in tokens):
        raise refusal("Comments and hints are not allowed")
    if tokens and tokens[-1].token_type.name == "SEMICOLON":
        tokens = tokens[:-1]
    if any(each.token_type.name == "SEMICOLON" for each in tokens):
        raise refusal("This is more than one statement")
    # What is quoted is not a word of SQL.
    words = [each.text.upper() * (each.token_type.name not in _QUOTED) for each in tokens]
    if words[:1] != ["SELECT"]:
        raise refusal("SQL begins with SELECT or EXPLAIN SELECT")
    if len(words) > _MOST_WORDS or max(_depths(words)) > _DEEPEST:
        raise refusal(f"SQL has at most {_MOST_WORDS} words, and {_DEEPEST} brackets in each other")
    if any(word == "NULLS" and after in ("FIRST", "LAST") for word, after in pairwise(words)):
        raise refusal("NULLS FIRST and NULLS LAST are not allowed")
    return tokens


def _depths(words: list[str]) -> Iterator[int]:
    depth = 0
    for word in words:
        depth += (word in ("(", "[", "{", "CASE")) - (word in (")", "]", "}", "END"))
        yield depth


def name_of(node: Any) -> str:
    """Return the kind of a node: the name of its class, in small letters; empty for what is none."""
    return str(getattr(node, "key", ""))


def parts_of(node: Any, *names: str) -> list[Any]:
    """Return some parts of a node, ``None`` for each that is missing; a node with any other part is refused."""
    for name, part in node.args.items():
        if name not in names and name not in _NOTES and part not in (None, False, []):
            first = part[0] if isinstance(part, list) else part
            raise node_refusal(first if name_of(first) else None, name)
    return [node.args.get(name) or None for name in names]


def listed_parts(node: Any, name: str) -> list[Any]:
    """Return the parts of a node that are a list, none where there is no such list; any other part is refused."""
    (found,) = parts_of(node, name)
    return found or []


def function_call(node: Any) -> tuple[str, list[Any]]:
    """Return the name of a function that sqlglot does not know, in small letters, with its arguments; else no name."""
    return (str(node.this).lower(), node.expressions) if name_of(node) == "anonymous" else ("", [])


class DescribedNames:
    """Names in SQL, found among those that a description has."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def column(self, node: Any) -> str:
        """Return the described column that a node names; letters count as SQL has it, where one name alone fits.

        Raises:
            QueryError: it is anything else than the name of a column, or no such column is described.
        """
        if name_of(node) != "column":
            raise node_refusal(node)
        (identifier,) = parts_of(node, "this")
        if name_of(identifier) != "identifier":
            raise node_refusal(identifier)
        return self.find(str(identifier.this), quoted=bool(identifier.args.get("quoted")))

    def find(self, name: str, *, quoted: bool = False) -> str:
        """Return the described column of a name (``QueryError``: there is none)."""
        there = [*self._dataset.columns]
        alike = [each for each in there if each.casefold() == name.casefold()]
        if name in there:
            return name
        if len(alike) == 1 and not quoted:
            return alike[0]
        if name == self._dataset.person:
            raise QueryError(f"{name} tells persons apart and cannot be asked about: name another column.")
        raise QueryError(f"SQL names a column that is not described: ask about one of {', '.join(there)}.")

    def is_person(self, node: Any) -> bool:
        """Return whether a node names the column that tells persons apart."""
        person = self._dataset.person
        alone = name_of(node) == "column" and name_of(node.this) == "identifier" and not node.args.get("table")
        return person is not None and alone and str(node.this.this).casefold() == person.casefold()

    def comparison(self, node: Any) -> tuple[str, str, str | Fraction]:
        """Return the column, the sign and the value of a comparison.

        Raises:
            QueryError: it is anything else than a described column compared with a text or a number.
        """
        sign = _SIGNS.get(name_of(node))
        if sign is None:
            raise node_refusal(node)
        column, value = parts_of(node, "this", "expression")
        return self.column(column), sign, literal(value)


def literal(node: Any) -> str | Fraction:
    """Return the text, the number or the day that a node writes (``QueryError``: it writes none)."""
    if name_of(node) == "cast" and name_of(node.args.get("to")) == "datatype" and node.args["to"].sql() == "DATE":
        node = parts_of(node, "this", "to", "_type")[0]
        if name_of(node) == "literal" and node.args["is_string"]:
            return str(node.this)
        raise node_refusal(node)
    if name_of(node) == "literal" and node.args["is_string"]:
        return str(node.this)
    return exact(node)


def exact(node: Any) -> Fraction:
    """Return the number that a node writes, perhaps with a sign (``QueryError``: it writes none)."""
    if name_of(node) == "neg":
        return -exact(parts_of(node, "this")[0])
    return Fraction(number(node))


def number(node: Any) -> str:
    """Return the digits of a number without a sign (``QueryError``: there are none, or too many)."""
    if name_of(node) != "literal" or node.args["is_string"]:
        raise node_refusal(node)
    if not _NUMBER.fullmatch(str(node.this)):
        raise refusal("A number has at most 15 digits before and after its point")
    return str(node.this)


def whole(node: Any, word: str) -> int:
    """Return a whole number (``QueryError``: it is none)."""
    if name_of(node) != "literal" or node.args["is_string"] or not re.fullmatch("[0-9]{1,9}", str(node.this)):
        raise refusal(f"{word} takes one whole number, such as {word} 3")
    return int(node.this)

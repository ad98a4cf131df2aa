"""Conditions of SQL as those of a dataset: comparisons of columns with public values, joined by AND, OR and NOT."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from typing import Any

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.queries.base import QueryError
from dpselect.queries.sql.nodes import DescribedNames, literal, name_of, parts_of, refusal

_JOINED = ("and", "or")
# Words that conditions read without quotes; one of their own may be the name of a column.
_BARE = re.compile(r"[^\W\d]\w*")


def condition_text(node: Any, dataset: Dataset) -> str:
    """Return the condition that the expression after WHERE means.

    Raises:
        QueryError: it is anything else than comparisons of described columns with values that they may have.
    """
    return _text(node, dataset, "or")


def _text(node: Any, dataset: Dataset, within: str) -> str:
    kind = name_of(node)
    if kind == "paren":
        return _text(parts_of(node, "this")[0], dataset, within)
    if kind in _JOINED:
        joined = f" {kind} ".join(_text(each, dataset, kind) for each in parts_of(node, "this", "expression"))
        return joined if within in (kind, "or") else f"({joined})"
    if kind == "not":
        return f"not {_text(parts_of(node, 'this')[0], dataset, kind)}"
    if kind == "in":
        of, listed = parts_of(node, "this", "expressions")
        column = DescribedNames(dataset).column(of)
        return f"{_quote_column(column)} in ({', '.join(_member(dataset, column, each) for each in listed or [None])})"
    if kind == "between":
        of, *ends = parts_of(node, "this", "low", "high")
        column = DescribedNames(dataset).column(of)
        lowest, highest = (_value(dataset, column, "between", literal(each)) for each in ends)
        return f"{_quote_column(column)} between {lowest} and {highest}"
    if kind in ("is", "like", "ilike"):
        raise refusal(
            f"{kind.upper()} is not allowed here, where =, <>, <, <=, >, >=, IN and BETWEEN are joined by AND, OR "
            "and NOT"
        )
    column, sign, value = DescribedNames(dataset).comparison(node)
    return f"{_quote_column(column)} {sign} {_value(dataset, column, sign, value)}"


def _member(dataset: Dataset, column: str, node: Any) -> str:
    """Return a value of a list as a condition writes it."""
    if name_of(node) == "null":
        raise refusal("NULL in a list is equal to no cell, and is not allowed")
    if node is None:
        raise refusal("IN needs a list of values, such as IN ('a', 'b')")
    return _value(dataset, column, "=", literal(node))


def _quote_column(column: str) -> str:
    bare = _BARE.fullmatch(column) and column.lower() not in (*_JOINED, "not")
    return column if bare else '"{}"'.format(column.replace('"', '""'))


def _value(dataset: Dataset, column: str, sign: str, value: str | Fraction) -> str:
    """Return a value as a condition writes it; one that the column cannot have is a slip, and refused."""
    domain = dataset.columns[column]
    if isinstance(domain, NumericDomain):
        if isinstance(value, str):
            raise QueryError(f"{column} is a column of numbers: compare it with a number.")
        return _digits(value)
    if isinstance(domain, DateDomain):
        try:
            return date.fromisoformat(str(value)).isoformat()
        except ValueError:
            raise QueryError(f"{column} is a column of dates: compare it with one such as '2025-12-31'.") from None
    if isinstance(domain, tuple):
        known = [each for each in domain if _same(each, value)]
        if not known:
            raise QueryError(f"{column} lacks the value that it is compared with: write one of {_some(domain)}.")
        if not isinstance(known[0], (str, bool)):
            # A number is compared as one, also where it is written as text: "1.0" is 1.
            return _digits(Fraction(known[0]))
    if isinstance(value, Fraction):
        return _digits(value)
    if sign not in ("=", "!="):
        raise QueryError(f"{column} is a column of texts: compare it by =, <> or IN.")
    return "'{}'".format(value.replace("'", "''"))


def _same(public: Any, value: str | Fraction) -> bool:
    if isinstance(public, bool) or isinstance(value, str) or isinstance(public, str):
        return isinstance(value, str) and _spelling(public) == value
    return bool(Fraction(public) == value)


def _spelling(public: Any) -> str:
    """Return a value as text that a file may hold: booleans in small letters."""
    return str(public).lower() if isinstance(public, bool) else str(public)


def _some(values: tuple[Any, ...]) -> str:
    listed = ", ".join(map(_spelling, values[:5]))
    return listed if len(values) <= 5 else f"{listed}, .."


def _digits(value: Fraction) -> str:
    """Return a number as a condition reads it, which compares doubles."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))

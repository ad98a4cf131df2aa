"""Expressions of SQL as scores of groups: the text that :func:`dpselect.formulas.grammar.group_score` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpselect.formulas.grammar import GroupSum, RowCondition
from dpselect.queries.base import QueryError
from dpselect.queries.sql.nodes import DescribedNames, function_call, name_of, node_refusal, number, parts_of, refusal
from dpselect.sources.conditions import OPPOSITES

# How tightly what a text ends with is bound.
_SUM, _PRODUCT, _ATOM = 1, 2, 3
_OPERATORS = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT), "div": ("/", _PRODUCT)}
_FUNCTIONS = {"abs": "abs", "sqrt": "sqrt", "ln": "log"}
_CHOICES = {"least": "min", "greatest": "max"}
# Functions that SQL does not have, and scores do.
_OWN = frozenset({"square", "xlogx", "parallel", "clip"})
_INSTEAD = {
    **dict.fromkeys(
        ("min", "max"), "MIN and MAX of rows do not add up, and those of two numbers are LEAST and GREATEST"
    ),
    "log": "LOG has another base in each engine, and LN is natural",
    "bitwisexor": "^ is not a power in this engine, and POWER(x, 2) is",
}


def score_text(node: Any, names: DescribedNames) -> str:
    """Return the score that an expression means.

    Raises:
        QueryError: it has something that no score has.
    """
    return _bound(node, names)[0]


def _bound(node: Any, names: DescribedNames) -> tuple[str, int]:
    """Return the text of a node, and how tightly it is bound."""
    kind = name_of(node)
    if kind == "paren":
        return _bound(parts_of(node, "this")[0], names)
    if kind == "neg":
        return f"-{_within(parts_of(node, 'this')[0], _ATOM, names)}", _PRODUCT
    if kind in _OPERATORS:
        sign, tight = _OPERATORS[kind]
        left, right = parts_of(node, "this", "expression")
        return f"{_within(left, tight, names)} {sign} {_within(right, tight + (sign in '-/'), names)}", tight
    if kind == "literal":
        return number(node), _ATOM
    return _call(node, kind, names), _ATOM


def _within(node: Any, tight: int, names: DescribedNames) -> str:
    text, held = _bound(node, names)
    return text if held >= tight else f"({text})"


def _call(node: Any, kind: str, names: DescribedNames) -> str:
    if kind in _FUNCTIONS:
        return f"{_FUNCTIONS[kind]}({score_text(parts_of(node, 'this')[0], names)})"
    if kind in _CHOICES:
        first, others = parts_of(node, "this", "expressions")
        return _list_names(_CHOICES[kind], [first, *(others or [])], names)
    if kind == "pow":
        base, power = parts_of(node, "this", "expression")
        if name_of(power) != "literal" or str(power.this) != "2":
            raise refusal("POWER is allowed with 2 alone, as in POWER(x, 2)")
        return f"square({score_text(base, names)})"
    if kind in ("sum", "avg"):
        return _sum(node, kind, names)
    if kind in ("count", "countif", "filter"):
        return str(count(node, names))
    name, arguments = function_call(node)
    if name in _OWN:
        return _list_names(name, arguments, names)
    if name == "rate" and len(arguments) == 1:
        return f"rate({_condition(arguments[0], names)})"
    if name == "overall" and len(arguments) == 1:
        return f"overall({score_text(arguments[0], names)})"
    raise refusal(_INSTEAD[kind]) if kind in _INSTEAD else node_refusal(node)


def _list_names(name: str, arguments: list[Any], names: DescribedNames) -> str:
    return f"{name}({', '.join(score_text(each, names) for each in arguments)})"


def _sum(node: Any, kind: str, names: DescribedNames) -> str:
    (of,) = parts_of(node, "this")
    if name_of(of) in _OPERATORS or name_of(of) == "pow":
        raise QueryError(
            f"{kind.upper()} takes one column: for what is computed of each row, such as the square of a price, add a "
            "column to the table and describe it."
        )
    if name_of(of) != "case":
        return f"{kind}{str(GroupSum(names.column(of))).removeprefix('sum')}"
    condition = _case(of, names, ("0",) if kind == "avg" else ("0", ""))
    return f"rate({condition})" if kind == "avg" else str(GroupSum(condition=condition))


def count(node: Any, names: DescribedNames) -> GroupSum:
    """Return what a count counts: all rows, or those that fulfil a condition.

    Raises:
        QueryError: it counts something else.
    """
    kind = name_of(node)
    if kind == "countif":
        return GroupSum(condition=_condition(parts_of(node, "this")[0], names))
    if kind == "filter":
        counted, where = parts_of(node, "this", "expression")
        if name_of(counted) != "count" or count(counted, names).condition is not None:
            raise refusal("FILTER goes with COUNT(*) alone")
        return GroupSum(condition=_condition(parts_of(where, "this")[0], names))
    if kind != "count":
        raise node_refusal(node)
    (of,) = parts_of(node, "this")
    if name_of(of) == "case":
        return GroupSum(condition=_case(of, names, ("",)))
    if name_of(of) != "star":
        raise refusal("COUNT is COUNT(*), which COUNT(*) FILTER (WHERE ..) narrows")
    parts_of(of)
    return GroupSum()


def _case(node: Any, names: DescribedNames, otherwise: Sequence[str]) -> RowCondition:
    """Return the condition of ``CASE WHEN condition THEN 1 ELSE 0 END``, whose ELSE may be one of some texts."""
    whens, other = parts_of(node, "ifs", "default")
    condition, one = parts_of(whens[0], "this", "true") if len(whens or ()) == 1 else (None, None)
    if one is None or number(one) != "1" or ("" if other is None else number(other)) not in otherwise:
        raise refusal("CASE is SUM or AVG of CASE WHEN column = value THEN 1 ELSE 0 END")
    return _condition(condition, names)


def _condition(node: Any, names: DescribedNames) -> RowCondition:
    opposite = False
    while name_of(node) in ("paren", "not"):
        opposite ^= name_of(node) == "not"
        (node,) = parts_of(node, "this")
    if name_of(node) in ("and", "or"):
        raise QueryError(
            "A condition within a score compares one column once: move the others to WHERE, or add a column to the "
            "table that says both."
        )
    if name_of(node) in ("in", "between"):
        raise QueryError(
            "A condition within a score compares one column once: add or subtract counts, as in "
            "COUNT(*) FILTER (WHERE x >= 2) - COUNT(*) FILTER (WHERE x > 4)."
        )
    column, sign, value = names.comparison(node)
    return RowCondition(column, OPPOSITES[sign] if opposite else sign, value)

"""Arithmetic that users write as text: ``"a * uniformity * (1 - sparsity)"``, evaluated without ``eval``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_COMPARISON: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": np.log,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
}


@dataclass(frozen=True)
class Formula:
    """A formula over names, with + - * / **, numbers, < <= > >=, and log, log1p, exp, sqrt, abs, min, max.

    A comparison is worth 1 where it holds and 0 elsewhere.

    Raises:
        ValueError: anything else.

    >>> Formula("a * (1 - sparsity)").names
    ('a', 'sparsity')
    >>> float(Formula("2 * max(x, 3)")({"x": 1}))
    6.0
    >>> Formula("x * (x > 2)")({"x": [1, 3]}).tolist()
    [0.0, 3.0]
    """

    text: str
    _tree: ast.expr = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            tree = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, TypeError):
            raise InputError(f"{self.text!r} is not a formula: write arithmetic such as a * rows ** b.") from None
        self._check(tree)
        object.__setattr__(self, "_tree", tree)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names it reads, in order."""
        called = {id(node.func) for node in ast.walk(self._tree) if isinstance(node, ast.Call)}
        used = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name) and id(node) not in called}
        return tuple(sorted(used))

    def __call__(self, known: Mapping[str, Any]) -> Any:
        """Return its value; infinite or NaN where it has none."""
        missing = [name for name in self.names if name not in known]
        if missing:
            raise InputError(f"The formula {self.text!r} reads {', '.join(missing)}: known are {', '.join(known)}.")
        with np.errstate(all="ignore"):
            return self._value(self._tree, {name: np.asarray(each, dtype=float) for name, each in known.items()})

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return
            case ast.Name():
                return
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                self._check(left)
                self._check(right)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                self._check(operand)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISON:
                self._check(left)
                self._check(right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
                if len(arguments) != (2 if name in ("min", "max") else 1):
                    raise InputError(f"In {self.text!r}, {name} has a wrong number of arguments.")
                for argument in arguments:
                    self._check(argument)
            case _:
                raise InputError(
                    f"{self.text!r} is not a formula: use numbers, names, + - * / ** < > and {', '.join(_FUNCTIONS)}."
                )

    def _value(self, node: ast.expr, known: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=value):
                return np.float64(value)  # type: ignore[arg-type]
            case ast.Name(id=name):
                return known[name]
            case ast.BinOp(left=left, op=op, right=right):
                return _BINARY[type(op)](self._value(left, known), self._value(right, known))
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self._value(operand, known))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _COMPARISON[type(op)](self._value(left, known), self._value(right, known)).astype(np.float64)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return _FUNCTIONS[name](*(self._value(argument, known) for argument in arguments))
        raise AssertionError(node)

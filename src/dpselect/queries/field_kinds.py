"""Kinds of the fields of a query: each is read and checked once, and has a JSON schema and a control in forms."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import InputError

# A page of help reads kinds, and needs no domains and no NumPy.
if TYPE_CHECKING:
    from dpselect.dataset.description_parts import ColumnDomain

# Exact sums of prices stay short: of any numbers, a few hundred odd ones would be too long for any ledger.
MOST_EPSILON = 1000
# JSON has no other end of a text.
_END = r"$(?!\n)"
_EPSILONS = r"^(?=.*[1-9])([0-9]{1,3}(\.[0-9]{1,6})?|1000(\.0{1,6})?)" + _END
_DELTAS = r"^(?=.*[1-9])0\.[0-9]{1,15}" + _END
_LONGEST_NAME = 200
# A decimal of more digits is none of these numbers, and would take long to write out.
_DIGITS = 100


@dataclass(frozen=True)
class FieldKind:
    """One kind of value that a query takes.

    Attributes:
        parse: returns the value of what Python, JSON or TOML gives, or raises ``ValueError`` with a sentence that says
            what it must be.
        schema: of its JSON; it accepts what ``parse`` accepts, and of numbers ones with more decimals.
        write: returns the JSON of a value.
        read: returns what a form or a command line means by a text, for ``parse``; of lists, by one of them.
        control: how a form asks for it: ``"column"``, ``"columns"``, ``"choice"``, ``"number"``, ``"list"``.
        choices: what may be chosen.
        labels: of choices in forms, where their names say too little.
        numeric: of columns: whether they have bounds, values, or either (``None``).
        dates: of columns: whether they may have dates.
        combined: whether several of its choices may be named at once.
        unlisted: of columns: whether they may have names that no public list holds.
    """

    parse: Callable[[Any], Any]
    schema: dict[str, Any]
    write: Callable[[Any], Any] = lambda value: value
    read: Callable[[str], Any] = lambda text: text
    control: str = "number"
    choices: tuple[str, ...] = ()
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    numeric: bool | None = None
    dates: bool = False
    combined: bool = False
    unlisted: bool = False

    def takes(self, domain: ColumnDomain) -> bool:
        """Return whether a column with this domain is of the kind."""
        from dpselect.dataset.description_parts import UNLISTED, DateDomain, NumericDomain

        if isinstance(domain, DateDomain):
            return self.dates
        if domain == UNLISTED:
            return self.unlisted
        return self.numeric is None or isinstance(domain, NumericDomain) == self.numeric

    @property
    def several(self) -> bool:
        """Return whether a value is a list."""
        return self.control in ("columns", "list")

    def of_text(self, text: str | Sequence[str]) -> Any:
        """Return the value of what a form or a command line gives.

        Raises:
            ValueError: it must be something else; the message says what.
        """
        return self.parse([self.read(each) for each in text] if self.several else self.read(str(text)))


def argument(
    kind: FieldKind,
    about: str,
    *,
    default: Any = dataclasses.MISSING,
    kw_only: bool = True,
    label: str = "",
    rare: bool = False,
    example: str = "",
) -> Any:
    """Return a field of a query.

    Args:
        kind: of its values.
        about: half a sentence for readers of help, schemas and forms.
        default: what it is where it is left out; without one, it is required.
        kw_only: whether Python takes it by keyword alone.
        label: what a form calls it; its name unless this is passed.
        rare: whether few people need it: forms fold it away.
        example: of a value.
    """
    facts = {"kind": kind, "about": about, "label": label, "rare": rare, "example": example}
    return dataclasses.field(default=default, kw_only=kw_only, metadata=facts)


def _decimals(name: str, places: int, below: str, texts: str) -> Callable[[Any], Fraction]:
    """Return a reader of positive decimal numbers with so many places, or of texts that a pattern describes."""

    def parse(value: Any) -> Fraction:
        if isinstance(value, str):
            exact = Fraction(value) if re.search(texts, value, re.ASCII) else None
        else:
            exact = _exact(value)
        if exact is None or not 0 < exact <= MOST_EPSILON or 10**places % exact.denominator:
            raise InputError(f"{name} is a positive number {below} with at most {places} decimals.")
        return exact

    return parse


def _exact(value: Any) -> Fraction | None:
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(repr(value))
    if isinstance(value, Decimal):
        short = value.is_finite() and abs(value.adjusted()) <= _DIGITS >= len(value.as_tuple().digits)
        return Fraction(value) if short else None
    return Fraction(value) if isinstance(value, (int, Fraction)) and not isinstance(value, bool) else None


def _decimal_text(places: int) -> Callable[[Fraction], str]:
    def write(value: Fraction) -> str:
        whole, rest = divmod(int(value * 10**places), 10**places)
        return f"{whole}.{rest:0{places}}".rstrip("0").rstrip(".")

    return write


def _delta(value: Any) -> Fraction:
    exact = _decimals("delta", 15, "below 1", _DELTAS)(value)
    if exact >= 1:
        raise InputError("delta is a positive number below 1 with at most 15 decimals.")
    return exact


EPSILON = FieldKind(
    _decimals("epsilon", 6, f"of at most {MOST_EPSILON}", _EPSILONS),
    {"type": ["number", "string"], "exclusiveMinimum": 0, "maximum": MOST_EPSILON, "pattern": _EPSILONS},
    _decimal_text(6),
)  # fmt: skip
DELTA = FieldKind(
    _delta,
    {"type": ["number", "string"], "exclusiveMinimum": 0, "exclusiveMaximum": 1, "pattern": _DELTAS},
    _decimal_text(15),
)  # fmt: skip


def _name(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME or not value.isprintable():
        raise InputError(f"a column is a name of 1 to {_LONGEST_NAME} letters, digits and other printable signs.")
    return value


def _column(numeric: bool | None, dates: bool = False) -> FieldKind:
    schema = {"type": "string", "minLength": 1, "maxLength": _LONGEST_NAME}
    return FieldKind(_name, schema, control="column", numeric=numeric, dates=dates)


NUMERIC_COLUMN, CATEGORICAL_COLUMN, ANY_COLUMN = (_column(numeric) for numeric in (True, False, None))
# Columns of questions that only count, which may be of dates.
ORDERED_COLUMN, LISTED_COLUMN, COUNTED_COLUMN = (_column(numeric, dates=True) for numeric in (True, False, None))
NAMES_COLUMN = replace(CATEGORICAL_COLUMN, unlisted=True)


def list_kind(
    each: Callable[[Any], Any],
    schema: dict[str, Any],
    least: int,
    most: int,
    *,
    control: str = "list",
    read: Callable[[str], Any] = str,
) -> FieldKind:
    """Return the kind of a list of values.

    Args:
        each: reads one of them.
        schema: of one of them.
        least, most: how many there may be.
        control: in forms.
        read: returns what a text means by one of them.
    """

    def parse(value: Any) -> tuple[Any, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise InputError(f"a list of {least} to {most} values is expected.")
        if not least <= len(value) <= most:
            raise InputError(f"a list holds {least} to {most} values.")
        return tuple(each(one) for one in value)

    form = {"type": "array", "items": schema, "minItems": least, "maxItems": most}
    return FieldKind(parse, form, list, read, control)


COLUMNS = list_kind(_name, NUMERIC_COLUMN.schema, 1, 500, control="columns")


def whole(least: int, most: int) -> FieldKind:
    """Return the kind of integers between two bounds."""

    def parse(value: Any) -> int:
        integral = isinstance(value, (int, float, Fraction)) and not isinstance(value, bool) and value == value // 1
        if not integral or not least <= value <= most:
            raise InputError(f"a whole number from {least} to {most} is expected.")
        return int(value)

    return FieldKind(parse, {"type": "integer", "minimum": least, "maximum": most}, read=_text_number)


def number(least: float, most: float, name: str) -> Callable[[Any], float]:
    """Return a reader of finite numbers between two bounds."""

    def parse(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, Decimal)):
            raise InputError(f"{name} is a number.")
        try:
            held = float(value)
        except OverflowError:
            held = math.inf
        if not math.isfinite(held) or not least <= held <= most:
            between = f" from {least:g} to {most:g}" if math.isfinite(least) else ""
            raise InputError(f"{name} is a finite number{between}.")
        return held

    return parse


def real(least: float, most: float) -> FieldKind:
    """Return the kind of numbers between two bounds, as doubles."""
    schema = {"type": "number", "minimum": least, "maximum": most}
    return FieldKind(number(least, most, "this"), schema, read=_text_number)


def _text_number(text: str) -> Any:
    """Return the number that a form or command line writes, also as a quotient; the text itself if there is none."""
    try:
        return Fraction(text) if len(text) <= _LONGEST_NAME else text
    except (ValueError, ZeroDivisionError):
        return text


def share_or(name: str) -> FieldKind:
    """Return the kind of a share between 0 and 1, as a double, or of one name for a share that follows from others."""

    def parse(value: Any) -> float | str:
        if value == name:
            return name
        exact = None if isinstance(value, str) else _exact(value)
        if exact is None or not 0 < exact < 1:
            raise InputError(f"a share between 0 and 1 such as 0.2, or {name}, is expected.")
        return float(exact)

    share = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
    return FieldKind(parse, {"anyOf": [share, {"const": name}]}, read=_text_number, control="text")


def _between(least: float, most: float, name: str, fewest: int, many: int) -> FieldKind:
    bounds = {"minimum": least, "maximum": most} if math.isfinite(least) else {}
    return list_kind(number(least, most, name), {"type": "number", **bounds}, fewest, many, read=_text_number)


SHARES = _between(0, 1, "a share, such as 0.25 for 25 per cent,", 1, 99)
PERCENTAGES = _between(0, 100, "a percentage", 1, 99)
EDGES = _between(-math.inf, math.inf, "an edge", 2, 10001)


def choice(*names: str, labels: Mapping[str, str] | None = None) -> FieldKind:
    """Return the kind of one of several names, with labels for forms where names say too little."""

    def parse(value: Any) -> str:
        if value not in names or not isinstance(value, str):
            raise InputError(f"one of {', '.join(names)} is expected.")
        return value

    return FieldKind(parse, {"enum": [*names]}, control="choice", choices=names, labels=labels or {})


# By their published names; that these are all of them is tested.
MECHANISMS = (
    "permute-and-flip", "exponential", "noisy-max-laplace", "generalised-exponential", "inverse-sensitivity",
    "local-dampening", "local-dampening-flip", "local-dampening-t", "smooth-noisy-max", "smooth-private-selection",
    "shifted-local-dampening", "shifted-local-dampening-flip",
)  # fmt: skip
MECHANISM = choice(*MECHANISMS)


def choices(*names: str) -> FieldKind:
    """Return the kind of one of several names, or of a list of some of them, each once."""

    def parse(value: Any) -> str | tuple[str, ...]:
        if isinstance(value, str) and value in names:
            return value
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        if not listed or not value or not all(isinstance(each, str) and each in names for each in value):
            raise InputError(f"one of {', '.join(names)} is expected, or a list of them.")
        if len({*value}) != len(value):
            raise InputError("one is given twice: name each once.")
        return value[0] if len(value) == 1 else tuple(value)

    form = {"type": "array", "items": {"enum": [*names]}, "minItems": 1, "uniqueItems": True}
    schema = {"anyOf": [{"enum": [*names]}, form]}
    return FieldKind(
        parse,
        schema,
        lambda value: value if isinstance(value, str) else [*value],
        control="choice",
        choices=names,
        combined=True,
    )


_WEIGHT = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,12}|/[1-9][0-9]{0,11})?")
_MOST_WEIGHT = 10**12


def _weight(value: Any) -> Fraction:
    if isinstance(value, str) and _WEIGHT.fullmatch(value):
        value = Fraction(value)
    numeric = isinstance(value, (int, float, Fraction, Decimal)) and not isinstance(value, bool)
    if not numeric or not -_MOST_WEIGHT <= value <= _MOST_WEIGHT:
        raise InputError(f'a weight is a number of at most {_MOST_WEIGHT:.0e}, such as 2, 0.5 or "1/3".')
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


_OF_WEIGHT = {
    "anyOf": [
        {"type": "number", "minimum": -_MOST_WEIGHT, "maximum": _MOST_WEIGHT},
        {"type": "string", "pattern": f"^{_WEIGHT.pattern}$"},
    ]
}


def _importance(value: Any) -> str:
    """Return a class with what it counts, as ``CLASS=NUMBER``."""
    if not isinstance(value, str) or not _IMPORTANCE.fullmatch(value):
        raise InputError("this is CLASS=NUMBER, and a class counts at least 0: write one such as yes=2.")
    return value


_IMPORTANCE = re.compile(r"[^\x00-\x1f\x7f]{1,200}=[0-9]{1,9}(?:\.[0-9]{1,9}|/[1-9][0-9]{0,8})?")
IMPORTANCE = list_kind(_importance, {"type": "string", "pattern": f"^{_IMPORTANCE.pattern}$"}, 1, 1000)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError("true or false is expected.")
    return value


FLAG = FieldKind(
    _flag,
    {"type": "boolean"},
    read=lambda text: {"true": True, "false": False}.get(text, text),
    control="choice",
    choices=("true", "false"),
    labels={"true": "yes", "false": "no"},
)
WEIGHTS = replace(
    list_kind(_weight, _OF_WEIGHT, 2, 20, read=_text_number), write=lambda weights: [str(each) for each in weights]
)

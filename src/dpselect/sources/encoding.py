"""Public domains as expressions of an engine: the code of a value, and where a code leads.

Nothing depends on how an engine orders, collates or hashes: numbers become float64 and are compared with edges that
were computed here, categories are compared for equality, and what is fetched is an integer. Numbers travel as text,
because some engines read 0.1 as a decimal and round it once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources.categories import EXACT, TRUTH, Categories, exact_number
from dpselect.sources.cell_types import LACKING as LACKING
from dpselect.sources.cell_types import OUTSIDE as OUTSIDE
from dpselect.sources.csv_text import DECIMAL, ENDLESS
from dpselect.sources.csv_text import LACKING as LACKING_TEXT
from dpselect.sources.dialects import MINUS, SPACES
from dpselect.sources.engines import engine_of

_HIDING = -7.25e-301
# What Ibis takes PostgreSQL's money for.
_MONEY = (19, 4)
_WHOLE = "^[ \t]*[+-]?[0-9]+[ \t]*$"
_SAFE = "[ \t]*[+-]?([0-9]{1,60}([.][0-9]{0,60})?|[.][0-9]{1,60})([eE][+-]?[0-9]{1,2})?[ \t]*"


class Domain(Protocol):
    """A public domain: categories, or edges of bins of numbers; perhaps a last code for missing values."""

    @property
    def name(self) -> Any:
        """Return the column."""
        ...

    @property
    def categories(self) -> Sequence[Any] | None:
        """Return what each code stands for, ``None`` for numbers."""
        ...

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """Return the increasing edges of bins, ``None`` for categories."""
        ...

    @property
    def missing(self) -> bool:
        """Return whether the last code stands for missing values."""
        ...

    @property
    def size(self) -> int:
        """Return the number of codes."""
        ...


@dataclass(frozen=True)
class CodeDomain:
    """The domain of a column that holds codes already."""

    name: str
    size: int
    edges: None = None
    missing: bool = False

    @property
    def categories(self) -> range:
        """Return the codes."""
        return range(self.size)


def require_kind(column: Any, domain: Domain) -> None:
    """Refuse a column whose type, which is public as a schema is, cannot hold the values of the domain.

    Raises:
        ValueError: which column, and what to cast it to.
    """
    kind, name = column.type(), f"Column {domain.name!r}"
    readable = kind.is_numeric() or kind.is_boolean()
    if domain.edges is not None:
        if not (readable or (kind.is_string() and _tries(column))):
            raise InputError(f"{name} is numeric in domains and {kind} in the table: cast it to float64.")
        return
    if isinstance(domain, CodeDomain):
        return
    if str(kind).lstrip("!") == "uint64":
        raise InputError(f"{name} is uint64 in the table, wider than categories: cast it to int64.")
    if not (kind.is_string() or readable):
        raise InputError(f"{name} is {kind} in the table, which no domain lists: cast it to text.")
    categories = domain.categories or ()
    known = Categories.of(categories)
    if kind.is_string() and not _tries(column) and not any(isinstance(value, str) for value in categories):
        raise InputError(f"{name} lists numbers in domains and is text in the table: cast one of them.")
    if readable and not known.numbers:
        raise InputError(f"{name} lists text in domains and is {kind} in the table: cast one of them.")
    if any(isinstance(value, str) and "\0" in value for value in categories):
        raise InputError(f"{name} lists a category with a NUL character, which databases do not hold: leave it out.")
    wide = [value for value in categories if isinstance(value, int) and abs(value) > EXACT]
    if wide and (kind.is_floating() or kind.is_decimal()):
        raise InputError(
            f"{name} is {kind} in the table and lists integers beyond 2^53, which it may have rounded: cast it."
        )


def number(column: Any) -> Any:
    """Return a column as float64, rounded once; NULL where a text is not a number."""
    kind = column.type()
    if kind.is_boolean():
        # PostgreSQL casts truth values to integers of 32 bits alone.
        return column.cast("int32").cast("float64")
    if kind.is_string():
        return _number_of_text(column)
    if not kind.is_decimal():
        return column.cast("float64")
    if (kind.precision, kind.scale) == _MONEY and engine_of(column).writes_money:
        # The text of money has a sign of its currency; wider decimals have the same digits.
        column = column.cast("decimal(38, 4)")
    # Not every engine rounds a decimal correctly; all of them do so with text.
    return column.cast("string").cast("float64")


def whole_number(value: Any) -> tuple[Any, Any]:
    """Return whether floats are whole numbers below 2^53, and these as int64, 0 for the others.

    Engines cast what they round down: an infinity or 1e300 in one cell would end the query of all.
    """
    import ibis

    small = ibis.ifelse((value.abs() < literal(float(EXACT))).fill_null(False), value, literal(0.0))
    whole = (small == small.floor()) & (small == value)
    return whole.fill_null(False), ibis.ifelse(whole.fill_null(False), small, literal(0.0)).cast("int64")


def integer_of_text(column: Any) -> Any:
    """Return the integer that a text spells, else NULL, in an engine that casts any text."""
    value = _number_of_text(column)
    exact, whole = whole_number(value)
    return column.re_search(_WHOLE).ifelse(column.try_cast("int64"), exact.ifelse(whole, None))


def prepare_column(column: Any, domain: Domain, clip: bool, read: Any = None) -> Any:
    """Return what records are grouped by: the bin of a number, or a category as it is.

    ``read`` is what :func:`number` returned for the column, if a table has that already.
    """
    if domain.edges is not None:
        return _bin(column, domain, clip, read)
    kind = column.type()
    if kind.is_string() or isinstance(domain, CodeDomain):
        return column
    if kind.is_boolean():
        return column.cast("int32").cast("int64")
    return column.cast("int64") if kind.is_integer() else number(column)


def code(value: Any, domain: Domain) -> Any:
    """Return the code of what :func:`prepare_column` returned."""
    import ibis

    if domain.edges is not None or isinstance(domain, CodeDomain):
        return value.cast("int32")
    lost = domain.size - 1 if domain.missing else LACKING
    if value.type().is_string():
        categories = Categories.of(domain.categories or ())
        exact, loose = _category_of_text(value, categories), _spelling(value, categories)
        # What is written as expected, as most texts are, is never read as a number.
        known = [(condition, at) for part in (exact, loose) for at, condition in part.items()]
    else:
        known = [(condition, at) for at, condition in _matching(value, domain).items()]
    # A text such as "nan" is missing where it is not a category.
    return ibis.cases((value.isnull(), lost), *known, (is_missing(value), lost), else_=OUTSIDE).cast("int32")


def is_missing(column: Any) -> Any:
    """Return whether a value is NULL or NaN, or an empty text or "nan"."""
    kind = column.type()
    if kind.is_string():
        return column.isnull() | column.re_search(f"^({LACKING_TEXT})$").fill_null(True)
    if not (kind.is_floating() or kind.is_decimal()):
        return column.isnull()
    if not engine_of(column).knows_nan:
        return column.isnull()
    # DuckDB takes isnan(x) for false where the statistics of a parquet file know no NaN, and they never do.
    return column.isnull() | number(column).nullif(literal(_HIDING)).isnan().fill_null(False)


def route_codes(column: Any, domain: Domain, groups: NDArray[np.int64], leads: Mapping[int, Any]) -> Any:
    """Return ``leads[groups[code]]`` for the code of every value, each lead written once.

    Values without a code lead anywhere: they were refused or left out before.
    """
    import ibis

    kinds = sorted(leads, key=lambda group: int((groups == group).sum()))
    cases = [(_within(column, domain, np.flatnonzero(groups == group)), leads[group]) for group in kinds[:-1]]
    return ibis.cases(*cases, else_=leads[kinds[-1]]) if cases else leads[kinds[-1]]


def _within(column: Any, domain: Domain, codes: NDArray[np.intp]) -> Any:
    """Return whether the code of a value is one of these."""
    size = domain.size - domain.missing
    chosen = codes[codes < size]
    runs = [run for run in np.split(chosen, np.flatnonzero(np.diff(chosen) > 1) + 1) if run.size]
    if isinstance(domain, CodeDomain):
        return _any([column.between(int(run[0]), int(run[-1])) for run in runs])
    gone = is_missing(column)
    if domain.edges is None:
        value = prepare_column(column, domain, clip=False)
        matching = _matching(value, domain)
        if value.type().is_string() and domain.missing:
            # A text that is a category is not missing, though it be "nan".
            gone = column.isnull() | (gone & ~_any([*matching.values()]))
        condition = _any([matching[at] for at in chosen.tolist() if at in matching]).fill_null(False)
    else:
        value = number(column)
        condition = _any([_between(value, domain, int(run[0]), int(run[-1]), size) for run in runs])
    if domain.missing and codes.size > chosen.size:
        return gone | condition
    return ~gone & condition if domain.missing else condition


def _between(value: Any, domain: Domain, first: int, last: int, size: int) -> Any:
    import ibis

    assert domain.edges is not None
    low = value >= literal(domain.edges[first]) if first else None
    high = value < literal(domain.edges[last + 1]) if last < size - 1 else None
    if low is None:
        return ibis.literal(True) if high is None else high
    return low if high is None else low & high


def _any(conditions: list[Any]) -> Any:
    import ibis

    result = conditions[0] if conditions else ibis.literal(False)
    for condition in conditions[1:]:
        result = result | condition
    return result


def _bin(column: Any, domain: Domain, clip: bool, read: Any) -> Any:
    """Return the code of a number, by bisection: as many comparisons as the logarithm of the number of bins."""
    import ibis

    assert domain.edges is not None
    value = number(column) if read is None else read
    edges, size = domain.edges, domain.size - domain.missing

    def bisected(first: int, last: int) -> Any:
        if first == last:
            return ibis.literal(first, "int32")
        middle = (first + last + 1) // 2
        return ibis.ifelse(value < literal(edges[middle]), bisected(first, middle - 1), bisected(middle, last))

    cases = [(is_missing(column), ibis.literal(size if domain.missing else LACKING, "int32"))]
    if column.type().is_string():
        cases.append((value.isnull(), ibis.literal(OUTSIDE, "int32")))
    if not clip:
        outside = (value < literal(edges[0])) | (value > literal(edges[-1]))
        cases.append((outside, ibis.literal(OUTSIDE, "int32")))
    return ibis.cases(*cases, else_=bisected(0, size - 1))


def literal(value: float) -> Any:
    """Return a float64 that arrives as it is."""
    import ibis

    return ibis.literal(repr(float(value))).cast("float64")


def _tries(column: Any) -> bool:
    """Return whether the engine has a cast that cannot fail, so that any text may be read as a number."""
    return engine_of(column).casts_any_text


def _number_of_text(column: Any) -> Any:
    """Return the number that a text spells, NULL where it spells none."""
    import ibis

    if _tries(column):
        # Most cells are numbers as they are written.
        ways = (column, column.replace(MINUS, "-").re_replace(f"^[{SPACES}]+|[{SPACES}]+$", ""))
        spelled = [(each.re_search(f"^({DECIMAL}|{ENDLESS})$"), each.try_cast("float64")) for each in ways]
        return ibis.cases(*spelled, *_truth(ways[1]), else_=ibis.null("float64"))
    truth = _truth(column)
    # Elsewhere a cast of 1e999 fails, so only what cannot overflow is cast.
    return ibis.cases(*truth, (column.re_search(f"^({_SAFE})$"), column.cast("float64")), else_=ibis.null("float64"))


def _truth(column: Any) -> list[tuple[Any, Any]]:
    return [(column.lower() == word, literal(float(value))) for word, value in TRUTH.items()]


def _matching(value: Any, domain: Domain) -> dict[int, Any]:
    """Return for every category that values of this type can stand for whether a value does, by its code."""
    import ibis

    kind, known = value.type(), Categories.of(domain.categories or ())
    if kind.is_string():
        return _matching_text(value, known)
    if kind.is_integer():
        return {
            at: value == ibis.literal(int(each), "int64")
            for each, at in known.numbers.items()
            if -(2**63) <= each < 2**63 and int(each) == each
        }
    return {at: value == literal(float(each)) for each, at in known.numbers.items() if _survives(each)}


def _matching_text(value: Any, known: Categories) -> dict[int, Any]:
    exact, loose = _category_of_text(value, known), _spelling(value, known)
    return {at: _any([part[at] for part in (exact, loose) if at in part]) for at in {*exact, *loose}}


def _category_of_text(value: Any, known: Categories) -> dict[int, Any]:
    """Return for every category whether a text is one of the ways to write it."""
    import ibis

    texts: dict[int, list[str]] = {}
    for text, at in known.texts.items():
        texts.setdefault(at, []).append(text)
    return {at: _any([value == ibis.literal(text, "string") for text in spellings]) for at, spellings in texts.items()}


def _spelling(value: Any, known: Categories) -> dict[int, Any]:
    """Return for every category that is a number whether a text spells it otherwise."""
    import ibis

    spellings: dict[int, Any] = {}
    spelled, whole = _number_of_text(value), None
    for each, at in known.numbers.items():
        others = [value.lower() == word for word, truth in TRUTH.items() if truth == each]
        if at in known.spelled:
            if isinstance(each, int) and abs(each) >= EXACT and -(2**63) <= each < 2**63:
                if _tries(value):
                    whole = integer_of_text(value) if whole is None else whole
                    others.append((whole == ibis.literal(each, "int64")).fill_null(False))
            elif _survives(each):
                others.append((spelled == literal(float(each))).fill_null(False))
        if not others:
            continue
        # What is another category by its very text is not this one by its value.
        texts = [text for text, code in known.texts.items() if code != at and _may_stand_for(text, each)]
        elsewhere = _any([value == ibis.literal(text, "string") for text in texts])
        spellings[at] = _any(others) & ~elsewhere if texts else _any(others)
    return spellings


def _may_stand_for(text: str, value: Any) -> bool:
    return bool(TRUTH.get(text.lower()) == value or exact_number(text) == value)


def _survives(value: Any) -> bool:
    try:
        return bool(float(value) == value)
    except OverflowError:
        return False

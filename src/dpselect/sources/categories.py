"""The meaning of public categories: the one rule by which a cell is one of them, whatever holds the cell.

Containers write the same value differently: 1 becomes 1.0 beside a missing value, "1" beside a text, and True becomes
1 or "True". A cell is therefore read by these steps, each of which looks at that cell and the categories alone:

1. A text is the category of that very text.
2. A number is the category that stands for it: the equal number (1 == 1.0 == True), or the text that spells it.
3. A text that spells a number is the category that is this number; "true" and "false" stand for 1 and 0.

Two categories that stand for one number would be mixed up by this rule, so such a domain is refused. A text of digits
with leading zeros, such as "09", stands for its number too unless another category does: spreadsheets and databases
drop the zeros.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text
from dpselect.sources.dialects import trim

# Up to here every integer is a float64. The number itself is also what the next integer is rounded to.
EXACT = 2**53
TRUTH = {"true": 1, "false": 0}
_LONGEST = 400
# A name of digits whose zeros a number does not keep; all of its number is in a double.
_ZEROS = re.compile("0[0-9]{1,14}")


@dataclass(frozen=True)
class Categories:
    """Public categories, each with what stands for it.

    Attributes:
        texts: text to code: the categories that are text, and the other ways of writing them.
        numbers: number to code: what a number stands for.
        spelled: the codes of categories that are numbers, which a text may spell in any way.
    """

    texts: dict[str, int]
    numbers: dict[Any, int]
    spelled: frozenset[int]

    @classmethod
    def of(cls, categories: Sequence[Any]) -> Categories:
        """Return the reading of a list of categories.

        Raises:
            ValueError: two categories that a cell could stand for alike.
        """
        texts = {category: code for code, category in enumerate(categories) if isinstance(category, str)}
        numbers: dict[Any, int] = {}
        for code, category in enumerate(categories):
            value = number_of(category)
            if value is None:
                continue
            if value in numbers:
                raise InputError(
                    f"The categories {categories[numbers[value]]!r} and {category!r} stand for the same value, because "
                    "tables write numbers as text and text as numbers: list one of them."
                )
            numbers[value] = code
        for value, code in _without_zeros(texts).items():
            numbers.setdefault(value, code)
        for value, code in numbers.items():
            for text in spellings(value):
                texts.setdefault(text, code)
        spelled = frozenset(code for code, category in enumerate(categories) if not isinstance(category, str))
        return cls(texts, numbers, spelled)

    def code_of_text(self, text: str) -> int | None:
        """Return the code of a text, ``None`` where it stands for no category."""
        code = self.texts.get(text)
        if code is not None:
            return code
        truth = TRUTH.get(trim(text).lower())
        if truth is not None:
            return self.numbers.get(truth)
        code = self.numbers.get(exact_number(text))
        return code if code in self.spelled else None


def _without_zeros(texts: Mapping[str, int]) -> dict[int, int]:
    """Return the numbers that names of digits with leading zeros stand for, where no two stand for the same."""
    named = [(int(text), code) for text, code in texts.items() if _ZEROS.fullmatch(text)]
    many = Counter(value for value, _ in named)
    return {value: code for value, code in named if many[value] == 1}


def number_of(category: Any) -> int | float | None:
    """Return the number that a category stands for, if any.

    A text stands for a number when it is written as programs write that number, so "01" is not a number and "1" is.
    """
    if not isinstance(category, str):
        value: int | float = category
        return value
    truth = TRUTH.get(category.lower())
    if truth is not None:
        return truth
    number = exact_number(category)
    if number is None or abs(number) >= EXACT or category not in spellings(number):
        return None
    return number


def exact_number(text: str) -> int | float | None:
    """Return the number that a text spells, integers of any size exactly; ``None`` for all else, and for NaN."""
    number = csv_text.number(text)
    if number is None or number != number:
        return None
    written = trim(text)
    digits = written.lstrip("+-")
    return int(written) if digits.isdecimal() and len(digits) <= _LONGEST else number


def plain_number(cell: Any) -> int | float | None:
    """Return the finite number in a cell that is not text, whatever type holds it, an integer where it is one.

    >>> plain_number(Decimal("1.0")), plain_number(Fraction(1, 2)), plain_number(1 + 0j), plain_number(np.True_)
    (1, 0.5, 1, 1)
    """
    if isinstance(cell, int):
        return int.__index__(cell)
    try:
        number = _exact(cell)
        return number if number is None or number != int(number) else int(number)
    except (ValueError, OverflowError):
        # NaN, infinities, and fractions that no float holds.
        return None


def _exact(cell: Any) -> int | float | None:
    """Return the number in a cell of one of many types, ``None`` where there is none."""
    if isinstance(cell, (float, np.floating)):
        return float(cell)
    if isinstance(cell, (np.integer, np.bool_)) and not isinstance(cell, np.timedelta64):
        return int(cell)
    if isinstance(cell, Decimal):
        # The digits of a larger exponent would fill the memory.
        whole = int(cell) if cell.adjusted() <= _LONGEST else None
        return whole if whole is None or whole == cell else float(cell)
    if isinstance(cell, Fraction):
        return int(cell) if cell.denominator == 1 else float(cell)
    # A column of numbers of pandas beside one complex cell.
    return float(cell.real) if isinstance(cell, (complex, np.complexfloating)) and not cell.imag else None


def spellings(number: float) -> tuple[str, ...]:
    """Return how programs write a number: as a plain decimal, and as a float.

    >>> spellings(1), spellings(0.1), spellings(1e16)
    (('1', '1.0'), ('0.1',), ('10000000000000000', '1e+16'))
    """
    if isinstance(number, float) and not np.isfinite(number):
        return (repr(number),)
    whole = int(number) if int(number) == number else None
    plain = np.format_float_positional(float(number), trim="-") if whole is None else str(whole)
    try:
        as_float = repr(float(number)) if float(number) == number else plain
    except OverflowError:
        as_float = plain
    return tuple(dict.fromkeys((plain, as_float, *(("-0.0",) if number == 0 else ()))))

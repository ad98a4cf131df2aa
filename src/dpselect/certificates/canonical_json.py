"""An answer in JSON, and the one text of it that is hashed."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact

# The exponent is short: of a few signs it would make a number that fills the memory.
_NUMBER = re.compile(r"-?[0-9]{1,2000}(?:/(?!0+$)[0-9]{1,2000}|(?:\.[0-9]{1,2000})?(?:e-[0-9]{1,3})?)")


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: exact numbers as text, arrays as lists, anything unknown as its text.

    >>> plain({"a": (Fraction(1, 2), np.int64(3)), "b": float("inf")})
    {'a': ['0.5', 3], 'b': 'inf'}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Fraction):
        return format_exact(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {text(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(each) for each in value]
    return text(value)


def number_of(text: str) -> Fraction:
    """Return the exact number that :func:`plain` wrote as text, perhaps elsewhere.

    Raises:
        ValueError: it is not one, or a number without end.

    >>> [number_of(plain(Fraction(number))) for number in ("-0.25", "1/3", "1e-12")]
    [Fraction(-1, 4), Fraction(1, 3), Fraction(1, 1000000000000)]
    >>> number_of("1e999999999")
    Traceback (most recent call last):
    ...
    dpselect.kernel.errors.InputError: This is not an exact number.
    """
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise InputError("This is not an exact number.")
    return Fraction(text)


def text(value: Any) -> str:
    """Return text that UTF-8 can hold: names of files may hold bytes that are not characters."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def canonical(content: Any) -> str:
    """Return the text that is hashed: JSON with sorted names and no spaces.

    >>> canonical({"b": 1, "a": ["x"]})
    '{"a":["x"],"b":1}'
    """
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def checksum(content: Any) -> str:
    """Return the SHA-256 of the canonical text, in UTF-8."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()

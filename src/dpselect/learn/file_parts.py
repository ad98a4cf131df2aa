"""Parts of a model file, read as what they must be: a checksum says nothing about who wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError

# Beyond sums of noisy counts of any fit; squares of such numbers are still finite.
MOST_COUNT = 1e30
# As Fraction writes them: an exponent of a few digits could take longer to read than anybody waits.
_EXACT = re.compile(r"[0-9]{1,4000}(/[0-9]{1,4000})?")


def exact_in(text: Any) -> Fraction:
    """Return an exact number as it was written (``ValueError`` if it is not one)."""
    if not isinstance(text, str) or not _EXACT.fullmatch(text):
        raise InputError("no number")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InputError("no number") from None


def number_in(content: Any) -> float:
    """Return a finite number (``ValueError`` if it is not one)."""
    return float(numbers_in([content], 1)[0])


def numbers_in(content: Any, dimensions: int) -> NDArray[np.float64]:
    """Return finite numbers in lists, or lists of lists of one length (``ValueError`` if they are not)."""
    _require(content, dimensions, {int, float})
    numbers = np.array(content, dtype=np.float64)
    if numbers.ndim != dimensions or not np.isfinite(numbers).all():
        raise InputError("no numbers")
    return numbers


def noise_in(content: Any) -> float:
    """Return the deviation of noise (``ValueError`` if it is not one)."""
    noise = number_in(content)
    if not 0 <= noise <= MOST_COUNT:
        raise InputError("no noise")
    return noise


def integers_in(content: Any, dimensions: int = 1) -> NDArray[np.int64]:
    """Return integers in lists, or lists of lists of one length (``ValueError``, ``OverflowError`` if they are not)."""
    _require(content, dimensions, {int})
    return np.array(content, dtype=np.int64)


def scalars_in(content: Any) -> list[Any]:
    """Return a list of one or more different texts, numbers or booleans (``ValueError`` if it is not one)."""
    _require(content, 1, {str, int, float, bool})
    scalars: list[Any] = content
    if any(each != each for each in scalars) or not len(scalars) == len({*scalars}) >= 1:
        raise InputError("no such values")
    return scalars


def classes_in(content: Any) -> NDArray[Any]:
    """Return classes, which stay different as an array (``ValueError`` or ``TypeError`` if they do not)."""
    classes = np.array(scalars_in(content))
    if np.unique(classes).size != len(content):
        raise InputError("no classes")
    return classes


def bounds_in(content: Any) -> tuple[float, float]:
    """Return a low and a higher end (``ValueError`` if they are not)."""
    low, high = numbers_in(content, 1).tolist()
    if not low < high:
        raise InputError("no bounds")
    return low, high


def _require(content: Any, dimensions: int, kinds: set[type]) -> None:
    """Refuse what is not a list, or a list of lists, of values of these kinds."""
    values: Iterable[Any] = content
    lists = isinstance(content, list)
    if lists and dimensions == 2:
        lists, values = {*map(type, content)} <= {list}, chain.from_iterable(content)
    if not lists or not {*map(type, values)} <= kinds:
        raise InputError("no list of such values")

"""Several objectives as they are passed: one list of scores of the same candidates, and one weight each."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Set
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.scores.scores import Scores, require_scores

P = ParamSpec("P")
R = TypeVar("R")
# Weights stay far from where floats end, so that nothing under- or overflows that could have been released.
_LEAST, _MOST = 2.0**-900, 2.0**900


def one_list(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse objectives that are passed one by one: Python itself would only count positions."""

    @wraps(function)
    def checked(*args: P.args, **named: P.kwargs) -> R:
        if any(isinstance(each, Scores) for each in args):
            raise _no_list(function.__name__)
        return function(*args, **named)

    return checked


def list_objectives(parts: Iterable[Scores], name: str) -> list[Scores]:
    """Return the objectives, of the same candidates and neighbours, or say what differs.

    Args:
        parts: any iterable of scores; read once. name: the function that they were passed to.

    Raises:
        TypeError: not iterable, one without an order or of names, or something that is not Scores.
        ValueError: no objective, other candidates or neighbours.
    """
    if isinstance(parts, (Mapping, Set)):
        raise _no_list(name)
    try:
        steps = iter(parts)
    except TypeError:
        raise _no_list(name) from None
    scores = [require_scores(each) for each in steps]
    if not scores:
        raise InputError("The list of objectives is empty: pass a list of Scores.")
    first = scores[0]
    for position, other in enumerate(scores):
        if not _alike(first.candidates, other.candidates):
            raise InputError(
                f"objectives[{position}] scores other candidates than objectives[0], "
                f"{_difference(first.candidates, other.candidates)}: pass each of them the same public list, as in "
                "Scores(..., candidates=graph.candidates)."
            )
        if other.neighbours is not first.neighbours:
            relations = f"{first.neighbours.value!r} and {other.neighbours.value!r}"
            raise InputError(f"The objectives protect different neighbours, {relations}: use one relation for all.")
    return scores


def exact_weights(weights: Any, count: int) -> list[Fraction]:
    """Return the weights as the exact numbers that were passed, 1 each for ``None``; they are public, so errors quote.

    Raises:
        TypeError: not a list of numbers in the order of the objectives.
        ValueError: too many or few, one that is not a finite number, or sizes that floats cannot hold.
    """
    if weights is None:
        return [Fraction(1)] * count
    if isinstance(weights, (Mapping, Set)):
        raise InputTypeError("weights stand in the order of the objectives: pass a list of numbers.")
    must = "weights must be one finite number per objective"
    try:
        listed = None if isinstance(weights, (str, bytes)) else list(weights)
    except TypeError:
        listed = None
    if listed is None:
        raise InputError(f"{must}, and {reprlib.repr(weights)} is not a list: pass a list of {count}.")
    if len(listed) != count:
        raise InputError(f"{must}, and {len(listed)} were passed: pass {count} of them.")
    exact = []
    for place, each in enumerate(listed):
        number = exact_number(each)
        if number is None:
            raise InputError(
                f"{must}, and weights[{place}] is {reprlib.repr(each)}, of type {type(each).__name__}: pass a number "
                "such as 2, 0.5 or -1 there."
            )
        exact.append(number)
    _refuse_sizes(exact)
    return exact


def exact_number(value: Any) -> Fraction | None:
    """Return a finite real number exactly, ``None`` where it is something else; text and truth values are not numbers.

    >>> exact_number(0.5), exact_number("0.5")
    (Fraction(1, 2), None)
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, (bool, str)):
        return None
    try:
        return Fraction(plain)
    except (TypeError, ValueError, OverflowError):
        return None


def _no_list(name: str) -> TypeError:
    return InputTypeError(f"Pass the objectives as one list of Scores: {name}([a, b]).")


def _refuse_sizes(weights: list[Fraction]) -> None:
    """Refuse weights that are too large or too small for floats, with advice that works for these."""
    sizes = {place: _digits(weight) for place, weight in enumerate(weights) if weight}
    bad = [place for place in sizes if not _LEAST <= abs(weights[place]) <= _MOST]
    if not bad:
        return
    middle = -round((max(sizes.values()) + min(sizes.values())) / 2)
    if all(_LEAST <= abs(weight) * Fraction(10) ** middle <= _MOST for weight in weights if weight):
        advice = f"multiply all of them by one number, such as 1e{middle}"
    else:
        least, most = (pick(sizes, key=lambda each: sizes[each]) for pick in (min, max))
        advice = f"next to weights[{most}], weights[{least}] counts for nothing, so pass 0 in its place"
    raise InputError(
        f"weights[{bad[0]}] is about 1e{round(sizes[bad[0]])}, too {'small' if sizes[bad[0]] < 0 else 'large'} for "
        f"floats: {advice}."
    )


def _digits(number: Fraction) -> float:
    """Return the logarithm to base 10 of a size that may not fit a float."""
    return math.log10(abs(number.numerator)) - math.log10(number.denominator)


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two public lists name the same candidates in the same order."""
    if len(one) != len(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype.kind == other.dtype.kind:
        return bool((one == other).all())
    return one == other if isinstance(one, range) and isinstance(other, range) else _plain(one) == _plain(other)


def _difference(one: Any, other: Any) -> str:
    """Say how two public lists differ, in words."""
    if len(one) != len(other):
        return f"{len(other)} of them and not {len(one)}"
    if sorted(map(repr, _plain(one))) == sorted(map(repr, _plain(other))):
        return "the same ones in another order"
    pairs = zip(_plain(one), _plain(other), strict=True)
    name, stranger = next(((a, b) for a, b in pairs if a != b), (None, None))
    return f"such as {reprlib.repr(stranger)} in the place of {reprlib.repr(name)}"


def _plain(candidates: Any) -> list[Any]:
    return candidates.tolist() if isinstance(candidates, np.ndarray) else list(candidates)

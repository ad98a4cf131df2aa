"""Public domains of columns, and how values become codes.

A domain is a list of categories, a pair (low, high) of numbers cut into even bins, or an array of bin edges. It is
public: a domain read from the data voids the guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpselect.core.errors import PrivacyError

UNKNOWN, MISSING = ("error", "ignore", "clip"), ("error", "category")
BAD_LABELS = (
    "Some labels are missing or not among the declared classes: declare every class, or leave those records out."
)
# The code of a value that the domain does not know.
OUTSIDE = -1


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column as a tree sees it: codes 0 .. size - 1.

    Attributes:
        name: the column.
        categories: what each code stands for; ``None`` for numbers.
        edges: bin edges of numbers, increasing, shape (bins + 1,); ``None`` for categories.
        missing: whether the last code stands for missing values.
    """

    name: Any
    categories: tuple[Any, ...] | None
    edges: NDArray[np.float64] | None
    missing: bool = False

    @property
    def ordered(self) -> bool:
        """Return whether codes are bins of numbers."""
        return self.edges is not None

    @property
    def size(self) -> int:
        """Return the number of codes."""
        own = len(self.categories) if self.categories is not None else len(self.edges) - 1  # type: ignore[arg-type]
        return own + self.missing

    def encode(self, values: Any, unknown: str) -> NDArray[np.int64]:
        """Return the code of every value, ``OUTSIDE`` where the domain does not know it and ``unknown`` allows that.

        Raises:
            ValueError: a value outside the public domain, or a missing one, where that is an error.
        """
        gone = missing_values(values)
        if gone.any() and not self.missing:
            self.refuse_missing()
        codes = self._bins(values, gone, unknown) if self.ordered else self._places(values)
        if unknown == "error" and (codes[~gone] == OUTSIDE).any():
            self.refuse_outside()
        codes[gone] = self.size - 1
        return codes

    def refuse_missing(self) -> NoReturn:
        """Say that a value is missing."""
        raise ValueError(
            f"Column {self.name!r} has missing values: pass missing='category', or leave those records out."
        )

    def refuse_outside(self) -> NoReturn:
        """Say that the domain does not know a value."""
        raise ValueError(
            f"Column {self.name!r} has a value outside its public domain: widen the domain, or pass "
            'unknown="ignore" (such records are left out) or, for numbers, unknown="clip".'
        )

    def _bins(self, values: Any, gone: NDArray[np.bool_], unknown: str) -> NDArray[np.int64]:
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"Column {self.name!r} is numeric in domains and holds something else.") from None
        edges = self.edges
        assert edges is not None
        codes = np.searchsorted(edges[1:-1], numbers, side="right").astype(np.int64)
        if unknown != "clip":
            codes[~gone & ((numbers < edges[0]) | (numbers > edges[-1]))] = OUTSIDE
        return codes

    def _places(self, values: Any) -> NDArray[np.int64]:
        assert self.categories is not None
        place = {category: code for code, category in enumerate(self.categories)}
        array = np.asarray(values)
        if array.dtype.kind in "OUST":
            found = map(place.get, array.tolist(), repeat(OUTSIDE))
            return np.fromiter(found, dtype=np.int64, count=array.size)
        kinds, back = np.unique(array, return_inverse=True)
        return np.array([place.get(value, OUTSIDE) for value in kinds.tolist()], dtype=np.int64)[back.ravel()]

    def meaning(self, codes: NDArray[np.intp]) -> str:
        """Return in words what a non-empty set of codes stands for."""
        own = self.size - self.missing
        lost = " or missing" if self.missing and codes[-1] == own else ""
        inner = codes[codes < own]
        if not inner.size:
            return "is missing"
        if self.ordered:
            assert self.edges is not None
            low, high = self.edges[inner[0]], self.edges[inner[-1] + 1]
            first, last = inner[0] == 0, inner[-1] == own - 1
            if first and last:
                return "is any number" + lost
            return (f"< {high:g}" if first else f">= {low:g}" if last else f"in [{low:g}, {high:g})") + lost
        names = [str(self.categories[code]) for code in inner.tolist()]  # type: ignore[index]
        others = [str(each) for code, each in enumerate(self.categories or ()) if code not in set(inner.tolist())]
        if len(others) == 1 and len(names) > 1:
            return f"is not {others[0]}" + lost
        return (f"is {names[0]}" if len(names) == 1 else f"is one of {', '.join(names)}") + lost


def attribute(name: Any, domain: Any, *, bins: int, missing: bool) -> Attribute:
    """Return the attribute of a domain.

    Raises:
        ValueError, TypeError: a domain that is no list of categories, pair of numbers or array of edges.
    """
    if isinstance(domain, np.ndarray) and domain.dtype.kind in "iuf":
        edges = domain.astype(np.float64)
        if edges.ndim != 1 or edges.size < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
            raise ValueError(f"The bin edges of {name!r} must be finite and increasing, at least two.")
        return Attribute(name, None, edges, missing)
    if numeric_range(domain):
        try:
            low, high = map(float, domain)
        except OverflowError:
            low = high = np.inf
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ValueError(f"The domain of {name!r} must be (low, high) with low < high, both finite.")
        return Attribute(name, None, _even_edges(low, high, bins), missing)
    if isinstance(domain, (str, bytes)) or not isinstance(domain, (Sequence, np.ndarray)):
        raise TypeError(f"The domain of {name!r} must be a list of categories, (low, high), or an array of bin edges.")
    categories = tuple(value.item() if isinstance(value, np.generic) else value for value in domain)
    if not all(isinstance(value, (str, int, float)) for value in categories):
        raise ValueError(f"The categories of {name!r} must be text, numbers or booleans: turn others into text first.")
    if not categories or len(set(categories)) != len(categories):
        raise ValueError(f"The domain of {name!r} must list each category once, at least one.")
    return Attribute(name, categories, None, missing)


def _even_edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Return the edges of even bins, also where the width of the domain is no float."""
    if np.isfinite(high - low):
        return np.linspace(low, high, bins + 1)
    return 2 * np.linspace(low / 2, high / 2, bins + 1)


def numeric_range(domain: Any) -> bool:
    """Return whether a domain is a pair of numbers, (low, high)."""
    return (
        isinstance(domain, tuple)
        and len(domain) == 2
        and all(isinstance(end, (int, float, np.number)) and not isinstance(end, bool) for end in domain)
    )


def attributes(names: Sequence[Any], domains: Any, *, bins: int, missing: bool) -> tuple[Attribute, ...]:
    """Return the attributes of all columns, from a mapping of domains.

    Raises:
        PrivacyError: no domains, or a column without one.
        TypeError, ValueError: as :func:`attribute`.
    """
    if domains is None:
        raise PrivacyError(
            "Domains are public facts, and the values in the data are private: pass domains=, a mapping from each "
            "column to its list of categories, (low, high), or array of bin edges."
        )
    if not isinstance(domains, Mapping):
        raise TypeError("domains must map each column to its list of categories, (low, high), or array of bin edges.")
    lacking = [name for name in names if name not in domains]
    if lacking:
        raise PrivacyError(
            f"domains lacks {', '.join(map(repr, lacking[:5]))}: pass the public domain of every column."
        )
    return tuple(attribute(name, domains[name], bins=bins, missing=missing) for name in names)


def _is_not_itself(value: Any) -> bool:
    # NaN and NaT differ from themselves; what the comparison of pandas' NA returns is neither true nor false.
    try:
        return bool(value != value)
    except TypeError:
        return True


def missing_values(values: Any) -> NDArray[np.bool_]:
    """Return where None, NaN, NaT or pandas' NA stand, shape (n,)."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype.kind == "O":
        return np.fromiter(
            (value is None or _is_not_itself(value) for value in array.tolist()), dtype=np.bool_, count=array.size
        )
    return np.zeros(array.shape, dtype=bool)

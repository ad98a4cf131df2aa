"""Public domains of columns, and how values become codes.

A domain is a list of categories, a pair (low, high) of numbers cut into even bins, or an array of bin edges. It is
public: a domain read from the data voids the guarantee.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.sources import cell_types, frames
from dpselect.sources.categories import EXACT, Categories
from dpselect.sources.cell_types import LACKING as LACKING
from dpselect.sources.cell_types import OUTSIDE as OUTSIDE

UNKNOWN, MISSING = ("clip", "ignore", "error"), ("ignore", "category", "error")


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
    def is_ordered(self) -> bool:
        """Return whether codes are bins of numbers."""
        return self.edges is not None

    @property
    def size(self) -> int:
        """Return the number of codes."""
        known = len(self.categories) if self.categories is not None else len(self.edges) - 1  # type: ignore[arg-type]
        return known + self.missing

    def encode(self, values: Any, unknown: str) -> NDArray[np.int64]:
        """Return the code of every cell: ``OUTSIDE`` where the domain lacks it, ``LACKING`` where it is missing.

        A cell's code depends on that cell, the domain and the type of the column. With ``unknown="clip"`` a number
        beyond the domain takes the nearest bin; otherwise it is outside.

        Raises:
            ValueError: a column of a type that no domain lists, such as dates.
        """
        values = frames.column(values)
        kind = values.dtype.kind
        if kind not in cell_types.READABLE:
            raise InputError(
                f"Column {self.name!r} is {values.dtype} in the table, which no domain lists: cast it to text."
            )
        if self.categories is None:
            codes = self._bins(values, unknown)
        else:
            if kind == "f":
                self.require_exact(f"is {values.dtype} in the table", floats=True)
            codes = cell_types.places(values, Categories.of(self.categories))
        if self.missing:
            codes[codes == LACKING] = self.size - 1
        return codes

    def require_exact(self, why: str, *, floats: bool = False) -> None:
        """Refuse categories that a column of floats cannot tell apart: integers beyond 2^53.

        Args:
            why: what the column is, for the message; a public fact.
            floats: whether the column is declared as floats, so that categories that are floats are safe.
        """
        for category in self.categories or ():
            exact = isinstance(category, str) or (isinstance(category, float) and (floats or np.isinf(category)))
            if not exact and abs(category) >= EXACT:
                raise InputError(
                    f"Column {self.name!r} {why}, where integers beyond 2^53 may have been rounded, and its domain "
                    "lists such integers: cast the column to text, or to integers that may be missing (Int64)."
                )

    def warn_of_text(self) -> None:
        """Tell that a column of text holds none of the categories, where all of them are numbers."""
        if self.categories and not any(isinstance(each, str) for each in self.categories):
            words = (
                f"Column {self.name!r} is declared as text and its public domain lists numbers, so no cell is in it: "
                "list texts, or cast the column."
            )
            warnings.warn(words, UserWarning, stacklevel=2)

    def require(self, codes: NDArray[np.int64], unknown: str, missing: str) -> None:
        """Refuse what the curator asked to have refused.

        Raises:
            ValueError: a value outside the domain where ``unknown="error"``, a missing one where ``missing="error"``.
        """
        if missing == "error" and (codes == LACKING).any():
            self.refuse_missing()
        if unknown == "error" and (codes == OUTSIDE).any():
            self.refuse_outside()

    def refuse_missing(self) -> NoReturn:
        """Say that a value is missing."""
        raise InputError(
            Advice(
                'Column {column} has missing values and {missing="error"}: pass {missing="category"}, or '
                '{missing="ignore"} to leave such records out.',
                column=repr(self.name),
            )
        )

    def refuse_outside(self) -> NoReturn:
        """Say that the domain does not know a value."""
        raise InputError(
            Advice(
                'Column {column} has a value outside its public domain and {unknown="error"}: widen the domain, or '
                'pass {unknown="ignore"} (such records are left out) or {unknown="clip"} (numbers move to the nearest '
                "bin).",
                column=repr(self.name),
            )
        )

    def _bins(self, values: NDArray[Any], unknown: str) -> NDArray[np.int64]:
        edges = self.edges
        assert edges is not None
        numbers, unreadable = cell_types.numbers(values)
        codes = np.searchsorted(edges[1:-1], numbers, side="right").astype(np.int64)
        if unknown != "clip":
            codes[(numbers < edges[0]) | (numbers > edges[-1])] = OUTSIDE
        codes[np.isnan(numbers)] = LACKING
        if unreadable is not None:
            codes[unreadable] = OUTSIDE
        return codes

    def meaning(self, codes: NDArray[np.intp]) -> str:
        """Return in words what a non-empty set of codes stands for."""
        known = self.size - self.missing
        lost = " or missing" if self.missing and codes[-1] == known else ""
        inner = codes[codes < known]
        if not inner.size:
            return "is missing"
        if self.is_ordered:
            assert self.edges is not None
            low, high = self.edges[inner[0]], self.edges[inner[-1] + 1]
            first, last = inner[0] == 0, inner[-1] == known - 1
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
        ValueError, TypeError: a domain that is not a list of categories, pair of numbers or array of edges.
    """
    if isinstance(domain, np.ndarray) and domain.dtype.kind in "iuf":
        edges = domain.astype(np.float64)
        if edges.ndim != 1 or edges.size < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
            raise InputError(f"The bin edges of {name!r} must be finite and increasing, at least two.")
        return Attribute(name, None, edges, missing)
    if numeric_range(domain):
        try:
            low, high = map(float, domain)
        except OverflowError:
            low = high = np.inf
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise InputError(f"The domain of {name!r} must be (low, high) with low < high, both finite.")
        return Attribute(name, None, _even_edges(low, high, bins), missing)
    if isinstance(domain, (str, bytes)) or not isinstance(domain, (Sequence, np.ndarray)):
        raise InputTypeError(
            f"The domain of {name!r} must be a list of categories, (low, high), or an array of bin edges."
        )
    categories = tuple(value.item() if isinstance(value, np.generic) else value for value in domain)
    if not all(isinstance(value, (str, int, float)) for value in categories):
        raise InputError(f"The categories of {name!r} must be text, numbers or booleans: turn others into text first.")
    if any(value != value for value in categories):
        raise InputError(
            Advice('The domain of {name} lists NaN: drop it there, and pass {missing="category"}.', name=repr(name))
        )
    if not categories or len(set(categories)) != len(categories):
        raise InputError(f"The domain of {name!r} must list each category once, at least one.")
    try:
        Categories.of(categories)
    except ValueError as error:
        raise InputError(f"The domain of {name!r}: {error}") from None
    return Attribute(name, categories, None, missing)


def _even_edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Return the edges of even bins, also where the width of the domain is not a float."""
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
        raise InputTypeError(
            "domains must map each column to its list of categories, (low, high), or array of bin edges."
        )
    _require_every(names, domains)
    for name in names:
        if names_two_ends(domains[name]):
            low, high = domains[name]
            raise InputError(
                f"The domain of {name!r} lists two numbers, which are two categories: pass ({low}, {high}) in round "
                f"brackets for all numbers between, or [{high}, {low}] for these two alone."
            )
    return tuple(attribute(name, domains[name], bins=bins, missing=missing) for name in names)


def _require_every(names: Sequence[Any], domains: Mapping[Any, Any]) -> None:
    """Refuse a column without a domain (``PrivacyError``): names of columns and of domains are public."""
    lacking = [name for name in names if name not in domains]
    if not lacking:
        return
    advice = "pass the public domain of every column, or leave the column out of the table"
    if all(isinstance(name, int) for name in names) and not any(isinstance(name, int) for name in domains):
        advice = (
            "the columns of an array have numbers for names, so pass a frame (after set_output(transform='pandas') a "
            "scikit-learn transformer returns one), or call the domains 0, 1, ..."
        )
    else:
        spare = {str(name): name for name in domains if name not in names}
        near = get_close_matches(str(lacking[0]), spare, 1)
        if near:
            advice = f"it has {spare[near[0]]!r}, did you mean {lacking[0]!r}? {advice.capitalize()}"
    raise PrivacyError(f"domains lacks {', '.join(map(repr, lacking[:5]))}: {advice}.")


def names_two_ends(domain: Any) -> bool:
    """Return whether a list of categories reads like the ends of a range: two numbers with room between them.

    >>> names_two_ends([18, 90]), names_two_ends([0, 1]), names_two_ends([90, 18])
    (True, False, False)
    """
    return isinstance(domain, list) and numeric_range(tuple(domain)) and bool(domain[0] + 1 < domain[1])

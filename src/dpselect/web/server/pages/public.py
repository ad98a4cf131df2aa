"""The public facts of a dataset, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.queries.columns import grid_bounds

# Public values that are listed.
_MOST = 60


def columns(dataset: Dataset) -> list[tuple[str, str, str]]:
    """Return each column with its kind and its domain."""
    return [(name, *_domain(domain)) for name, domain in dataset.columns.items()]


def nodes(dataset: Dataset) -> str:
    """Return the nodes of a graph; nothing of a table."""
    known = dataset.nodes
    return "" if known is None else str(known) if isinstance(known, int) else f"{len(known)}: {_some(known)}"


def _domain(domain: Any) -> tuple[str, str]:
    if isinstance(domain, DateDomain):
        return "dates", f"{domain.lower} to {domain.upper} in steps of a {domain.step}"
    if isinstance(domain, NumericDomain):
        return "numbers", "{lower} to {upper} in steps of {step}".format(**grid_bounds(domain))
    return "values", _some(domain)


def _some(values: Sequence[Any]) -> str:
    listed = ", ".join(map(str, values[:_MOST]))
    return listed if len(values) <= _MOST else f"{listed}, and {len(values) - _MOST} more"

"""Popularity: how many different persons have an item, whatever else they have.

Neighbours: person. Ceiling: 1. Reach: 0. Range bound 1: one person more raises the items that they have, by 1 each, and
lowers none. So a person may have any number of items, and rows: the count of *events* would have no bound.

References: Durfee and Rogers 2019, section 2, who count the same way.
"""

from __future__ import annotations

from typing import Any

from dpselect.scores.scores import Scores
from dpselect.sources.public_names import PublicNames
from dpselect.views import Events


def popularity(events: Any, *, person: Any, item: Any, domain: Any) -> Scores:
    """Return how many different persons have each item of a public list, as exact integers, shape (m,).

    Args:
        events: one row per event: a pandas, polars or arrow table, a mapping of columns, an array, or the path of a
            file, or a :class:`dpselect.TableFile` with what is declared of it. Rows without a person, or with an item
            outside of the list, are left out.
        person, item: columns.
        domain: the public items: a list of text or numbers, or a range.

    Raises:
        TypeError, ValueError: not a table or a list; a column is missing, or of a type that no list names.

    >>> rows = {"user": ["ann", "ann", "bob", "bob", None], "item": ["tea", "tea", "tea", "milk", "milk"]}
    >>> popularity(rows, person="user", item="item", domain=["milk", "tea", "soy"]).values
    array([1, 2, 0])
    """
    names = PublicNames.of(domain, "domain")
    counted = Events.read(events, person, item, names)
    return Scores(
        counted.counts(),
        sensitivity=1,
        candidates=names.names,
        neighbours="person",
        range_bound=1,
        metadata=counted.metadata,
        zero="worst",
    )

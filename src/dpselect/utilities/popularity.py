"""Popularity: the number of different persons who have an item, or of records that hold it.

Neighbours: person. Ceiling: 1. Reach: 0. Range bound 1: one person more raises the items that they have, by 1 each, and
lowers none. So a person may have any number of items, and rows: the count of *events* would have no bound.
Without a column of persons every row is one record, neighbours are add-remove, and one record raises one count by 1.

References: Durfee and Rogers 2019, section 2, who count the same way.
"""

from __future__ import annotations

from typing import Any

from dpselect.scores.scores import Scores
from dpselect.sources.public_names import PublicNames
from dpselect.views import Events
from dpselect.views.table_counts import is_stored, item_counts


def popularity(events: Any, *, person: Any = None, item: Any, domain: Any) -> Scores:
    """Return how many different persons, or records, have each item of a public list, as exact integers, shape (m,).

    Args:
        events: one row per event: a pandas, polars or arrow table, a mapping of columns, an array, or the path of a
            file, a :class:`dpselect.data.TableFile` with what is declared of it, or a table in its engine. Rows without
            a person, or with an item outside of the list, are left out.
        person: a column; without it every row is one record, and records are counted.
        item: a column.
        domain: the public items: a list of text or numbers, or a range.

    Raises:
        TypeError, ValueError: not a table or a list; a column is missing, or of a type that no list names.

    >>> rows = {"user": ["ann", "ann", "bob", "bob", None], "item": ["tea", "tea", "tea", "milk", "milk"]}
    >>> popularity(rows, person="user", item="item", domain=["milk", "tea", "soy"]).values
    array([1, 2, 0])
    >>> popularity(rows, item="item", domain=["milk", "tea", "soy"]).values
    array([2, 3, 0])
    """
    names = PublicNames.of(domain, "domain")
    if person is None or is_stored(events):
        (counts,), metadata = item_counts(events, item, names, person=person)
    else:
        counted = Events.read(events, person, item, names)
        counts, metadata = counted.counts(), {**counted.metadata}
    return Scores(
        counts,
        sensitivity=1,
        candidates=names.names,
        neighbours="add-remove" if person is None else "person",
        range_bound=1,
        metadata=metadata,
        zero="worst",
    )

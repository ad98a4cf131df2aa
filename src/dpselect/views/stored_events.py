"""Events that stay in their engine: different persons are counted there, and only counts leave it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpselect.sources import codes
from dpselect.sources.candidates import Candidates
from dpselect.sources.warehouse import Warehouse


def stored_popularity(source: Any, person: str, item: str, domain: Any) -> Candidates:
    """Return the items of a table in its engine, scored by how many different persons have each.

    Args:
        source: a Warehouse, or whatever :meth:`Warehouse.open` takes.
        person, item: columns.
        domain: the public items, as for :class:`dpselect.Candidates`, but ``"rows"``.

    Raises:
        TypeError, ValueError: a column is missing; the domain and the items are not both integers, or both text.
    """
    if isinstance(domain, str):
        raise ValueError("An item without a row is an item too: pass domain= as a range, a list or a table.")
    place = Warehouse.open(source)
    try:
        place.require([person, item])
        table, name = place.table, place.table[item]
        if place.is_csv and not _is_text(domain):
            # Csv files are text, and a name that spells no integer is none of these.
            name = name.try_cast("int64")
        # Rows that name nobody go one by one.
        rows = table.select(person=table[person], item=name).filter(~codes.is_missing(table[person]))
        counted = rows.group_by("item").agg(persons=rows.person.nunique().cast("int64"))
        metadata = {**place.metadata, "person": person, "item": item}
        # The types of csv files are declared by now.
        files = () if place.is_csv else place.files
        counts = replace(place, table=counted, key=None, metadata=metadata, files=files)
        return Candidates(
            counts,
            "item",
            "persons",
            1,
            domain=domain,
            neighbours="person",
            range_bound=1,
            unique="declared",
            zero="worst",
        )
    except BaseException:
        place.close()
        raise


def _is_text(domain: Any) -> bool:
    """Return whether a public list is of text."""
    if isinstance(domain, range):
        return False
    if isinstance(domain, (list, tuple)):
        return bool(domain) and isinstance(domain[0], str)
    return not (hasattr(domain, "dtype") and domain.dtype.kind in "iu")

"""The description of a dataset by the public facts that its server lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.dataset import Dataset, DatasetError


def description_of(facts: Mapping[str, Any]) -> Dataset | None:
    """Return a description without rows; ``None`` where no description says what the facts do.

    Of the server's own description it lacks the place of the rows and the name of the column of persons, neither of
    which is public, and so its digest.

    Args:
        facts: as a server lists them.

    >>> description_of({"columns": {"job": ["nurse", "smith"]}, "rows_per_person": None}).groups("job")
    ('nurse', 'smith')
    >>> description_of({"nodes": 40, "max_degree": 7}).max_degree
    7
    """
    said: dict[str, Any]
    if "columns" in facts:
        said = {"source": "server.csv", "columns": facts["columns"]}
        if facts["rows_per_person"] is not None:
            # No column has this name.
            person = f"_{max(facts['columns'], key=len)}"
            said |= {"person": person, "rows_per_person": facts["rows_per_person"]}
    else:
        said = {"graph": "server.txt", "nodes": facts["nodes"], "max_degree": facts["max_degree"]}
    try:
        return Dataset(**said)
    except DatasetError:
        return None

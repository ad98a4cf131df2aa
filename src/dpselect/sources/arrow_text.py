"""Text in arrow columns that may not be UTF-8, as some writers of parquet files leave it."""

from __future__ import annotations

import importlib
from typing import Any


def readable(values: Any) -> Any:
    """Return a chunked column in which all text can be read: bytes that are not UTF-8 spoil their own cell only.

    They become the sign U+FFFD, as in edge files. Columns that are not text are returned as they are.
    """
    arrow = importlib.import_module("pyarrow")
    types, kind = arrow.types, values.type
    value_kind = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(value_kind) or types.is_large_string(value_kind)):
        return values
    try:
        values.validate(full=True)
    except arrow.ArrowException:
        raw = values.cast(value_kind).cast(arrow.large_binary()).to_pylist()
        texts = [None if cell is None else cell.decode("utf-8", "replace") for cell in raw]
        return arrow.chunked_array([arrow.array(texts, arrow.large_string())])
    return values

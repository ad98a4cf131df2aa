"""Verbs that ask a server: ``--server URL`` on a verb asks it there, where the data, the bounds and the ledger are.

Such a verb has the name and the answer of the verb that reads a file, and fewer options: a server knows the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpselect.cli.verb import Verb

OPTION = "--server"
# Verb to one line on its page of help.
SERVED = {
    "median": "Ask a server for the median of a column.",
    "percentile": "Ask a server for a percentile of a column.",
    "quantiles": "Ask a server for several percentiles of a column under one budget.",
    "counts": "Ask a server how many rows each value or bin of a column holds.",
    "most-common": "Ask a server for the items that most different persons, or most rows, have.",
    "select": "Ask a server for the best values of a column, by counts or totals.",
    "top-k": "Ask a server for the k most influential nodes of a graph.",
    "train": "Ask a server for a private tree, forest or sum of small tables.",
    "datasets": "List the datasets that you may ask a server about, with what is left of them.",
}


def asked(words: Sequence[str]) -> bool:
    """Return whether these words, after a verb, ask a server."""
    return any(word == OPTION or word.startswith(f"{OPTION}=") for word in words)


def verb(name: str) -> Verb:
    """Return the verb of this name that asks a server; its file is imported here."""
    found: Verb = import_module(f"dpselect.cli.served.{name.replace('-', '_')}").VERB
    return found

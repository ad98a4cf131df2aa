"""The opening lines of the Python of a page, so that it runs as it is beside the files that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from dpselect.cli.key_options import name_of
from dpselect.dataset.fields import DatasetFields
from dpselect.web.explorer.shell_words import quote_word


def opening(ledger: str, *statements: str, paths: bool = False) -> str:
    """Return imports, the ledger, and what else is defined.

    Args:
        ledger: the name of its file.
        statements: each a line or more.
        paths: whether they name a ``Path``.

    >>> print(opening("people.ledger", 'choices = ["tea", "milk"]'))
    import dpselect as dps
    <BLANKLINE>
    ledger = dps.Ledger.read("people.ledger")
    choices = ["tea", "milk"]
    <BLANKLINE>
    """
    first = "from pathlib import Path\n\n" if paths else ""
    lines = [f'ledger = dps.Ledger.read("{ledger}")', *statements]
    return f"{first}import dpselect as dps\n\n" + "\n".join(lines) + "\n"


def options(reading: Mapping[str, Any]) -> str:
    """Return how a command reads its file, as the file of the page was read.

    >>> options({"separator": ";", "decimal": ","})
    " --separator=';' --decimal=,"
    >>> options({"source": "from"})
    ' --ends from target'
    >>> options({"missing": ("NA", "-99"), "line_breaks": True})
    ' --missing-text=NA --missing-text=-99 --line-breaks'
    """
    said: dict[str, Any] = {name: value for name, value in reading.items() if name not in ("source", "target")}
    ends = "" if len(said) == len(reading) else f" --ends {' '.join(map(quote_word, _ends(reading)))}"
    return ends + "".join(f" {_option(name, value)}" for name, value in said.items())


def _option(key: str, value: Any) -> str:
    """Return the option of a command that says what a key of a description says."""
    name = name_of({each.name: each for each in fields(DatasetFields)}[key]).replace("_", "-")
    if value is True:
        return f"--{name}"
    each = value if isinstance(value, tuple) else (value,)
    return " ".join(f"--{name}={quote_word(str(one))}" for one in each)


def keywords(reading: Mapping[str, Any]) -> str:
    """Return the same as Python writes it.

    >>> keywords({"separator": ";"})
    ", separator=';'"
    >>> keywords({"source": "from"})
    ", ends=('from', 'target')"
    """
    said: dict[str, object] = {name: value for name, value in reading.items() if name not in ("source", "target")}
    if len(said) < len(reading):
        said = {"ends": _ends(reading), **said}
    return "".join(f", {name}={value!r}" for name, value in said.items())


def _ends(reading: Mapping[str, Any]) -> tuple[str, str]:
    """Return the columns of the two ends of an edge."""
    return reading.get("source", "source"), reading.get("target", "target")

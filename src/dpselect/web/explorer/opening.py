"""The opening lines of the Python of a page, so that it runs as it is beside the files that it names."""

from __future__ import annotations

from collections.abc import Mapping

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


def options(reading: Mapping[str, str]) -> str:
    """Return how a command reads its file, as the file of the page was read.

    >>> options({"separator": ";", "decimal": ","})
    " --separator=';' --decimal=,"
    >>> options({"source": "from"})
    ' --ends from target'
    """
    said = {name: value for name, value in reading.items() if name not in ("source", "target")}
    ends = "" if len(said) == len(reading) else f" --ends {' '.join(map(quote_word, _ends(reading)))}"
    return ends + "".join(f" --{name}={quote_word(value)}" for name, value in said.items())


def keywords(reading: Mapping[str, str]) -> str:
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


def _ends(reading: Mapping[str, str]) -> tuple[str, str]:
    """Return the columns of the two ends of an edge."""
    return reading.get("source", "source"), reading.get("target", "target")

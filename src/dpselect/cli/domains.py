"""Files of public domains: which values each column may have, and what becomes of cells that are outside."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.cli import reading
from dpselect.cli.options import MISSING, one_of, option
from dpselect.cli.options import READING as PANEL
from dpselect.cli.request import Request
from dpselect.sources.absent import no_column, what_there_is

READING = (
    *reading.OPTIONS,
    reading.missing(
        "missing values: leave the row out (drop, the default), give them a code of their own, or refuse the table",
        *MISSING,
    ),
    option(
        "--unknown",
        default="clip",
        type=one_of(["clip", "ignore", "error"]),
        metavar="clip|ignore|error",
        panel=PANEL,
        help="values outside their domain: clip numbers and leave out rows with other categories (default), leave out "
        "both, or refuse the table",
    ),
)


def read(path: str) -> dict[str, Any]:
    """Return the domains of a TOML file.

    Raises:
        FileNotFoundError, ValueError: no such file, no TOML, or a domain that is neither list, range nor edges.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        # The file is public, and the reader says in which line and column it stopped.
        where = re.search(r"\(at (.+)\)$", str(error))
        raise ValueError(
            f"{path} is not a TOML file of domains{f' ({where[1]})' if where else ''}: write name = [...] or "
            "name = {low = ..., high = ...}."
        ) from None
    except (UnicodeDecodeError, RecursionError):
        raise ValueError(
            f"{path} is not a TOML file of domains: write name = [...] or name = {{low = ..., high = ...}}."
        ) from None
    table = content.get("domains")
    domains: dict[str, Any] = {}
    for name, domain in (table if isinstance(table, dict) else content).items():
        if isinstance(domain, list):
            if not all(isinstance(each, (str, int, float)) for each in domain):
                raise ValueError(
                    f"The domain of {name!r} in {path} lists more than text, numbers and truth values: quote dates."
                )
            _require_categories(name, domain)
            domains[name] = domain
        elif isinstance(domain, dict) and set(domain) == {"edges"}:
            domains[name] = _edges(path, name, domain["edges"])
        elif isinstance(domain, dict) and domain:
            domains[name] = _range(path, name, domain)
        else:
            raise ValueError(
                f"The domain of {name!r} in {path} must be a list, {{low, high}} or {{edges}}: see dpselect train "
                "--help."
            )
    return domains


def _require_categories(name: str, domain: list[Any]) -> None:
    """Refuse two numbers that read like the ends of a range (``ValueError``)."""
    from dpselect.learn.domains import names_two_ends

    if names_two_ends(domain):
        low, high = domain
        raise ValueError(
            f"The domain of {name!r} lists two numbers, which are two categories: for all numbers between write {name} "
            f"= {{low = {low}, high = {high}}}, or for these two alone {name} = [{high}, {low}]."
        )


def _range(path: str, name: str, domain: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the ends of a range of numbers, or say what is wrong with which key (``ValueError``)."""
    where, form = f"The domain of {name!r} in {path}", f"write {name} = {{low = 0, high = 99}} with your own ends"
    stray = next((key for key in domain if key not in ("low", "high")), None)
    if stray is not None:
        raise ValueError(f"{where} has a key {stray!r}, and takes low and high, or edges alone: {form}.")
    for key in ("low", "high"):
        if key not in domain:
            raise ValueError(f"{where} lacks {key!r}: {form}.")
        end = domain[key]
        if isinstance(end, bool) or not isinstance(end, (int, float)) or not -math.inf < end < math.inf:
            raise ValueError(f"{where} has a {key!r} that is not a finite number: {form}.")
    if domain["low"] >= domain["high"]:
        raise ValueError(f"{where} must have low < high: {form}.")
    return domain["low"], domain["high"]


def _edges(path: str, name: str, edges: Any) -> Any:
    import numpy as np

    if not isinstance(edges, list) or not all(isinstance(each, (int, float)) for each in edges):
        raise ValueError(
            f"The edges of {name!r} in {path} must be a list of numbers, such as {{edges = [0, 18, 65, 120]}}."
        )
    return np.array(edges, dtype=float)


def require_target(request: Request, domains: dict[str, Any]) -> None:
    """Refuse domains without the classes of the target, or the bounds of a number.

    Raises:
        PrivacyError, ValueError: there are none; fewer than two classes.
    """
    if request.target not in domains:
        raise dps.PrivacyError(
            f"{request.domains} lacks {request.target!r}: list the public classes of the target there, or its bounds."
        )
    domain = domains[request.target]
    if not is_number(domain) and (not isinstance(domain, list) or len(domain) < 2):
        raise ValueError(
            f"The target needs a list of at least two classes, or the bounds of a number: write {request.target} = "
            f"[...] or {request.target} = {{low = ..., high = ...}} in {request.domains}."
        )


def is_number(domain: Any) -> bool:
    """Return whether a domain is that of a number, which a regressor predicts."""
    return isinstance(domain, tuple)


def require_columns(request: Request, domains: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Refuse a domain for a column that the table does not have, before anything is spent.

    A typing error would cost a column, and the budget with it.

    Raises:
        ValueError: which one; or there is none but that of the target; or no column tells persons apart.
    """
    there = [*columns]
    person = request.get("person")
    if person is not None and person not in there:
        raise no_column(person, there, request.file)
    stray = next((name for name in domains if name not in there), None)
    if stray is not None:
        raise ValueError(
            f"{request.domains} has a domain for {stray!r}, and the table has no such column: "
            f"{what_there_is(there, request.file, stray)}. Correct the name, or delete its line."
        )
    if {*domains} <= {request.target, person}:
        raise ValueError(f"{request.domains} has no domain but that of the target: add the columns to learn from.")

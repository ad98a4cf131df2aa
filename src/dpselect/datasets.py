"""Research datasets in the folder that ``DPSELECT_DATA`` names; nothing is downloaded."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from dpselect.views import Graph


def folder() -> Path:
    """Return the folder of datasets.

    Raises:
        FileNotFoundError: ``DPSELECT_DATA`` is not set, or its folder has no ``manifest.toml``.
    """
    named = os.environ.get("DPSELECT_DATA")
    if not named:
        raise FileNotFoundError("Set DPSELECT_DATA to the folder that holds manifest.toml and the datasets.")
    if not (Path(named) / "manifest.toml").exists():
        raise FileNotFoundError(f"DPSELECT_DATA names {named}, which has no manifest.toml.")
    return Path(named)


def graph(name: str) -> Graph:
    """Return a graph of the folder, over all its nodes.

    Raises:
        FileNotFoundError: as :func:`folder`.
        ValueError: no graph of that name; the message lists them.
    """
    entry = _entry(name, "graph")
    return Graph.read(folder() / entry["file"], nodes=entry["n_nodes"])


def _entry(name: str, kind: str) -> dict[str, Any]:
    every = tomllib.loads((folder() / "manifest.toml").read_text(encoding="utf-8"))["datasets"]
    known = [key for key, value in every.items() if value["kind"] == kind]
    if name not in known:
        raise ValueError(f"There is no {kind} {name!r} in the folder: it holds {', '.join(known)}.")
    entry: dict[str, Any] = every[name]
    return entry

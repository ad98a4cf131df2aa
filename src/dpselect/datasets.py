"""Research datasets in the folder that ``DPSELECT_DATA`` names; nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dpselect.views import Graph


class WrongFile(ValueError):
    """A file that is not the one the manifest describes."""


def folder() -> Path:
    """Return the folder of datasets.

    Raises:
        FileNotFoundError: ``DPSELECT_DATA`` is not set, or its folder has no ``manifest.toml`` that can be read.
    """
    named = os.environ.get("DPSELECT_DATA")
    if not named:
        raise FileNotFoundError("Set DPSELECT_DATA to the folder that holds manifest.toml and the datasets.")
    if not (Path(named) / "manifest.toml").exists():
        raise FileNotFoundError(f"DPSELECT_DATA names {named}, which has no manifest.toml.")
    _manifest(Path(named))
    return Path(named)


def graph(name: str) -> Graph:
    """Return a graph of the folder, over all its nodes.

    Raises:
        FileNotFoundError: as :func:`folder`.
        ValueError: no graph of that name (the message lists them), or its file is not the manifest's.
    """
    entry = _entry(name, "graph")
    if "n_nodes" not in entry:
        raise ValueError(f"{folder() / 'manifest.toml'} gives no n_nodes for {name}: add the number of its nodes.")
    return Graph.read(checked(name), nodes=entry["n_nodes"])


def checked(name: str) -> Path:
    """Return the file of a dataset, after its content was held against the manifest's sha256, where that gives one.

    Raises:
        FileNotFoundError: as :func:`folder`, or the file is missing.
        WrongFile: the content is another.
    """
    path = folder() / str(_manifest(folder())[name]["file"])
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        digest = _digest(path)
    except OSError as error:
        raise WrongFile(f"{path} cannot be read ({error.strerror}): put a file there that can.") from None
    if sha256(name) != digest:
        raise WrongFile(
            f"{path} is not the file that manifest.toml describes: put the right file there, or, if the change is "
            f'meant, write sha256 = "{digest}" into the manifest.'
        )
    return path


def sha256(name: str) -> str:
    """Return the sha256 of a dataset's file: the manifest's, or the file's own where the manifest gives none."""
    entry = _manifest(folder())[name]
    return str(entry["sha256"]).lower() if "sha256" in entry else _digest(folder() / entry["file"])


def undescribed(names: Iterable[str]) -> list[Path]:
    """Return the files among those of some datasets for which the manifest gives no sha256."""
    entries = [_manifest(folder())[name] for name in names]
    return [folder() / entry["file"] for entry in entries if "sha256" not in entry]


def _entry(name: str, kind: str) -> dict[str, Any]:
    every = _manifest(folder())
    known = [key for key, value in every.items() if value.get("kind") == kind]
    if name not in known:
        raise ValueError(f"There is no {kind} {name!r} in the folder: it holds {', '.join(known)}.")
    return every[name]


def _manifest(place: Path) -> dict[str, dict[str, Any]]:
    path = place / "manifest.toml"
    # Whoever can do without data catches FileNotFoundError: a manifest that cannot be read counts as none.
    try:
        return _parsed(path, path.read_bytes())
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise _broken(path, error.strerror) from None


@lru_cache(maxsize=4)
def _parsed(path: Path, content: bytes) -> dict[str, dict[str, Any]]:
    try:
        every = tomllib.loads(content.decode()).get("datasets")
    except ValueError as error:
        raise _broken(path, error) from None
    if not isinstance(every, dict):
        raise FileNotFoundError(f"{path} has no [datasets]: mend it, or let DPSELECT_DATA name another folder.")
    for name, entry in every.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            raise FileNotFoundError(f"{path} gives no file for {name}: add it, or take the dataset out.")
    return every


def _broken(path: Path, why: object) -> FileNotFoundError:
    return FileNotFoundError(f"{path} cannot be read ({why}): mend it, or let DPSELECT_DATA name another folder.")


def _digest(path: Path) -> str:
    facts = path.stat()
    return _content(path, facts.st_size, facts.st_mtime_ns)


@cache
def _content(path: Path, *_: int) -> str:
    # Once a process and file: a run asks before every cell.
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

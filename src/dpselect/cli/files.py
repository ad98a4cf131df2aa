"""Files that a command writes: refused where they cannot be written, before anything is spent."""

from __future__ import annotations

import argparse
import os
from itertools import combinations
from pathlib import Path


def require_apart(given: argparse.Namespace, *options: str) -> None:
    """Refuse one file for two purposes, under whatever names: the second would overwrite the first."""
    named = {option: Path(path) for option in options if (path := getattr(given, option, None)) is not None}
    for (one, first), (other, second) in combinations(named.items(), 2):
        if first.resolve() == second.resolve() or (first.exists() and second.exists() and first.samefile(second)):
            shown = "The table" if one == "file" else f"--{one}"
            raise ValueError(f"{shown} and --{other} are the same file, {second}: name two.")


def writable(path: str, option: str) -> None:
    """Refuse a file that cannot be written.

    Raises:
        OSError: its folder is missing, or it is a folder or protected.
    """
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{option}: there is no folder {folder}.")
    if Path(path).is_dir() or not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise PermissionError(f"{option}: {path} cannot be written.")

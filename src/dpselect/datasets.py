"""Research datasets: those of the repository's folder ``data``, and of the folder that ``DPSELECT_DATA`` adds.

Nothing is downloaded. The repository's folder is found in the source tree that runs, or below the current folder; its
manifest says which datasets come with it, which do not, and which the library makes by itself. Where both folders have
a dataset of one name, the one of ``DPSELECT_DATA`` is read, unless its file is missing there.

Limits: Terms of research data are recorded as their publishers list them, and were not verified again. They concern
only ``data/``, which releases never read.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import DPSelectError, InputError, MissingFileError
from dpselect.views import Graph

WHERE = (
    "Research data are missing here: work in a clone of dpselect, which has some in its folder data, or set "
    "DPSELECT_DATA to a folder with manifest.toml and the files that it names."
)
_MARK = b'repository = "dpselect"'


class FileContentError(DPSelectError, ValueError):
    """A file that is not the one the manifest describes."""


@dataclass(frozen=True)
class ResearchDataset:
    """A dataset that a manifest describes.

    Attributes:
        facts: what the manifest says of it.
        folder: the folder of that manifest.
        section: where in the manifest: ``datasets`` have a file in the folder, ``missing`` and ``simulated`` have none.
    """

    name: str
    facts: Mapping[str, Any]
    folder: Path
    section: str = "datasets"

    @property
    def path(self) -> Path:
        """The file, whether it is there or not."""
        return self.folder / str(self.facts["file"])

    @property
    def here(self) -> bool:
        """Return whether the file is there."""
        return self.section == "datasets" and self.path.is_file()


def repository() -> Path | None:
    """Return the folder of the datasets that come with the source of dpselect; ``None`` where it is not at hand."""
    for root in (Path(__file__).parents[2], Path()):
        try:
            folder = root.absolute() / "data"
            # Any project may have a folder of this name: ours has a mark.
            if _MARK in (folder / "manifest.toml").read_bytes().splitlines():
                return folder
        except OSError:
            continue
    return None


def folders() -> tuple[Path, ...]:
    """Return the folders of datasets, the one that is asked first before the other.

    Raises:
        FileNotFoundError: there is none, or one has no ``manifest.toml`` that can be read.
    """
    result = []
    if named := os.environ.get("DPSELECT_DATA"):
        result.append(Path(named))
        if not (result[0] / "manifest.toml").exists():
            raise MissingFileError(f"DPSELECT_DATA names {named}, which has no manifest.toml.")
    ours = repository()
    if ours is not None and not any(folder.samefile(ours) for folder in result):
        result.append(ours)
    if not result:
        raise MissingFileError(WHERE)
    for folder in result:
        _manifest(folder)
    return tuple(result)


def every() -> dict[str, ResearchDataset]:
    """Return every dataset of the folders by name, whether its file is there or not.

    Raises:
        FileNotFoundError: as :func:`folders`.
    """
    result: dict[str, ResearchDataset] = {}
    for folder in folders():
        for name, facts in _manifest(folder)["datasets"].items():
            dataset = ResearchDataset(name, facts, folder)
            if name not in result or (dataset.here and not result[name].here):
                result[name] = dataset
    return result


def elsewhere(section: str = "missing") -> dict[str, ResearchDataset]:
    """Return what the manifests name and no folder has: ``missing`` datasets, or ``simulated`` ones.

    Raises:
        FileNotFoundError: as :func:`folders`.
    """
    known = every()
    result: dict[str, ResearchDataset] = {}
    for folder in folders():
        for name, facts in _manifest(folder).get(section, {}).items():
            if name not in known:
                result.setdefault(name, ResearchDataset(name, facts, folder, section))
    return result


def describe_folder(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return what the manifest of one folder says of each dataset that it names, shipped or not.

    Raises:
        FileNotFoundError: the manifest cannot be read.
    """
    manifest = _manifest(folder)
    return {**manifest.get("missing", {}), **manifest["datasets"]}


def facts_shipped() -> dict[str, ResearchDataset]:
    """Return every dataset that the repository's manifest names, from the copy of it in the package: there is no file.

    What comes with a clone is ``missing`` here too, and ``get`` says where it is.
    """
    folder = Path(__file__).parent
    manifest = _manifest(folder)
    cloned = {"get": "Clone the source of dpselect: this comes with it, in the folder data."}
    result = {
        name: ResearchDataset(name, {**cloned, **facts}, folder, "missing")
        for name, facts in manifest["datasets"].items()
    }
    for section in ("missing", "simulated"):
        result |= {name: ResearchDataset(name, facts, folder, section) for name, facts in manifest[section].items()}
    return result


def disagreements() -> list[str]:
    """Return a sentence for each dataset of which two folders have different files under one name.

    Raises:
        FileNotFoundError: as :func:`folders`.
    """
    chosen = every()
    result = []
    for folder in folders():
        for name, facts in _manifest(folder)["datasets"].items():
            other, ours = ResearchDataset(name, facts, folder), chosen[name]
            if other.here and other.folder != ours.folder and _sha256(other) != _sha256(ours):
                result.append(f"{name} is read from {ours.path}, which is another file than {other.path}.")
    return result


def graph(name: str) -> Graph:
    """Return a graph of the folders, over all its nodes.

    Raises:
        FileNotFoundError: as :func:`folders`, or the file is missing.
        ValueError: no graph of that name (the message lists them), or its file is not the manifest's.
    """
    known = [key for key, dataset in every().items() if dataset.facts.get("kind") == "graph"]
    if name not in known:
        held = f"hold {', '.join(known)}" if known else "hold none"
        raise InputError(f"The graph {name!r} does not exist in {_folder_list()}: the manifests {held}.")
    dataset = every()[name]
    if "n_nodes" not in dataset.facts:
        raise InputError(
            f"{dataset.folder / 'manifest.toml'} gives no n_nodes for {name}: add the number of its nodes."
        )
    return Graph.read(checked_file(name), nodes=dataset.facts["n_nodes"])


def checked_file(name: str) -> Path:
    """Return the file of a dataset, after its content was compared with the manifest's sha256, where that gives one.

    Raises:
        FileNotFoundError: as :func:`folders`, or the file is missing.
        ValueError: no dataset of that name.
        FileContentError: the content is another.
    """
    dataset = _dataset_named(name)
    if not dataset.here:
        raise MissingFileError(f"The file {dataset.path} does not exist: put it there.")
    try:
        digest = _digest(dataset.path)
    except OSError as error:
        raise FileContentError(
            f"{dataset.path} cannot be read ({error.strerror}): put a file there that can."
        ) from None
    if _sha256(dataset) != digest:
        raise FileContentError(
            f"{dataset.path} is not the file that manifest.toml describes: put the right file there, or, if the change "
            f'is meant, write sha256 = "{digest}" into the manifest.'
        )
    return dataset.path


def sha256(name: str) -> str:
    """Return the sha256 of a dataset's file: the manifest's, or the file's own where the manifest gives none."""
    return _sha256(_dataset_named(name))


def files_without_hash(names: Iterable[str]) -> list[Path]:
    """Return the files among those of some datasets for which the manifest gives no sha256."""
    chosen = [_dataset_named(name) for name in names]
    return [dataset.path for dataset in chosen if "sha256" not in dataset.facts]


def _dataset_named(name: str) -> ResearchDataset:
    known = every()
    if name not in known:
        raise InputError(
            f"The dataset {name!r} does not exist in {_folder_list()}: `python -m research datasets` lists all."
        )
    return known[name]


def _folder_list() -> str:
    return " and ".join(str(folder) for folder in folders())


def _sha256(dataset: ResearchDataset) -> str:
    facts = dataset.facts
    return str(facts["sha256"]).lower() if "sha256" in facts else _digest(dataset.path)


def _manifest(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    path = folder / "manifest.toml"
    # Callers that can do without data catch FileNotFoundError: a manifest that cannot be read counts as none.
    try:
        return _parse_file(path, path.read_bytes())
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise _file_error(path, error.strerror) from None


@lru_cache(maxsize=4)
def _parse_file(path: Path, content: bytes) -> dict[str, dict[str, dict[str, Any]]]:
    try:
        result = tomllib.loads(content.decode())
    except ValueError as error:
        raise _file_error(path, error) from None
    if not isinstance(result.get("datasets"), dict):
        raise MissingFileError(f"{path} has no [datasets]: add the datasets of this folder.")
    for name, facts in result["datasets"].items():
        if not isinstance(facts, dict) or not isinstance(facts.get("file"), str):
            raise MissingFileError(f"{path} does not give a file for {name}: add it, or take the dataset out.")
    for section in ("missing", "simulated"):
        named = result.get(section, {})
        if not isinstance(named, dict) or not all(isinstance(facts, dict) for facts in named.values()):
            raise MissingFileError(f"{path}: [{section}] takes one table per dataset, as [{section}.NAME].")
    return result


def _file_error(path: Path, why: object) -> FileNotFoundError:
    return MissingFileError(f"{path} cannot be read ({why}): correct it.")


def _digest(path: Path) -> str:
    facts = path.stat()
    return _content(path, facts.st_size, facts.st_mtime_ns)


@cache
def _content(path: Path, *_: int) -> str:
    # Once a process and file: a run asks before every cell.
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""dpselect datasets: what research data there are, where they come from, under which terms, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any

from dpselect import datasets
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import argument
from dpselect.cli.request import Request
from dpselect.datasets import ResearchDataset
from dpselect.kernel.errors import InputError

_WIDTH = 80
_SIZES = ("kind", "rows", "columns", "n_nodes", "n_edges", "shape")
_MORE = (
    "Protected: nobody, because these are public research data of the papers that dpselect reproduces. A clone has "
    "some in its folder data; DPSELECT_DATA "
    "adds a folder with a manifest.toml, whose datasets come first. Without either, the list still says where each "
    "dataset comes from and how to get it. Nothing is downloaded."
)
# The numbers by which a file can be known, and what they are called.
_NUMBERS = {
    "rows": "rows",
    "class_counts": "rows of each class",
    "n_nodes": "nodes",
    "n_edges": "edges",
    "max_degree": "largest degree",
    "total": "total",
    "zero_fraction": "share of empty cells",
    "max_count": "largest count",
    "bytes": "bytes",
}
# What a page about one dataset shows, in order: the fact, and what it is called.
_SHOWN = {
    "origin": "from",
    "url": "at",
    "doi": "doi",
    "licence": "licence",
    "terms": "terms",
    "citation": "cite",
    "changes": "changed",
    "made_by": "made by",
    "used_in": "used in",
    "paper_says": "papers say",
    "check": "compared",
    "notes": "notes",
}


def run(request: Request) -> CommandAnswer:
    """Return the list, or all that is known of some datasets."""
    known = _known()
    if request.names:
        wanted = [known[_understood(name, known)] for name in dict.fromkeys(request.names)]
        rows = [_plain(each.facts) | _row(each) for each in wanted]
        return CommandAnswer("\n\n".join(map(_page, wanted)), {"folders": list(map(str, _folders())), "datasets": rows})
    rows = [_row(dataset) for dataset in known.values()]
    disagreements = datasets.disagreements() if _folders() else []
    facts = {"folders": list(map(str, _folders())), "datasets": rows, "disagreements": disagreements}
    return CommandAnswer("\n\n".join([*_parts(known.values()), *(_wrapped(each) for each in disagreements)]), facts)


def _folders() -> tuple[Path, ...]:
    """Return the folders of datasets; none where there is no clone and no variable.

    Raises:
        FileNotFoundError: a folder that the variable names, or the clone, has no manifest that can be read.
    """
    try:
        return datasets.folders()
    except FileNotFoundError as error:
        if str(error) != datasets.WHERE:
            raise
        return ()


def _known() -> dict[str, ResearchDataset]:
    """Return every dataset of any manifest; of a file that ours describes, ours has the word, wherever it stands."""
    shipped, ours = datasets.facts_shipped(), datasets.repository()
    described = {name: each.facts for name, each in shipped.items()} | (datasets.describe_folder(ours) if ours else {})
    known = datasets.every() | datasets.elsewhere() | datasets.elsewhere("simulated") if _folders() else {}
    for name, dataset in known.items():
        facts = described.get(name, {})
        # Terms are those of a file: another one of the same name is not given ours.
        if dataset.section == "missing" or (dataset.here and datasets.sha256(name) == facts.get("sha256")):
            its_file = {key: value for key, value in dataset.facts.items() if key == "file"}
            known[name] = replace(dataset, facts={**dataset.facts, **facts, **its_file})
    return known | {name: each for name, each in shipped.items() if name not in known}


def _understood(name: str, known: Mapping[str, ResearchDataset]) -> str:
    if name in known:
        return name
    near = get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]}?" if near else "`dpselect datasets` lists them."
    raise InputError(f"The dataset {name!r} does not exist: {meant}")


def _state(dataset: ResearchDataset) -> str:
    return "simulated" if dataset.section == "simulated" else "here" if dataset.here else "missing"


def _row(dataset: ResearchDataset) -> dict[str, Any]:
    facts = dataset.facts
    shown = {key: facts.get(key) for key in ("kind", "origin", "url", "licence", "terms", "citation")}
    sizes = {key: _size_of(facts, key) for key in _SIZES if key != "kind" and _size_of(facts, key) is not None}
    return {
        "name": dataset.name,
        "state": _state(dataset),
        "path": str(dataset.path) if dataset.here else None,
        **_plain(shown | sizes),
        "get": None if dataset.here else _how(dataset),
    }


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    # A date of TOML is text in JSON.
    result: dict[str, Any] = json.loads(json.dumps(dict(facts), default=str))
    return result


def _size_of(facts: Mapping[str, Any], key: str) -> Any:
    return facts.get(key, facts.get(f"expected_{key}"))


def _size(facts: Mapping[str, Any]) -> str:
    """Return what a dataset is, in words; without sizes that its manifest does not give."""
    kind = str(facts.get("kind", "dataset"))
    rows, nodes, edges = (_counted(_size_of(facts, key)) for key in ("rows", "n_nodes", "n_edges"))
    if kind == "tabular" and rows:
        columns = facts.get("columns")
        return f"table of {rows} rows" + (f" and {len(columns)} columns" if isinstance(columns, list) else "")
    if kind == "graph" and nodes:
        return f"graph of {nodes} nodes" + (f" and {edges} edges" if edges else "")
    if kind.startswith("histogram") and isinstance(facts.get("shape"), list):
        return f"histogram of {' x '.join(_counted(each) or '?' for each in facts['shape'])} counts"
    if kind == "genomics":
        return f"{rows} genetic markers" if rows else "genetic markers"
    return {"tabular": "table"}.get(kind, kind)


def _counted(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else ""


def _terms(facts: Mapping[str, Any]) -> str:
    named = [str(facts[key]) for key in ("origin", "licence") if facts.get(key)]
    return ", ".join(named) or str(facts.get("terms", "terms not stated"))


def _how(dataset: ResearchDataset) -> str | None:
    get = dataset.facts.get("get")
    if dataset.section == "datasets":
        return f"The file {dataset.path} does not exist.{'' if get is None else f' {get}'}"
    return None if get is None else str(get)


def _parts(known: Iterable[ResearchDataset]) -> list[str]:
    """Return the list as parts: each folder, what is not here, what is simulated."""
    by_state: dict[str, list[ResearchDataset]] = {"here": [], "missing": [], "simulated": []}
    for dataset in known:
        by_state[_state(dataset)].append(dataset)
    ours = datasets.repository()
    parts: list[str] = []
    for folder in _folders():
        held = [each for each in by_state["here"] if each.folder == folder]
        which = "the repository's own" if folder == ours else "which DPSELECT_DATA names"
        nothing = ["  nothing beyond the above" if parts else "  nothing"]
        parts.append("\n".join([f"In {folder}, {which}:", *(map(_line, held) if held else nothing)]))
    if not _folders():
        parts.append(_wrapped(datasets.WHERE))
    if by_state["missing"]:
        parts.append("\n".join(["Not here:", *map(_line, by_state["missing"])]))
    if by_state["simulated"]:
        parts.append("\n".join(["Made by dpselect whenever it is used:", *map(_line, by_state["simulated"])]))
    return [*parts, "dpselect datasets NAME shows all that is known of one."]


def _line(dataset: ResearchDataset) -> str:
    text = f"{_size(dataset.facts)}; {_terms(dataset.facts)}"
    how = "" if dataset.here else _how(dataset)
    return _beside(f"  {dataset.name}", f"{text}. {how}" if how else text, 18)


def _page(dataset: ResearchDataset) -> str:
    facts = dataset.facts
    lines = [f"{dataset.name}: {_size(facts)}", _beside("  file", _file(dataset), 14)]
    target, classes = facts.get("target"), facts.get("classes")
    if target and isinstance(classes, list):
        lines.append(_beside("  class", f"{target}: {', '.join(map(str, classes))}", 14))
    if isinstance(facts.get("columns"), list):
        lines.append(_beside("  columns", ", ".join(map(str, facts["columns"])), 14))
    if numbers := _numbers(facts):
        lines.append(_beside("  numbers", numbers, 14))
    if "sha256" in facts:
        lines.append(_beside("  sha256", str(facts["sha256"]), 14))
    for key, name in _SHOWN.items():
        # A comparison with the papers was made with the file that we used.
        name = "our copy" if key == "check" and not dataset.here else name
        if (value := facts.get(key)) is not None:
            words = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append(_beside(f"  {name}", words, 14))
    return "\n".join(lines)


def _numbers(facts: Mapping[str, Any]) -> str:
    """Return the numbers by which a file can be known, in words."""
    shown = []
    for key, words in _NUMBERS.items():
        if (value := _size_of(facts, key)) is not None:
            number = ", ".join(map(str, value)) if isinstance(value, list) else f"{value:,}"
            shown.append(f"{words} {number}")
    return "; ".join(shown)


def _file(dataset: ResearchDataset) -> str:
    if _state(dataset) == "simulated":
        return "none: it is made whenever it is used"
    if not dataset.here:
        return f"not here. {_how(dataset) or ''}".strip()
    try:
        path = datasets.checked_file(dataset.name)
    except datasets.FileContentError as error:
        return str(error)
    known = "sha256" in dataset.facts
    return f"{path}, {'the file that the manifest describes' if known else 'of which the manifest gives no checksum'}"


def _beside(name: str, text: str, width: int) -> str:
    # An address or a path is never broken: it is to be copied.
    first = f"{name:<{width}}" if len(name) < width else f"{name} "
    return fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * width,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


VERB = Command(
    run,
    (argument("names", metavar="[NAME]...", words="datasets to show in full; all in short when none", nargs=-1),),
    "dpselect datasets adult",
    about=_MORE,
)

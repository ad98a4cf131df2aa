"""What a new part still lacks, each in one sentence that says what to add; nothing when it is complete."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from dpselect.mechanisms.base import Mechanism
from dpselect.sources.engines import Engine
from tests.contracts import proof_hashes

HEADINGS = ["## Claim", "## Assumes", "## Proof", "## Where the code differs from the paper"]
UNDER = ", ".join(heading.removeprefix("## ") for heading in HEADINGS)


def of_mechanism(name: str, build: Callable[..., Any], papers: str) -> list[str]:
    """Return what the mechanism of that published name lacks; ``papers`` is the text of docs/papers.md."""
    return [*_built(name, build), *_written(name, build), *_row(name, papers)]


def of_utility(name: str, utility: Callable[..., Any], papers: str, claims: Iterable[str]) -> list[str]:
    """Return what the utility lacks; ``claims`` are the names of the claims about utilities."""
    lacking = [*_written(name, utility), *_row(name, papers)]
    if name not in {claim.split(",")[0] for claim in claims}:
        lacking.append(f"{name}: add UtilityClaim({name!r}, ...) with a tiny universe to src/dpselect/audit/claims.py.")
    return lacking


def of_experiment(name: str, experiment: Any) -> list[str]:
    """Return what the experiment in the file of that name lacks."""
    if experiment is None:
        return [f"{name}: let the file end with EXPERIMENT = Experiment(...)."]
    lacking = []
    if experiment.name != name:
        lacking.append(f"{name}: name the experiment as its file, name={name!r}, and not {experiment.name!r}.")
    if not (experiment.printed or experiment.claims):
        lacking.append(f"{name}: add what the paper prints, as printed= or claims=.")
    for part in ("title", "method"):
        if not getattr(experiment, part).endswith("."):
            lacking.append(f"{name}: let {part}= be a sentence that ends with a full stop.")
    if experiment.tolerance and not experiment.tolerance_because:
        lacking.append(f"{name}: say in tolerance_because= why our numbers may lie that far from the printed ones.")
    if experiment.measure.__qualname__ != experiment.measure.__name__:
        lacking.append(f"{name}: define measure at the top of its file, where other processes find it.")
    return lacking


def of_engine(engine: Engine, extras: Iterable[str], started: str) -> list[str]:
    """Return what the engine lacks; ``extras`` are those of pyproject.toml, ``started`` the text of engines.py."""
    lacking, name = [], engine.name
    if not engine.title or not engine.install:
        lacking.append(f"{name}: say in sources/engines.py what people call it, and how to install it.")
    extra = re.search(r"\"\.\[([\w-]+)\]\"", engine.install)
    if extra and extra[1] not in extras:
        lacking.append(f"{name}: add the extra {extra[1]!r} to pyproject.toml, or name one that is there.")
    if extra and engine.title.lower() not in started.lower():
        lacking.append(f"{name}: start it in tests/warehouse/engines.py, and list its fixture in FIXTURES.")
    return lacking


def unlisted(folder: Path, listed: Iterable[str], where: str, mark: str = "def {stem}(") -> list[str]:
    """Return the files of a folder that define a part, by this mark at the beginning of a line, and are in no list."""
    known = set(listed)
    files = [
        file
        for file in sorted(folder.rglob("*.py"))
        if re.search("^" + re.escape(mark.format(stem=file.stem)), file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    return [f"{file.stem}: add its line to {where}." for file in files if file.stem not in known]


def of_proof(proof: Path) -> list[str]:
    """Return what the proof lacks."""
    if not proof.exists():
        return [f"{proof.stem}: write its proof, {proof.name} beside the code, under the headings {UNDER}."]
    if re.findall(r"^## .*$", proof.read_text(encoding="utf-8"), re.MULTILINE) != HEADINGS:
        return [f"{proof.stem}: give {proof.name} the headings {UNDER}, in this order and no others."]
    return []


def of_own_proof(proof: Path, function: str) -> list[str]:
    """Return what the proof beside a function lacks: it is the proof of this function, which it names with its hash."""
    lacking, covers = of_proof(proof), f"{proof.stem}.{function}"
    if not lacking and covers not in proof_hashes.covered(proof):
        lacking.append(
            f"{proof.stem}: {proof.name} does not cover {covers}, so it proves something else: write the proof of "
            f"it, without a Covers line, and run python -m tests.contracts.proof_hashes --write {proof.name}."
        )
    return lacking


def _written(name: str, function: Callable[..., Any]) -> Iterator[str]:
    yield from of_own_proof(Path(inspect.getfile(function)).with_suffix(".md"), function.__name__)
    if not function.__doc__ or not doctest.DocTestParser().get_examples(function.__doc__):
        yield f"{name}: add an example to the docstring of {function.__name__}, >>> and what it prints."


def _row(name: str, papers: str) -> Iterator[str]:
    if f"| `{name}` |" not in papers:
        yield f"{name}: add the row | `{name}` | paper item | file | to docs/papers.md."


def _built(name: str, build: Callable[..., Any]) -> Iterator[str]:
    needed = [
        each.name
        for each in inspect.signature(build).parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if needed:
        yield f"{name}: give {', '.join(needed)} a default, so that mechanism({name!r}) can be built."
        return
    made = build()
    if not isinstance(made, Mechanism):
        yield f"{name}: let {build.__name__} return a Mechanism, such as UnitMechanism."
        return
    if made.name != name:
        yield f"{name}: pass its published name {name!r} to the mechanism that is returned, and not {made.name!r}."
    if not made.summary.endswith("."):
        yield f"{name}: let the summary be one sentence that says when to use it and ends with a full stop."

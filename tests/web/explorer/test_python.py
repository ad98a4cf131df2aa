"""The Python of a page runs as it is, in a folder with the files that it names and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra web")

import dpselect as dps
from dpselect.cli import click_commands, main
from dpselect.cli.request import Request
from dpselect.web.explorer import public_data
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages import PAGES

# Whom the ledger of a file protects.
_SIDES = {"friends": "edge", "visits": "person"}


def view_of(path: str, material: Material = EXAMPLES, **changed: object):
    """Return the view of a page."""
    (page,) = [page for page in PAGES if page.path == path]
    state = {field.name: field.read({}) for field in page.content.fields(material)}
    return page.content.view(state | changed, material)


def files(python: str, side: str) -> None:
    """Write what the Python names: public examples stand for private data."""
    graph = EXAMPLES.graph
    ends = zip(np.repeat(np.arange(len(graph)), graph.degrees).tolist(), graph.indices.tolist(), strict=True)
    edges = [f"{graph.candidates[a]},{graph.candidates[b]}" for a, b in ends]
    people = [",".join(row) for row in zip(*EXAMPLES.columns.values(), strict=True)]
    visits = [",".join(row) for row in zip(*EXAMPLES.visits.values(), strict=True)]
    written = {
        "people.csv": [",".join([*EXAMPLES.columns, "choice"]), *(f"{row},tea" for row in people)],
        "visits.csv": [",".join(EXAMPLES.visits), *visits],
        "friends.csv": ["source,target", *edges],
        "nodes.txt": map(str, graph.candidates),
        "choices.txt": ["tea", "coffee", "water"],
    }
    for name in set(re.findall(r"[\w.]+\.(?:csv|txt|ledger)", python)):
        if name.endswith(".ledger"):
            dps.Ledger.open(name, epsilon=100, dataset="it", neighbours=side)
        else:
            Path(name).write_text("\n".join(written[name]) + "\n", encoding="utf-8")


def spent(python: str) -> float:
    """Run it with no name defined, and return what its ledger has paid."""
    names: dict[str, object] = {}
    exec(compile(python, "page", "exec"), names)
    return 100 - float(names["ledger"].remaining.epsilon)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "path, changed, side, epsilon",
    [
        ("candidates", {}, "add-remove", 0.5),
        ("candidates", {"column": "job", "mechanism": "exponential"}, "add-remove", 0.5),
        ("most-common", {}, "person", 0.2),
        ("best-groups", {}, "add-remove", 0.1),
        ("best-groups", {"score": "rate(rich = 'yes')", "prior": "9:.5", "k": 2, "order": "lowest"}, "add-remove", 0.1),
        ("percentile", {}, "add-remove", None),
        ("top-k", {}, "edge", 1),
        ("top-k", {"metric": "ego-betweenness"}, "edge", 1),
        ("tree", {}, "add-remove", 0.5),
        ("tree", {"learner": "id3"}, "add-remove", 0.5),
        ("objectives", {}, "add-remove", 0.2),
        ("objectives", {"rule": "weights"}, "add-remove", 0.2),
        ("mechanisms", {}, "add-remove", 0.5),
        ("mechanisms", {"column": "age"}, "add-remove", 0.5),
        ("distance", {"score": "votes"}, "add-remove", 1),
        ("distance", {"score": "open-pairs"}, "edge", 1),
    ],
)
def test_the_python_runs_as_it_is(path, changed, side, epsilon, tmp_path, monkeypatch) -> None:
    """It imports and reads whatever it uses, and pays the epsilon of the page from the ledger that it opens."""
    monkeypatch.chdir(tmp_path)
    python = view_of(path, **changed).commands.python
    files(python, side)

    paid = spent(python)
    assert paid == pytest.approx(epsilon) if epsilon is not None else paid > 0


def given(line: str) -> Material:
    """Return what a command line gives the pages."""
    request = Request(["explore", *shlex.split(line)])
    click_commands.parse_options(request.words, request)
    return public_data.material_of(request)


@pytest.mark.parametrize(
    "path, changed, name",
    [
        ("candidates", {"column": "job", "mechanism": "permute-and-flip"}, "people"),
        ("most-common", {"item": "job", "person": ""}, "visits"),
        ("percentile", {"column": "pay"}, "people"),
        ("mechanisms", {"column": "pay"}, "people"),
        ("tree", {"class": "job"}, "people"),
    ],
)
def test_commands_read_the_file_as_the_page_did(path, changed, name, tmp_path, monkeypatch, capsys) -> None:
    """Separator, decimal mark, encoding and rows stand in the command and in the Python, and both are accepted."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + n % 40};{n % 50 + 10},5;{('nurse', 'café')[n % 2]}" for n in range(300)]
    Path("public.csv").write_text("\n".join(["age;pay;job", *rows]) + "\n", encoding="cp1252")
    how = "--separator ';' --decimal , --encoding cp1252 --where 'age >= 18'"
    view = view_of(path, given(f"public.csv {how}"), **changed)
    Path(f"{name}.csv").write_bytes(Path("public.csv").read_bytes())
    Path("choices.txt").write_text("nurse\ncafé\n", encoding="utf-8")
    columns = {"age": {"lower": 20, "upper": 59}, "pay": {"lower": 10, "upper": 60}, "job": ["nurse", "café"]}
    described = {"separator": ";", "decimal": ",", "encoding": "cp1252", "where": "age >= 18"}
    Path("people.toml").write_text(dps.Dataset(source="people.csv", columns=columns, **described).dump(), "utf-8")
    dps.Ledger.open(f"{name}.ledger", epsilon=100, dataset="it")

    # A tree is asked of a description, which says how the file is read.
    said = "people.toml" if path == "tree" else "--separator=';' --decimal=, --encoding=cp1252 --where='age >= 18'"
    assert said in view.commands.shell
    assert 0 == main([*shlex.split(view.commands.shell)[1:], "--dry-run"]), capsys.readouterr().err
    assert "separator=';', decimal=',', encoding='cp1252', where='age >= 18'" in view.commands.python
    assert spent(view.commands.python) > 0


@pytest.mark.parametrize(
    "path, changed", [("top-k", {"compare": "no", "max_degree": 5}), ("distance", {"score": "open-pairs", "bound": 5})]
)
def test_commands_read_the_edges_as_the_page_did(path, changed, tmp_path, monkeypatch, capsys) -> None:
    """Separator, encoding and the columns of both ends stand in the command and in the Python; both are accepted."""
    monkeypatch.chdir(tmp_path)
    names = ["Zoé", "Ada", "Ben", "Eva", "Dan"]
    edges = [f"{names[a]};{names[b]}" for a, b in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2)]]
    Path("edges.csv").write_text("\n".join(["one;other", *edges]) + "\n", encoding="cp1252")
    how = "--source one --target other --separator ';' --encoding cp1252"
    view = view_of(path, given(f"edges.csv {how}"), **changed)
    Path("friends.csv").write_bytes(Path("edges.csv").read_bytes())
    Path("nodes.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    dps.Ledger.open("friends.ledger", epsilon=100, dataset="it", neighbours="edge")

    assert "--ends one other --separator=';' --encoding=cp1252" in view.commands.shell
    assert 0 == main([*shlex.split(view.commands.shell)[1:], "--dry-run"]), capsys.readouterr().err
    assert "ends=('one', 'other'), separator=';', encoding='cp1252'" in view.commands.python
    assert spent(view.commands.python) > 0

"""Whoever adds a mechanism, a utility or an experiment is told in one sentence each what is still to be written."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from dpselect._optional import install
from dpselect.sources.engines import Engine
from research import papers
from tests.contracts import complete, proof_hashes
from tests.research import tiny_experiment

ROOT = Path(__file__).parents[2]
MECHANISM = '''"""A mechanism that somebody began."""

from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import EXPONENTIAL
from dpselect.mechanisms.scaling import scale


def newcomer() -> Mechanism:
    """Return it."""
    return UnitMechanism("other-name", "Somewhere", scale, EXPONENTIAL)
'''
UTILITY = '''"""A utility that somebody began."""

from dpselect.scores.scores import Scores


def newcomers(counts: list[int]) -> Scores:
    """Return counts."""
    return Scores(counts, sensitivity=1, kind="integer")
'''
LACKED_BY_A_MECHANISM = [
    "newcomer: pass its published name 'newcomer' to the mechanism that is returned, and not 'other-name'.",
    "newcomer: let the summary be one sentence that says when to use it and ends with a full stop.",
    f"newcomer: write its proof, newcomer.md beside the code, under the headings {complete.UNDER}.",
    "newcomer: add an example to the docstring of newcomer, >>> and what it prints.",
    "newcomer: add the row | `newcomer` | paper item | file | to docs/papers.md.",
]
LACKED_BY_A_UTILITY = [
    f"newcomers: write its proof, newcomers.md beside the code, under the headings {complete.UNDER}.",
    "newcomers: add an example to the docstring of newcomers, >>> and what it prints.",
    "newcomers: add the row | `newcomers` | paper item | file | to docs/papers.md.",
    "newcomers: add UtilityClaim('newcomers', ...) with a tiny universe to src/dpselect/audit/claims.py.",
]


def written(folder: Path, name: str, text: str) -> ModuleType:
    """A module in a temporary folder."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_mechanism_without_anything_lacks_five_things(tmp_path: Path) -> None:
    """Each is one sentence, and writing what it asks for silences it."""
    build = written(tmp_path, "newcomer", MECHANISM).newcomer
    assert LACKED_BY_A_MECHANISM == complete.of_mechanism("newcomer", build, "")

    (tmp_path / "newcomer.md").write_text("# Newcomer\n\n" + "\n".join(complete.HEADINGS) + "\n")
    mended = (
        MECHANISM.replace("other-name", "newcomer")
        .replace("Somewhere", "Nowhere.")
        .replace("it.", "it.\n\n    >>> 1\n    1\n    ")
    )
    build = written(tmp_path, "newcomer", mended).newcomer
    proof_hashes.write(tmp_path / "newcomer.md")
    assert [] == complete.of_mechanism("newcomer", build, "| `newcomer` | ours | `newcomer.py` |")


def test_a_mechanism_that_needs_an_argument_or_returns_none_is_told() -> None:
    """Contracts build every mechanism by its name alone."""
    assert "give phi a default" in complete.of_mechanism("x", lambda phi: phi, "")[0]
    assert "return a Mechanism" in complete.of_mechanism("x", lambda: None, "")[0]


def test_a_utility_without_anything_lacks_four_things(tmp_path: Path) -> None:
    """Proof, example, row and claim."""
    utility = written(tmp_path, "newcomers", UTILITY).newcomers

    assert LACKED_BY_A_UTILITY == complete.of_utility("newcomers", utility, "", ["counts"])


def test_headings_in_another_order_are_told(tmp_path: Path) -> None:
    """All proofs read alike."""
    proof = tmp_path / "newcomer.md"
    proof.write_text("# Newcomer\n\n## Proof\n\n## Claim\n")

    assert [f"newcomer: give newcomer.md the headings {complete.UNDER}, in this order and no others."] == (
        complete.of_proof(proof)
    )


def test_a_file_without_its_line_is_told(tmp_path: Path) -> None:
    """No other contract reaches it."""
    (tmp_path / "newcomer.py").write_text(MECHANISM)
    (tmp_path / "helpers.py").write_text("def other() -> None: ...\n")

    assert ["newcomer: add its line to the list."] == complete.unlisted(tmp_path, [], "the list")
    assert [] == complete.unlisted(tmp_path, ["newcomer"], "the list")


def test_an_experiment_lacks_what_its_report_needs() -> None:
    """Its name, its figures, its sentences and a reason for its tolerance."""
    begun = replace(tiny_experiment.EXPERIMENT, title="Twice", measure=lambda *_: [])
    assert [
        "figure_0: name the experiment as its file, name='figure_0', and not 'tiny'.",
        "figure_0: let title= be a sentence that ends with a full stop.",
        "figure_0: say in tolerance_because= why our numbers may lie that far from the printed ones.",
        "figure_0: define measure at the top of its file, where other processes find it.",
    ] == complete.of_experiment("figure_0", begun)
    empty = replace(tiny_experiment.EXPERIMENT, printed=(), claims=(), tolerance=0.0)
    assert ["tiny: add what the paper prints, as printed= or claims=."] == complete.of_experiment("tiny", empty)
    assert "let the file end with EXPERIMENT" in complete.of_experiment("tiny", None)[0]


def test_a_listed_experiment_without_a_file_or_an_experiment_is_told() -> None:
    """The list is read by the command line too."""
    with pytest.raises(TypeError, match=r"figure_0\.py is in the list of experiments and not there: write it\."):
        papers._in_file("figure_0")
    with pytest.raises(TypeError, match=r"trees\.py has no EXPERIMENT: let it end with EXPERIMENT = Experiment\("):
        papers._in_file("trees")


def test_an_engine_that_is_only_listed_is_told() -> None:
    """Words for people, its extra, and a server that tests start."""
    listed = Engine("oracle", install=install("oracle"))

    assert [
        "oracle: say in sources/engines.py what people call it, and how to install it.",
        "oracle: add the extra 'oracle' to pyproject.toml, or name one that is there.",
    ] == complete.of_engine(listed, ["warehouse"], "")
    assert ["oracle: start it in tests/warehouse/engines.py, and list its fixture in FIXTURES."] == complete.of_engine(
        replace(listed, title="Oracle"), ["oracle"], "PostgreSQL"
    )


def test_the_page_on_adding_counts_its_files_and_names_those_that_exist() -> None:
    """As many numbered files as the heading says; a path without NAME is there, and so is the folder of one with it."""
    page = (ROOT / "docs" / "contributing" / "add-to-dpselect.md").read_text(encoding="utf-8")
    counts = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
    parts = re.findall(r"^## (?:A|An) ([^:\n]+): (\w+) files$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)

    assert {"mechanism", "utility", "question", "experiment", "command", "engine"} <= {kind for kind, _, _ in parts}
    for kind, count, text in parts:
        assert counts[count] == len(re.findall(r"^\d\. ", text, re.MULTILINE)), kind
    for path in re.findall(r"`((?:src|docs|tests)/[^`]+|\.ci/run)`", page):
        there = ROOT / path
        assert (there.parent if there.name.startswith("NAME") else there).exists(), path


def test_a_proof_of_something_else_is_noticed(tmp_path: Path) -> None:
    """One that was copied from another mechanism, or from another utility, does not name the function by its hash."""
    for room, one, other in (("mechanisms", "exponential", "permute_and_flip"), ("utilities", "median", "majority")):
        folder = ROOT / "src" / "dpselect" / room
        for name in (f"{one}.py", f"{other}.md"):
            shutil.copy(folder / name, tmp_path / name)
        assert [] == complete.of_own_proof(folder / f"{one}.md", one)
        shutil.copy(folder / f"{other}.md", tmp_path / f"{one}.md")
        (lacking,) = complete.of_own_proof(tmp_path / f"{one}.md", one)
        assert f"does not cover {one}.{one}, so it proves something else" in lacking


@pytest.mark.slow
def test_the_contracts_themselves_tell_it(tmp_path: Path) -> None:
    """In a copy of the tree with both begun and listed: every sentence is printed, and nothing else goes wrong."""
    for name in ("src", "tests", "docs", "data"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_build", "made"))
    for name in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    package = tmp_path / "src" / "dpselect"
    (package / "mechanisms" / "newcomer.py").write_text(MECHANISM)
    (package / "utilities" / "newcomers.py").write_text(UTILITY)
    listed = package / "mechanisms" / "registry.py"
    text = listed.read_text().replace('    "exponential": ', '    "newcomer": newcomer,\n    "exponential": ', 1)
    line = "from dpselect.mechanisms.noisy"
    text = text.replace(line, f"from dpselect.mechanisms.newcomer import newcomer\n{line}", 1)
    listed.write_text(text)
    listed = package / "utilities" / "__init__.py"
    line = "from dpselect.utilities.percentile import percentile as percentile\n"
    listed.write_text(
        listed.read_text().replace(line, "from dpselect.utilities.newcomers import newcomers as newcomers\n" + line)
    )

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", "newcomer or claimed",
         "tests/contracts/test_every_page.py", "tests/contracts/test_every_claim.py"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": "src"}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    for sentence in (*LACKED_BY_A_MECHANISM, *LACKED_BY_A_UTILITY):
        assert sentence in run.stdout
    assert "add a UtilityClaim to audit/claims.py for {'newcomers'}" in run.stdout
    assert not re.search(r"FileNotFoundError|KeyError", run.stdout)


@pytest.mark.slow
def test_the_list_for_a_mechanism_is_all_that_it_takes(tmp_path: Path) -> None:
    """In a copy of the tree the files of the page are written, those and no others; then no contract lacks anything."""
    ignored = shutil.ignore_patterns("__pycache__", "_build", "made", ".*")
    for name in ("src", "tests", "docs", "data", "research", "scripts", "changes.d", "proofs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, tmp_path / file.name)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    page = (ROOT / "docs" / "contributing" / "add-to-dpselect.md").read_text(encoding="utf-8")
    listed = re.search(r"^## A mechanism: .*?(?=^## )", page, re.MULTILINE | re.DOTALL)[0]
    files = [path.replace("NAME", "newcomer") for path in re.findall(r"^\d\. `([^`]+)`", listed, re.MULTILINE)]
    code, proof, named, exported, papers_, trusted, published = (tmp_path / path for path in files)

    code.write_text(
        MECHANISM.replace("other-name", "newcomer")
        .replace("Somewhere", "Never, for it is an example.")
        .replace("Return it.", "Return it.\n\n    >>> newcomer().name\n    'newcomer'\n    ")
    )
    proof.write_text("# Newcomer\n\n" + "\n\n".join(f"{each}\nThat of another." for each in complete.HEADINGS) + "\n")
    run_in(tmp_path, "-m", "tests.contracts.proof_hashes", "--write", str(proof.relative_to(tmp_path)))
    line = "from dpselect.mechanisms.noisy"
    for file, entry in ((named, '    "exponential": '), (exported, '    "noisy_max_laplace",')):
        text = file.read_text().replace(line, f"from dpselect.mechanisms.newcomer import newcomer\n{line}", 1)
        new = '    "newcomer": newcomer,\n' if file == named else '    "newcomer",\n'
        file.write_text(text.replace(entry, new + entry, 1))
    names = published.read_text()
    published.write_text(names.replace('"exponential"', '"newcomer", "exponential"', 1))
    row = "| `permute-and-flip` | "
    papers_.write_text(papers_.read_text().replace(row, f"| `newcomer` | ours | `mechanisms/newcomer.py` |\n{row}", 1))
    table = run_in(tmp_path, "-c", "from dpselect.audit import trusted_base; print(trusted_base.table())").stdout
    text = trusted.read_text()
    trusted.write_text(re.sub(r"^\| mechanism \|.*?\n\n", lambda _: table + "\n", text, flags=re.M | re.S))

    contracts = ("tests/contracts", "tests/display", str(code.relative_to(tmp_path)))
    # What is added is larger than before: its commit raises the limit, and says why.
    larger = ("--deselect", "tests/contracts/test_size.py::test_nothing_grows")
    run = run_in(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *larger, *contracts, check=False)
    assert run.returncode == 0, run.stdout[-3000:]


def run_in(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Python in a copy of the tree."""
    known = os.environ | {"PYTHONPATH": f"src{os.pathsep}."}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=known, capture_output=True, text=True, check=check
    )

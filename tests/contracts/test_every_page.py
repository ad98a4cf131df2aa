"""The library itself: whatever is in a public list has a proof, a test, a doctest and a row in papers.md."""

import ast
import os
import re
import tomllib
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.audit.claims import UTILITY_CLAIMS
from dpselect.sources.engines import EVERY_ENGINE, Engine
from tests.contracts import complete
from tests.contracts.syntax import SOURCE, modules, parsed, statements

ROOT = Path(__file__).parents[2]
RESEARCH = ROOT / "research"
PAPERS = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
BUILDERS = dps.mechanisms.MECHANISMS
UTILITIES = {function.__name__: function for function in dps.utilities.EVERY_UTILITY} | {
    f"papers.{function.__name__}": function for function in dps.papers.EVERY_UTILITY
}


@pytest.mark.parametrize("name", BUILDERS)
def test_every_mechanism_is_complete(name: str) -> None:
    """It can be built by its name, and has a summary, a proof, an example and a row in papers.md."""
    lacking = complete.of_mechanism(name, BUILDERS[name], PAPERS)
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize("name", UTILITIES)
def test_every_utility_is_complete(name: str) -> None:
    """It has a proof, an example, a row in papers.md and a claim that the auditor checks."""
    lacking = complete.of_utility(name, UTILITIES[name], PAPERS, [claim.name for claim in UTILITY_CLAIMS])
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize("engine", EVERY_ENGINE, ids=lambda engine: engine.name)
def test_every_engine_is_complete(engine: Engine) -> None:
    """It has a name for people, an extra that installs it, and it is started for the tests."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    started = (ROOT / "tests" / "warehouse" / "engines.py").read_text(encoding="utf-8")
    lacking = complete.of_engine(engine, extras, started)
    assert not lacking, "\n".join(lacking)


def test_engines_are_told_apart_in_one_file() -> None:
    """What an engine does beyond others is said in sources/engines.py, and asked for by what it is."""
    for path in SOURCE.rglob("*.py"):
        if path.name != "engines.py":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\.name (==|!=|in|not in) \(?\"(duckdb|postgres|pyspark)", text), path.name


def test_every_file_of_a_mechanism_or_a_utility_is_in_its_list() -> None:
    """A file alone is not reached by any other contract."""
    builders = {build.__name__ for build in BUILDERS.values()}
    utilities = {utility.__name__ for utility in dps.utilities.EVERY_UTILITY}
    lacking = complete.unlisted(SOURCE / "mechanisms", builders, "EVERY_MECHANISM in mechanisms/registry.py")
    lacking += complete.unlisted(SOURCE / "utilities", utilities, "the imports of utilities/__init__.py")
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize(
    "name",
    [
        "scores/combine.md",
        "kernel/guarantee.md",
        "ledger/composition.md",
        "kernel/samplers/discrete_laplace.md",
        "release/several_objectives.md",
        "release/quantiles.md",
        "release/partition.md",
        "release/value_questions.md",
        "kernel/samplers/heavy_value.md",
        "mechanisms/smooth/value_noise.md",
        "mechanisms/worst_case.md",
        "histograms/count_arrays.md",
        "adaptive/metafeature.md",
        "papers/private_sql.md",
        "papers/sulq.md",
    ],
)
def test_what_joins_scores_or_draws_has_a_proof_too(name: str) -> None:
    """Under the same four headings as every other proof."""
    assert not complete.of_proof(SOURCE / name)


def test_files_can_be_read_in_one_sitting() -> None:
    """No file of the package is longer than 400 lines."""
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    assert lines
    assert [] == [path for path, many in lines.items() if many > 400]


def test_functions_fit_on_a_screen() -> None:
    """None is longer than 60 lines, documentation included, but a public function with its manual."""
    long = {"session_factory_of": 70}
    for path in modules():
        for node in statements(parsed(path)):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                assert lines <= long.get(node.name, 60), f"{path.name}: {node.name} has {lines} lines: carve it."


def test_every_erratum_has_a_test_that_exists() -> None:
    """Each entry of errata.md names author and year, what follows for a user, and tests that are there."""
    entries = re.split(r"\n###? ", (ROOT / "docs" / "errata.md").read_text(encoding="utf-8"))[1:]
    entries = [entry for entry in entries if "\nTest: " in entry or "\nFor a user: " in entry]
    assert entries

    for entry in entries:
        title = entry.splitlines()[0]
        assert re.match(r"[A-Z][\w. ]+ 20\d\d, .+: .+", title), title
        assert 1 == entry.count("\nFor a user: "), title
        tests = re.findall(r"`(tests/[^:`]+)(?:::(\w+))?`", entry.split("\nTest: ")[1])
        assert tests, title
        for file, test in tests:
            # A planted fault is a whole file; its functions are called by test_the_auditor_can_fail.
            assert f"def {test or 'detect'}(" in (ROOT / file).read_text(encoding="utf-8"), f"{title}: {file}"


def test_every_test_has_a_docstring() -> None:
    """A test states the fact that it checks."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^def (test_\w+)\([^)]*\)(?: -> None)?:\n(.*)$", text, re.MULTILINE):
            assert match.group(2).lstrip().startswith('"""'), f"{path.name}: {match.group(1)}"


def test_randomness_lives_in_two_files() -> None:
    """Only coins and sampling know where random bits come from; only simulations of experiments have seeds."""
    for path in [*SOURCE.rglob("*.py"), *RESEARCH.rglob("*.py")]:
        # One stands in for the generator of another library, and returns chosen numbers; two name what strangers must
        # not guess, or two may not share: visitors of pages, and publications.
        naming = (SOURCE / "web" / "tokens.py", SOURCE / "queries" / "publication" / "state.py")
        if path.name == "diffprivlib_claims.py" or path in naming:
            continue
        text = path.read_text(encoding="utf-8")
        seeded = r"import random|import secrets"
        if path.is_relative_to(SOURCE):
            seeded += r"|np\.random|numpy\.random"
        assert not re.search(seeded, text), path.name
        assert path.name == "bernoulli_exp.py" or "urandom" not in text


def test_links_between_pages_lead_somewhere() -> None:
    """Every relative link in the documentation is a file of the repository."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_contributing_fits_on_a_screen_and_its_scripts_can_be_run() -> None:
    """At most 60 lines; every script that it names is there and executable, and every script is named."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`scripts/(\w+)", text))

    assert len(text.splitlines()) <= 60
    assert named | {"lint"} == {file.name for file in (ROOT / "scripts").iterdir()}
    assert all(os.access(ROOT / "scripts" / name, os.X_OK) for name in named | {"lint"})


def test_every_extra_that_is_named_can_be_installed() -> None:
    """From a clone, wherever a page or a message says how: the name is not on the package index."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    written = r'install (?:-e )?"\.\[([a-z,]+)\]|\binstall\([\'"]([a-z,]+)|not_installed\([^()]+, "([a-z,]+)"\)'
    named = set()
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *SOURCE.rglob("*.py")]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"dpselect\[[a-z,]+\]|pip install \"?dpselect\b(?!`)", text), page.name
        named |= {extra for groups in re.findall(written, text) for extra in "".join(groups).split(",")}

    assert {"all", "graph", "plot", "opendp", "peers", "spark", "warehouse", "reproduce", "test"} <= named
    assert named <= {*extras}

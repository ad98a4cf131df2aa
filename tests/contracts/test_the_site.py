"""The documentation site: every public name has its place, and every picture shows what its script draws."""

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dpselect as dps
from tests.cli.every import every_command

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "pictures"
DRAWN = [path for path in sorted(PICTURES.glob("*.py")) if path.name != "paper.py"]

DIFFPRIVLIB = """
    Binary Bingham DPMachine DPMechanism Exponential ExponentialCategorical ExponentialHierarchical Gaussian
    GaussianAnalytic GaussianDiscrete Geometric GeometricFolded GeometricTruncated Laplace LaplaceBoundedDomain
    LaplaceBoundedNoise LaplaceFolded LaplaceTruncated PermuteAndFlip Snapping Staircase TruncationAndFoldingMixin
    Uniform Vector
    GaussianNB KMeans LinearRegression LogisticRegression PCA StandardScaler RandomForestClassifier
    DecisionTreeClassifier
    count_nonzero histogram histogram2d histogramdd mean median nanmean nanstd nansum nanvar percentile quantile std
    sum var
    BudgetAccountant total check remaining spend spent_budget set_default pop_default load_default
    Budget BudgetError PrivacyLeakWarning DiffprivlibCompatibilityWarning check_random_state copy_docstring
    warn_unused_args check_bounds check_epsilon_delta clip_to_bounds clip_to_norm DiffprivlibMixin
"""


def imported(path: Path) -> ModuleType:
    """Return a module of the documentation, which is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """What writes the pages that nobody writes by hand."""
    return imported(DOCS / "pages.py")


@pytest.fixture(scope="module")
def made(pages) -> dict[str, str]:
    """These pages, by path."""
    return pages.every_page()


@pytest.fixture
def pictures_importable() -> Iterator[None]:
    """Scripts of pictures find the paper they share."""
    imported(PICTURES / "paper.py")
    yield
    for name in ["paper", *(path.stem for path in DRAWN)]:
        sys.modules.pop(name, None)


def test_every_public_name_has_an_entry(made) -> None:
    """In the API reference, or on the page of its module."""
    text = "\n".join(made.values())
    entries = set(re.findall(r"^\.\. (?:autoclass|autofunction|py:data):: (\S+)", text, re.MULTILINE))
    documented = {entry.rpartition(".")[2] for entry in entries}

    for name in dps.__all__:
        assert inspect.ismodule(getattr(dps, name)) or name in documented, name
    for module in ("sensitivity", "ledger", "learn", "audit", "accuracy", "plot", "data", "multiobjective"):
        for name in getattr(getattr(dps, module), "__all__", []):
            assert inspect.ismodule(getattr(getattr(dps, module), name)) or f"dpselect.{module}.{name}" in entries, name
    assert {
        "dpselect.sensitivity.element",
        "dpselect.accuracy.metrics.recall",
        "dpselect.learn.DPTreeClassifier",
    } <= entries


def test_every_mechanism_and_utility_has_a_page_that_links_its_proof(made) -> None:
    """And the proof has a page."""
    names = [("mechanisms", name) for name in dps.mechanisms.MECHANISMS]
    names += [("utilities", function.__name__) for function in dps.utilities.EVERY_UTILITY]
    names += [("papers", function.__name__) for function in dps.papers.EVERY_UTILITY]

    for folder, name in names:
        proof = re.search(r"\[The proof\]\(\.\./(record/proofs/\w+\.md)\)", made[f"{folder}/{name}.md"]).group(1)
        assert "## Proof" in made[proof]
        assert f"| [{name}]({folder}/{name}.md) |" in made[f"{folder}.md"]


def test_a_mechanism_is_a_function_of_its_room() -> None:
    """The page of a mechanism reads the docstring of ``dpselect.mechanisms.NAME``, which is not the module."""
    for function in dps.mechanisms.MECHANISMS.values():
        assert getattr(dps.mechanisms, function.__name__) is function


def test_every_page_of_tasks_and_reasons_is_listed_once() -> None:
    """The first page of the site has it in its navigation, by its name or among all pages of its folder."""
    folders = ("start", "how-to", "explanation", "contributing", "details", "mathematics", "measured")
    trees = re.findall(r"```\{toctree\}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for tree in trees for line in tree.splitlines() if line.partition("/")[0] in folders]
    listed = [
        path.relative_to(DOCS).with_suffix("").as_posix() for line in lines for path in sorted(DOCS.glob(f"{line}.md"))
    ]
    pages = [f"{folder}/{page.stem}" for folder in folders for page in (DOCS / folder).glob("*.md")]

    assert sorted(pages) == sorted(listed), "list a new page once, in the part of docs/index.md that it belongs to"


def test_every_command_and_option_is_listed(made) -> None:
    """As the verbs describe themselves."""
    page = made["commands.md"]

    for heading in ("### dpselect top-k", "### dpselect audit", "#### dpselect budget create"):
        assert f"{heading}\n" in page
    for words, params in every_command():
        name = f"dpselect {' '.join(words)}"
        part = re.search(rf"^#+ {name}$(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
        assert part, f"{name} has no part on the page of commands: list it in cli/verbs"
        for param in params:
            # A bar within a cell of a table is escaped.
            shown = param.opts[0] if param.opts[0].startswith("-") else param.metavar.replace("|", r"\|")
            assert f"| `{shown}" in part[1], f"the page of {name} lacks {param.name}"
    assert "| `--dataset NAME` | your name for the people in the data (required) |" in page


def test_docstrings_keep_bars_and_formulas(pages) -> None:
    """Bars are no substitutions, and an indented formula is shown as it is written."""
    lines = [
        "Sum of |w_i| ** 2, trees_ and ``a|b``:",
        "",
        "    |x - y| / 2",
        "",
        "as above.",
        "",
        ">>> print('|')",
        "|",
    ]
    pages.show_as_written(None, "module", "", None, None, lines)

    assert [r"Sum of \|w_i\| \*\* 2, trees\_ and ``a|b``:", "", "::", "", "    |x - y| / 2", ""] == lines[:6]
    assert ["as above.", "", ">>> print('|')", "|"] == lines[6:]


def test_links_lead_to_pages_of_the_site(pages) -> None:
    """Files of the repository that the site shows are not downloaded."""
    source = [
        "[a](../../research/comparisons/README.md) [b](../../src/dpselect/utilities/tdt.md) [c](budget.md) "
        "[d](http://e.org)"
    ]
    pages.keep_links_inside(None, "how-to/x", source)

    assert (
        "[a](/reference/made/record/benchmarks.md) [b](/reference/made/record/proofs/tdt.md) [c](budget.md) "
        "[d](http://e.org)" == source[0]
    )


def test_the_way_from_diffprivlib_leaves_no_name_out() -> None:
    """Every public name of diffprivlib 0.6.6 stands in a table."""
    page = (DOCS / "other-libraries.md").read_text(encoding="utf-8")
    tables = "\n".join(line for line in page.splitlines() if line.startswith("|"))

    for name in DIFFPRIVLIB.split():
        assert re.search(rf"`(?:\w*\.)?{name}`", tables), name


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
@pytest.mark.usefixtures("pictures_importable")
def test_every_picture_is_fresh_and_shown(path: Path) -> None:
    """What the script draws today is what the file shows, and some page shows the file, with words for it."""
    paper, script = sys.modules["paper"], imported(path)
    pages = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))

    for name in script.PICTURES:
        drawn = paper.digest_of(script.PICTURES[name])
        assert drawn in (PICTURES / f"{name}.svg").read_text(encoding="utf-8"), f"draw it afresh: python {path}"
        assert re.search(rf"!\[[^\]]{{40,}}\]\([./]*pictures/{name}\.svg\)", pages), name


def test_proofs_are_found_where_the_package_was_installed(pages: ModuleType, monkeypatch, tmp_path: Path) -> None:
    """The site is built from an installed package, whose files are not those of the checkout."""
    monkeypatch.setattr(pages, "SOURCE", tmp_path)
    file = Path(dps.__file__).parent / "kernel" / "bernoulli_exp.md"

    assert "record/proofs/kernel_bernoulli_exp.md" == pages.proof_page(file)

"""Every algorithm has a proof under the usual headings, a doctest and a row in papers.md."""

import doctest
import re
import sys
from pathlib import Path

import pytest

from dpselect import histograms

ROOT = Path(__file__).parents[2]
HEADINGS = ["## Claim", "## Assumes", "## Proof", "## Where the code differs from the paper"]


@pytest.mark.parametrize("name", histograms.EVERY_ALGORITHM)
def test_each_has_a_proof_a_doctest_and_a_row(name: str) -> None:
    """The proof stands beside the file."""
    algorithm = histograms.EVERY_ALGORITHM[name]
    proof = Path(sys.modules[algorithm.__module__].__file__).with_suffix(".md").read_text(encoding="utf-8")

    assert HEADINGS == re.findall(r"^## .*$", proof, re.MULTILINE)
    assert doctest.DocTestFinder().find(algorithm)[0].examples
    assert f"`{name}`" in (ROOT / "docs" / "papers.md").read_text(encoding="utf-8").split("## Histograms")[1]

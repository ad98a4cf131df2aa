"""The public names: where they say that they live, and what a type checker knows of them."""

from __future__ import annotations

import doctest
import os
import pickle
import re
import subprocess
import sys
import traceback
from pathlib import Path
from types import FunctionType

import pytest

import dpselect as dps
from dpselect.release import open_session, select
from dpselect.scores import scores

ROOT = Path(__file__).parents[1]


def test_every_public_class_and_function_is_named_as_it_is_imported() -> None:
    """Modules keep their own names."""
    every = {name: value for name in dps.__all__ if isinstance(value := getattr(dps, name), (type, FunctionType))}

    assert {name: ("dpselect", name) for name in every} == {
        name: (value.__module__, value.__name__) for name, value in every.items()
    }


def test_tracebacks_and_pickles_use_the_public_name() -> None:
    """What is read and what is stored does not change when files move."""
    assert ["dpselect.BudgetError: gone\n"] == traceback.format_exception_only(dps.BudgetError("gone"))
    for value in (dps.Guarantee(1, "edge"), dps.select, dps.BudgetError):
        pickled = pickle.dumps(value)
        assert b"dpselect.kernel.errors" not in pickled
        assert b"dpselect.release" not in pickled
        assert pickle.loads(pickled) == value


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("percentile", ": did you mean dpselect.quantiles? On the command line it is dpselect percentile."),
        ("histogram", ": did you mean dpselect.counts?"),
        ("top_kk", ": did you mean dpselect.top_k?"),
        ("Bound", ": did you mean dpselect.mechanisms.Bound?"),
        ("pmf_chart", ": did you mean dpselect.plot.pmf_chart?"),
        ("published_system", ": did you mean dpselect.papers?"),
        ("xyzzy", ""),
        ("__wrapped__", ""),
    ],
)
def test_a_slip_in_a_public_name_is_answered_with_the_nearest(slip: str, meant: str) -> None:
    """And what the command line calls otherwise with the name here."""
    with pytest.raises(AttributeError) as error:
        getattr(dps, slip)

    assert f"module 'dpselect' has no attribute {slip!r}{meant}" == str(error.value)


def test_every_name_that_is_suggested_is_there() -> None:
    """The list of other names ages."""
    for name in dps._ELSEWHERE.values():
        value = dps
        for part in name.split("."):
            value = getattr(value, part)


@pytest.mark.parametrize(
    ("module", "name"),
    [(scores, "dpselect.scores.scores.Scores"), (select, "dpselect.release.select.select"),
     (open_session, "dpselect.release.open_session.open_session")],
)  # fmt: skip
def test_examples_of_public_names_are_found_in_their_files(module, name: str) -> None:
    """Once each, and not in the file that lists the names."""
    assert name in [each.name for each in doctest.DocTestFinder().find(module) if each.examples]
    assert [] == [each.name for each in doctest.DocTestFinder().find(dps) if each.examples]


@pytest.mark.slow
def test_a_slip_in_a_public_name_is_a_type_error(tmp_path: Path) -> None:
    """And what is there has its type, also what is imported when it is first used."""
    pytest.importorskip("mypy", reason='mypy is not installed: python -m pip install ".[lint]"')
    file = tmp_path / "slip.py"
    file.write_text(
        "import dpselect as dps\n"
        "dps.nonsense\n"
        "reveal_type(dps.utilities.counts)\n"
        "reveal_type(dps.adaptive.AdaptiveAlgorithm), dps.learn, dps.histograms\n"
        "scores, flip = dps.Scores([2, 1], 1, candidates=['a', 'b']), dps.mechanism('permute-and-flip')\n"
        "names: dps.Release[str] = dps.select(scores, epsilon=1, mechanism=flip)\n"
        "reveal_type(names.value), reveal_type(dps.median([1], lower=0, upper=2, epsilon=1).value)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(file)],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert 'slip.py:2: error: Module has no attribute "nonsense"' in run.stdout
    assert 1 == run.stdout.count(" error: "), run.stdout
    assert 'slip.py:3: note: Revealed type is "def (class_counts:' in run.stdout
    assert "dpselect.adaptive.adaptive_algorithm.AdaptiveAlgorithm" in run.stdout
    # The room that a type is from is left out by newer versions of mypy.
    bare = run.stdout.replace("builtins.", "")
    assert ["str", "float"] == re.findall(r'slip.py:7: note: .* "(.*)"', bare)

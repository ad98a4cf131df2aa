"""Strangers of five roles type what they would type first, and read what they should read."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from fractions import Fraction
from pathlib import Path

import pytest

from dpselect.mechanisms import large_epsilon
from tests.roles import folders
from tests.roles.session import play

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and no epsilon above 10 without a word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(large_epsilon, "LARGEST", Fraction(10))
    return tmp_path


@pytest.mark.parametrize(
    ("role", "files", "needs", "least"),
    [
        ("curator", folders.of_curator, ["pyarrow", "sklearn"], 22),
        ("data_scientist", None, ["sklearn", "pandas", "polars"], 30),
        ("network_scientist", folders.of_network_scientist, ["networkx", "pyarrow"], 24),
        ("privacy_engineer", folders.of_privacy_engineer, ["pyarrow"], 14),
        ("opendp", None, ["opendp"], 9),
        ("data_engineer", folders.of_data_engineer, ["ibis", "pyarrow", "sklearn"], 12),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_role_succeeds(
    place: Path, role: str, files: Callable[[Path], None] | None, needs: list[str], least: int
) -> None:
    """Every first line is as expected, and no step is lost."""
    for name in needs:
        pytest.importorskip(name)
    if files is not None:
        files(place)
    # In a context of its own: studies, which another test may have loaded, declare their data public for all others.
    assert Context().run(play, HERE / f"{role}.txt") >= least

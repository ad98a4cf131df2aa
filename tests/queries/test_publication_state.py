"""A state that cannot be made, read or written, and a disk that is full: one sentence, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dpselect.ledger.file import bare
from dpselect.queries.publication.state import StateError
from dpselect.sources.output import Output
from tests.queries.publications import published, require_consistent, spends, survey


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """It is said before anything is spent."""
    folder = survey(tmp_path / "survey")
    (folder / "report.answers").write_text("mine", encoding="utf-8")
    with pytest.raises(StateError, match="report.answers.*cannot be written.*Nothing was spent"):
        published(folder)

    assert 0 == spends(folder)
    assert "mine" == (folder / "report.answers").read_text(encoding="utf-8")


def test_answers_without_their_state_are_not_paid_for_again(tmp_path: Path) -> None:
    """Somebody removed it: to begin anew, the folder is moved away."""
    folder = survey(tmp_path / "survey")
    before = published(folder)
    (folder / "report.answers" / "state.db").unlink()
    with pytest.raises(StateError, match=r"has answers.json and no state.db: restore it, or move the folder away"):
        published(folder)

    assert 3 == spends(folder)
    (folder / "report.answers").rename(folder / "old")
    after = published(folder)
    assert 6 == spends(folder)
    assert before.answers["ages"]["answer"] != after.answers["ages"]["answer"]


@pytest.mark.parametrize(
    ("full", "paid"), [("placed", 0), ("keep", 3), ("put", 3)], ids=["no room for a state", "for answers", "for files"]
)
def test_a_full_disk(tmp_path: Path, monkeypatch, full: str, paid: int) -> None:
    """One sentence; what was paid stays paid, and is answered once there is room."""
    folder = survey(tmp_path / "survey")

    def no_room(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        if full == "placed":
            patch.setattr("dpselect.queries.publication.state.place_file", no_room)
        elif full == "put":
            patch.setattr(Output, "hold", lambda *_: no_room())
        else:
            patch.setattr("dpselect.queries.publication.state.bare", failing(5))
        with pytest.raises(OSError, match=r"full|rights|written"):
            published(folder)

    assert paid == spends(folder)
    require_consistent(folder, [])


def failing(connections: int) -> Any:
    """A way to open a database whose disk is full after so many connections."""
    left = [connections]

    class Full:
        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: Any) -> None:
            pass

        def execute(self, *_: Any) -> Any:
            raise OSError("The disk is full.")

    def opened(path: Path) -> Any:
        left[0] -= 1
        return bare(path) if left[0] >= 0 else Full()

    return opened


@pytest.mark.parametrize("content", ["", "nothing", None])
def test_a_state_of_something_else(tmp_path: Path, content: str | None) -> None:
    """An empty file, a text, another database: nothing is spent and it stays as it is."""
    folder = survey(tmp_path / "survey")
    place = folder / "report.answers"
    place.mkdir()
    if content is None:
        with sqlite3.connect(place / "state.db") as other:
            other.execute("CREATE TABLE people (name TEXT)")
        other.close()
    else:
        (place / "state.db").write_text(content, encoding="utf-8")
    before = (place / "state.db").read_bytes()
    with pytest.raises(StateError, match=r"state\.db"):
        published(folder)

    assert (before, 0) == ((place / "state.db").read_bytes(), spends(folder))


def test_a_state_of_a_newer_version(tmp_path: Path) -> None:
    """An update is asked for."""
    folder = survey(tmp_path / "survey")
    published(folder)
    with sqlite3.connect(folder / "report.answers" / "state.db") as state:
        state.execute("UPDATE publication SET format = 2")
    state.close()
    with pytest.raises(StateError, match="newer version of dpselect: update it"):
        published(folder)


def test_a_source_that_is_gone_after_the_payment(tmp_path: Path) -> None:
    """What was paid for is answered when it is back."""
    folder = survey(tmp_path / "survey")
    (folder / "survey.csv").rename(folder / "away.csv")
    with pytest.raises(OSError, match="survey.csv"):
        published(folder)
    assert 3 == spends(folder)

    (folder / "away.csv").rename(folder / "survey.csv")
    require_consistent(folder, [])

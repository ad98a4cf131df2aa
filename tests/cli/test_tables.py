"""Tables: drawn on a terminal, plain in files and pipes."""

from __future__ import annotations

import io
import re
import sys
from itertools import count

import pytest

from dpselect.cli import main, tables
from dpselect.cli.tables import AnswerTable, draw_parts
from dpselect.utilities import egos

COUNTS = ["histogram", "events.csv", "product", "--domain", "tea,milk", "--epsilon", "9"]
pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is read by a person."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(tables, "on_terminal", lambda: True)


@pytest.mark.parametrize("words", [COUNTS, ["mechanisms"], ["budget", "show", "people.ledger"]])
def test_a_pipe_gets_plain_text(words: list[str], capsys) -> None:
    """Without a code of a terminal."""
    assert 0 == main(["budget", "spend", "people.ledger", "--epsilon", "1", "--note", "[red]table 3"])
    assert 0 == main(words)
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        (COUNTS, "count value"),
        (["mechanisms"], "mechanism use"),
        (["budget", "show", "people.ledger"], "row when epsilon"),
    ],
)
@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_a_table_with_titles(words: list[str], titles: str, capsys, monkeypatch) -> None:
    """The same cells, and what reads as markup stays text; NO_COLOR is followed, and --json is never drawn."""
    assert 0 == main(["budget", "spend", "people.ledger", "--epsilon", "1", "--note", "[red]table 3"])
    capsys.readouterr()
    assert 0 == main(words)
    page = capsys.readouterr().out
    assert "\x1b[1m" in page
    assert titles in " ".join(re.sub(r"\x1b\[[0-9;]*m", "", page).split())
    assert ("[red]table 3" in page) == (words[0] == "budget")

    monkeypatch.setenv("NO_COLOR", "1")
    assert 0 == main(words)
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9]", capsys.readouterr().out)
    assert 0 == main([*words, "--json"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_table_is_aligned_in_both_forms(monkeypatch) -> None:
    """Numbers on the right; an empty one is an empty text."""
    table = AnswerTable(("count", "value"), [["7", "tea"], ["120", "[b]milk"]], frozenset({0}))
    monkeypatch.setenv("TERM", "dumb")

    assert "  7  tea\n120  [b]milk" == table.plain()
    assert "" == AnswerTable(("count",), []).plain()
    assert "before\n" in draw_parts(["before", table])
    assert "[b]milk" in draw_parts([table])


def test_a_terminal_is_known_by_what_reads(monkeypatch, capsys) -> None:  # noqa: ARG001
    """Also where standard output is closed."""
    assert not tables.on_terminal()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert tables.on_terminal()
    monkeypatch.setattr(sys, "stdout", None)
    assert not tables.on_terminal()


def test_progress_shows_a_share_and_no_number_of_blocks(monkeypatch) -> None:
    """Blocks are cut by private degrees."""
    told = io.StringIO()
    told.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", told)
    ticks = count(0, 10)
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(ticks)))
    with egos._progress(37, "open pairs") as advance:
        for _ in range(37):
            advance()

    assert "open pairs: " in told.getvalue()
    assert not re.search(r"37|/s", told.getvalue().replace(" 37 %", ""))

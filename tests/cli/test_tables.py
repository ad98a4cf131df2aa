"""Tables: drawn on a terminal, plain in files and pipes."""

from __future__ import annotations

import io
import re
import sys
from itertools import count

import pytest

from dpselect.cli import main, tables
from dpselect.cli.tables import AnswerTable, ReleaseFacts, draw_parts
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


LONG = "of the rows that count: less than 283 records behind the best with probability 0.95, whatever the data"


@pytest.mark.parametrize("width", [80, 60, 50])
def test_a_terminal_breaks_no_word(width: int, monkeypatch, terminal) -> None:  # noqa: ARG001
    """Neither of a sentence nor of a table; what follows a name stays beneath its first word."""
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [["1", "2026-11-28 13:59", "quantiles age, person who, rows per person 1", "permute-and-flip"]]
    table = AnswerTable(("row", "when", "question", "mechanism"), rows)
    beneath = ReleaseFacts("epsilon = 0.5 per person, by permute-and-flip", LONG)
    drawn = draw_parts([LONG, table, beneath], left="epsilon 5.25 of 10, in people.ledger")
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", drawn).splitlines()]
    words = {word for line in lines for word in line.split()}
    assert max(map(len, lines)) <= width
    assert {word for row in rows for cell in row for word in cell.split()} <= words
    assert {*LONG.split(), "permute-and-flip"} <= words
    block = lines[next(place for place, line in enumerate(lines) if line.startswith("accuracy")) :]
    assert all(re.match(r"(accuracy|price   |left    |        )  \S", line) for line in block)
    assert ["accuracy", "price", "left"] == [line.split()[0] for line in block if not line.startswith(" ")]


def test_a_release_is_one_block_on_a_terminal(terminal, capsys) -> None:  # noqa: ARG001
    """The answer, its accuracy, its price and what is left; a file gets the price first, and no balance."""
    assert 0 == main(["budget", "create", "shop.ledger", "--epsilon", "10", "--dataset", "shop"])
    capsys.readouterr()
    assert 0 == main([*COUNTS, "--ledger", "shop.ledger"])
    shown = capsys.readouterr().out.splitlines()
    assert ["accuracy", "price", "left"] == [line.split()[0] for line in shown[-3:]]
    assert re.fullmatch(r"left +epsilon 1 of 10, in shop\.ledger", shown[-1])


def test_a_sentence_on_standard_error_breaks_between_words(monkeypatch) -> None:
    """Where a terminal shows it; a file has it in one line."""
    for there in (True, False):
        error = io.StringIO()
        error.isatty = lambda there=there: there  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stderr", error)
        monkeypatch.setenv("COLUMNS", "40")
        assert 2 == main(["median", "people.csv", "age", "--lower", "9", "--upper", "0", "--epsilon", "1"])
        lines = error.getvalue().splitlines()
        assert there == (len(lines) > 1)
        assert "dpselect median: " in lines[0]
        assert not there or max(map(len, lines)) <= 40


def test_what_a_file_is_made_of_is_never_broken(terminal, capsys, monkeypatch) -> None:  # noqa: ARG001
    """A description on a terminal narrower than its lines is the text that a file gets."""
    monkeypatch.setenv("COLUMNS", "30")
    assert 0 == main(["describe", "events.csv"])
    drawn = capsys.readouterr().out
    monkeypatch.setattr(tables, "on_terminal", lambda: False)
    assert 0 == main(["describe", "events.csv"])
    assert drawn == capsys.readouterr().out

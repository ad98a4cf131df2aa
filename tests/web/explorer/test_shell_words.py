"""A name in a command is one word that is shown as it is, whatever a table holds."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest

pytest.importorskip("altair", reason="the explorer needs the extra web")

from dpselect.queries import QueryError
from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.shell_words import quote_word
from dpselect.web.explorer.text_column import TextColumn

HIDDEN = "\x15\x1b\u202e\u2066\u200f\u0085"
# Pages whose command asks a query about a column.
ASKED = ("best-groups", "candidates", "mechanisms", "most-common", "percentile", "tree")
NAMES = [
    "job",
    "two words",
    "it's",
    "a'\\\n'; touch x",
    "$(touch x)`y`",
    "\x15\u202eé\u2028",
    "no\udcff",
    "!x",
    "~",
    "",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is what reads the words")
@pytest.mark.parametrize("name", NAMES)
def test_bash_reads_the_name(name: str) -> None:
    """To the byte, and every sign of the word is printable."""
    word = quote_word(name)
    read = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout

    assert name.encode(errors="surrogateescape") == read
    assert word.isprintable()


def test_no_command_holds_a_null_character() -> None:
    """A shell would end the name there: it is refused in a sentence."""
    with pytest.raises(ValueError, match=r"null character.*\.$"):
        quote_word("a\0b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_nothing_hidden_is_copied_from_a_page(page) -> None:
    """Columns and cells with keys of a terminal, turned letters and ends of lines stay names in all that is copied."""
    name = f"a{HIDDEN}b\ntouch x\n"
    cells = [f"{name}{number % 3}" for number in range(30)]
    columns = {name: TextColumn.of(cells), f"{name}2": TextColumn.of([str(number) for number in range(30)])}
    material = replace(EXAMPLES, columns=columns, visits=columns, given="table")
    state = {field.name: field.read({}) for field in page.content.fields(material)}
    if page.path in ASKED:
        # A query takes no such name: nothing can be copied, and the sentence does not repeat it.
        with pytest.raises(QueryError, match="^[^\x15\x1b\n]*printable (signs|letters)[^\x15\x1b\n]*$"):
            page.content.view(state, material)
        return
    view = page.content.view(state, material)
    for text in (view.commands.shell, view.commands.python, view.example):
        assert not {*HIDDEN} & {*text}
        assert not any(line.startswith("touch x") for line in text.splitlines())

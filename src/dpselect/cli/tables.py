"""Answers on a terminal: lines end between words, and Rich draws tables. Files and pipes get aligned plain text."""

from __future__ import annotations

import io
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

# Blanks between two columns.
_GAP = 3


@dataclass(frozen=True)
class AnswerTable:
    """A table of an answer; cells are shown as they are, so its maker escapes them.

    Attributes:
        titles: of the columns.
        rows: as many cells each.
        right: which columns hold numbers, and are aligned on the right.
    """

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()

    def plain(self) -> str:
        """Return the rows without titles, aligned by spaces."""
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)] if self.rows else []
        lines = [
            "  ".join(
                cell.rjust(width) if place in self.right else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in self.rows
        ]
        return "\n".join(line.rstrip() for line in lines)


@dataclass(frozen=True)
class ReleaseFacts:
    """The facts beneath a release, a line each.

    Attributes:
        price: what it cost, whom that protects, and by which mechanism.
        accuracy: how wrong it may be.
        further: what else is known, such as a p-value.
        note: what the answer is, where its lines do not say it.
    """

    price: str
    accuracy: str
    further: Sequence[str] = ()
    note: str = ""

    def plain(self) -> str:
        """Return the lines of a file or a pipe."""
        return "\n".join([f"{self.note}; {self.price}" if self.note else self.price, self.accuracy, *self.further])

    def block(self, left: str) -> str:
        """Return the lines of a terminal: accuracy, price, and what is left of the budget."""
        named = [("accuracy", self.accuracy), *(("", each) for each in self.further), ("price", self.price)]
        lines = [f"{name:<9} {words}" for name, words in [*named, *([("left", left)] if left else [])]]
        return "\n".join([*([self.note] if self.note else []), *lines])


Part = str | AnswerTable | ReleaseFacts


def on_terminal() -> bool:
    """Return whether a person reads standard output, and not a file or another program."""
    return sys.stdout is not None and sys.stdout.isatty()


def print_notice(text: str) -> None:
    """Print a sentence on standard error, which a terminal does not break within a word."""
    whole = sys.stderr is None or not sys.stderr.isatty()
    print(text if whole else wrap_text(text), file=sys.stderr)


def wrap_text(text: str, width: int | None = None) -> str:
    """Return text whose lines end between words; what follows a name and blanks stays beneath its first word.

    Args:
        text: of one or more lines; a word that is longer than a line stays whole.
        width: of a line; that of the terminal by default.

    >>> print(wrap_text("price  epsilon = 0.5 per record, by noise", 30))
    price  epsilon = 0.5 per
           record, by noise
    """
    if width is None:
        # Only what is printed needs it.
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    lines = []
    for line in text.split("\n"):
        if len(line) <= width:
            lines.append(line)
            continue
        # The name at the left, or blanks alone, and the blanks after it.
        name = re.match(r"\S{0,12} {2,}|", line)
        indent = len(name.group()) if name else 0
        broken = textwrap.wrap(line[indent:], max(width - indent, 20), break_long_words=False, break_on_hyphens=False)
        lines += [f"{' ' * indent if place else line[:indent]}{each}" for place, each in enumerate(broken)]
    return "\n".join(lines)


def draw_parts(parts: Sequence[Part], *, left: str = "") -> str:
    """Return the text that draws these parts on the terminal; colours follow ``NO_COLOR`` and ``TERM``.

    Args:
        parts: in their order.
        left: what is left of the budget after a release, in words.
    """
    from rich import box, table
    from rich.console import Console
    from rich.text import Text

    # Nothing is written here, so that an answer that was paid for is never lost between two writes.
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, highlight=False, markup=False, emoji=False)
    lines = box.SIMPLE_HEAD if (sys.stdout.encoding or "").lower().startswith("utf") else None
    for part in parts:
        if not isinstance(part, AnswerTable):
            page.write(f"{wrap_text(part.block(left) if isinstance(part, ReleaseFacts) else part)}\n")
            continue
        shown = table.Table(box=lines, show_edge=False, header_style="bold", pad_edge=False)
        widths = _widths([*zip(part.titles, *part.rows, strict=True)], console.width)
        for place, title in enumerate(part.titles):
            side = "right" if place in part.right else "left"
            shown.add_column(title, justify=side, overflow="fold", width=widths and widths[place])  # type: ignore[arg-type]
        for row in part.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    return page.getvalue().rstrip("\n")


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return how wide columns are at most, none less than its longest word; ``None`` where that is too much."""
    wanted = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
    words = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    room -= _GAP * (len(columns) - 1)
    if sum(words) > room:
        return None
    if sum(wanted) <= room:
        return wanted
    widths = [*wanted]
    while sum(widths) > room:
        widest = max((width, place) for place, width in enumerate(widths) if width > words[place])[1]
        widths[widest] -= 1
    # A date that is broken after its day needs no more than that: the rest is for the column that lacks most.
    for place, column in enumerate(columns):
        lines = [line for cell in column for line in textwrap.wrap(cell, widths[place], break_on_hyphens=False)]
        widths[place] = max(map(len, lines), default=1)
    most = max(range(len(columns)), key=lambda place: wanted[place] - widths[place])
    widths[most] += room - sum(widths)
    return widths

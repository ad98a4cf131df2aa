"""Tables in answers: aligned plain text in files and pipes, drawn by Rich on a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass


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


def on_terminal() -> bool:
    """Return whether a person reads standard output, and not a file or another program."""
    return sys.stdout is not None and sys.stdout.isatty()


def draw_parts(parts: Sequence[str | AnswerTable]) -> str:
    """Return the text that draws these parts on the terminal; colours follow ``NO_COLOR`` and ``TERM``."""
    from rich import box, table
    from rich.console import Console
    from rich.text import Text

    # Nothing is written here, so that an answer that was paid for is never lost between two writes.
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, highlight=False, markup=False, emoji=False)
    lines = box.SIMPLE_HEAD if (sys.stdout.encoding or "").lower().startswith("utf") else None
    for part in parts:
        if isinstance(part, str):
            page.write(f"{part}\n")
            continue
        shown = table.Table(box=lines, show_edge=False, header_style="bold", pad_edge=False)
        for place, title in enumerate(part.titles):
            shown.add_column(title, justify="right" if place in part.right else "left", overflow="fold")
        for row in part.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
    return page.getvalue().rstrip("\n")

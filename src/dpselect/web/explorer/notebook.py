"""A view as a notebook: it draws the same pictures of public data, and names the command for private data."""

from __future__ import annotations

import json
import re
from typing import Any

from dpselect.web.explorer.explorer_page import Page, View

# Between two parts of an example, which are a cell each: a notebook shows what a cell ends with.
NEXT = "\n# %%\n"


def notebook(page: Page, view: View, address: str) -> str:
    """Return the text of a notebook (nbformat 4.5) that runs where dpselect is installed with the extra ``web``.

    The last cell holds the command and the Python for private data as text, which nothing runs.
    """
    commands = view.commands
    private = f"{commands.note}\n\n{_fenced('sh', commands.shell)}\n\n{_fenced('python', commands.python)}"
    cells = [
        _cell(
            "markdown", f"# {page.title}\n\n{page.question}\n\nPublic or made-up data only. Exact; nothing is spent."
        ),
        *(_cell("code", part) for part in view.example.split(NEXT)),
        _cell("markdown", f"## On private data\n\n{private}\n\nMade by `dpselect explore`, page `/{address}`."),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _fenced(language: str, text: str) -> str:
    """Return text that Markdown shows as it is, whatever names of files or candidates are in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _cell(kind: str, text: str) -> dict[str, Any]:
    lines = text.splitlines(keepends=True)
    common: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": lines}
    return common | ({"execution_count": None, "outputs": []} if kind == "code" else {})

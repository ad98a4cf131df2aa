"""A session as a stranger types it: commands behind ``$``, Python behind ``>>>``, and below each what it prints first.

``...`` stands for whatever differs from run to run. A command that is refused prints ``refused:`` and one sentence.
What a session needs lies in the folder that it runs in.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from dpselect.cli import main

_COMMAND = re.compile(r"^(\s*)\$ dpselect (.+)$", re.MULTILINE)
_STATUS = {0: "", 2: "refused: "}


def play(path: Path, **names: Any) -> int:
    """Play the session of a file with these names; return how many commands and calls it has.

    Raises:
        AssertionError: one of them printed another first line.
    """
    text = path.read_text(encoding="utf-8")
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", str(value))
    text = _COMMAND.sub(lambda match: f"{match[1]}>>> dpselect({match[2]!r})", text)
    test = doctest.DocTestParser().get_doctest(text, {"dpselect": _command}, path.name, str(path), 0)
    printed = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    result = runner.run(test, out=printed.write)
    assert result.failed == 0, printed.getvalue()
    return result.attempted


def _command(line: str) -> None:
    """Run a command, and print the first line of what it says."""
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        status = main(shlex.split(line))
    lines = (said if status == 0 else complained).getvalue().strip("\n").splitlines()
    first = lines[0] if lines else ""
    print(_STATUS.get(status, f"status {status}: ") + re.sub("^dpselect[a-z -]*: ", "", first))

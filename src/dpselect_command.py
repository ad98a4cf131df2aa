"""The command ``dpselect``: it stands outside of the package so that an interrupt while that loads is one sentence."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def main() -> int:
    """Run the command line; return its exit status."""
    # Libraries written in C may take an interrupt for a broken installation: while they load, it ends the process.
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    try:
        from dpselect.cli import main as run
    except KeyboardInterrupt:
        _stop()
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich_click", "rich"):
            raise
        from dpselect._optional import install

        sys.exit(f"dpselect: The command line needs Click and rich-click: {install('cli')}.")
    # The verb loads libraries of its own before it begins.
    status = run(loaded=lambda: signal.signal(signal.SIGINT, before))
    # What is done stays done: an interrupt while Python ends would take its status away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


def _stop(*_: object) -> NoReturn:
    sys.stderr.write("dpselect: Stopped.\n")
    sys.stderr.flush()
    os._exit(130)

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
        signal.signal(signal.SIGINT, _stopped)
    try:
        from dpselect.cli import main as run
    except KeyboardInterrupt:
        _stopped()
    # The verb loads libraries of its own before it begins.
    return run(loaded=lambda: signal.signal(signal.SIGINT, before))


def _stopped(*_: object) -> NoReturn:
    sys.stderr.write("dpselect: Stopped.\n")
    sys.stderr.flush()
    os._exit(130)

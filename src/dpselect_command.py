"""The command ``dpselect``: it stands outside of the package so that an interrupt while that loads is one sentence."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; return its exit status."""
    try:
        from dpselect.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("dpselect: Stopped.", file=sys.stderr)
        return 130

"""Completion in the shell: what may follow a command line that is being typed."""

from __future__ import annotations

import os

from dpselect.cli import command

# The shell sets it: bash_source asks for the script, bash_complete for what may follow; zsh and fish alike.
VARIABLE = "_DPSELECT_COMPLETE"


def asked() -> bool:
    """Return whether a shell asks, and not a user."""
    return VARIABLE in os.environ


def answer() -> int:
    """Print what the shell asks for; return the exit status."""
    from click.shell_completion import shell_complete

    return shell_complete(command.root(), {}, command.NAME, VARIABLE, os.environ[VARIABLE])

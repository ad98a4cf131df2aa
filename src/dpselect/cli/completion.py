"""Completion in the shell: what may follow a command line that is being typed."""

from __future__ import annotations

import os

from click import Command

# The shell sets it: bash_source asks for the script, bash_complete for what may follow; zsh and fish alike.
VARIABLE = "_DPSELECT_COMPLETE"


def is_completing() -> bool:
    """Return whether a shell asks, and not a user."""
    return VARIABLE in os.environ


def answer(root: Command, name: str) -> int:
    """Print what the shell asks for of a command of this name; return the exit status."""
    from click.shell_completion import shell_complete

    return shell_complete(root, {}, name, VARIABLE, os.environ[VARIABLE])

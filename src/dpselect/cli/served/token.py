"""The token of a user: from a file, the environment or a hidden prompt, and never from the command line."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path

from dpselect.kernel.errors import InputError

VARIABLE = "DPSELECT_TOKEN"
_FORBIDDEN = stat.S_IRWXG | stat.S_IRWXO
# A token is shorter.
_MOST = 2**13
NOT_HERE = (
    f"everybody on this machine can read a command line, so pass --token-file FILE or set {VARIABLE} instead, and ask "
    "your curator for another token, as this one may have been seen"
)


def token(file: str | None) -> str:
    """Return the token: what the file holds, else the environment variable, else what is typed at a hidden prompt.

    Args:
        file: its name, or ``None``.

    Raises:
        ValueError: there is none, or others may read the file; nothing that may be a token is quoted.
        OSError: the file cannot be read.
    """
    if file is not None:
        return _of_file(file)
    said = os.environ.get(VARIABLE, "").strip()
    if said:
        return said
    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError(f"Whose question is it? Pass --token-file FILE, or set {VARIABLE}: your curator makes tokens.")
    return _typed()


def _of_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            # Elsewhere rights are not in these bits.
            if os.name == "posix" and mode & _FORBIDDEN:
                raise InputError("The file of the token can be read or written by others: run chmod 600 on it.")
            content = file.read(_MOST)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        # It may be the token itself, which no message quotes.
        raise InputError("--token-file names no file: pass the name of a file that holds the token alone.") from None
    except OSError as error:
        raise InputError(f"The file of the token cannot be read ({os.strerror(error.errno or 0)}).") from None
    try:
        return content.decode("ascii").strip()
    except UnicodeDecodeError:
        raise InputError("The file of the token holds something else: it holds the token alone, on one line.") from None


def _typed() -> str:
    # Only who is asked needs it.
    from getpass import GetPassWarning, getpass

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", GetPassWarning)
            return getpass("Token (not shown): ").strip()
    except (GetPassWarning, EOFError):
        raise InputError("A token can only be typed where it stays hidden: pass --token-file FILE.") from None

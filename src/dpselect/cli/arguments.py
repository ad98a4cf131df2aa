"""What the commands share: a parser whose errors are one sentence, exact numbers, public nodes."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Leave with status 2 and the sentence."""
        self.exit(2, f"{self.prog}: {message}\n")


def number(text: str) -> Fraction:
    """Return the exact number written: 0.1 is 1/10, and 1/3 is allowed."""
    try:
        if len(text) > 40:
            raise ValueError
        exponent = text.lower().partition("e")[2]
        if exponent and abs(int(exponent)) > 400:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number: epsilon must be positive and finite, such as 0.5"
        ) from None


def nodes(text: str | None) -> Any:
    """Return a number of nodes, a list of labels (integers when all are), or None when not given."""
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    if not Path(text).is_file():
        raise ValueError(f"--nodes takes a number or a file with one label a line, and there is no file {text!r}.")
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text} is not UTF-8 text: save it as UTF-8.") from None
    labels = [line.strip() for line in lines if line.strip()]
    if not labels:
        raise ValueError(f"{text} lists no node: write one label a line.")
    # "007" is a label and "7" an integer: only lists that survive the way there and back are integers.
    whole = all(label.isascii() and label.isdigit() and str(int(label)) == label for label in labels)
    return [int(label) for label in labels] if whole else labels

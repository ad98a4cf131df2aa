"""One colour and one marker for every family of mechanisms, the same in all pictures of the project."""

from __future__ import annotations

from typing import NamedTuple


class Look(NamedTuple):
    """A colour and a marker of matplotlib."""

    colour: str
    marker: str


FAMILIES: dict[str, Look] = {
    "permute-and-flip": Look("#0b3c5d", "o"),
    "exponential": Look("#3d9be9", "s"),
    "local dampening": Look("#d1495b", "D"),
    "shifted local dampening": Look("#8f1d2c", "^"),
    "local dampening, heavy tails": Look("#e98a15", "v"),
    "smooth noisy max, t": Look("#00798c", "P"),
    "smooth noisy max, Laplace": Look("#4fb286", "X"),
    "smooth noisy max, log-normal": Look("#1b5e20", "<"),
    "smooth private selection": Look("#6a4c93", ">"),
    "noisy views": Look("#8d6e63", "p"),
    "noisy counts": Look("#b5179e", "h"),
    "default tree": Look("#111111", "*"),
    "evolutionary, local": Look("#d1495b", "d"),
    "evolutionary, global": Look("#3d9be9", "8"),
    "histogram": Look("#5b8e3e", "H"),
    "reference": Look("#7a7a7a", "."),
}

"""One colour and one marker for every family of mechanisms, the same in all pictures of the project."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32


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
    "generalised exponential": Look("#a1662f", "2"),
    "inverse sensitivity": Look("#c2b280", "1"),
    "noisy views": Look("#8d6e63", "p"),
    "noisy counts": Look("#b5179e", "h"),
    "default tree": Look("#111111", "*"),
    "evolutionary, local": Look("#d1495b", "d"),
    "evolutionary, global": Look("#3d9be9", "8"),
    "histogram": Look("#5b8e3e", "H"),
    "identity": Look("#5d737e", "$I$"),
    "uniform": Look("#a39a00", "$U$"),
    "hb": Look("#2e7d32", "$H$"),
    "dawa": Look("#c2185b", "$D$"),
    "coarse dawa": Look("#f06292", "$C$"),
    "mwem": Look("#5e35b1", "$M$"),
    "A1, Friedman and Schuster": Look("#1565c0", "$1$"),
    "A2, Mohammed": Look("#c62828", "$2$"),
    "A3, Jagannathan": Look("#2e7d32", "$3$"),
    "A4, Patil and Singh": Look("#ef6c00", "$4$"),
    "A5, Fletcher and Islam": Look("#6a1b9a", "$5$"),
    "choice maker, forest": Look("#000000", "$F$"),
    "choice maker, regret tree": Look("#37474f", "$T$"),
    "reference": Look("#7a7a7a", "."),
}

# Of mechanisms that the library does not know: their names decide.
SPARE = (
    Look("#7b3294", "o"),
    Look("#008837", "s"),
    Look("#b35806", "D"),
    Look("#2166ac", "^"),
    Look("#b2182b", "v"),
    Look("#1a1a1a", "P"),
)

# Mechanisms by published name, where the name does not say the family by itself.
_OF = {
    "noisy-max-laplace": "exponential",
    "generalised-exponential": "generalised exponential",
    "inverse-sensitivity": "inverse sensitivity",
    "local-dampening": "local dampening",
    "local-dampening-flip": "local dampening",
    "local-dampening-t": "local dampening, heavy tails",
    "shifted-local-dampening": "shifted local dampening",
    "shifted-local-dampening-flip": "shifted local dampening",
    "smooth-noisy-max": "smooth noisy max, t",
    "smooth-private-selection": "smooth private selection",
}


def family(mechanism: str) -> str:
    """Return the family of a mechanism, by its name up to a comma; one of a user's own is a family by itself.

    >>> family("local-dampening-flip, shared"), family("my-mechanism")
    ('local dampening', 'my-mechanism')
    """
    name = mechanism.partition(",")[0]
    return _OF.get(name, name)


def look(mechanism: str) -> Look:
    """Return the colour and the marker of a mechanism, the same in all pictures.

    >>> look("permute-and-flip").colour, look("my-mechanism") == look("my-mechanism, of the second score")
    ('#0b3c5d', True)
    """
    name = family(mechanism)
    return FAMILIES[name] if name in FAMILIES else SPARE[crc32(name.encode()) % len(SPARE)]


def lighter(colour: str, share: float) -> str:
    """Return a colour mixed with white.

    >>> lighter("#0b3c5d", 0), lighter("#0b3c5d", 1)
    ('#0b3c5d', '#ffffff')
    """
    parts = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)

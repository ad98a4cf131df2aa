"""What the library advises, in words of the command line: ``nodes=`` becomes ``--nodes``.

The library speaks of arguments. An argument that the command has as an option becomes that option; where the command
line has another remedy, or fewer of them, the advice is exchanged as a whole.
"""

from __future__ import annotations

import re
from re import Match

from dpselect.cli.request import Request

_OTHER = "take another, such as --mechanism local-dampening-flip"

# Advice of the library as it stands there, and what to do on the command line instead.
REMEDIES = {
    "use local-dampening-flip, or give a public reach: pareto(..., reach=), or dpselect.sensitivity.reach": (
        "take --mechanism local-dampening-flip or permute-and-flip"
    ),
    "pass distance=, use a utility that knows it, or use local-dampening": _OTHER,
    "pass a public ceiling=, or use local-dampening": _OTHER,
    "pass ceiling=, or use local-dampening": _OTHER,
    "pass sensitivity=dpselect.sensitivity.constant([...])": _OTHER,
    "pass scores of at least two": "--nodes must be at least 2",
    "pass two arrays of the same shape (m,), m >= 1": "the table needs a row a marker",
    "pass overwrite=True": "pass --overwrite",
    "dpselect.budget or Ledger.open with": "dpselect budget create with",
    'declare it by Warehouse.open(..., key=) (--key on the command line), or pass sharing="budget"': "name it by --key",
}

# An argument stands alone, so that a path such as data/table=3 is left as it is.
_ARGUMENT = re.compile(
    r"(?<![^\s(])(?P<name>[a-z_]+)=(?:(?P<quote>['\"])(?P<text>[\w-]+)(?P=quote)|(?P<figure>[\d.e-]*\d))?(?=[\s,.:;)]|$)"
)
_NAME = re.compile(r"(?<![^\s(])(?P<name>[a-z]+(?:_[a-z]+)+)(?![\w=(])")
_ALREADY = re.compile(r" \(--[\w-]+ on the command line\)")


# What a message quotes is a name that somebody gave, unless it is the value of an argument.
_QUOTED = re.compile(r"(?<!=)'[^']*'")
# Set by the command line itself, or given by their place.
_NO_OPTIONS = frozenset({"run", "command", "task", "file", "graph"})


def translated(message: str, request: Request) -> str:
    """Return a message of the library with its advice in options of the command that was given."""
    for advice, remedy in REMEDIES.items():
        message = message.replace(advice, remedy)
    message = _ALREADY.sub("", message)
    # The relation of a ledger is an option of the command that makes it, whatever was given.
    known = {*request.parameters, "neighbours"} - _NO_OPTIONS
    names = [found[0] for found in _QUOTED.finditer(message)]
    names += [text for text in request.words if text[:1] != "-" and any(name in text for name in known)]
    # Names of files and columns may read like advice: they are put aside meanwhile, the longest first.
    names = sorted({name for name in names if name in message}, key=len, reverse=True)
    for place, name in enumerate(names):
        message = message.replace(name, f"\0{place}\0")

    def option(found: Match[str]) -> str:
        name = found["name"]
        if name not in known:
            return found[0]
        values = found.groupdict()
        value = values.get("text") or values.get("figure")
        return f"--{name.replace('_', '-')}{f' {value}' if value else ''}"

    message = _NAME.sub(option, _ARGUMENT.sub(option, message))
    for place, name in enumerate(names):
        message = message.replace(f"\0{place}\0", name)
    return message

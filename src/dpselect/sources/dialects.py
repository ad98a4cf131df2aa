"""The declared dialect of a text table; nothing is guessed from its rows."""

from __future__ import annotations

import codecs
import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_DELIMITER_NAMES = {"tab": "\t", "\\t": "\t"}
_ASCII = bytes(range(128))
# Here a letter may hold a byte that separates or quotes, or may change how later bytes are read.
_SHIFT_ENCODINGS = ("utf_7", "hz", "iso2022")
# What groups the digits of a number in threes, and all signs that it stands for.
_GROUPING = {".": ".", ",": ",", "space": " \u00a0\u202f\u2009", "apostrophe": "'\u2019"}
_GROUPING |= dict.fromkeys(_GROUPING["space"], _GROUPING["space"])
_GROUPING |= dict.fromkeys(_GROUPING["apostrophe"], _GROUPING["apostrophe"])
_BOTH = "cannot both group digits and mark fractions: pass"
# Spaces that may surround a number, and what no unit holds, is, or begins or ends with.
SPACES = " \t\u00a0\u202f\u2009"
MINUS = "\u2212"
_DIGITS = re.compile(r"[0-9\n\r]")
_SIGNS = f"{SPACES}+-.,'\u2019{MINUS}"
# Orders of day, month and year other than 2025-12-31.
DATE_ORDERS = ("dmy", "mdy")
# A file has at most so many lines before its names.
_MOST = 1000
# What may still be wanted of an encoding that is not read.
_SAVE = "save the table as UTF-8"


def _encoding(name: str) -> str:
    """Return an encoding by its usual name; one whose letters may hold bytes of ASCII is refused."""
    try:
        known = codecs.lookup(name).name
        bytewise = _ASCII.decode(known) == _ASCII.decode("ascii") and not known.replace("-", "_").startswith(
            _SHIFT_ENCODINGS
        )
    except (LookupError, UnicodeError, TypeError, ValueError):
        raise InputError(
            f"{name!r} is not a text encoding that is read here: pass utf-8, latin-1 or cp1252, or {_SAVE}."
        ) from None
    if not bytewise:
        raise InputError(f"{name!r} is not read here, because its letters are not bytes of their own: {_SAVE}.")
    return "utf-8" if known == "utf-8-sig" else str(known)


@dataclass(frozen=True)
class Dialect:
    """The separator of columns, the signs in numbers, and the encoding of a text file.

    Args:
        separator: ``","``, ``";"``, ``"|"`` or a tab (also ``"tab"``); ``None`` is a tab in ``.tsv`` files and a comma
            in all others.
        decimal: ``"."`` or ``","``; ``None`` is a point, unless semicolons separate, where numbers ask for it.
        encoding: such as ``"utf-8"``, ``"latin-1"`` or ``"cp1252"``.
        thousands: what stands between groups of three digits: ``"."``, ``","``, ``"space"`` or ``"apostrophe"``.
            ``None`` is any of them but the decimal mark where ``decimal`` is declared, and nothing where it is not.
        line_breaks: whether quoted cells have line breaks. Otherwise one line is one record, whatever quotes it has.
        unit: what may stand before or behind a number, such as ``"%"``, ``"EUR"`` or ``"€"``; several in a list.
        skip_rows: how many lines, or rows of a sheet, stand before the names of the columns.
        date_order: ``"dmy"`` for dates such as 31.12.2025, ``"mdy"`` for 12/31/2025; 2025-12-31 is always read.

    Raises:
        ValueError: none of these.

    >>> Dialect(";", ",", "latin-1").of("people.csv")
    ';'
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    thousands: str | None = None
    line_breaks: bool = False
    unit: tuple[str, ...] = ()
    skip_rows: int = 0
    date_order: str | None = None

    def __post_init__(self) -> None:
        separator = (
            None if self.separator is None else _DELIMITER_NAMES.get(str(self.separator).lower(), self.separator)
        )
        if separator is not None and separator not in SEPARATORS:
            raise InputError(f"{self.separator!r} separates no columns: the separator is ',', ';', '|' or 'tab'.")
        object.__setattr__(self, "separator", separator)
        if self.decimal not in (None, ".", ","):
            raise InputError(f"{self.decimal!r} marks no fraction: decimal is '.' or ','.")
        if self.decimal is not None and self.decimal == separator:
            raise InputError("A comma cannot both separate columns and mark fractions: name another separator.")
        if self.thousands is not None and self.thousands not in _GROUPING:
            raise InputError(
                f"{self.thousands!r} groups no digits: thousands is '.', ',', 'space' or 'apostrophe' (which is ' too)."
            )
        if self.thousands == self.mark == ".":
            raise InputError(
                Advice("A point cannot both group digits and mark fractions: pass {decimal=','|--decimal ,}.")
            )
        if self.thousands == self.mark == ",":
            raise InputError(
                Advice("A comma cannot both group digits and mark fractions: pass {decimal='.'|--decimal .}.")
            )
        if not isinstance(self.line_breaks, bool):
            raise InputError("line_breaks is true or false: whether quoted cells have line breaks.")
        if isinstance(self.skip_rows, bool) or not isinstance(self.skip_rows, int) or not 0 <= self.skip_rows <= _MOST:
            raise InputError(f"skip_rows is a whole number from 0 to {_MOST}: the lines before the names of columns.")
        if self.date_order not in (None, *DATE_ORDERS):
            raise InputError(f"date_order is {' or '.join(DATE_ORDERS)}: 31.12.2025 is dmy, and 12/31/2025 is mdy.")
        units = tuple(self.unit) if isinstance(self.unit, (list, tuple)) else (self.unit,)
        for unit in units:
            _require_unit(unit)
        # The longest first, so that none is taken for the beginning of another.
        object.__setattr__(self, "unit", tuple(sorted(dict.fromkeys(units), key=len, reverse=True)))
        object.__setattr__(self, "encoding", _encoding(self.encoding))

    @property
    def mark(self) -> str:
        """The sign before the fraction of a number."""
        return self.decimal or "."

    def require_decimal(self) -> None:
        """Refuse numbers between semicolons where no mark of their fractions is declared (``ValueError``).

        Read with the wrong mark none of them is a number, and the answer is noise: nothing may say so of private cells.
        """
        if self.separator == ";" and self.decimal is None:
            raise InputError(
                Advice(
                    "With semicolons between columns, fractions mostly have a comma: pass {decimal=','|--decimal ,} "
                    "or, where they have a point, {decimal='.'|--decimal .} so that nothing is guessed."
                )
            )

    def of(self, path: str | Path) -> str:
        """Return what separates the columns of a file, which its ending may say."""
        if self.separator is not None:
            return self.separator
        return "\t" if Path(path).name.lower().endswith((".tsv", ".tsv.gz")) else ","

    def quotes(self, path: str | Path) -> bool:
        """Return whether double quotes quote: not between tabs, where a line is a record whatever its cells hold.

        A quote that opens a cell of such a file and is never closed would take the records behind it along.
        """
        return self.of(path) != "\t"

    def text(self, cells: Any) -> Any:
        """Return an arrow column of bytes as text; a cell that is not of this encoding is missing, alone."""
        arrow = importlib.import_module("pyarrow")
        if self.encoding == "utf-8":
            try:
                return cells.cast(arrow.string())
            except arrow.ArrowInvalid:
                pass
        # Each different cell is decoded once.
        chunks = []
        for chunk in cells.chunks:
            coded = chunk.dictionary_encode()
            texts = arrow.array([self._decode(cell) for cell in coded.dictionary.to_pylist()], arrow.string())
            chunks.append(texts.take(coded.indices))
        return arrow.chunked_array(chunks, arrow.string())

    def number(self, cells: Any) -> Any:
        """Return an arrow column of text whose numbers are written with a point, without groups and units.

        A number is grouped where each group but the first has three digits, up to the decimal mark, with the same sign
        between all of them. Another point where a comma marks fractions makes a cell that is not a number. The minus
        U+2212 is one, and spaces around a number do not count, whatever is declared.
        """
        arrow = importlib.import_module("pyarrow")
        if not arrow.types.is_string(cells.type):
            return cells
        compute = importlib.import_module("pyarrow.compute")
        # Most columns have none of these signs.
        is_ascii = _is_ascii(cells)
        if not is_ascii:
            cells = compute.utf8_trim(compute.replace_substring(cells, MINUS, "-"), characters=SPACES)
        elif _has_blanks(cells):
            # As above, whatever other cells contain: " true" is 1 only without its blank.
            cells = compute.ascii_trim(cells, characters=" \t")
        for unit in self.unit:
            if compute.any(compute.match_substring(cells, unit)).as_py():
                cells = self._without_units(cells)
                break
        for sign in self._grouping:
            if (sign.isascii() or not is_ascii) and compute.any(compute.match_substring(cells, sign)).as_py():
                grouped = compute.match_substring_regex(cells, _grouped_pattern(sign, self.mark))
                cells = compute.if_else(grouped, compute.replace_substring(cells, sign, ""), cells)
        if self.mark == ".":
            return cells
        return compute.replace_substring(compute.replace_substring(cells, ".", "_"), ",", ".")

    def _without_units(self, cells: Any) -> Any:
        """Return an arrow column of text without the unit before or behind a number, one of the two."""
        compute = importlib.import_module("pyarrow.compute")
        unit, spaces = f"(?:{'|'.join(map(re.escape, self.unit))})", f"[{SPACES}]*"
        before, behind = f"^{spaces}([+-]?){spaces}{unit}{spaces}(.*[0-9].*)$", f"^(.*[0-9].*?){spaces}{unit}{spaces}$"
        return compute.if_else(
            compute.match_substring_regex(cells, before),
            compute.replace_substring_regex(cells, before, r"\1\2"),
            compute.replace_substring_regex(cells, behind, r"\1"),
        )

    @property
    def _grouping(self) -> str:
        """The signs that may stand between groups."""
        if self.thousands is not None:
            return _GROUPING[self.thousands]
        if self.decimal is None:
            return ""
        return "".join(dict.fromkeys("".join(_GROUPING.values()))).replace(self.mark, "")

    def _decode(self, cell: bytes) -> str | None:
        try:
            return cell.decode(self.encoding)
        except UnicodeDecodeError:
            return None


def trim(text: str) -> str:
    """Return a text as numbers are read of it: without the spaces around it, and with a hyphen for U+2212.

    >>> trim("\u22125\u00a0")
    '-5'
    """
    return text.strip(SPACES).replace(MINUS, "-")


def _require_unit(unit: Any) -> None:
    """Refuse a unit that cannot be told from a number, or from the space beside it (``ValueError``)."""
    text = unit if isinstance(unit, str) else ""
    if not text.strip(_SIGNS) or text.strip(SPACES) != text or _DIGITS.search(text):
        raise InputError(
            f"{unit!r} is not a unit: one has no digit and is more than a sign of numbers, such as '%', 'EUR' or '€'."
        )


def _bytes(cells: Any) -> list[NDArray[np.int8]]:
    """Return the text of a column, byte for byte, and perhaps that of rows beside it."""
    data = [chunk.buffers()[2] for chunk in getattr(cells, "chunks", [cells])]
    return [np.frombuffer(each, np.int8) for each in data if each is not None and each.size]


def _is_ascii(cells: Any) -> bool:
    """Return whether a column of text surely has no byte beyond ASCII."""
    return all(int(each.min()) >= 0 for each in _bytes(cells))


def _has_blanks(cells: Any) -> bool:
    """Return whether some cell of a column of text may begin or end with a blank."""
    return any(bool((each == ord(blank)).any()) for each in _bytes(cells) for blank in " \t")


def _grouped_pattern(sign: str, mark: str) -> str:
    """Return the pattern of a number whose digits are grouped by one sign; no such number begins with 0."""
    return f"^[ \\t]*[+-]?[1-9][0-9]{{0,2}}([{sign}][0-9]{{3}})+([{mark}][0-9]*)?[ \\t]*$"


PLAIN = Dialect()


def advice(names: list[str]) -> str:
    """Return what the first line alone suggests of the dialect, a clause; an empty text where it suggests nothing."""
    said = clauses(names)
    return f"its first line {said}" if said else ""


def clauses(names: list[str]) -> str:
    """Return what is said of a first line with these names; ``�`` stands for what is not of the encoding."""
    result = []
    if any("�" in name for name in names):
        result.append("is not in this encoding: --encoding, such as --encoding cp1252")
    for sign, words in SEPARATORS.items():
        if len(names) == 1 and sign in names[0]:
            result.append(f"looks like {words}: --separator {'tab' if sign == chr(9) else repr(sign)}")
            break
    return ", and ".join(result)

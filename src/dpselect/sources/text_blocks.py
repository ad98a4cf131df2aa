"""Blocks of whole records of a file of text, in which no quote and no cell reaches the next record.

One line is one record, unless it is declared that cells have line breaks: then a line break between quotes belongs to
its cell. A record whose quotes do not open before a cell and close behind it is read alone, as Python reads csv, one
that ends in separators of empty cells beyond its width is read without those, and one with too few or too many cells
becomes a record without cells. What becomes of a record follows from its own bytes.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Bytes that are read at a time.
_BLOCK = 2**21
# A longer record is one without cells, so that no record decides how much memory a table takes.
LONGEST_LINE = 2**28
_QUOTE, _BREAK = b'"'[0], b"\n"[0]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class TextForm:
    """The form in which records are written; public.

    Attributes:
        separator: of cells, one byte.
        width: how many cells a record has.
        quotes: whether double quotes quote.
        line_breaks: whether cells have line breaks.
        skipped: how many lines stand before the first record, whatever they hold.
    """

    separator: bytes
    width: int = 0
    quotes: bool = True
    line_breaks: bool = False
    skipped: int = 0


def blocks(stream: Any, form: TextForm) -> Iterator[bytes]:
    """Yield the bytes of a stream as blocks of whole records, the last byte of each a line feed.

    Every carriage return, and every one before a line feed, is a line feed.
    """
    grouped = _records if form.quotes and form.line_breaks else _lines
    return grouped(_behind(_with_line_feeds(stream), form.skipped), form)


def first_record(block: bytes, form: TextForm) -> bytes:
    """Return the first record of a block, with its line feed."""
    ends = _ends(block, form)
    return block[: int(ends[0]) + 1]


def stays_open(record: bytes, form: TextForm) -> bool:
    """Return whether a quote that a record opens is never closed."""
    return form.quotes and _quote_places(record, form.separator)[1]


def sound(block: bytes, form: TextForm, *, ragged: bool = False) -> bytes:
    """Return a block with as many records, all quotes of which are closed.

    Args:
        block: as :func:`blocks` yields it.
        form: how records are written.
        ragged: whether records of another width are replaced too: by such without the empty cells at their ends, else
            by such without cells.
    """
    if not ragged and not (form.quotes and b'"' in block):
        return block
    signs, ends = np.frombuffer(block, np.uint8), _ends(block, form)
    starts = np.append(0, ends[:-1] + 1)
    quotes = np.flatnonzero(signs == _QUOTE) if form.quotes else np.zeros(0, np.int64)
    before = np.searchsorted(quotes, starts)
    if not ragged and _regular(signs, quotes, before, form):
        return block
    alone = _unlike(signs, quotes, ends, before, form)
    short = np.zeros(ends.size, np.bool_)
    if ragged:
        beyond, trailing = _beyond(signs, quotes, ends, before, form)
        trailing &= ~alone
        if trailing.any():
            # Each of them loses so many separators before its end.
            lost = np.zeros(signs.size + 1, np.int8)
            lost[ends[trailing] - beyond[trailing]], lost[ends[trailing]] = 1, -1
            return sound(signs[np.cumsum(lost[:-1], dtype=np.int8) == 0].tobytes(), form, ragged=True)
        short = beyond != 0
    places = np.flatnonzero(alone | short)
    if not places.size:
        return block
    pieces, done = [], 0
    for place in places.tolist():
        start, end = int(starts[place]), int(ends[place])
        pieces += [block[done:start], _alone(block[start:end], form) if alone[place] else _without_cells(form)]
        done = end
    return b"".join([*pieces, block[done:]])


def other_widths(block: bytes, form: TextForm) -> Counter[int]:
    """Return how many records have so many cells, of those whose number of cells is another than that of the names."""
    signs, ends = np.frombuffer(block, np.uint8), _ends(block, form)
    quotes = np.flatnonzero(signs == _QUOTE) if form.quotes else np.zeros(0, np.int64)
    before = np.searchsorted(quotes, np.append(0, ends[:-1] + 1))
    beyond, trailing = _beyond(signs, quotes, ends, before, form)
    return Counter((beyond[(beyond != 0) & ~trailing] + form.width).tolist())


def _beyond(
    signs: NDArray[np.uint8], quotes: Places, ends: Places, before: Places, form: TextForm
) -> tuple[Places, Mask]:
    """Return how many cells more than names each record has, and whether those are empty cells at its end."""
    is_separator = signs == form.separator[0]
    separators = np.flatnonzero(is_separator)
    owners = np.searchsorted(ends, separators)
    outside = (np.searchsorted(quotes, separators) - before[owners]) % 2 == 0
    beyond = np.bincount(owners[outside], minlength=ends.size) - (form.width - 1)
    # The last sign before each end that does not separate.
    others = np.maximum.accumulate(np.where(is_separator, -1, np.arange(signs.size)))
    trailing = (beyond > 0) & (ends - 1 - others[np.maximum(ends - 1, 0)] >= beyond)
    return beyond, trailing


def _with_line_feeds(stream: Any) -> Iterator[bytes]:
    """Yield the bytes of a stream, in which lines end with line feeds only, part by part."""
    held = b""
    while part := stream.read(_BLOCK):
        part = held + part
        # A line feed may follow.
        held = b"\r" if part.endswith(b"\r") else b""
        part = part[: len(part) - len(held)]
        yield part.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in part else part
    if held:
        yield b"\n"


def _behind(parts: Iterator[bytes], lines: int) -> Iterator[bytes]:
    """Yield parts without their first lines."""
    for part in parts:
        rest = part
        while lines and rest:
            _, ended, rest = rest.partition(b"\n")
            lines -= len(ended)
        if rest:
            yield rest


def _lines(parts: Iterator[bytes], form: TextForm) -> Iterator[bytes]:  # noqa: ARG001
    """Yield blocks of whole lines."""
    begun: list[bytes] = []
    length = 0
    for part in parts:
        cut = part.rfind(b"\n") + 1
        if cut:
            # The line that began before is as long as all of it, wherever blocks begin.
            length += part.index(b"\n")
            yield part[part.index(b"\n") : cut] if length > LONGEST_LINE else b"".join([*begun, part[:cut]])
            begun, length = [], 0
        begun.append(part[cut:])
        length += len(part) - cut
        if length > LONGEST_LINE:
            begun = []
    if length:
        yield b"\n" if length > LONGEST_LINE else b"".join([*begun, b"\n"])


def _records(parts: Iterator[bytes], form: TextForm) -> Iterator[bytes]:
    """Yield blocks of whole records whose cells may have line breaks.

    Where a quote is never closed, its line is a record without cells, and the lines behind it are read.
    """
    begun: list[bytes] = []
    length = looked = 0
    for part in parts:
        begun.append(part)
        length += len(part)
        # A record of many parts is not looked at anew for each.
        if length >= 2 * looked:
            block = b"".join(begun)
            while (cut := _last_end(block, form)) or (len(block) > LONGEST_LINE and b"\n" in block):
                yield block[:cut] or b"\n"
                block = block[cut or block.index(b"\n") + 1 :]
            begun, length, looked = [block], len(block), len(block)
    block = b"".join(begun)
    if block and not block.endswith(b"\n"):
        block += b"\n"
    while block:
        cut = _last_end(block, form)
        yield block[:cut] or b"\n"
        block = block[cut or block.index(b"\n") + 1 :]


def _last_end(block: bytes, form: TextForm) -> int:
    """Return where the last whole record ends."""
    if not form.line_breaks or b'"' not in block:
        return block.rfind(b"\n") + 1
    breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == _BREAK)
    outside = breaks[_quote_places(block, form.separator)[0].searchsorted(breaks) % 2 == 0]
    return int(outside[-1]) + 1 if outside.size else 0


def _ends(block: bytes, form: TextForm) -> Places:
    """Return the places of the line feeds that end records."""
    breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == _BREAK)
    if not (form.quotes and form.line_breaks and b'"' in block):
        return breaks
    outside = breaks[_quote_places(block, form.separator)[0].searchsorted(breaks) % 2 == 0]
    last = len(block) - 1
    # Behind the last record of a file a quote may stay open.
    return outside if outside.size and outside[-1] == last else np.append(outside, last)


def _quote_places(block: bytes, separator: bytes) -> tuple[Places, bool]:
    """Return where quoted cells open and close, in turn, and whether the last of them stays open.

    A quote opens where a cell begins; in a quoted cell two of them are one, and a single one closes it.
    """
    signs = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(signs == _QUOTE)
    if not _wrong(signs, quotes, np.arange(quotes.size), separator).any():
        return quotes, bool(quotes.size % 2)
    begins, bounds, closed = (separator[0], _BREAK), list[int](), -1
    for place in quotes.tolist():
        if place <= closed:
            continue
        if len(bounds) % 2 == 0:
            if place == 0 or block[place - 1] in begins:
                bounds.append(place)
        elif block[place + 1 : place + 2] == b'"':
            closed = place + 1
        else:
            bounds.append(place)
    return np.array(bounds, dtype=np.int64), bool(len(bounds) % 2)


def _regular(signs: NDArray[np.uint8], quotes: Places, before: Places, form: TextForm) -> bool:
    """Return whether every record has quotes in pairs, which enclose its cells: then those of the block do in turn."""
    even = not (before % 2).any() and quotes.size % 2 == 0
    return even and not _wrong(signs, quotes, np.arange(quotes.size), form.separator).any()


def _unlike(signs: NDArray[np.uint8], quotes: Places, ends: Places, before: Places, form: TextForm) -> Mask:
    """Return which records have a quote that neither opens nor closes a cell, or one that stays open."""
    if not quotes.size:
        return np.zeros(ends.size, np.bool_)
    owners = np.searchsorted(ends, quotes)
    counts = np.bincount(owners, minlength=ends.size)
    unlike: Mask = counts % 2 == 1
    unlike[owners[_wrong(signs, quotes, np.arange(quotes.size) - before[owners], form.separator)]] = True
    return unlike


def _wrong(signs: NDArray[np.uint8], quotes: Places, turns: Places, separator: bytes) -> Mask:
    """Return which quotes, in turn the opening and the closing ones of a record, stand elsewhere.

    Two quotes within a quoted cell close it and open it again: what stands beside each of them is the other.
    """
    places = quotes + np.where(turns % 2 == 0, -1, 1)
    ends = (places < 0) | (places >= signs.size)
    beside = signs[np.where(ends, 0, places)]
    return np.asarray(~(ends | (beside == separator[0]) | (beside == _BREAK) | (beside == _QUOTE)))


def _alone(record: bytes, form: TextForm) -> bytes:
    """Return a record with all of its quotes closed: as Python reads it, each cell in quotes."""
    separator = form.separator.decode()
    try:
        rows = [*csv.reader(io.StringIO(record.decode("latin-1"), newline=""), delimiter=separator)]
    except csv.Error:
        rows = []
    if len(rows) != 1 or len(rows[0]) < form.width or any(rows[0][form.width :]):
        return _without_cells(form)
    cells = (cell.replace('"', '""') for cell in rows[0][: form.width])
    return separator.join(f'"{cell}"' for cell in cells).encode("latin-1")


def _without_cells(form: TextForm) -> bytes:
    return form.separator * (form.width - 1)

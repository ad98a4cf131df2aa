"""Tags of XML files, each read by itself.

A parser of XML refuses a whole file for one element that is not well formed, and looks up what a file declares. Here a
tag that is not well formed is left out alone, and nothing is looked up: neither entities, nor files, nor addresses.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from dpselect.sources.edge_texts import unescape

_NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*"
_VALUE = rb"""(?:"[^"<]*"|'[^'<]*')"""
# Comments and raw text hold no beginning of another, so that one that does not end takes nothing along; then tags, and
# beginnings of tags that are not well formed. No group is possessive: Python before 3.11.5 matches such groups wrongly.
_TAG = re.compile(
    rb"<!--[^-]*(?:-[^-]+)*-->"
    rb"|<!\[CDATA\[[^\]<]*(?:(?:\](?!\]>)|<(?!!\[CDATA\[))[^\]<]*)*\]\]>"
    rb"|<(/?)(" + _NAME + rb")((?:\s+" + _NAME + rb"\s*=\s*" + _VALUE + rb")*)"
    rb"\s*(/?)>"
    rb"|<(" + _NAME + rb")[^<>]*"
)
_ATTRIBUTE = re.compile(rb"(" + _NAME + rb")\s*=\s*(" + _VALUE + rb")")
_MARKUP = re.compile(rb"<!\[CDATA\[(.*?)\]\]>|<[^<>]*>", re.DOTALL)
# What a file begins with, and nothing behind that.
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^<>]*\sencoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")


class XmlTags:
    """Tags of a file in their order, with comments among them.

    Args:
        data: the bytes of the file, of an encoding in which ASCII is as it is.
        encoding: what it says.
    """

    def __init__(self, data: bytes, encoding: str) -> None:
        self._data, self._encoding = data, encoding

    def __iter__(self) -> Iterator[re.Match[bytes]]:
        """Yield each tag: whether it ends an element, its name, its attributes, whether it is empty, and a wrong one.

        A tag that is not well formed has only that: the name by which it begins. A comment has nothing.
        """
        return _TAG.finditer(self._data)

    def attributes(self, written: bytes) -> dict[str, str]:
        """Return what stands in a tag, without prefixes and the blanks around values; the first of two alike counts."""
        found: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(written):
            found.setdefault(local(name).decode(), self._decode(value[1:-1]).strip())
        return found

    def text(self, begin: int, end: int) -> str:
        """Return the text between two places, without the tags in it and the blanks around it."""
        parts, at = [], begin
        for found in _MARKUP.finditer(self._data, begin, end):
            parts += [
                self._decode(self._data[at : found.start()]),
                (found[1] or b"").decode(self._encoding, "replace"),
            ]
            at = found.end()
        return "".join([*parts, self._decode(self._data[at:end])]).strip()

    def _decode(self, value: bytes) -> str:
        return unescape(value.decode(self._encoding, "replace"))


def tags(path: Path) -> XmlTags:
    """Return the tags of a file.

    Raises:
        LookupError: no such encoding.
    """
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        return XmlTags(data.decode("utf-16", "replace").encode(), "utf-8")
    said = _ENCODING.match(data)
    encoding = "utf-8" if said is None else said[1].decode()
    try:
        plain = "<".encode(encoding) == b"<"
    except UnicodeError:
        plain = False
    if not plain:
        raise LookupError(encoding)
    return XmlTags(data, encoding)


def local(name: bytes) -> bytes:
    """Return the name of an element without its prefix.

    >>> local(b"g:edge")
    b'edge'
    """
    return name.rpartition(b":")[2]

"""A certificate: question, answer, cost and guarantee of a release, with a checksum.

It holds the answer that was released and public facts, and nothing else that depends on the data. The checksum shows
that a certificate is whole; it is not the signature of a person, because a person who edits the text can compute a new
one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpselect._display.html_table import table
from dpselect.certificates.canonical_json import checksum
from dpselect.certificates.ledger_rows import require_rows
from dpselect.kernel.errors import Advice, DPSelectError, InputError, MissingFileError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours
from dpselect.sources.output import Output

FORMAT = "dpselect certificate 1"
ENDINGS = (".json", ".html")
_PARTS = {
    "format",
    "question",
    "answer",
    "mechanism",
    "guarantee",
    "public",
    "accuracy",
    "file",
    "ledger",
    "repeat",
    "software",
    "date",
}
_PROMISE = {"epsilon", "delta", "rho", "neighbours", "protects"}
_NOT_ONE = "is not a certificate of this version of dpselect: pass a .json or .html file that one was saved as."


@dataclass(frozen=True, repr=False)
class Certificate:
    """A record of a release. Get one from ``release.certificate()`` or :func:`dpselect.certificates.build.certify`.

    Attributes:
        content: the record, as plain JSON values.

    Limits: A certificate is not a signature. Its SHA-256 shows that it is complete; somebody who edits it can compute
    another. The hash of its row in a ledger, and a copy kept elsewhere, prove more. That hash covers the row's time to
    the second and its metadata, so somebody who knows all rows before could test guesses of these. A page is checked
    against what this version of dpselect would show; a certificate from Python does not mention a row unless a ledger
    is passed, and trusts ``question``, ``public`` and ``repeat`` to be public. The hash of a file (``--file-hash``) is
    private, and is stated only where it is asked for.
    """

    content: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """Return the checksum: SHA-256 of the content as JSON with sorted names and no spaces, in UTF-8."""
        return checksum(self.content)

    def as_json(self) -> str:
        """Return the certificate and its checksum as JSON, in the order of reading; the checksum is of sorted names."""
        document = {"certificate": self.content, "sha256": self.sha256}
        return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def as_html(self) -> str:
        """Return the certificate as one page, which holds the JSON too."""
        from dpselect.certificates.page import page

        return page(self.content, self.sha256, self.as_json())

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the certificate whole or not at all, as JSON or HTML by the ending of the name.

        Raises:
            ValueError: another ending.
            OSError: the file exists and ``overwrite`` was not given, or it cannot be written.
        """
        with Output(path, overwrite) as file:
            file.put(self.as_bytes(path))

    def as_bytes(self, path: str | Path | Output) -> bytes:
        """Return what a file of this name holds.

        Raises:
            ValueError: an ending other than .json and .html.
        """
        ending = Path(str(path)).suffix.lower()
        if ending not in ENDINGS:
            raise InputError(f"A certificate is saved as .json or .html: {path} has another ending.")
        return (self.as_json() if ending == ".json" else self.as_html()).encode()

    @classmethod
    def read(cls, path: str | Path) -> Certificate:
        """Return the certificate in a file, after checking that it is whole.

        Raises:
            ValueError: not a certificate, or one that was changed after it was made.
            OSError: the file cannot be read.
        """
        from dpselect.certificates.page import content_of, difference

        source = Path(path)
        if not source.is_file():
            raise MissingFileError(f"The file {path} does not exist: check its path.")
        try:
            text = source.read_text(encoding="utf-8")
            shown = source.suffix.lower() == ".html"
            document = json.loads(content_of(text) if shown else text, object_pairs_hook=_once)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{path} {_NOT_ONE}") from None
        result = cls.of(document, path)
        if shown and result.as_html() != text:
            version = result.content["software"]["dpselect"]
            raise CertificateError(
                f"{path} holds a whole record, of dpselect {version}, but {difference(text, result.as_html())}: verify "
                "the .json file of this certificate instead."
            )
        return result

    @classmethod
    def of(cls, document: Any, named: str | Path) -> Certificate:
        """Return the certificate in a document, such as :meth:`as_json` writes, after checking that it is whole.

        Args:
            document: as plain JSON values.
            named: what messages call it.

        Raises:
            ValueError: not a certificate, or one that was changed after it was made.
        """
        try:
            content, stated = document["certificate"], document["sha256"]
            known = document.keys() == {"certificate", "sha256"} and _complete(content)
        except (ValueError, KeyError, TypeError, AttributeError):
            known = False
        if not known:
            raise InputError(f"{named} {_NOT_ONE}")
        result = cls(content)
        try:
            whole = result.sha256 == stated
        except ValueError:
            # No record holds what has no canonical form, such as NaN or half a character.
            whole = False
        if not whole:
            raise CertificateError(f"{named} was changed after it was made: its checksum is not that of its content.")
        return result

    def require_row(self, ledger: Any) -> None:
        """Check that a ledger has the row that is named here, with the same hash and cost.

        Raises:
            ValueError: it names none, or the ledger has another row in its place.
        """
        named = self.content["ledger"]
        if not named or not named["rows"]:
            raise InputError("This certificate names no row of a ledger: leave out the ledger.")
        require_rows(ledger, named["rows"], self.content["guarantee"])

    def __repr__(self) -> str:
        return f"Certificate({self.content['question'] or self.content['mechanism']!r}, sha256={self.sha256[:12]}...)"

    def _repr_html_(self) -> str:
        promise = self.content["guarantee"]
        return table(
            "Certificate",
            [
                ("question", self.content["question"]),
                ("answer", self.content["answer"]),
                ("mechanism", self.content["mechanism"]),
                ("epsilon", promise["epsilon"]),
                ("protects", promise["protects"]),
                ("SHA-256", self.sha256),
            ],
        )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of a file; a name that stands twice would show a reader something else than what is checked."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise InputError("A name stands twice.")
    return result


def _complete(content: Any) -> bool:
    """Return whether a record has every part, and no other: anything else that stands there would not be shown."""
    lists = content["ledger"] is None or {"name", "dataset", "rows"} == content["ledger"].keys()
    return (
        content["format"] == FORMAT
        and content.keys() == _PARTS
        and content["guarantee"].keys() == _PROMISE
        and content["software"].keys() == {"dpselect", "python"}
        and (content["file"] is None or content["file"].keys() == {"name", "sha256"})
        and (
            content["accuracy"] is None
            # The first certificates of version 0.2 have no words.
            or content["accuracy"].keys() | {"in words"} == {"probability", "error_below", "unit", "in words"}
        )
        and isinstance(content["public"], dict)
        and lists
        and all(each.keys() == {"row", "hash"} for each in (content["ledger"] or {"rows": []})["rows"])
    )


class CertificateError(DPSelectError, ValueError):
    """A certificate is not what was made."""


def guarantee_facts(guarantee: Any, protects: str | None = None) -> dict[str, Any]:
    """Return a guarantee as plain values, exact as text."""
    rho = guarantee.stated_rho
    return {
        "epsilon": format_exact(guarantee.epsilon),
        "delta": format_exact(guarantee.delta),
        "rho": None if rho is None else format_exact(rho),
        "neighbours": guarantee.neighbours.value,
        "protects": protects or PROTECTED_UNITS[Neighbours(guarantee.neighbours)],
    }


def require_ending(path: str | Path | Output) -> None:
    """Refuse a name that no certificate has, before anything is paid.

    Raises:
        ValueError: as :meth:`Certificate.as_bytes`.
    """
    ending = Path(str(path)).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(Advice("{certificate} is saved as .json or .html: name such a file."))

"""Certificates of releases and of answers in general."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from dpselect._version import VERSION
from dpselect.certificates.canonical_json import plain, text
from dpselect.certificates.certificate import FORMAT, Certificate, guarantee_facts
from dpselect.certificates.hashed_file import hash_of_file
from dpselect.certificates.ledger_rows import ledger_row
from dpselect.kernel.errors import InputTypeError

if TYPE_CHECKING:
    from dpselect.kernel.guarantee import Guarantee


class CertificateStatements(TypedDict, total=False):
    """Statements beside a release in its certificate: arguments of :func:`certify`."""

    question: str
    public: Mapping[str, Any] | None
    repeat: str
    ledger: Any
    row: int | None
    file_hash: str | Path | None


def certify(
    release: Any,
    *,
    question: str = "",
    public: Mapping[str, Any] | None = None,
    repeat: str = "",
    ledger: Any = None,
    row: int | None = None,
    file_hash: str | Path | None = None,
    guarantee: Guarantee | None = None,
    mechanism: str | None = None,
) -> Certificate:
    """Return the certificate of a release: question, answer, guarantee, row of the ledger and checksum.

    Of the data it holds the answer that was released, and a file's hash where ``file_hash`` asks for it.

    Args:
        release: a release, a fitted tree; or any answer, with ``guarantee`` and ``mechanism``.
        question: what was asked, in words.
        public: public facts that readers need, such as bounds, domains and k. Nothing that was read from the data.
        repeat: the Python or the command that asks again.
        ledger: where it was paid, a Ledger or a budget in memory.
        row: its row in the ledger; ``None`` for the only one with its cost.
        file_hash: a file whose SHA-256 is included; a reader can test a guess of the whole file, which
            differential privacy does not cover.
        guarantee, mechanism: of an answer that is not a release of dpselect.

    Raises:
        TypeError: neither a release nor an answer with a guarantee and a mechanism; not a ledger.
        ValueError: not a file; no row, or several, with the cost of the release.

    >>> import dpselect as dps
    >>> votes = dps.Scores([900, 0, 500], sensitivity=1, candidates=["ann", "bob", "eve"], kind="integer")
    >>> release = dps.select(votes, epsilon=5, mechanism=dps.mechanism("permute-and-flip"))
    >>> paper = certify(release, question="Who has most votes?", public={"voters have": "one vote"})
    >>> paper.content["answer"], paper.content["guarantee"]["epsilon"], len(paper.sha256)
    ({'candidates': ['ann']}, '5', 64)
    """
    protects, stated, known = None, None, dict[str, Any]()
    if hasattr(release, "_certificate_facts"):
        answer, guarantee, mechanism = release._certificate_facts()
        protects, bound = release._protects, release.error_bound
        stated = accuracy(bound.facts(), bound.describe())
        if bound.rows_per_person is not None:
            known["rows per person"] = bound.rows_per_person
    elif guarantee is None or mechanism is None:
        raise InputTypeError("Pass a release of dpselect, or an answer with guarantee= and mechanism=.")
    else:
        answer = release
    return build_certificate(
        answer=answer,
        guarantee=guarantee_facts(guarantee, protects),
        mechanism=mechanism,
        question=question,
        public=known | {text(name): each for name, each in (public or {}).items()},
        accuracy=stated,
        file=None if file_hash is None else hash_of_file(file_hash),
        ledger=None if ledger is None else ledger_row(ledger, guarantee, row),
        repeat=repeat,
    )


def build_certificate(
    *,
    answer: Any,
    guarantee: Mapping[str, Any],
    mechanism: str,
    question: str,
    public: Mapping[str, Any],
    accuracy: Mapping[str, Any] | None,
    file: Mapping[str, str] | None,
    ledger: Mapping[str, Any] | None,
    repeat: str,
) -> Certificate:
    """Return a certificate of today from its parts."""
    content = {
        "format": FORMAT,
        "question": question,
        "answer": answer,
        "mechanism": mechanism,
        "guarantee": guarantee,
        "public": {text(name): each for name, each in public.items()},
        "accuracy": accuracy,
        "file": file,
        "ledger": ledger,
        "repeat": repeat,
        "software": {"dpselect": VERSION, "python": platform.python_version()},
        # To the second it would say how long the release took.
        "date": datetime.now(UTC).date().isoformat(),
    }
    return Certificate(plain(content))


def accuracy(facts: Mapping[str, Any] | None, line: str) -> dict[str, Any]:
    """Return how wrong a release may be, whatever the data: its figure, if it has one, and in words."""
    figures = {name: None if facts is None else facts[name] for name in ("probability", "error_below", "unit")}
    return {**figures, "in words": line}

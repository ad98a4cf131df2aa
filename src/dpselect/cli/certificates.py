"""``--certificate``: what a command asked and answered, in a file that can be checked."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpselect.certificates.contribution_text import protects
from dpselect.cli import paths
from dpselect.cli.command import CommandAnswer
from dpselect.cli.options import OUTPUT, Argument, CommandOption, Role, flag, option
from dpselect.cli.paths import UnsavedError
from dpselect.cli.request import Request
from dpselect.kernel.errors import Advice, InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.sources.urls import without_secrets

if TYPE_CHECKING:
    from dpselect.certificates.certificate import Certificate


def options() -> Iterator[CommandOption | Argument]:
    """Yield the options of commands that release."""
    yield paths.output(
        "--certificate",
        endings=(".json", ".html"),
        help="write a certificate (question, answer, guarantee, public facts, checksum) as .json or .html",
    )
    words = "what was asked, in the words of the certificate"
    yield option("--question", metavar="TEXT", panel=OUTPUT, rare=True, help=words)
    yield flag(
        "--file-hash",
        "state the SHA-256 of the table in the certificate: a reader can test a guess of the whole file",
        OUTPUT,
        rare=True,
    )


# What is said elsewhere in a certificate, or is not a fact of the question.
_ELSEWHERE = {"certificate", "question", "file_hash", "ledger", "epsilon", "dry_run", "json", "overwrite", "mechanism"}
# What a question asks for, where its answer has no heading, and the options that name what it is about.
_NOUNS = {
    "most-common": "most common values",
    "keys": "names",
    "top-k": "most influential nodes",
    "snp": "most significant genetic markers",
    "select": "best candidates",
    "above": "counts above a threshold",
    "train": "model",
    "synthesize": "synthetic table",
}
_COLUMNS = ("column", "item", "target", "candidate")
_NOT_THE_ANSWER = {
    "mechanism",
    "guarantee",
    "accuracy",
    "accuracy_line",
    "chosen_because",
    "model",
    "written_to",
    "error_bound",
    "rows_per_person",
    "rows",
    "measured",
}


def prepare_certificate(request: Request) -> Mapping[str, str] | None:
    """Refuse, before anything is paid, what no certificate can be; return the hash of the table where it is asked for.

    Raises:
        ValueError: words for a certificate, and none; the hash of what is not one plain file.
    """
    if request.get("certificate") is None:
        if request.get("question") is not None or request.get("file_hash"):
            raise InputError("--question and --file-hash go with --certificate: name the file to write.")
        return None
    from dpselect.certificates.certificate import require_ending
    from dpselect.certificates.hashed_file import hash_of_file

    require_ending(request.certificate)
    if not request.get("file_hash"):
        return None
    source = _source(request)
    if not Path(source).is_file():
        raise InputError(Advice("{path} is not one plain file: leave out {file_hash}.", path=without_secrets(source)))
    return hash_of_file(source)


def _source(request: Request) -> str:
    """Return the file that a command reads; that of a description, where it names one."""
    named = request.get("file") or request.get("graph") or request.get("dataset") or ""
    if not str(named).lower().endswith(".toml"):
        return str(named)
    from dpselect.dataset import Dataset

    return Dataset.load(named).address


def write_certificate(answer: CommandAnswer, request: Request, file: Mapping[str, str] | None) -> CommandAnswer:
    """Write the certificate of what was paid for, if one was asked for.

    Raises:
        UnsavedError: it cannot be written; the answer is printed whole.
    """
    if request.get("certificate") is None or not (request.outcome.paid or answer.certificate):
        return answer
    try:
        made = _certificate(answer, request, file) if answer.certificate is None else answer.certificate
        content = made.as_bytes(request.certificate)
    except (Exception, KeyboardInterrupt) as error:
        # Whatever goes wrong here, the answer was paid for.
        raise UnsavedError(f"The certificate could not be made ({type(error).__name__}).", answer.text) from None
    paths.keep(request.certificate, content, answer.text)
    name = str(request.certificate)
    return answer.with_line(f"certificate: {name}", {"certificate": name})


def _certificate(answer: CommandAnswer, request: Request, file: Mapping[str, str] | None) -> Certificate:
    from dpselect.certificates.build import build_certificate

    return build_certificate(
        answer=_answer(answer.facts, request.outcome.nouns),
        guarantee=_guarantee(request),
        mechanism=answer.facts.get("mechanism") or request.outcome.spends[0].mechanism,
        question=without_secrets(request.question or _summary(request)),
        public=_public(request),
        accuracy=_accuracy(answer.facts),
        file=file,
        ledger=_ledger(request),
        repeat=shlex.join(["dpselect", *map(without_secrets, request.words)]),
    )


def _answer(facts: Mapping[str, Any], headings: Sequence[str]) -> dict[str, Any]:
    """Return what was released; of a file that was written, its name and hash."""
    result = {name: fact for name, fact in facts.items() if name not in _NOT_THE_ANSWER}
    if headings:
        result = _with_headings(result, headings)
    if "written_to" in facts:
        path = Path(facts["written_to"])
        result |= {"file": path.name, "SHA-256": hashlib.sha256(path.read_bytes()).hexdigest()}
    return result


def _with_headings(answer: Mapping[str, Any], headings: Sequence[str]) -> dict[str, Any]:
    """Return the values of an answer, each under what it is, and in groups with its group."""
    if "groups" in answer:
        return {
            f"{heading}, {each['group']}": value
            for each in answer["groups"]
            for heading, value in zip(headings, each["candidates"], strict=True)
        }
    return dict(zip(headings, answer["candidates"], strict=True))


def _guarantee(request: Request) -> dict[str, Any]:
    """Return what all spends of the command add up to."""
    from dpselect.certificates.certificate import guarantee_facts

    first = request.outcome.spends[0].guarantee
    sums = {
        "epsilon": sum((each.guarantee.epsilon * each.count for each in request.outcome.spends), Fraction(0)),
        "delta": sum((each.guarantee.delta * each.count for each in request.outcome.spends), Fraction(0)),
    }
    rhos = [
        each.guarantee.stated_rho * each.count
        for each in request.outcome.spends
        if each.guarantee.stated_rho is not None
    ]
    if len(rhos) == len(request.outcome.spends):
        sums["rho"] = sum(rhos, Fraction(0))
    protected = None if request.outcome.protected is None else f"one {request.outcome.protected}"
    if request.outcome.counted is not None:
        protected = protects(request.outcome.counted)
    return guarantee_facts(first, protected) | {name: format_exact(value) for name, value in sums.items()}


def _summary(request: Request) -> str:
    """Return a question made from the command line, which is public; for commands without a file, their summary."""
    source = request.get("file") or request.get("graph") or request.get("dataset")
    if not source:
        return str(request.line)
    noun = ", ".join(request.outcome.nouns) or _NOUNS.get(request.command, request.command)
    column = next((request.get(name) for name in _COLUMNS if request.get(name) is not None), None)
    of = "" if column is None else f" of {column}"
    further = [f", {name} {request.get(name)}" for name in ("where", "by", "person") if request.get(name) is not None]
    return f"{noun}{of} in {Path(without_secrets(str(source))).name}{''.join(further)}"


def _public(request: Request) -> dict[str, Any]:
    """Return what the command line says of the question: names of columns, bounds, domains, k."""
    result = dict[str, Any]()
    for name, parameter in request.parameters.items():
        value = request.get(name)
        role = getattr(parameter, "role", None)
        if name in _ELSEWHERE or value is None or value is False or value == () or role in (Role.OUTPUT, Role.NEW):
            continue
        result[name.replace("_", " ")] = _cell_text(value)
    if request.outcome.counted is not None:
        result["rows per person"] = request.outcome.counted
    return result


def _cell_text(value: Any) -> Any:
    if isinstance(value, tuple):
        return ", ".join(str(_cell_text(each)) for each in value)
    return "yes" if value is True else without_secrets(value) if isinstance(value, str) else value


def _accuracy(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    from dpselect.certificates.build import accuracy

    return accuracy(facts["accuracy"], facts["accuracy_line"]) if "accuracy_line" in facts else None


def _ledger(request: Request) -> dict[str, Any] | None:
    """Return the rows that the command has written."""
    if request.ledger is None:
        return None
    from dpselect.certificates.ledger_rows import ledger_facts
    from dpselect.ledger import Ledger

    ledger = Ledger.read(request.ledger)
    return ledger_facts(ledger, [ledger.entry(each.row) for each in request.outcome.spends])

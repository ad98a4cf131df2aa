"""Answers of a publication as they are shown: one certificate of all of them, and files for people and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

from dpselect.certificates.answer_table import answer_shown, no_formula
from dpselect.certificates.build import build_certificate
from dpselect.certificates.certificate import Certificate
from dpselect.certificates.ledger_rows import entry_of, ledger_facts, paid_by
from dpselect.certificates.page import answer_rows, part_rows, report_page
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours
from dpselect.ledger import InMemoryLedger, Ledger
from dpselect.queries.publication.publication import Publication
from dpselect.sources.output import Output

FILES = ("answers.json", "answers.csv", "report.html", "certificate.json")
FORMAT = "dpselect answers 1"
# No key of a query has a space.
NUMBER, DIGEST, TOTAL = "number of the publication", "digest of the description", "total of the plan"
# A fact beside the winners of a list.
P_VALUE = "p-value"
# How a formula of a program of tables begins, and what is a number for all that.
_COLUMNS = ("key", "group", "part", "value", "epsilon", "mechanism", "error_below", "unit")


@dataclass(frozen=True)
class PublicationAnswers:
    """Answers of a publication, which may be published.

    Attributes:
        answers: by key, each with ``question``, ``answer``, ``mechanism``, ``guarantee``, ``accuracy`` and ``rows``.
        certificate: of all of them, with every row of the ledger that this publication has paid for.
        title: of the page.
        about: the sentence of the description.
        folder: where they are written; ``None`` where they are not.
    """

    answers: Mapping[str, Mapping[str, Any]]
    certificate: Certificate
    title: str
    about: str = ""
    folder: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """Return everything for programs."""
        content = self.certificate.content
        return {
            "format": FORMAT,
            "title": self.title,
            "publication": content["public"][NUMBER],
            "description": content["public"][DIGEST],
            "guarantee": content["guarantee"],
            "answers": self.answers,
        }

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        """Return key, name and value of every line of an answer, as text."""
        return [
            (key, name, _short_p_value(value) if name == P_VALUE else value)
            for key, each in self.answers.items()
            for name, value in answer_rows(each["answer"], each["parts"])
        ]

    def as_csv(self) -> str:
        """Return one line for each value: key, group, part of the answer, value, and what is known of it."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(_COLUMNS)
        for key, each in self.answers.items():
            accuracy = each["accuracy"]
            known = [each["guarantee"]["epsilon"], each["mechanism"], accuracy["error_below"], accuracy["unit"]]
            values = _values(each["answer"], each["parts"])
            lines.writerows([key, *map(no_formula, value), *known] for value in values)
        return text.getvalue()

    def as_html(self) -> str:
        """Return one page that needs nothing else."""
        shown = [
            {
                "key": key,
                "question": each["question"],
                "shown": answer_shown(each["answer"], each["query"]),
                "accuracy": each["accuracy"]["in words"],
                "epsilon": each["guarantee"]["epsilon"],
                "delta": each["guarantee"]["delta"],
                "mechanism": each["mechanism"],
            }
            for key, each in self.answers.items()
        ]
        return report_page(self.title, self.about, shown, self.certificate.content, self.certificate.sha256)

    def files(self) -> dict[str, str]:
        """Return the text of every file by its name, that of the certificate last."""
        texts = dict(
            zip(FILES, (_json(self.as_json()), self.as_csv(), self.as_html(), self.certificate.as_json()), strict=True)
        )
        models = {f"{key}.model.json": _model(each["model"]) for key, each in self.answers.items() if "model" in each}
        return models | texts

    def write(self, folder: Path) -> None:
        """Write every file, whole or not at all; those that are there are replaced.

        Raises:
            OSError: a file cannot be written.
        """
        for name, text in self.files().items():
            with Output(folder / name, overwrite=True) as file:
                file.put(text.encode())


def answers_with_certificate(
    publication: Publication,
    answers: Mapping[str, Mapping[str, Any]],
    ledger: Ledger | InMemoryLedger,
    rows: Sequence[int],
    public: Mapping[str, str],
    about: str,
    folder: Path | None,
) -> PublicationAnswers:
    """Return answers with their certificate, which follows from them and the ledger alone: another call says the same.

    Args:
        publication: that was asked for.
        answers: by key, as they were stored.
        ledger: that has paid.
        rows: all that this publication has paid for.
        public: facts that readers need.
        about: the sentence of the description.
        folder: where they are written.
    """
    title = publication.title or (publication.path.stem.capitalize() if publication.path is not None else "Report")
    entries = [entry_of(ledger, row) for row in rows]
    sums = {
        name: None if sum_ is None else format_exact(sum_) for name, sum_ in paid_by([e.event for e in entries]).items()
    }
    protected = {each["guarantee"]["protects"] for each in answers.values()}
    neighbours = Neighbours(ledger.terms.neighbours)
    last = max(answers.values(), key=lambda each: each["date"])
    certificate = build_certificate(
        answer={key: each["answer"] for key, each in answers.items()},
        guarantee={
            **sums,
            "neighbours": neighbours.value,
            "protects": protected.pop() if len(protected) == 1 else PROTECTED_UNITS[neighbours],
        },
        mechanism=", ".join(dict.fromkeys(each["mechanism"] for each in answers.values())),
        question=title,
        public={**public, **{key: _line(each) for key, each in answers.items()}},
        accuracy=None,
        file=None,
        ledger=ledger_facts(ledger, entries),
        repeat="",
    )
    dated = Certificate({**certificate.content, "date": last["date"], "software": last["software"]})
    return PublicationAnswers(answers, dated, title, about, folder)


def _short_p_value(text: str) -> str:
    """Return a p-value with two digits, rounded up, so that what is shown is one too."""
    return f"{Context(prec=2, rounding=ROUND_CEILING).create_decimal(text):g}"


def _line(each: Mapping[str, Any]) -> str:
    rows = ", ".join(map(str, each["rows"]))
    return (
        f"{each['question']} Epsilon {each['guarantee']['epsilon']}, by {each['mechanism']}, row {rows}; "
        f"{each['accuracy']['in words']}"
    )


def _values(answer: Mapping[str, Any], parts: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield group, part and value of every number or name of an answer."""
    for name, value in answer.items():
        if name in ("gaps", P_VALUE):
            continue
        group = "" if name == "candidates" and isinstance(value, list) else name
        if isinstance(value, Mapping):
            yield from ((group, inner, each) for inner, each in value.items())
        elif isinstance(value, list):
            yield from ((group, *row) for row in part_rows(value, parts))
        else:
            yield "", name, value


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _model(content: Mapping[str, Any]) -> str:
    from dpselect.learn.export import text_of

    return text_of(content)

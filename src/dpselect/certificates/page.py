"""A certificate as one page: by a template that escapes everything, with the JSON at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dpselect._display.markup import render
from dpselect.certificates.answer_table import AnswerShown, answer_shown, words
from dpselect.kernel.errors import InputError
from dpselect.ledger.attack import risk_of

if TYPE_CHECKING:
    from markupsafe import Markup

# Letters of a difference that is quoted.
_LONGEST = 60
_RECORD = re.compile(r'<pre id="certificate">(.*?)</pre>', re.DOTALL)


def page(content: Mapping[str, Any], sha256: str, document: str) -> str:
    """Return the page: what it shows, its checksum, and the JSON that can be checked."""
    return str(render(__package__, "certificate.html", **_facts(content, sha256, document)))


def report_page(
    title: str, about: str, answers: Sequence[Mapping[str, Any]], content: Mapping[str, Any], sha256: str
) -> str:
    """Return a page of several answers that one certificate is of.

    Args:
        title: of the page.
        about: a sentence below it; "" for none.
        answers: each with its key, question, accuracy, epsilon, delta and mechanism, as text, and what is shown.
        content: of the certificate.
        sha256: its checksum.
    """
    facts = {name: content[name] for name in ("guarantee", "date", "ledger")}
    return str(render(__package__, "report.html", title=title, about=about, answers=answers, sha256=sha256, **facts))


def record(content: Mapping[str, Any], sha256: str, document: str) -> Markup:
    """Return what the page shows below its heading, for pages that have a head and a style of their own."""
    return render(__package__, "record.html", **_facts(content, sha256, document))


def answer_markup(shown: AnswerShown) -> Markup:
    """Return an answer as a value, or as a table, with what else there is."""
    return render(__package__, "answer.html", shown=shown)


def difference(written: str, expected: str) -> str:
    """Return in words where a page shows something else than this build makes of its record."""
    pairs = zip_longest(_text_lines(written), _text_lines(expected), fillvalue="nothing")
    for shown, held in pairs:
        if shown != held:
            texts = (repr(each if len(each) <= _LONGEST else f"{each[:_LONGEST]}...") for each in (shown, held))
            return "the page shows {} where this build of dpselect shows {}".format(*texts)
    return "its layout is another one, around the same words: another build of dpselect made it, or somebody edited it"


def _text_lines(written: str) -> list[str]:
    """Return the words of a page, a line for each stretch between two tags."""
    without_style = re.sub(r"<(style|script)\b.*?</\1>", "", written, flags=re.DOTALL)
    stretches = (" ".join(unescape(each).split()) for each in re.split(r"<[^>]*>", without_style))
    return [each for each in stretches if each]


def content_of(written: str) -> str:
    """Return the JSON in a page.

    Raises:
        ValueError: there is none, or more than one.
    """
    records = _RECORD.findall(written)
    if len(records) != 1:
        raise InputError("no certificate")
    return unescape(records[0])


def _facts(content: Mapping[str, Any], sha256: str, document: str) -> dict[str, Any]:
    facts = {"each": content, "sha256": sha256, "document": document}
    return facts | {"shown": answer_shown(content["answer"]), "risk": risk_of(content["guarantee"])}


def answer_rows(answer: Mapping[str, Any], parts: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return an answer as rows of a name and a value; a single value has no name.

    Args:
        answer: as certificates have it.
        parts: the names of the values of a list; without them, their places.

    >>> answer_rows({"candidates": [3]}), answer_rows({"candidates": ["a", "b"]}), answer_rows({"north": [1, 2]})
    ([('', '3')], [('1', 'a'), ('2', 'b')], [('north', '1, 2')])
    """
    rows = list[tuple[str, str]]()
    for name, value in answer.items():
        listed = name == "candidates" and isinstance(value, list)
        rows += [(part, words(each)) for part, each in part_rows(value, parts)] if listed else [(name, words(value))]
    return rows


def part_rows(values: Sequence[Any], parts: Sequence[str]) -> list[tuple[str, Any]]:
    """Return the values of a list with their names; without names, with their places, and one value with none."""
    if len(parts) != len(values):
        parts = [str(place) for place in range(1, len(values) + 1)] if len(values) > 1 else [""]
    return [*zip(parts, values, strict=True)]

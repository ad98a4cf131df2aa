"""Pages come from templates that escape by themselves: no module writes markup around names that may hold any text."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

import dpselect as dps
from dpselect._display import html_table
from dpselect._display.markup import drawing, mark, render
from dpselect.audit.page import page as audit_page
from dpselect.audit.report import ReportRow
from dpselect.certificates.answer_table import AnswerShown
from dpselect.certificates.page import page as certificate_page
from dpselect.certificates.page import report_page
from dpselect.learn.domains import Attribute
from dpselect.learn.pages.drawn_curves import drawn_curve
from dpselect.learn.pages.model_page import page_of
from tests.contracts.syntax import SOURCE, modules, nodes

TEMPLATES = sorted(path for path in SOURCE.rglob("templates/*") if path.suffix in (".html", ".svg"))
TAG = re.compile(r"</?(html|head|body|table|t[rdh]|p|h[1-6]|span|div|pre|figure|svg|text|path|rect|circle)[ />]")
# What is no page: a comment in a file of Markdown; tables of notebooks, which need no library and escape by themselves.
NO_PAGES = {"certificates/page.py", "_display/html_table.py"}
HOSTILE = "<img src=x onerror='y'>&\"z"
TABLE = {"age": [*range(100)] * 20, "rich": [[HOSTILE, "b"][age >= 50] for age in range(100)] * 20}
DOMAINS = {"age": (0, 100), "rich": [HOSTILE, "b"]}


def test_no_module_writes_markup() -> None:
    """Docstrings aside, no text in the source holds an element."""
    wrong = []
    for path in modules():
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if name in NO_PAGES or not TAG.search(text):
            continue
        said = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
        texts = [node for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if any(TAG.search(node.value) for node in texts if id(node) not in said):
            wrong.append(name)

    assert [] == wrong


def test_templates_say_only_of_pictures_that_they_are_safe() -> None:
    """Those that matplotlib draws, which escapes what it writes."""
    assert len(TEMPLATES) >= 7
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8").replace("section.picture | safe", "")
        assert not re.search(r"\|\s*safe|autoescape", text), path.name


def classifier() -> str:
    """The page of a tree of hostile names."""
    with dps.budget(epsilon=50):
        return page_of(dps.learn.DPTreeClassifier(50, domains=DOMAINS).fit(TABLE, "rich"))


def boosted() -> str:
    """The page of a sum of tables of hostile names, and a curve of its own."""
    model = dps.learn.DPBoostedTreesClassifier(5, domains=DOMAINS, interactions=False, rounds=2).fit(TABLE, "rich")
    curve = drawn_curve(Attribute(HOSTILE, (HOSTILE, "b"), None), np.array([0.5, -0.5]), 1.0)
    return page_of(model) + str(curve)


def audit() -> str:
    """The page of an audit of hostile claims."""
    tight = ReportRow(HOSTILE, HOSTILE, 1, "holds", tightness=(1.0, 0.5), detail=HOSTILE)
    return audit_page([tight, ReportRow(HOSTILE, HOSTILE, 1, "BROKEN", losses=(1.0, 2.0, 0.5), detail=HOSTILE)])


def certificate() -> str:
    """The page of a certificate of a hostile question, answer and ledger."""
    guarantee = {"protects": HOSTILE, "neighbours": HOSTILE, "epsilon": "1", "delta": "0", "rho": ""}
    return certificate_page(
        {
            "question": HOSTILE, "answer": {HOSTILE: HOSTILE}, "accuracy": None, "guarantee": guarantee,
            "mechanism": HOSTILE, "public": {HOSTILE: [HOSTILE]}, "date": HOSTILE,
            "file": {"name": HOSTILE, "sha256": HOSTILE},
            "ledger": {"name": HOSTILE, "dataset": HOSTILE, "rows": [{"row": HOSTILE, "hash": HOSTILE}]},
            "software": {"dpselect": HOSTILE, "python": HOSTILE}, "repeat": HOSTILE,
        },
        HOSTILE,
        HOSTILE,
    )  # fmt: skip


def report() -> str:
    """The page of several answers, with a hostile title, question and ledger."""
    guarantee = {"protects": HOSTILE, "neighbours": HOSTILE, "epsilon": "1", "delta": HOSTILE, "rho": HOSTILE}
    ledger = {"name": HOSTILE, "dataset": HOSTILE, "rows": [{"row": HOSTILE, "hash": HOSTILE}]}
    names = ("key", "question", "accuracy", "epsilon", "delta", "mechanism")
    answer = dict.fromkeys(names, HOSTILE)
    several = AnswerShown(header=(HOSTILE, HOSTILE), rows=((HOSTILE, HOSTILE),), notes=((HOSTILE, HOSTILE),))
    shown = [answer | {"shown": several}, answer | {"shown": AnswerShown(value=HOSTILE)}]
    content = {"guarantee": guarantee, "ledger": ledger, "date": HOSTILE}
    return report_page(HOSTILE, HOSTILE, shown, content, HOSTILE)


def notebook() -> str:
    """Tables in notebooks, and a drawing by itself."""
    table = html_table.table(HOSTILE, [(HOSTILE, HOSTILE), (HOSTILE, [HOSTILE] * 30)])
    shown = drawing(mark("text", mark("title", HOSTILE), HOSTILE, x=HOSTILE), viewBox="0 0 1 1", aria_label=HOSTILE)
    return table + html_table.grid([HOSTILE], [[HOSTILE]]) + str(shown)


@pytest.mark.parametrize(
    "page", [classifier, boosted, audit, certificate, report, notebook], ids=lambda page: page.__name__
)
def test_markup_in_names_is_text(page) -> None:
    """Neither an element nor the end of an attribute; and it is there, escaped once."""
    text = page()

    assert "<img" not in text
    assert not re.search(r"=\"[^\"]*<", text)
    assert "&lt;img src=x onerror=&#39;y&#39;&gt;&amp;&#34;z" in text
    assert "&amp;lt;" not in text
    assert "&amp;amp;" not in text


def test_a_name_without_a_value_is_an_error() -> None:
    """A page is never shown with a hole."""
    with pytest.raises(Exception, match="'root' is undefined"):
        render("dpselect._display", "drawing.svg")

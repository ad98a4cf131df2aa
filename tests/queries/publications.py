"""Publications for tests: a small survey with a plan, and what must hold of one whatever happened to its processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.ledger.requests import answer_hash
from dpselect.queries import Publication, PublicationAnswers
from dpselect.queries.publication.state import FolderState

PROGRAM = Path(__file__).parent / "programs" / "publish_and_die.txt"
SURVEY = """
source = "survey.csv"

[columns]
age = {lower = 0, upper = 99}
job = ["nurse", "smith", "clerk"]

[budget]
epsilon = 100
ledger = "survey.ledger"
"""
# A hundred noisy counts: two draws are never the same.
QUERIES: dict[str, dict[str, Any]] = {
    "ages": {"query": "histogram", "column": "age", "epsilon": 0.2},
    "jobs": {"query": "histogram", "column": "age", "by": "job", "weight": 1},
    "more": {"query": "histogram", "column": "age", "weight": 2},
}


def plan(queries: dict[str, dict[str, Any]] = QUERIES, total: Any = 1, **more: Any) -> str:
    """The text of a plan."""
    lines = ['dataset = "survey.toml"', f"total = {{epsilon = {total}}}", *(f"{k} = {v!r}" for k, v in more.items())]
    for key, each in queries.items():
        lines += ["", "[[query]]", f'key = "{key}"', *(f"{name} = {json.dumps(value)}" for name, value in each.items())]
    return "\n".join(lines) + "\n"


def survey(folder: Path, text: str = "", rows: int = 60) -> Path:
    """A folder with a survey and, where one is given, a plan."""
    folder.mkdir(exist_ok=True)
    lines = [f"{number % 100},{('nurse', 'smith', 'clerk')[number % 3]}" for number in range(rows)]
    (folder / "survey.csv").write_text("\n".join(["age,job", *lines]) + "\n", encoding="utf-8")
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    (folder / "report.toml").write_text(text or plan(), encoding="utf-8")
    return folder


def published(folder: Path, name: str = "report.toml") -> PublicationAnswers:
    """Publish a plan of a folder."""
    return dps.open(folder / "survey.toml").publish(folder / name)


def ledger(folder: Path) -> dps.Ledger:
    """The ledger of a folder."""
    return dps.Ledger.read(folder / "survey.ledger")


def spends(folder: Path) -> int:
    """How many spends the ledger of a folder has: none before there is one."""
    return ledger(folder).totals.spends if (folder / "survey.ledger").exists() else 0


def run(*words: Any) -> list[str]:
    """Run the program in a process of its own, which may fork; return its lines."""
    command = [sys.executable, "-W", "ignore", str(PROGRAM), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.splitlines()


def seen(folder: Path) -> list[tuple[str, str, str]]:
    """What processes might have shown: plan, request and hash of the answer."""
    file = folder / "seen"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [tuple(line.split()) for line in lines]  # type: ignore[misc]


def require_consistent(
    folder: Path, shown: list[tuple[str, str, str]], names: tuple[str, ...] = ("report.toml",)
) -> None:
    """Check that each request has one payment and one answer: in the ledger, in the state and in all that was seen."""
    plans = {name: Publication.load(folder / name) for name in names}
    answers = {name: published(folder, name) for name in names}
    stored: dict[str, dict[str, str]] = {}
    for name in plans:
        state = FolderState(folder / f"{Path(name).stem}.answers")
        stored[name] = {}
        for row in (row for answer in answers[name].answers.values() for row in answer["rows"]):
            request = ledger(folder).entry(row).event.metadata["request"]
            stored[name][request] = answer_hash(state.read(request) or "")
    for name, request, hashed in shown:
        assert stored[name][request] == hashed, "a request has two answers"
    events = ledger(folder).events
    requests = Counter(event.metadata["request"] for event in events)
    assert {1} == {*requests.values()}, "a request was paid for twice"
    assert requests.keys() == {request for each in stored.values() for request in each}
    spent = sum((event.epsilon * event.count for event in events), Fraction(0))
    assert spent == sum(each.total.epsilon - each.unspent for each in plans.values()), "another amount was paid"
    for name, each in answers.items():
        folder_of = folder / f"{Path(name).stem}.answers"
        assert (folder_of / "certificate.json").read_text(encoding="utf-8") == each.certificate.as_json()
        dps.Certificate.read(folder_of / "certificate.json").require_row(ledger(folder))

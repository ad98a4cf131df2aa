"""dpselect publish: answer a plan of queries under one total, each paid for and answered once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import DRY_RUN
from dpselect.cli.query_answers import note_check
from dpselect.cli.release_text import escape_name
from dpselect.cli.request import Request
from dpselect.cli.tables import AnswerTable
from dpselect.dataset import Dataset
from dpselect.kernel.format_exact import format_exact
from dpselect.queries import LocalDataset, Publication, PublicationAnswers, PublicationPlan
from dpselect.queries.publication.publish import TITLES, answers_folder


def run(request: Request) -> CommandAnswer:
    """Return the answers, or in a dry run what they would cost."""
    publication = Publication.load(request.plan)
    assert publication.description is not None
    data = LocalDataset(publication.description)
    if request.dry_run:
        note_check(request, publication.description, *publication.queries.values())
        return _plan_answer(data.plan_publication(publication))
    with _noting_payment(request, publication.description):
        answers = data.publish(publication)
    return _publication_answer(request, publication, answers)


@contextmanager
def _noting_payment(request: Request, description: Dataset) -> Iterator[None]:
    """Tell, however the block ends, whether anything was paid in it."""

    def spends() -> int:
        ledger = description.existing_ledger()
        return 0 if ledger is None else ledger.totals.spends

    before = spends()
    try:
        yield
    finally:
        # Where the ledger does not say, something may have been.
        request.outcome.paid = True
        with suppress(OSError, ValueError):
            request.outcome.paid = spends() > before


def _plan_answer(plan: PublicationPlan) -> CommandAnswer:
    lines: list[str | AnswerTable] = ["Dry run: nothing was spent, drawn or written."]
    lines += [AnswerTable(TITLES, plan.rows, frozenset({1})), plan.sums]
    left = {name: format_exact(each) for name, each in vars(plan.remaining).items() if each}
    said = " and ".join(f"{name} {each}" for name, each in left.items()) or "nothing"
    lines.append(f"ledger: {said} left, before what is new is paid")
    return CommandAnswer.of(lines, plan.as_json())


def _publication_answer(request: Request, publication: Publication, answers: PublicationAnswers) -> CommandAnswer:
    rows = [[key, escape_name(f"{name}: {value}" if name else value)] for key, name, value in answers.lines]
    promise, total = answers.certificate.content["guarantee"], publication.total
    spent = f"epsilon {promise['epsilon']} of {format_exact(total.epsilon)}"
    if total.delta:
        spent = f"{spent} and delta {promise['delta']} of {format_exact(total.delta)}"
    folder = str(answers_folder(Path(request.plan)))
    lines = [f"{spent} was spent in all", f"answers: {escape_name(folder)}"]
    return CommandAnswer.of([AnswerTable(("key", "answer"), rows), *lines], answers.as_json() | {"folder": folder})


VERB = Command(
    run,
    (
        paths.input("plan", metavar="PLAN", help="the plan of queries (.toml), which names the dataset"),
        DRY_RUN,
    ),
    "dpselect publish report.toml",
    about="Protected: the unit of the description. All answers together cost at most the total of the plan. Run the "
    "command again after a stop, and it continues: nothing is paid twice, and paid answers stand. --dry-run "
    "prints the price and the error of each answer.",
)

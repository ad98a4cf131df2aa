"""dpselect publish: answer a plan of queries under one total, each paid for and answered once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpselect.cli import paths
from dpselect.cli.options import DRY_RUN
from dpselect.cli.release import shown
from dpselect.cli.request import Request
from dpselect.cli.tables import Table
from dpselect.cli.verb import Answer, Verb
from dpselect.dataset import Dataset
from dpselect.kernel.written import written
from dpselect.queries import LocalDataset, Publication, PublicationAnswers, PublicationPlan
from dpselect.queries.publication.publish import TITLES, answers_folder


def run(request: Request) -> Answer:
    """Return the answers, or in a dry run what they would cost."""
    publication = Publication.load(request.plan)
    assert publication.description is not None
    data = LocalDataset(publication.description)
    if request.dry_run:
        return _planned(data.plan_publication(publication))
    with _noting_payment(request, publication.description):
        answers = data.publish(publication)
    return _answered(request, publication, answers)


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
        request.paid = True
        with suppress(OSError, ValueError):
            request.paid = spends() > before


def _planned(plan: PublicationPlan) -> Answer:
    lines: list[str | Table] = ["Dry run: nothing was spent, drawn or written."]
    lines += [Table(TITLES, plan.rows, frozenset({1})), plan.sums]
    if plan.remaining is not None:
        left = {name: written(each) for name, each in vars(plan.remaining).items() if each}
        said = " and ".join(f"{name} {each}" for name, each in left.items()) or "nothing"
        lines.append(f"ledger: {said} left, before what is new is paid")
    return Answer.of(lines, plan.as_json())


def _answered(request: Request, publication: Publication, answers: PublicationAnswers) -> Answer:
    rows = [[key, shown(f"{name}: {value}" if name else value)] for key, name, value in answers.lines]
    promise, total = answers.certificate.content["guarantee"], publication.total
    spent = f"epsilon {promise['epsilon']} of {written(total.epsilon)}"
    if total.delta:
        spent = f"{spent} and delta {promise['delta']} of {written(total.delta)}"
    folder = str(answers_folder(Path(request.plan)))
    lines = [f"{spent} was spent in all", f"answers: {shown(folder)}"]
    return Answer.of([Table(("key", "answer"), rows), *lines], answers.as_json() | {"folder": folder})


VERB = Verb(
    run,
    (
        paths.input("plan", metavar="PLAN", help="the plan of queries (.toml), which names the dataset"),
        DRY_RUN,
    ),
    "dpselect publish report.toml",
    about="Protected: who the description of the data protects. All answers together cost at most the total of the "
    "plan. Begun again, it goes on where it ended: nothing is paid twice, and what was answered stands. --dry-run "
    "prints the price and the error of each answer.",
)

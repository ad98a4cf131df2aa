"""Answers of queries in words and for programs, and the ledger that pays for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from dpselect.certificates.contribution_text import step
from dpselect.cli import groups, model_files, paths, synthesis_files
from dpselect.cli.command import CommandAnswer
from dpselect.cli.dataset_options import is_description
from dpselect.cli.plan_text import facts_text, promise, state_error
from dpselect.cli.release_text import answer_of, escape_name, ranking_lines
from dpselect.cli.request import Request
from dpselect.cli.spending import paying, text
from dpselect.cli.tables import AnswerTable, ReleaseFacts
from dpselect.dataset import Dataset
from dpselect.kernel.privacy_filter import with_metadata
from dpselect.ledger import InMemoryLedger, Ledger, RecordingAccountant
from dpselect.queries.base import Query
from dpselect.queries.ledger_metadata import ledger_metadata
from dpselect.queries.local import LocalDataset, is_ledger_unmade, question_check
from dpselect.queries.plan import Plan, plan_of
from dpselect.release.release import Release
from dpselect.sources.urls import is_url

_UNRECORDED = "no ledger recorded this spend: add [budget] to the description, or name one by --ledger"
# Whether there is a name is released with the names, so it may be said.
_NOTHING = "nothing could be named: too few persons have the same name for this epsilon and delta"


def answer_query(request: Request, query: Query[Any], dataset: Dataset, found: Plan) -> CommandAnswer:
    """Return the answer to a query; a dry run ends where the spend would begin, and says what is understood.

    Args:
        request: the command line.
        query: about the dataset.
        dataset: its description.
        found: the plan of the query, for a ledger that adds up epsilons.

    Raises:
        StopAtSpend: this is a dry run.
        ValueError, PrivacyError, BudgetError, OSError: as :meth:`LocalDataset.ask`; nothing was spent.
    """
    book = _book(request, dataset)
    found = found if book.rule == "sum" else plan_of(query, dataset, book.rule)
    _note(request, found)
    request.outcome.reach, request.outcome.choice = query.reach, paths.with_option_names(query.why(dataset), request)
    if request.dry_run:
        note_check(request, dataset, query)
        for spend in found.spends:
            spend.record(with_metadata(book, ledger_metadata(query, dataset)))
    workers = request.get("workers", 1)
    return release_answer(request, query, dataset, LocalDataset(dataset, book, workers).ask(query))


def release_answer(request: Request, query: Query[Any], dataset: Dataset, release: Release[Any]) -> CommandAnswer:
    """Return a release in words and for programs."""
    request.outcome.nouns = query.headings()
    more = query.facts(dataset)
    if request.outcome.counted is not None:
        more["rows_per_person"] = request.outcome.counted
    if query.form in ("model", "table"):
        cost = facts_text(release.guarantee, protected=request.outcome.protected)
        facts = {
            "mechanism": release.mechanism,
            "guarantee": promise(release.guarantee),
            **state_error(release.error_bound),
        }
        line = release.error_bound.describe()
        if query.form == "table":
            return synthesis_files.save_table(request, release.value, cost, facts, line)
        return model_files.save_model(request, release.value, cost, request.outcome.choice, facts, line)
    if query.form == "counts":
        return _counts(request, release, more, grouped=getattr(query, "by", None) is not None)
    # A single winner may be 0, or an empty text.
    if release.value in ((), {}) and not request.outcome.nouns:
        return answer_of(release, [_NOTHING], protected=request.outcome.protected, **more)
    if query.form == "names":
        return answer_of(release, [*map(escape_name, release.value)], protected=request.outcome.protected, **more)
    note = "" if request.outcome.nouns else query.order_words(dataset)
    if isinstance(release.value, dict):
        named = ", ".join(request.outcome.nouns) if request.outcome.nouns else note
        return groups.answer_by_group(release, note=named, protected=request.outcome.protected, **more)
    if request.outcome.nouns:
        winners = release._answer["candidates"]
        lines = [f"{noun}: {winner}" for noun, winner in zip(request.outcome.nouns, winners, strict=True)]
    else:
        lines = ranking_lines(release)
    return answer_of(release, lines, note, protected=request.outcome.protected, **more)


def note_check(request: Request, dataset: Dataset, *queries: Query[Any]) -> None:
    """Let a dry run say how much of a file of this machine is not understood: by some queries, or of all columns."""
    if dataset.stays or dataset.is_shipped or dataset.is_histogram or is_url(dataset.address):
        return

    def first_line() -> str:
        from dpselect.dataset import check_dataset

        return (question_check(dataset, *queries) if queries else check_dataset(dataset)).first_line

    request.outcome.check = first_line


def _counts(request: Request, release: Release[Any], more: Mapping[str, Any], *, grouped: bool) -> CommandAnswer:
    """Return noisy counts as a table."""
    rows, table = count_rows(release.value, grouped=grouped)
    facts = {
        "counts": rows,
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
        **state_error(release.error_bound),
        # Errors of counts are whole numbers.
        "every_count_within": int(release.error_bound.at()) - 1,
        **more,
    }
    cost = f"{facts_text(release.guarantee, protected=request.outcome.protected)}, by {release.mechanism}"
    return CommandAnswer.of([table, ReleaseFacts(cost, release.error_bound.describe())], facts)


def _note(request: Request, found: Plan) -> None:
    """Note how wrong the answer may be, and whom it protects where the guarantee alone does not say it."""
    request.outcome.says(found.error_bound)
    request.outcome.counted = found.error_bound.rows_per_person
    if request.outcome.counted is not None:
        request.outcome.protected = step(request.outcome.counted)
    elif found.protects is not None:
        request.outcome.protected = found.protects.removeprefix("one ")


def _book(request: Request, dataset: Dataset) -> RecordingAccountant:
    """Return what pays: a ledger that the command line names, or else the description."""
    book = paying(request, *_ledger(request, dataset))
    if request.get("certificate") is None:
        return book
    # Where the answer can be looked up, by ``dpselect budget show --answers``.
    return book.with_metadata(certificate=text(os.path.realpath(str(request.certificate))))


def _ledger(request: Request, dataset: Dataset) -> tuple[Any, Callable[[], Ledger] | None]:
    """Return the ledger; where a description names one that is not made yet, its budget and what makes it."""
    if request.ledger is not None:
        return Ledger.read(request.ledger), None
    if dataset.budget is None:
        if is_description(request) and not request.dry_run:
            request.outcome.dropped.append(_UNRECORDED)
        return None, None
    place = dataset.budget.ledger
    request.ledger = place if place is None or is_url(place) else str(dataset.folder / place)
    if is_ledger_unmade(dataset):
        return InMemoryLedger(dataset.terms()), dataset.open_ledger
    return dataset.open_ledger(), None


def count_rows(counts: Mapping[Any, Any], *, grouped: bool) -> tuple[list[dict[str, Any]], AnswerTable]:
    """Return counts as objects and as a table.

    Args:
        counts: by value, or by group and then by value.
        grouped: whether it is the latter.
    """
    groups = counts if grouped else {None: counts}
    rows = [
        ({} if group is None else {"group": group}) | {"value": value, "count": count}
        for group, held in groups.items()
        for value, count in held.items()
    ]
    table = AnswerTable(
        (*(["group"] if grouped else []), "count", "value"),
        [
            [*([escape_name(row["group"])] if grouped else []), escape_name(row["count"]), escape_name(row["value"])]
            for row in rows
        ],
        frozenset({1 if grouped else 0}),
    )
    return rows, table

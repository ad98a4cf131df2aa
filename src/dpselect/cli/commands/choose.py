"""dpselect choose: choose the algorithm by traces of public databases, answer with it, and explain the choice."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

from dpselect.cli import dataset_options, paths, traces
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import argument
from dpselect.cli.plan_text import promise, state_error
from dpselect.cli.query_answers import note_check
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.histograms.count_arrays import require_counts
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.mechanisms.error_bound import NoBound

_UNKNOWN_BOUND = NoBound("which algorithm answers is chosen by released facts, and what it loses depends on the data")


def run_histogram(request: Request) -> CommandAnswer:
    """Write estimated counts, and return why they were estimated so."""
    import numpy as np

    from dpselect.adaptive import histogram_options

    # What can be refused is refused before anything is spent.
    counts = require_counts(traces.read_counts(request.file))
    request.out.hold(8 * counts.size + 4096)
    maker = _maker(request, histogram_options.options())
    request.outcome.says(_UNKNOWN_BOUND)
    answer = maker.answer(counts, request.epsilon, ledger=accountant_of(request))
    file = io.BytesIO()
    np.save(file, answer.value)
    estimated = answer.value.tolist()
    return _write_answer(request, answer, file.getvalue(), json.dumps(estimated), {"counts": estimated})


def run_tree(request: Request) -> CommandAnswer:
    """Write a model, and return why it was grown so."""
    from dpselect.adaptive import tree_options
    from dpselect.learn.export import as_json
    from dpselect.queries.learners import domain_of

    dataset = dataset_options.dataset_of(request)
    with dataset_options.error_location(request):
        classes = [*dataset.groups(request.target)]
        features = [name for name in dataset.columns if name != request.target and dataset.is_listed(name)]
        declared = {name: domain_of(dataset, name) for name in features}
        dataset_options.require_there(request, dataset, {"target": [*features, request.target]})
        columns = dataset.rows([*features, request.target])
    if dataset.person is not None:
        raise InputError("This protects one row, and the description one person: take person out of it.")
    labels = columns.pop(request.target)
    note_check(request, replace(dataset, columns={name: dataset.columns[name] for name in [*features, request.target]}))
    database = tree_options.LabelledTable(columns, labels, declared, classes)
    maker = _maker(request, tree_options.options(names=tree_options.UNBOUNDED))
    request.outcome.says(_UNKNOWN_BOUND)
    answer = maker.answer(database, request.epsilon, ledger=accountant_of(request))
    text = as_json(answer.value)
    return _write_answer(request, answer, text.encode(), text, {"model": json.loads(text)})


def _maker(request: Request, options: list[Any]) -> Any:
    return traces.maker_of(request, options, metafeatures=request.metafeatures, learner=request.learner)


def _write_answer(request: Request, answer: Any, content: bytes, text: str, facts: dict[str, Any]) -> CommandAnswer:
    """Write what was paid for, and say why it was chosen."""
    why = _explanation(answer.choice)
    if not request.traces:
        from dpselect.adaptive.default_traces import SHIPPED_TRACES_NOTE

        why = f"{why}\n\n{SHIPPED_TRACES_NOTE}"
    paths.keep(request.out, content, f"{why}\n\n{text}")
    unit = f"epsilon = {format_exact(answer.guarantee.epsilon)} per record added or removed"
    more = {
        "why": why,
        "mechanism": "choice-maker",
        "guarantee": promise(answer.guarantee),
        **state_error(request.outcome.error_bound),
        "written_to": str(request.out),
    }
    return CommandAnswer(
        f"{why}\n\n{unit}; written to {request.out}\n{request.outcome.error_bound.describe()}", facts | more
    )


def _explanation(choice: Any) -> str:
    """Return the explanation; released numbers that noise made negative are shown as 0, and far ones are named."""
    shown = tuple(replace(each, value=max(each.value, 0)) for each in choice.measured)
    why: str = replace(choice, measured=shown).explain()
    outside = [each.name for each in shown if not each.low <= each.value <= each.high]
    if outside and not choice.reason:
        why = (
            f"{why}\n\nOutside the trained range, though within half its width: {', '.join(outside)}. "
            "The predictions are less sure there."
        )
    return why


HISTOGRAM = Command(
    run_histogram,
    (
        paths.input("file", help="counts (.npy), shape (n,) or (rows, columns)"),
        *traces.OPTIONS,
        paths.output(
            "--out", required=True, metavar="NPY", endings=(".npy",), help="where to write the estimated counts"
        ),
    ),
    "dpselect choose histogram counts.npy --epsilon 1 --out noisy.npy",
    about="Protected: whether any one record is counted.",
    spends=True,
    summary="A private histogram of counts over public cells.",
)
TREE = Command(
    run_tree,
    (
        dataset_options.argument(None),
        argument("target", metavar="COLUMN", words="the column to be predicted"),
        *traces.OPTIONS,
        paths.output("--out", required=True, metavar="JSON", help="where to write the released model"),
    ),
    "dpselect choose tree people.toml rich --epsilon 1 --out model.json",
    about="Protected: whether any one record is in the table.",
    spends=True,
    summary="A private tree or forest.",
)
VERB = Command(
    about="Protected: whether any one record is in the table. The traces are of public data.",
    tasks={"histogram": HISTOGRAM, "tree": TREE},
    example="dpselect choose histogram counts.npy --epsilon 1 --out noisy.npy",
)

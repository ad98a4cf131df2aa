"""dpselect choose: let traces of public databases choose the algorithm, answer with it, and say why."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

from dpselect.cli import dataset_options, paths, traces
from dpselect.cli.options import argument, option, whole
from dpselect.cli.plan import promise, said
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.histograms.counts import require_counts
from dpselect.kernel.written import written
from dpselect.mechanisms.error_bound import NoBound

_UNKNOWN = NoBound("which algorithm answers is chosen by released facts, and what it loses depends on the data")


def run_histogram(request: Request) -> Answer:
    """Write estimated counts, and return why they were estimated so."""
    import numpy as np

    from dpselect.chooser import cells

    # What can be refused is refused before anything is spent.
    counts = require_counts(traces.read_counts(request.file))
    request.out.hold(8 * counts.size + 4096)
    maker = _maker(request, cells.options())
    request.says(_UNKNOWN)
    answer = maker.answer(counts, request.epsilon, ledger=accountant_of(request))
    file = io.BytesIO()
    np.save(file, answer.value)
    estimated = answer.value.tolist()
    return _kept(request, answer, file.getvalue(), json.dumps(estimated), {"counts": estimated})


def run_tree(request: Request) -> Answer:
    """Write a model, and return why it was grown so."""
    from dpselect.chooser import trees
    from dpselect.learn.export import as_json
    from dpselect.queries.learners import domain_of

    dataset = dataset_options.described(request)
    with dataset_options.blamed(request):
        classes = [*dataset.groups(request.target)]
        features = [name for name in dataset.columns if name != request.target and dataset.is_listed(name)]
        declared = {name: domain_of(dataset, name) for name in features}
        dataset_options.require_there(request, dataset, {"target": [*features, request.target]})
        columns = dataset.rows([*features, request.target])
    if dataset.person is not None:
        raise ValueError("This protects one row, and the description one person: take person out of it.")
    labels = columns.pop(request.target)
    if len(labels) > request.max_records:
        raise ValueError("The table has more rows than --max-records: pass a larger public bound.")
    database = trees.Table(columns, labels, declared, classes)
    maker = _maker(request, trees.options(request.max_records))
    request.says(_UNKNOWN)
    answer = maker.answer(database, request.epsilon, ledger=accountant_of(request))
    text = as_json(answer.value)
    return _kept(request, answer, text.encode(), text, {"model": json.loads(text)})


def _maker(request: Request, options: list[Any]) -> Any:
    return traces.maker_of(request, options, metafeatures=request.metafeatures, learner=request.learner)


def _kept(request: Request, answer: Any, content: bytes, text: str, facts: dict[str, Any]) -> Answer:
    """Write what was paid for, and say why it was chosen."""
    why = _explained(answer.choice)
    if not request.traces:
        from dpselect.chooser.shipped import SAID

        why = f"{why}\n\n{SAID}"
    paths.keep(request.out, content, f"{why}\n\n{text}")
    unit = f"epsilon = {written(answer.guarantee.epsilon)} per record added or removed"
    more = {
        "why": why,
        "mechanism": "choice-maker",
        "guarantee": promise(answer.guarantee),
        **said(request.error_bound),
        "written_to": str(request.out),
    }
    return Answer(f"{why}\n\n{unit}; written to {request.out}\n{request.error_bound.describe()}", facts | more)


def _explained(choice: Any) -> str:
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


HISTOGRAM = Verb(
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
TREE = Verb(
    run_tree,
    (
        dataset_options.argument(None),
        argument("target", metavar="COLUMN", words="the column to be predicted"),
        option(
            "--max-records",
            type=whole,
            default=100_000,
            metavar="N",
            help="a public bound on the rows (default 100000)",
        ),
        *traces.OPTIONS,
        paths.output("--out", required=True, metavar="JSON", help="where to write the released model"),
    ),
    "dpselect choose tree people.toml rich --epsilon 1 --out model.json",
    about="Protected: whether any one record is in the table.",
    spends=True,
    summary="A private tree or forest.",
)
VERB = Verb(
    about="Protected: whether any one record is in the table. The traces are of public data.",
    tasks={"histogram": HISTOGRAM, "tree": TREE},
    example="dpselect choose histogram counts.npy --epsilon 1 --out noisy.npy",
)

"""dpselect train: fit a private tree, forest or sum of small tables to a table, and write the released model."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

from dpselect.cli import domains, paths, places, reading
from dpselect.cli.learners import AUTO, MODELS, estimator
from dpselect.cli.options import BUDGET, flag, number, one_of, option, whole
from dpselect.cli.places import stays
from dpselect.cli.plan import facts_text, promise, said
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.kernel.written import written
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse

# So many columns of a sum are shown.
_MOST_COLUMNS = 6
# A delta beyond it is large for any table, where no number of records is public.
_LARGE = Fraction(1, 1000)
SUM = "With --model boosted, a sum of small tables"
SEARCH = "With --model evolutionary, a tree for several goals"


def run(request: Request) -> Answer:
    """Return the released tree, and write it."""
    from dpselect.learn.export import as_json
    from dpselect.learn.pages.page import page_of

    declared = domains.read(request.domains)
    domains.require_target(request, declared)
    model = estimator(request, declared)
    _require_place(request)
    listed = declared[request.target]
    request.says(model.error_bound_for(len(listed) if isinstance(listed, (list, tuple)) else 0))
    _say_of_delta(request)
    how = reading.of(request)
    if stays(request, request.file):
        with Warehouse.open(request.file, request.table, temporary=request.temporary_table) as source:
            domains.require_columns(request, declared, source.table.columns)
            model.fit(source.only(declared), request.target)
    else:
        domains.require_columns(request, declared, tables.names(request.file, how))
        people = {} if request.person is None else {request.person: None}
        model.fit(tables.table(request.file, [*(declared | people)], how, reading.numbers(declared)), request.target)
    text = as_json(model)
    paths.keep(request.out, text.encode(), text)
    if request.picture:
        draw = model.plot_tree if hasattr(model, "plot_tree") else model.plot_curves
        paths.saved(lambda: request.picture.draw(lambda file: draw(file, overwrite=True)), text)
    if request.html:
        paths.saved(lambda: request.html.put(page_of(model).encode("utf-8", "backslashreplace")), text)
    # A column without a domain is left out: say which were used.
    used = f"learned from {', '.join(map(str, model.feature_names_in_))}"
    spent = facts_text(model.privacy_spent_, protected=request.protected)
    chosen = "" if request.choice is None else f"chosen because {request.choice}; "
    facts = {
        "model": json.loads(text),
        "learned_from": [*map(str, model.feature_names_in_)],
        "mechanism": type(model).__name__,
        "chosen_because": request.choice,
        "guarantee": promise(model.privacy_spent_),
        **said(model.error_bound),
        "written_to": str(request.out),
    }
    return Answer(
        f"{described(model)}\n\n{chosen}{spent}; {used}; written to {request.out}\n{model.error_bound.describe()}",
        facts,
    )


def described(model: Any) -> str:
    """Return what was learned, as far as a screen shows it."""
    if not hasattr(model, "trees_"):
        shares = zip(model.feature_importances_.tolist(), model.feature_names_in_, strict=True)
        moved = "score" if hasattr(model, "classes_") else "prediction"
        most = sorted(shares, key=lambda pair: -pair[0])[:_MOST_COLUMNS]
        columns = ", ".join(f"{name} {share:.0%}" for share, name in most)
        return f"a sum of {len(model.model_.tiles)} small tables; columns that move its {moved} most: {columns}"
    return f"{len(model.trees_)} trees" if type(model).__name__ == MODELS["forest"] else str(model.export_text())


def _say_of_delta(request: Request) -> None:
    """Say on standard error that a delta is large, by public numbers alone: below 1 it is allowed."""
    most = Fraction(1, request.n_records) if request.n_records else _LARGE
    if most < (request.delta or 0) < 1:
        of = "one over --n-records" if request.n_records else "1/1000"
        print(
            f"{request.prog}: --delta {written(request.delta)} is above {of}, and so large a delta protects hardly "
            "anybody: name one far below one over the number of records, such as 1e-6",
            file=sys.stderr,
        )


def _require_place(request: Request) -> None:
    """Refuse what is said of a database where there is none, and persons where they cannot be told apart."""
    if request.temporary_table and not stays(request, request.file):
        raise ValueError("--temporary-table goes with a URL or with --in-place: leave it out.")
    if request.person is not None and stays(request, request.file):
        raise ValueError("--person goes with a table in a file, read without --in-place: leave one of them out.")


VERB = Verb(
    run,
    (
        paths.input("file", help=f"{reading.FILES}, or the URL of a database"),
        *places.OPTIONS,
        flag("--temporary-table", "let the database keep codes in a temporary table: faster"),
        option("--target", required=True, metavar="COLUMN", help="the column to be predicted"),
        paths.input(
            "--domains",
            required=True,
            metavar="TOML",
            help='the public domain of every column: name = ["a", "b"] for categories, name = {low = 0, high = 99} '
            "for numbers, name = {edges = [0, 18, 65, 120]} for bins; the target's list are the classes, its low and "
            "high the bounds of a number to be predicted",
        ),
        option(
            "--model",
            type=one_of(sorted([AUTO, *MODELS])),
            metavar="NAME",
            help=f"{', '.join(MODELS)}, or auto: boosted where --delta is given and --n-records x --epsilon is "
            "at least 500, else tree (default: tree, or auto where --delta is given)",
        ),
        option(
            "--delta",
            type=number,
            panel=BUDGET,
            metavar="D",
            help="for boosted and forest: far below one over the number of records, such as 1e-6; without it they too "
            "spend nothing but epsilon, and have fewer rounds or trees, and more noise",
        ),
        option(
            "--rounds",
            type=whole,
            metavar="N",
            panel=SUM,
            help="how many tables are learned (default: by a noisy number of records)",
        ),
        flag("--no-interactions", "one curve for each column, which --picture and --html draw", SUM),
        option("--max-depth", type=whole, metavar="N", help="levels of splits of a tree"),
        option(
            "--n-records",
            type=whole,
            metavar="N",
            help="how many records there are, roughly, where that is public: nothing is spent to find out",
        ),
        option(
            "--person",
            metavar="COLUMN",
            help="the column that tells persons apart: protect one person with all of their records",
        ),
        option("--rows-per-person", type=whole, metavar="K", help="how many records of one person count (default 1)"),
        option(
            "--goal",
            type=one_of(["weighted", "pareto"]),
            metavar="weighted|pareto",
            panel=SEARCH,
            help="how recalls are combined (default weighted)",
        ),
        option(
            "--importance",
            several=True,
            metavar="CLASS=W...",
            panel=SEARCH,
            help="what recognising a class counts (1 where it is not named)",
        ),
        option(
            "--population",
            type=whole,
            metavar="N",
            panel=SEARCH,
            help="how many trees are tried at a time (default 100)",
        ),
        option(
            "--generations",
            type=whole,
            metavar="N",
            panel=SEARCH,
            help="rounds of selection before the last (default 2)",
        ),
        option(
            "--output", type=whole, metavar="N", panel=SEARCH, help="how many trees to return, best first (default 1)"
        ),
        *domains.READING,
        paths.output("--out", required=True, metavar="JSON", help="where to write the released model"),
        paths.output("--html", metavar="PAGE", help="also write a page about the model: promise, drawing, columns"),
        paths.output(
            "--picture", endings=paths.PICTURES, help="also draw the (first) tree, or curves: .png, .svg or .pdf"
        ),
    ),
    "dpselect train people.csv --target rich --domains domains.toml --epsilon 1 --out model.json",
    about="Protected: whether any one record is in the table, and with --person any one person. The domains are "
    "public: never take them "
    "from the data.",
    spends=True,
    mechanism="as the model says; it is how id3 and evolutionary select",
)

"""dpselect train: fit a private tree or forest to a table, and write the released model."""

from __future__ import annotations

import json

from dpselect.cli import domains, paths, places
from dpselect.cli.learners import MODELS, estimator
from dpselect.cli.options import flag, one_of, option, whole
from dpselect.cli.places import stays
from dpselect.cli.plan import facts_text, promise
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse

SEARCH = "With --model evolutionary, a tree for several goals"


def run(request: Request) -> Answer:
    """Return the released tree, and write it."""
    from dpselect.learn.export import as_json
    from dpselect.learn.pages.page import page_of

    declared = domains.read(request.domains)
    domains.require_target(request, declared)
    model = estimator(request, declared)
    _require_place(request)
    if stays(request, request.file):
        with Warehouse.open(request.file, request.table, key=request.key, temporary=request.temporary_table) as source:
            domains.require_columns(request, declared, source.table.columns)
            model.fit(source.only(declared), request.target)
    else:
        domains.require_columns(request, declared, tables.names(request.file))
        people = {} if request.person is None else {request.person: None}
        model.fit(tables.table(request.file, [*(declared | people)]), request.target)
    text = as_json(model)
    paths.keep(request.out, text.encode(), text)
    if request.picture:
        paths.saved(lambda: request.picture.draw(model.plot_tree), text)
    if request.html:
        paths.saved(lambda: request.html.put(page_of(model).encode("utf-8", "backslashreplace")), text)
    shown = f"{len(model.trees_)} trees" if request.model == "forest" else model.export_text()
    # A column without a domain is left out: say which were used.
    used = f"learned from {', '.join(map(str, model.feature_names_in_))}"
    spent = facts_text(model.privacy_spent_, protected=request.protected)
    facts = {
        "model": json.loads(text),
        "learned_from": [*map(str, model.feature_names_in_)],
        "mechanism": type(model).__name__,
        "guarantee": promise(model.privacy_spent_),
        "written_to": str(request.out),
    }
    return Answer(f"{shown}\n\n{spent}; {used}; written to {request.out}", facts)


def _require_place(request: Request) -> None:
    """Refuse what is said of a database where there is none, and persons where they cannot be told apart."""
    for name in ("key", "temporary_table"):
        if request.get(name) and not stays(request, request.file):
            raise ValueError(f"--{name.replace('_', '-')} goes with a URL or with --in-place: leave it out.")
    if request.person is not None and stays(request, request.file):
        raise ValueError("--person goes with a table in a file, read without --in-place: leave one of them out.")


VERB = Verb(
    run,
    (
        paths.input("file", help="a table (.csv, .csv.gz, .parquet), or the URL of a database"),
        *places.OPTIONS,
        option(
            "--key", metavar="COLUMN", help="a column of integers of the records themselves, for forests of a database"
        ),
        flag("--temporary-table", "let the database keep codes in a temporary table: faster"),
        option("--target", required=True, metavar="COLUMN", help="the column to be predicted"),
        paths.input(
            "--domains",
            required=True,
            metavar="TOML",
            help='the public domain of every column: name = ["a", "b"] for categories, name = {low = 0, high = 99} '
            "for numbers, name = {edges = [0, 18, 65, 120]} for bins; the target's list are the classes",
        ),
        option("--model", type=one_of(sorted(MODELS)), default="tree", metavar="|".join(MODELS), help="default tree"),
        option("--max-depth", type=whole, metavar="N", help="levels of splits"),
        option(
            "--n-records",
            type=whole,
            metavar="N",
            help="how many records there are, roughly, where that is public: nothing is spent to find out",
        ),
        option("--person", metavar="COLUMN", help="the column that tells persons apart: protect all of their records"),
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
        paths.output("--picture", endings=paths.PICTURES, help="also draw the (first) tree: .png, .svg or .pdf"),
    ),
    "dpselect train people.csv --target rich --domains domains.toml --epsilon 1 --out model.json",
    about="Protected: whether any one record, or person, is in the table. The domains are public: never take them "
    "from the data.",
    spends=True,
    mechanism="as the model says; it is how id3 selects and forests label",
)

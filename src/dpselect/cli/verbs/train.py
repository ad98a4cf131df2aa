"""dpselect train: fit a private tree or forest to a table, and write the released model."""

from __future__ import annotations

import json
from typing import Any

import dpselect as dps
from dpselect.cli import domains, paths, places
from dpselect.cli.options import flag, one_of, option, weight_of, whole
from dpselect.cli.places import stays
from dpselect.cli.plan import promise
from dpselect.cli.request import Request
from dpselect.cli.spending import purse_of
from dpselect.cli.verb import Answer, Verb
from dpselect.kernel.written import written
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse

MODELS = {
    "tree": "DPTreeClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
    "evolutionary": "DPEvolutionaryTreeClassifier",
}
SEARCH = "With --model evolutionary, a tree for several goals"


def run(request: Request) -> Answer:
    """Return the released tree, and write it."""
    from dpselect.learn.export import as_json

    declared = domains.read(request.domains)
    domains.require_target(request, declared)
    model = _estimator(request, declared)
    _require_place(request)
    if stays(request, request.file):
        with Warehouse.open(request.file, request.table, key=request.key, temporary=request.temporary_table) as source:
            domains.require_columns(request, declared, source.table.columns)
            model.fit(source.only(declared), request.target)
    else:
        domains.require_columns(request, declared, tables.names(request.file))
        model.fit(tables.table(request.file, [*declared]), request.target)
    text = as_json(model)
    paths.keep(request.out, text.encode(), text)
    if request.picture:
        paths.saved(lambda: request.picture.draw(model.plot_tree), text)
    shown = f"{len(model.trees_)} trees" if request.model == "forest" else model.export_text()
    # A column without a domain is left out: say which were used.
    used = f"learned from {', '.join(map(str, model.feature_names_in_))}"
    spent = f"epsilon = {written(model.privacy_spent_.epsilon)} per record added or removed"
    facts = {
        "model": json.loads(text),
        "learned_from": [*map(str, model.feature_names_in_)],
        "mechanism": type(model).__name__,
        "guarantee": promise(model.privacy_spent_),
        "written_to": str(request.out),
    }
    return Answer(f"{shown}\n\n{spent}; {used}; written to {request.out}", facts)


def _estimator(request: Request, declared: dict[str, Any]) -> Any:
    """Return the estimator that was asked for."""
    settings: dict[str, Any] = {"missing": request.missing, "unknown": request.unknown}
    if request.max_depth is not None:
        settings["max_depth"] = request.max_depth
    if request.mechanism is not None:
        if request.model == "tree":
            raise ValueError("--mechanism goes with --model id3, forest or evolutionary: the default tree has its own.")
        settings["mechanism"] = request.mechanism
    settings |= _search(request, declared[request.target])
    weights = {"importance": " ".join(request.importance)} if request.importance else {}
    purse = purse_of(request, model=request.model, target=request.target, **weights)
    return getattr(dps.learn, MODELS[request.model])(request.epsilon, domains=declared, ledger=purse, **settings)


def _require_place(request: Request) -> None:
    """Refuse what is said of a database where there is none: it would be ignored."""
    for name in ("key", "temporary_table"):
        if request.get(name) and not stays(request, request.file):
            raise ValueError(f"--{name.replace('_', '-')} goes with a URL or with --in-place: leave it out.")


def _search(request: Request, classes: list[Any]) -> dict[str, Any]:
    """Return the settings of the evolutionary search that were given."""
    names = ("goal", "importance", "population", "generations", "output")
    settings = {name: request.get(name) for name in names if request.get(name) not in (None, ())}
    if request.model != "evolutionary":
        if settings:
            raise ValueError(f"--{next(iter(settings))} goes with --model evolutionary.")
        return {}
    if request.importance:
        settings["importance"] = _importance(request.importance, {str(each): each for each in classes})
    return settings


def _importance(pairs: tuple[str, ...], classes: dict[str, Any]) -> dict[Any, Any]:
    """Return what recognising each class counts."""
    weights: dict[Any, Any] = {}
    for pair in pairs:
        name, _, value = pair.rpartition("=")
        if name not in classes:
            raise ValueError(f"--importance {pair}: write CLASS=NUMBER with one of {', '.join(classes)}.")
        if classes[name] in weights:
            raise ValueError(f"--importance names {name} twice: give each class once.")
        try:
            weights[classes[name]] = weight_of(value)
        except ValueError as error:
            raise ValueError(f"--importance {pair}: {error}.") from None
        if weights[classes[name]] < 0:
            raise ValueError(f"--importance {pair}: a class counts at least 0.")
    return weights


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
        paths.output("--picture", endings=paths.PICTURES, help="also draw the (first) tree: .png, .svg or .pdf"),
    ),
    "dpselect train people.csv --target rich --domains domains.toml --epsilon 1 --out model.json",
    about="Protected: whether any one record is in the table. The domains are public: never take them from the data.",
    spends=True,
    mechanism="as the model says; it is how id3 selects and forests label",
)

"""dpselect train: fit a private tree or forest to a table, and write the released model."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.arguments import add_place, epsilon, stays, weight, whole
from dpselect.cli.spending import purse_of
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse

MODELS = {
    "tree": "DPTreeClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
    "evolutionary": "DPEvolutionaryTreeClassifier",
}
# So many columns are named in a message.
_SHOWN = 20


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("train", help="fit a private tree or forest to a table")
    paths.add_input(parser, "file", metavar="FILE", help="a table (.csv, .csv.gz, .parquet), or the URL of a database")
    add_place(parser)
    parser.add_argument("--key", help="a column of integers of the records themselves, for forests of a database")
    parser.add_argument(
        "--temporary-table", action="store_true", help="let the database keep codes in a temporary table: quicker"
    )
    parser.add_argument("--target", required=True, help="the column to be predicted")
    parser.add_argument("--epsilon", type=epsilon, required=True, help="the privacy budget of the model")
    paths.add_input(
        parser,
        "--domains",
        required=True,
        metavar="TOML",
        help='the public domain of every column: name = ["a", "b"] for categories, name = {low = 0, high = 99} for '
        "numbers, name = {edges = [0, 18, 65, 120]} for bins; the target's list are the classes",
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="tree", help="default tree")
    parser.add_argument("--max-depth", type=whole, help="levels of splits")
    search = parser.add_argument_group("--model evolutionary, a tree for several goals")
    search.add_argument("--goal", choices=["weighted", "pareto"], help="how recalls are combined (default weighted)")
    search.add_argument(
        "--importance", nargs="+", metavar="CLASS=W", help="what recognising a class counts (1 where it is not named)"
    )
    search.add_argument("--population", type=whole, help="how many trees are tried at a time (default 100)")
    search.add_argument("--generations", type=whole, help="rounds of selection before the last (default 2)")
    search.add_argument("--output", type=whole, help="how many trees to return, best first (default 1)")
    parser.add_argument("--mechanism", help="how id3 selects and forests label; see dpselect mechanisms")
    add_reading(parser)
    paths.add_output(parser, "--out", required=True, metavar="JSON", help="where to write the released model")
    paths.add_output(
        parser,
        "--picture",
        endings=paths.PICTURES,
        metavar="FILE",
        help="also draw the (first) tree: .png, .svg or .pdf",
    )
    paths.add_ledger(parser)
    parser.set_defaults(run=run)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add what becomes of cells that are missing or outside of their domains."""
    parser.add_argument(
        "--missing",
        default="ignore",
        choices=["ignore", "category", "error"],
        help="missing values: leave the row out (default), give them a code of their own, or refuse the table",
    )
    parser.add_argument(
        "--unknown",
        default="clip",
        choices=["clip", "ignore", "error"],
        help="values outside their domain: clip numbers and leave out rows with other categories (default), leave out "
        "both, or refuse the table",
    )


def run(given: argparse.Namespace) -> str:
    """Return the released tree as text."""
    from dpselect.learn.export import as_json

    domains = read_domains(given.domains)
    require_target(given, domains)
    settings: dict[str, Any] = {"missing": given.missing, "unknown": given.unknown}
    if given.max_depth is not None:
        settings["max_depth"] = given.max_depth
    if given.mechanism is not None:
        if given.model == "tree":
            raise ValueError("--mechanism goes with --model id3, forest or evolutionary: the default tree has its own.")
        settings["mechanism"] = given.mechanism
    settings |= _search(given, domains[given.target])
    kind = getattr(dps.learn, MODELS[given.model])
    weights = {"importance": " ".join(given.importance)} if given.importance else {}
    book = purse_of(given, model=given.model, target=given.target, **weights)
    model = kind(given.epsilon, domains=domains, ledger=book, **settings)
    _require_place(given)
    if stays(given, given.file):
        with Warehouse.open(given.file, given.table, key=given.key, temporary=given.temporary_table) as source:
            require_columns(given, domains, source.table.columns)
            model.fit(source.only(domains), given.target)
    else:
        require_columns(given, domains, tables.names(given.file))
        model.fit(tables.table(given.file, [*domains]), given.target)
    text = as_json(model)
    paths.keep(given.out, text.encode(), text)
    if given.picture:
        paths.saved(lambda: given.picture.draw(model.plot_tree), text)
    shown = f"{len(model.trees_)} trees" if given.model == "forest" else model.export_text()
    # A column without a domain is left out: say which were used.
    used = f"learned from {', '.join(map(str, model.feature_names_in_))}"
    spent = f"epsilon = {model.privacy_spent_.epsilon} per record added or removed"
    return f"{shown}\n\n{spent}; {used}; written to {given.out}"


def _require_place(given: argparse.Namespace) -> None:
    """Refuse what is said of a database where there is none: it would be ignored."""
    for option in ("key", "temporary_table"):
        if getattr(given, option) and not stays(given, given.file):
            raise ValueError(f"--{option.replace('_', '-')} goes with a URL or with --in-place: leave it out.")


def require_target(given: argparse.Namespace, domains: dict[str, Any]) -> None:
    """Refuse domains without the classes of the target.

    Raises:
        PrivacyError, ValueError: none are listed; fewer than two.
    """
    if given.target not in domains:
        raise dps.PrivacyError(f"{given.domains} lacks {given.target!r}: list the public classes of the target there.")
    domain = domains[given.target]
    if not isinstance(domain, list) or len(domain) < 2:
        raise ValueError(
            f"The target needs a list of at least two classes: write {given.target} = [...] in {given.domains}."
        )


def require_columns(given: argparse.Namespace, domains: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Refuse domains of columns that the table lacks: a slip of the pen would cost a column, and the budget with it.

    Raises:
        ValueError: which one; or there is none but that of the target.
    """
    there = [*columns]
    stray = next((name for name in domains if name not in there), None)
    if stray is not None:
        more = ", ..." if len(there) > _SHOWN else ""
        raise ValueError(
            f"{given.domains} has a domain of {stray!r}, and the table has no such column: it has "
            f"{', '.join(map(repr, there[:_SHOWN]))}{more}. Correct the name, or delete its line."
        )
    if {*domains} <= {given.target}:
        raise ValueError(
            f"{given.domains} has no domain but that of the target: add the columns to learn from, of "
            f"{', '.join(map(repr, [name for name in there if name != given.target][:_SHOWN]))}."
        )


def _search(given: argparse.Namespace, classes: list[Any]) -> dict[str, Any]:
    """Return the settings of the evolutionary search that were given."""
    found = {name: getattr(given, name) for name in ("goal", "importance", "population", "generations", "output")}
    found = {name: value for name, value in found.items() if value is not None}
    if given.model != "evolutionary":
        if found:
            raise ValueError(f"--{next(iter(found))} goes with --model evolutionary.")
        return {}
    if given.importance is not None:
        named = {str(each): each for each in classes}
        found["importance"] = {}
        for pair in given.importance:
            name, _, value = pair.rpartition("=")
            if name not in named:
                raise ValueError(f"--importance {pair}: write CLASS=NUMBER with one of {', '.join(named)}.")
            if named[name] in found["importance"]:
                raise ValueError(f"--importance names {name} twice: give each class once.")
            try:
                found["importance"][named[name]] = weight(value)
            except argparse.ArgumentTypeError as error:
                raise ValueError(f"--importance {pair}: {error}.") from None
            if found["importance"][named[name]] < 0:
                raise ValueError(f"--importance {pair}: a class counts at least 0.")
    return found


def read_domains(path: str) -> dict[str, Any]:
    """Return the domains of a TOML file.

    Raises:
        FileNotFoundError, ValueError: no such file, no TOML, or a domain that is neither list, pair nor edges.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError(
            f"{path} is no TOML file of domains: write name = [...] or name = {{low = ..., high = ...}}."
        ) from None
    table = content.get("domains")
    domains: dict[str, Any] = {}
    for name, domain in (table if isinstance(table, dict) else content).items():
        if isinstance(domain, list):
            if not all(isinstance(each, (str, int, float)) for each in domain):
                raise ValueError(f"The domain of {name!r} lists more than text, numbers and truth values: quote dates.")
            domains[name] = domain
        elif isinstance(domain, dict) and set(domain) == {"low", "high"}:
            domains[name] = (domain["low"], domain["high"])
        elif isinstance(domain, dict) and set(domain) == {"edges"}:
            domains[name] = _edges(name, domain["edges"])
        else:
            raise ValueError(
                f"The domain of {name!r} must be a list, {{low, high}} or {{edges}}: see dpselect train --help."
            )
    return domains


def _edges(name: str, edges: Any) -> Any:
    import numpy as np

    if not isinstance(edges, list) or not all(isinstance(each, (int, float)) for each in edges):
        raise ValueError(f"The edges of {name!r} must be a list of numbers, such as {{edges = [0, 18, 65, 120]}}.")
    return np.array(edges, dtype=float)

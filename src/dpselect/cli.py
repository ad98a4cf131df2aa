"""The command line: one command a verb. Bad input ends with status 2 and one sentence."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import dpselect as dps

# What each metric is drawn with unless --mechanism says otherwise: a public rule, the same for every graph.
_DEFAULTS = {
    "degree": "permute-and-flip",
    "ego-betweenness": "shifted-local-dampening-flip",
    "ego-density": "local-dampening-flip",
}
_DEMO_EPSILONS = ("0.1", "1", "10", "100")


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status: 0, 1 for a broken claim, or 2 with one sentence on standard error."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        print(given.run(given))
    except (ValueError, TypeError, OSError, ImportError, dps.PrivacyError) as error:
        print(f"dpselect {given.command}: {error}", file=sys.stderr)
        return 2
    except (MemoryError, OverflowError):
        print(
            f"dpselect {given.command}: that is more than fits into memory: check the numbers given.", file=sys.stderr
        )
        return 2
    return int(getattr(given, "status", 0))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dpselect", description="Choose privately: name the best, betray nobody.")
    parser.add_argument("--version", action="version", version=f"dpselect {dps.__version__}")
    verbs = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    top = verbs.add_parser("top-k", help="name the k most influential nodes of a graph")
    top.add_argument(
        "graph",
        metavar="GRAPH",
        help="an edge file (.parquet, .csv, .txt, also .csv.gz, .txt.gz), or a graph that ships with "
        "NetworkX, such as lesmis",
    )
    top.add_argument("--metric", required=True, choices=sorted(_DEFAULTS), help="what makes a node influential")
    top.add_argument("--k", type=int, default=1, help="how many nodes to name (default 1)")
    top.add_argument("--epsilon", type=_number, required=True, help="the privacy budget of the whole list, such as 0.5")
    top.add_argument(
        "--nodes",
        metavar="N|FILE",
        help="the public nodes: their number when ids are 0 .. N-1, or a file with one label a line "
        "(required for edge files)",
    )
    top.add_argument(
        "--max-degree",
        type=int,
        help="a public bound on the number of neighbours of any node (ego-betweenness needs it, others do not use it)",
    )
    top.add_argument(
        "--mechanism",
        help="default: permute-and-flip for degree, shifted-local-dampening-flip for ego-betweenness, "
        "local-dampening-flip for ego-density; see dpselect mechanisms",
    )
    top.add_argument("--workers", type=int, default=1, help="threads for ego-betweenness (default 1)")
    top.add_argument("--json", action="store_true", help="print JSON")
    top.set_defaults(run=_top_k)

    listing = verbs.add_parser("mechanisms", help="list the mechanisms and what each is for")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=_mechanisms)

    audit = verbs.add_parser("audit", help="check the library's own claims by brute force on tiny universes")
    audit.add_argument("names", nargs="*", metavar="NAME", help="utilities or mechanisms; all when none is named")
    audit.add_argument(
        "--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin no further check after this long"
    )
    audit.add_argument("--html", metavar="FILE", help="also write a page with pictures")
    audit.set_defaults(run=_audit)

    demo = verbs.add_parser("demo", help="compare mechanisms on a real graph, with exact probabilities")
    demo.set_defaults(run=_demo)
    return parser


def _number(text: str) -> Fraction:
    """Return the exact number written: 0.1 is 1/10, and 1/3 is allowed."""
    try:
        if len(text) > 40:
            raise ValueError
        exponent = text.lower().partition("e")[2]
        if exponent and abs(int(exponent)) > 400:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number: epsilon must be positive and finite, such as 0.5"
        ) from None


def _top_k(given: argparse.Namespace) -> str:
    mechanism = dps.mechanism(given.mechanism or _DEFAULTS[given.metric])
    scores = _metric(given, _graph(given))
    release = dps.top_k(scores, given.k, given.epsilon, mechanism=mechanism)
    if given.json:
        promise = release.guarantee
        return json.dumps(
            {
                "candidates": release.candidates,
                "metric": given.metric,
                "mechanism": release.mechanism,
                "epsilon": str(promise.epsilon),
                "delta": str(promise.delta),
                "neighbours": promise.neighbours.value,
            },
            indent=2,
        )
    ranks = [f"{rank:>3}  {node}" for rank, node in enumerate(release.candidates, 1)]
    ranks.append(f"in order of selection; epsilon = {release.guarantee.epsilon} per edge, by {release.mechanism}")
    return "\n".join(ranks)


def _graph(given: argparse.Namespace) -> dps.Graph:
    path = Path(given.graph)
    if path.suffix or path.exists():
        return dps.Graph.read(path, nodes=_nodes(given.nodes))
    graph = dps.Graph.named(given.graph)
    if given.nodes is not None:
        raise ValueError("--nodes goes with an edge file: the nodes of a shipped graph are known.")
    return graph


def _nodes(text: str | None) -> Any:
    """Return a number of nodes, a list of labels (integers when all are), or None when not given."""
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    if not Path(text).is_file():
        raise ValueError(f"--nodes takes a number or a file with one label a line, and there is no file {text!r}.")
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text} is not UTF-8 text: save it as UTF-8.") from None
    labels = [line.strip() for line in lines if line.strip()]
    if not labels:
        raise ValueError(f"{text} lists no node: write one label a line.")
    # "007" is a label and "7" an integer: only lists that survive the way there and back are integers.
    whole = all(label.isascii() and label.isdigit() and str(int(label)) == label for label in labels)
    return [int(label) for label in labels] if whole else labels


def _metric(given: argparse.Namespace, graph: dps.Graph) -> dps.Scores:
    if given.metric == "ego-betweenness":
        return dps.utilities.ego_betweenness(graph, max_degree=given.max_degree, workers=given.workers)
    return dps.utilities.degree(graph) if given.metric == "degree" else dps.utilities.ego_density(graph)


def _mechanisms(given: argparse.Namespace) -> str:
    every = [dps.mechanism(name) for name in dps.mechanisms.EVERY_MECHANISM]
    if given.json:
        return json.dumps([{"name": m.name, "sampler": m.sampler.name, "use": m.summary} for m in every], indent=2)
    width = max(len(m.name) for m in every)
    return "\n".join(f"{m.name:<{width}}  {m.summary}" for m in every)


def _audit(given: argparse.Namespace) -> str:
    from dpselect.audit import report

    if not given.budget > 0:
        raise ValueError("--budget is a number of seconds > 0.")
    claims = report.chosen(given.names)
    rows = []
    for row in report.run(claims, given.budget):
        rows.append(row)
        if sys.stderr.isatty():
            print(f"{len(rows)}/{len(claims)} {row.claim:<40}", end="\r", file=sys.stderr, flush=True)
    if given.html:
        Path(given.html).write_text(report.page(rows), encoding="utf-8")
    given.status = 1 if any(row.verdict == "BROKEN" for row in rows) else 0
    return report.text(rows)


def _demo(_: argparse.Namespace) -> str:
    """Return the demo's text: Les Miserables, who stands between the others most."""
    graph = dps.Graph.named("lesmis")
    betweenness = dps.utilities.ego_betweenness(graph, max_degree=40)
    degree = dps.utilities.degree(graph)
    best = int(betweenness.values.argmax())
    unfit = ("generalised-exponential", "inverse-sensitivity")
    rows = [(name, betweenness) for name in dps.mechanisms.EVERY_MECHANISM if name not in unfit]
    rows.append(("permute-and-flip", degree))
    lines = [
        f"Les Miserables: {len(graph)} characters. Who stands between the others most (ego betweenness)?",
        "Protected: every single edge. Public: the characters, and that nobody meets more than 40 others.",
        "",
        f"Exact probability that the true answer, {graph.candidates[best]}, is named:",
        "",
        f"  {'mechanism':<34}" + "".join(f"{'eps ' + epsilon:>10}" for epsilon in _DEMO_EPSILONS),
    ]
    for name, scores in rows:
        label = f"{name}, on degree" if scores is degree else name
        law = [dps.mechanism(name).law(scores, Fraction(epsilon))[best] for epsilon in _DEMO_EPSILONS]
        lines.append(f"  {label:<34}" + "".join(f"{chance:>10.3f}" for chance in law))
    chosen = dps.select(betweenness, 1, mechanism=dps.mechanism("shifted-local-dampening-flip"))
    lines += [
        "",
        "Unshifted local dampening shrinks the scores of hubs most, so here it loses them; shifting turns that round.",
        "Degree is a simpler question with a small sensitivity, and on this graph it has the same answer.",
        "",
        f"One private release at epsilon 1, by {chosen.mechanism}: {chosen.candidate}",
        "Probabilities come from the exact law, which is for public data; a release names one character.",
    ]
    return "\n".join(lines)

"""dpselect compare: accuracy against epsilon for several mechanisms, from exact laws, on public data."""

from __future__ import annotations

from dataclasses import asdict, replace
from fractions import Fraction
from textwrap import fill
from typing import Any

import dpselect as dps
from dpselect.cli import paths, query_commands, traces
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import epsilon, every_mechanism, option, whole
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.queries import BestGroups, PrivateRows, TopK, columns
from dpselect.queries.metrics import DAMPENING
from research.commands.problems import PROBLEMS, Problem, nodes_of

# It holds for every task.
_ABOUT = "Protected: nobody. Exact figures from laws are for public data only: they would reveal private data."
_EPSILONS = tuple(map(Fraction, ("1/10", "1/5", "1/2", "1", "2", "5", "10")))
_USUAL = (
    "permute-and-flip",
    "exponential",
    "local-dampening-flip",
    "shifted-local-dampening-flip",
    "local-dampening-t",
    "smooth-noisy-max",
)


def _refuse_traces(request: Request) -> None:
    if request.traces is not None:
        raise InputError(f"--traces goes without a task: leave out {request.task}, or --traces.")


def run_traces(request: Request) -> CommandAnswer:
    """Return held-out regret of learned, rival and fixed choices, and draw it."""
    if request.traces is None:
        raise InputError(
            f"Name a task ({', '.join([*PROBLEMS, 'formulas', 'histogram', 'metrics'])}), or pass --traces."
        )
    from dpselect.adaptive.plots import draw_regret
    from dpselect.adaptive.regret import leave_out

    maker = traces.maker_of(request, [], metafeatures="paid", learner="fixed")
    recipes = {name: replace(maker.recipe, learner=name) for name in ("forest", "regret-tree", "fixed")}
    trained = maker.trained
    regret = leave_out(trained.traces, recipes, trained.policy.options, trained.epsilons)
    if request.out:
        request.out.draw(lambda file: draw_regret(regret, file, overwrite=True))
    return CommandAnswer(str(regret), {"regret": str(regret).splitlines()})


def run_histogram(request: Request) -> CommandAnswer:
    """Return the error of every algorithm, and draw what each makes of public counts."""
    from dpselect import histograms
    from dpselect.adaptive import draw_histograms, histogram_options

    _refuse_traces(request)
    if request.out is None:
        raise InputError("Pass --out, the picture: a .png, .svg or .pdf file.")
    counts = traces.read_counts(request.file)
    answers = {name: estimate(counts, epsilon=request.epsilon) for name, estimate in histograms.EVERY_ALGORITHM.items()}
    request.out.draw(lambda file: draw_histograms(counts, answers, file, overwrite=True))
    errors = {name: float(histogram_options.range_error(counts, estimated)) for name, estimated in answers.items()}
    lines = [f"{name:<10} {error:.3e}" for name, error in errors.items()]
    return CommandAnswer("\n".join(["scaled average error of 2,000 random ranges", *lines]), {"range_error": errors})


def run_metrics(request: Request) -> CommandAnswer:
    """Return which metric names the brokers, who connect others, on a public graph."""
    _refuse_traces(request)
    if request.out is not None:
        raise InputError("--out goes with another task: metrics are compared in a table.")
    request.metric = ("degree", "ego-betweenness")
    graph = PrivateRows(query_commands.dataset_of(request, TopK)).graph()
    advice = dps.accuracy.recommend_metric(
        graph, request.k, epsilon=request.epsilon, max_degree=request.max_degree, data="public"
    )
    note = "For public or old graphs only: figures like these reveal private data."
    start, table = str(advice).split("\n\n")
    rows = [asdict(row) for row in advice.table]
    return CommandAnswer("\n\n".join([fill(start, 80), table, note]), {"metric": advice.metric, "metrics": rows})


def run_formulas(request: Request) -> CommandAnswer:
    """Return which mechanism, and which prior or minimum size, serves a formula, on public rows."""
    _refuse_traces(request)
    if request.out is not None:
        raise InputError("--out goes with another task: formulas are compared in a table.")
    dataset = query_commands.dataset_of(request, BestGroups)
    query: Any = query_commands.query_of(request, BestGroups)
    advice = dps.accuracy.recommend_formula(
        columns.table(PrivateRows(dataset), *dataset.columns),
        epsilon=query.epsilon,
        by=query.by,
        groups=dataset.groups(query.by),
        score=query.score,
        columns=dataset.columns,
        prior=query.prior,
        min_rows=query.min_rows,
        others=[*(request.priors or ()), *(request.sizes or ())],
        order=query.order,
        person=dataset.person,
        rows_per_person=dataset.rows_per_person,
        data="public",
    )
    note = "For public or old tables only: figures like these reveal private data."
    start, table = str(advice).split("\n\n")
    rows = [asdict(row) for row in advice.table]
    facts = {"mechanism": advice.mechanism, "small_groups": advice.small_groups, "formulas": rows}
    return CommandAnswer("\n\n".join([fill(start, 80), table, note]), facts)


def run(request: Request) -> CommandAnswer:
    """Return the table, and draw the picture when asked."""
    task = PROBLEMS[request.task]
    epsilons = sorted(set(request.epsilons))
    _refuse_traces(request)
    # Unknown names are refused before anything long begins.
    mechanisms = [dps.mechanism(name) for name in request.mechanisms or _USUAL]
    problems = task.scores(request)
    rows = [
        dps.accuracy.compare.row(
            scored, mechanism, epsilons, label=label if len(problems) > 1 else "", unit=_unit(request)
        )
        for label, scored in problems.items()
        for mechanism in mechanisms
    ]
    # Who asked for no mechanism in particular learns only the names of those that do not apply.
    left = [] if request.mechanisms else [each.name for each in rows if each.why]
    rows = [each for each in rows if each.name not in left] or rows
    if request.out:
        request.out.draw(lambda file: dps.accuracy.compare.draw(rows, file, overwrite=True))
    if request.get("objectives"):
        # Drawn as dpselect top-k draws several metrics, unless other mechanisms were asked for.
        drawn = "permute-and-flip" if request.get("pareto") else DAMPENING
        usual = [each for each in mechanisms if each.name == drawn]
        _front(request, problems, [*usual, *mechanisms][0], epsilons[-1])
    note = "Exact, from laws. For public data only: figures like these reveal private data."
    out = "\n" + fill(f"Not applicable here: {', '.join(left)}.", 80) if left else ""
    return CommandAnswer(
        f"{dps.accuracy.compare.table(rows)}\n\n{note}{out}", {"mechanisms": [_figures(row) for row in rows]}
    )


def _unit(request: Request) -> str:
    """Return what the candidates are numbers of: the unit of the column, or nothing where they are names."""
    if request.task not in ("percentile", "median"):
        return ""
    return f"the unit of {request.get('column') or 'the column'}"


def _figures(row: dps.accuracy.compare.ComparisonRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "epsilon": [str(epsilon) for epsilon in row.epsilons],
        "probability_of_best": [*map(float, row.best)],
        "expected_error": [*map(float, row.error)],
        **({"expected_distance": [*map(float, row.distance)]} if row.unit else {}),
        "not_applicable": row.why or None,
    }


def _front(
    request: Request, problems: dict[str, dps.Scores], mechanism: dps.mechanisms.Mechanism, epsilon: Epsilon
) -> None:
    """Draw the front of two metrics, the five best nodes and five private ones."""
    import numpy as np

    if len(request.metric) != 2:
        raise InputError("--objectives draws two metrics: name two, with --pareto or --weights.")
    ((_, combined),) = problems.items()
    query, data = nodes_of(request)
    objectives = query.objectives(data)
    many = min(5, len(combined))
    best = np.argsort(-combined.values, kind="stable")[:many].tolist()
    positions = {candidate: position for position, candidate in enumerate(combined.candidates)}
    drawn = dps.top_k(combined, many, epsilon=epsilon, mechanism=mechanism).value
    label = f"{mechanism.name},\nepsilon {float(epsilon):g} in all"
    private = [positions[candidate] for candidate in drawn]
    request.objectives.draw(
        lambda file: dps.accuracy.compare.draw_front(
            objectives,
            request.metric,
            best,
            private,
            file,
            label=label,
            weights=request.weights or (1, 1),
            overwrite=True,
        )
    )


def _picture(words: str) -> Any:
    return paths.output("--out", endings=paths.PICTURES, help=words)


def _task(name: str, problem: Problem) -> Command:
    """Return the task that compares mechanisms for one problem."""
    front = paths.output(
        "--objectives",
        endings=paths.PICTURES,
        help="also draw both metrics, the front and five nodes drawn at the largest epsilon",
    )
    return Command(
        run,
        (
            *problem.options,
            option(
                "--mechanisms",
                several=True,
                metavar="NAME...",
                complete=every_mechanism,
                help="which to compare (default: those of the usual six that apply)",
            ),
            option(
                "--epsilons",
                several=True,
                type=epsilon,
                metavar="E...",
                default=_EPSILONS,
                help="default: 0.1 to 10",
            ),
            _picture("also draw a picture: a .png, .svg or .pdf file"),
            *([front] if name == "top-k" else []),
        ),
        _EXAMPLES[name],
        about=_ABOUT,
        summary=f"Compare mechanisms for the problem {name}.",
    )


_EXAMPLES = {
    "percentile": "dpselect compare percentile public.csv age --p 50 --lower 0 --upper 120",
    "median": "dpselect compare median public.csv age --lower 0 --upper 120 --out median.png",
    "snp": "dpselect compare snp public.csv --families 100 --epsilons 1 10",
    "top-k": "dpselect compare top-k lesmis degree --epsilons 0.1 1",
}
HISTOGRAM = Command(
    run_histogram,
    (
        paths.input("file", help="public counts (.npy), shape (n,) or (rows, columns)"),
        option("--epsilon", type=epsilon, required=True, metavar="E", help="of each algorithm"),
        _picture("a .png, .svg or .pdf file, which is needed"),
    ),
    "dpselect compare histogram public.npy --epsilon 1 --out histograms.png",
    about="Protected: nobody. The picture shows the counts as they are: it is for public data only.",
    summary="Draw a public histogram beside private ones.",
)
METRICS = Command(
    run_metrics,
    (
        *(each for each in PROBLEMS["top-k"].options if each.name in ("dataset", "nodes", "ends", "label")),
        option("--k", type=whole, default=5, metavar="K", help="how many nodes a list names (default 5)"),
        option("--epsilon", type=epsilon, required=True, metavar="E", help="of the whole list"),
        option(
            "--max-degree",
            type=whole,
            required=True,
            metavar="N",
            help="the public bound on the number of neighbours of any node that the private graph will have",
        ),
    ),
    "dpselect compare metrics lesmis --epsilon 10 --max-degree 76",
    about=_ABOUT,
    summary="Say which metric names the brokers, who connect others, on a public graph.",
)
FORMULAS = Command(
    run_formulas,
    (
        *(each for each in query_commands.options_of(BestGroups) if each.name != "k"),
        option("--epsilon", type=epsilon, required=True, metavar="E", help="of one answer"),
        option("--priors", several=True, metavar="N:VALUE...", help="further priors that may stand in for --prior"),
        option("--sizes", several=True, type=whole, metavar="N...", help="minimum sizes that may"),
    ),
    "dpselect compare formulas survey.toml 'avg(income)' --by region --prior 20:30000 --priors 5:30000 --epsilon 1",
    about=_ABOUT,
    summary="Say which mechanism, and which prior or minimum size, serves a formula, on a public table.",
)
VERB = Command(
    run_traces,
    (
        paths.input("--traces", metavar="PARQUET", help="instead of a task: traces of AdaptiveAlgorithm.train"),
        _picture("also draw a picture: .png, .svg or .pdf"),
    ),
    "dpselect compare top-k lesmis degree --epsilons 0.1 1",
    about=_ABOUT,
    tasks={"formulas": FORMULAS, "histogram": HISTOGRAM, "metrics": METRICS}
    | {name: _task(name, problem) for name, problem in PROBLEMS.items()},
)

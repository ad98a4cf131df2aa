"""Claims of the library about itself, each with the universe on which it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpselect import papers, utilities
from dpselect.audit import paths
from dpselect.audit.admissibility import Utility
from dpselect.audit.margins import PROBLEMS, hopeless, jumps, late_jump, row_of, tenths
from dpselect.audit.rho_losses import sums_by_rho
from dpselect.audit.universe import Universe, directed_graphs, families, graphs, metric_space, multisets, vectors
from dpselect.kernel.neighbours import Neighbours
from dpselect.mechanisms import MECHANISMS
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.joint_top_k import JOINT
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.margin import margin
from dpselect.scores.pareto_margin import pareto_margin
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import element
from dpselect.views import Graph, TruncatedGraph, WeightedGraph

# Small, about one, and large: losses behave differently.
EPSILONS = (0.1, 1, 5)


@dataclass(frozen=True)
class UtilityClaim:
    """The sensitivity of a utility is admissible on a universe."""

    name: str
    utility: Utility
    universe: Callable[[], Universe]


@dataclass(frozen=True)
class MechanismClaim:
    """A mechanism on a utility loses at most epsilon on a universe."""

    name: str
    mechanism: Mechanism
    problem: UtilityClaim


@dataclass(frozen=True)
class DrawClaim:
    """Claims about the code that draws, checked by running it with every choice, coin or stream in turn."""

    name: str
    subject: str
    check: Callable[[], paths.Finding]


Claim = UtilityClaim | MechanismClaim | DrawClaim


def _majority(records: np.ndarray) -> Scores:
    """Counts of three kinds: integers, monotone, one constant sensitivity."""
    counts = np.array([int((records == kind).sum()) for kind in range(3)])
    return Scores(counts, sensitivity=1, range_bound=1, distance=counts.max() - counts)


def _uneven(x: int) -> Scores:
    """Two float scores on a row of six databases, with exact element sensitivities, ties and a jump."""
    row = np.array([(0.0, 2.0), (0.3, 2.0), (3.1, 1.7), (3.1, 1.7), (4.9, -1.0), (5.0, 3.5)])
    step = np.abs(np.diff(row, axis=0))
    steps = np.array([np.maximum(step[max(i - 1, 0)], step[min(i, 4)]) for i in range(6)])
    return Scores(
        row[x],
        element(lambda t: steps[max(x - t, 0) : x + t + 1].max(axis=0), ceiling=float(steps.max()), reach=6),
        distance=[max(2 - x, 0), max(x - 1, 0)],
    )


def _margins(utility: Utility, k: int, graph: Graph) -> Scores:
    """The number of edges that each node is from changing sides of a list of k."""
    return margin(utility(graph), k)


def _row_of_six() -> Universe:
    return metric_space(np.abs(np.subtract.outer(np.arange(6), np.arange(6))))


def _utility_of_counts(utility: Callable[..., Scores]) -> Utility:
    """Return a utility of three counts as one of the records counted."""
    return lambda records: utility([int((records == kind).sum()) for kind in range(3)])


def _split(utility: Callable[..., Scores], records: np.ndarray) -> Scores:
    """Return the scores of two attributes, of two and three values, over two classes: twelve kinds of record."""
    kinds = np.asarray(records, dtype=np.int64)
    first, second, label = kinds // 6, kinds // 2 % 3, kinds % 2
    two, three = np.zeros((2, 2), dtype=np.int64), np.zeros((3, 2), dtype=np.int64)
    np.add.at(two, (first, label), 1)
    np.add.at(three, (second, label), 1)
    return utility({"first": two, "second": three})


def _rate(utility: Callable[..., Scores], records: np.ndarray) -> Scores:
    """Return a rate of two classifiers; records are (found by the first, found by the second) and others."""
    kinds = np.asarray(records, dtype=np.int64)
    of_class = kinds[kinds < 4]
    return utility([int((of_class % 2).sum()), int((of_class // 2).sum())], int(of_class.size))


def _degree_and_density(combine: Callable[..., Scores], graph: Graph) -> Scores:
    """Return two node scores as one."""
    return combine([utilities.degree(graph), utilities.ego_density(graph)])


def _both_rates(combine: Callable[..., Scores], records: np.ndarray) -> Scores:
    """Return both rates of two classifiers as one score; records are four kinds of positives and four of negatives."""
    kinds = np.asarray(records, dtype=np.int64)
    classes = [kinds[kinds < 4], kinds[kinds >= 4] - 4]
    rates = (utilities.true_positive_rate, utilities.true_negative_rate)
    return combine(
        [
            rate([int((of % 2).sum()), int((of // 2).sum())], int(of.size))
            for rate, of in zip(rates, classes, strict=True)
        ]
    )


def _popularity(people: np.ndarray) -> Scores:
    """Return the popularity of three items among people who each have a set of them, with a row repeated."""
    rows = [(who, item) for who, held in enumerate(people.tolist()) for item in range(3) if held >> item & 1]
    columns = {"who": [who for who, _ in 2 * rows], "what": [item for _, item in 2 * rows]}
    return utilities.popularity(columns, person="who", item="what", domain=range(3))


def _one_marker(count: int, table: tuple[int, int]) -> Scores:
    """Return the TDT of one marker over that many families."""
    return utilities.tdt([table[0]], [table[1]], families=count)


def _signed_edges(graph: Graph) -> Scores:
    """Return one score that every edge moves by one, up or down: it sees all edits of a path together."""
    owner = np.repeat(np.arange(len(graph)), graph.degrees)
    signs = np.where((7 * np.minimum(owner, graph.indices) + 3 * np.maximum(owner, graph.indices)) % 5 < 2, 1, -1)
    return Scores([int(signs.sum()) // 2, 0], sensitivity=1, neighbours="edge", kind="integer")


def _truncated_score(utility: Callable[..., Scores], graph: Graph) -> Scores:
    """Return a score of the graph whose nodes keep at most two edges."""
    return TruncatedGraph(graph, 2).scores(utility)


def _weighted_pairs() -> Universe:
    """Return all graphs of four nodes whose pairs weigh 0, 1 or 5; a neighbour gives one pair another weight."""
    return replace(vectors(6, [0, 1, 5]), relation=Neighbours.EDGE)


def _weighted_degree(kind: str, weights: np.ndarray) -> Scores:
    """Return the weighted degrees under a cap of 2, of rows in both directions that add up to these weights."""
    a, b = np.triu_indices(4, 1)
    rows = np.concatenate((weights // 2, weights - weights // 2, weights - weights))
    graph = WeightedGraph.from_edges(np.r_[a, b, b], np.r_[b, a, b], rows, nodes=4, cap=2, kind=kind)
    return utilities.weighted_degree(graph)


UTILITY_CLAIMS = (
    *(
        UtilityClaim(f"weighted_degree, {kind}", partial(_weighted_degree, kind), _weighted_pairs)
        for kind in ("integer", "real")
    ),
    UtilityClaim("degree", utilities.degree, partial(graphs, 5)),
    *(
        UtilityClaim(f"{name}, max_degree={bound}", partial(utility, max_degree=bound), partial(graphs, 5, bound))
        for name, utility in (
            ("ego_betweenness", utilities.ego_betweenness),
            ("ego_betweenness, overlap", partial(utilities.ego_betweenness, sensitivity="overlap")),
            ("ego_betweenness, degree", partial(utilities.ego_betweenness, sensitivity="degree")),
            ("papers.ego_betweenness", papers.ego_betweenness),
        )
        for bound in (2, 3, 4)
    ),
    UtilityClaim("ego_density", utilities.ego_density, partial(graphs, 5)),
    UtilityClaim("log_betweenness", utilities.log_betweenness, partial(graphs, 5)),
    *(
        UtilityClaim(
            f"linear_decay, decay={decay}, max_degree={bound}",
            partial(utilities.linear_decay, decay=decay, max_degree=bound),
            partial(graphs, 5, bound),
        )
        for decay, bound in ((1, 2), (3, 4), (20, 4))
    ),
    UtilityClaim("core_number", utilities.core_number, partial(graphs, 5)),
    *(
        UtilityClaim(f"{name}, max_degree={bound}", partial(utility, max_degree=bound), partial(graphs, 5, bound))
        for name, utility in (
            ("open_pairs", utilities.open_pairs),
            ("triangles", utilities.triangles),
            ("two_step_reach", utilities.two_step_reach),
        )
        for bound in (2, 3, 4)
    ),
    UtilityClaim("counts", _utility_of_counts(utilities.counts), partial(multisets, range(3), 8)),
    UtilityClaim("majority", _utility_of_counts(utilities.majority), partial(multisets, range(3), 8)),
    *(
        UtilityClaim(f"papers.median, {n} records", partial(papers.median, upper=4), partial(vectors, n, range(5)))
        for n in (2, 3, 4)
    ),
    UtilityClaim("followers", utilities.followers, partial(directed_graphs, 3)),
    UtilityClaim("popularity", _popularity, partial(multisets, range(8), 3, "person")),
    UtilityClaim("median", partial(utilities.median, lower=0, upper=2), partial(multisets, range(3), 8)),
    *(
        UtilityClaim(f"{name}, p={p}", partial(utility, p=p, grid=range(3)), partial(multisets, range(3), 8))
        for name, utility, asked in (
            ("percentile", utilities.percentile, (0, 25, 90, 100)),
            ("papers.percentile", papers.percentile, (25, 50, 90)),
        )
        for p in asked
    ),
    *(
        UtilityClaim(name, partial(_split, utility), partial(multisets, range(12), 3))
        for name, utility in (
            ("gini", utilities.gini),
            ("information_gain", partial(utilities.information_gain, max_records=3)),
            ("max_operator", utilities.max_operator),
            ("max_operator_winner", utilities.max_operator_winner),
            ("misclassified", utilities.misclassified),
            ("misclassified, max_records=3", partial(utilities.misclassified, max_records=3)),
        )
    ),
    UtilityClaim(
        "information_gain, substitution",
        partial(_split, partial(utilities.information_gain, max_records=3, relation="substitution")),
        partial(multisets, range(12), 3, "substitution"),
    ),
    *(
        UtilityClaim(name, partial(_rate, utility), partial(multisets, range(5), 6))
        for name, utility in (
            ("true_negative_rate", utilities.true_negative_rate),
            ("true_positive_rate", utilities.true_positive_rate),
        )
    ),
    *(UtilityClaim(f"tdt, families={n}", partial(_one_marker, n), partial(families, n)) for n in (2, 5, 9)),
)
# Scores made of several: functions of Scores, so none of them is a utility of its own.
COMBINATION_CLAIMS = (
    UtilityClaim("pareto, degree and ego_density", partial(_degree_and_density, pareto), partial(graphs, 4)),
    UtilityClaim(
        "aggregate, degree and 100 ego_density",
        partial(_degree_and_density, partial(aggregate, weights=[1, 100])),
        partial(graphs, 4),
    ),
    UtilityClaim("pareto, both rates", partial(_both_rates, pareto), partial(multisets, range(8), 4)),
    UtilityClaim(
        "aggregate, 3 TPR + 2 TNR, one touched",
        partial(_both_rates, partial(aggregate, weights=[3, 2], max_changed="one")),
        partial(multisets, range(8), 4),
    ),
    UtilityClaim("pareto, tenths", tenths, partial(row_of, 2)),
    UtilityClaim(
        "pareto_margin, degree and ego_density", partial(_degree_and_density, pareto_margin), partial(graphs, 4)
    ),
    UtilityClaim("pareto_margin, both rates", partial(_both_rates, pareto_margin), partial(multisets, range(8), 4)),
)
_TRIANGLES = partial(utilities.triangles, max_degree=4)
MARGIN_CLAIMS = tuple(
    UtilityClaim(f"margin of {name}, k={k}", partial(_margins, utility, k), partial(graphs, 4))
    for name, utility in (
        ("ego_betweenness", partial(utilities.ego_betweenness, max_degree=3)),
        ("open_pairs", partial(utilities.open_pairs, max_degree=3)),
    )
    for k in (1, 2)
) + tuple(
    # One more edge lowers no score, so their range bound is 1; that of their margins is not, from five nodes on.
    UtilityClaim(f"margin of triangles, k={k}", partial(_margins, _TRIANGLES, k), partial(graphs, 5))
    for k in (1, 2, 3)
)
_SYNTHETIC = (
    UtilityClaim("counts of three kinds", _majority, partial(multisets, range(3), 4)),
    UtilityClaim("uneven floats", _uneven, _row_of_six),
)
_SMALL_GRAPHS = (
    UtilityClaim("degree", utilities.degree, partial(graphs, 4)),
    UtilityClaim("ego_betweenness, max_degree=3", partial(utilities.ego_betweenness, max_degree=3), partial(graphs, 4)),
    UtilityClaim("ego_density", utilities.ego_density, partial(graphs, 4)),
    UtilityClaim("open_pairs, max_degree=3", partial(utilities.open_pairs, max_degree=3), partial(graphs, 4)),
)
# Graphs of any degrees, of which each node keeps two edges.
TRUNCATED_CLAIMS = (
    UtilityClaim("truncated, signed edges", partial(_truncated_score, _signed_edges), partial(graphs, 4)),
    UtilityClaim("truncated, open_pairs", partial(_truncated_score, utilities.open_pairs), partial(graphs, 4)),
)
# Graph utilities do not know how many edges would make a node best.
MECHANISM_CLAIMS = tuple(
    MechanismClaim(name, build(), problem)
    for name, build in MECHANISMS.items()
    for problem in (_SYNTHETIC if name == "inverse-sensitivity" else (*_SYNTHETIC, *_SMALL_GRAPHS))
) + tuple(
    MechanismClaim(name, build(), UtilityClaim(problem, utility, universe))
    for name, build in MECHANISMS.items()
    for problem, utility, universe, meant in PROBLEMS
    if (name in meant if meant else name != "inverse-sensitivity")
)
# Noises of smooth noisy max that are not its default, on what moves their scale; the last is where a clip decides.
_SCALE_MOVES = (
    *_SYNTHETIC,
    UtilityClaim("jumps at distances 60 to 204", late_jump, jumps),
    UtilityClaim("hopeless candidates on a moving scale", hopeless, partial(row_of, 2)),
)
LIGHT_TAIL_CLAIMS = tuple(
    MechanismClaim(f"smooth-noisy-max, {name}", MECHANISMS["smooth-noisy-max"](**parameters), problem)
    for name, parameters in (
        ("exponential", {"noise": "exponential"}),
        ("laplace", {"noise": "laplace"}),
        ("exponential, delta", {"noise": "exponential", "delta": 1e-6}),
        ("laplace, delta", {"noise": "laplace", "delta": 1e-6}),
    )
    for problem in _SCALE_MOVES
)
# PrivPareto and PrivAgg, local and global, and our sampler.
COMBINED_MECHANISM_CLAIMS = tuple(
    MechanismClaim(f"several objectives, {name}", MECHANISMS[name](), problem)
    for name in ("exponential", "local-dampening", "local-dampening-flip")
    for problem in COMBINATION_CLAIMS
) + tuple(
    MechanismClaim(f"margins, {name}", MECHANISMS[name](), problem)
    for name in ("exponential", "permute-and-flip")
    for problem in MARGIN_CLAIMS
)
DRAW_CLAIMS = (
    DrawClaim("top-k, exponential", "law of released pairs", partial(paths.lists_of_two, "exponential")),
    DrawClaim("top-k, joint", "law of released pairs", partial(paths.lists_of_two, "exponential", JOINT)),
    DrawClaim("top-k, permute-and-flip", "law of released pairs", partial(paths.lists_of_two, "permute-and-flip")),
    DrawClaim("quantiles", "law of three percentiles", paths.three_percentiles),
    DrawClaim("above-threshold, one direction", "transcripts of three", partial(paths.threshold_streams, 1)),
    DrawClaim("above-threshold, both directions", "transcripts of three", partial(paths.threshold_streams, 2)),
    DrawClaim("sums by rho", "persons of three records", sums_by_rho),
    DrawClaim("coins, streams", "64 draw calls", paths.streams_differ),
    DrawClaim("coins, undecided", "3000 coins by exact fractions", paths.undecided_coins),
    DrawClaim("groups, peeled", "every triple of two groups", paths.groups_peeled),
)
EVERY_CLAIM: tuple[Claim, ...] = (
    *UTILITY_CLAIMS,
    *COMBINATION_CLAIMS,
    *MARGIN_CLAIMS,
    *TRUNCATED_CLAIMS,
    *MECHANISM_CLAIMS,
    *LIGHT_TAIL_CLAIMS,
    *COMBINED_MECHANISM_CLAIMS,
    *DRAW_CLAIMS,
)

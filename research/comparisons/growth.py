"""How the time of Pareto scores and of shifted medians grows with the number of candidates.

    python -m research.comparisons.growth [NAME]

Processor seconds of a warm process, least of several runs, and how time grows: the exponent from each size to the
next. Each part runs in a process of its own, so that peaks of memory, interpreter included, do not mix. Candidates of
"all different" share no row, which is the most work (``pareto.py``); nodes of a graph share a row where they are alike.
"""

from __future__ import annotations

import logging
import math
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np

import dpselect as dps
from research.comparisons.pareto import node_like, peak, seconds

# Edges per node of the random graph, and the power by which its degrees fall.
_EDGES, _FALL = 5, -0.5
# A graph of which no more than this is said in public.
_MOST = 10_000

Act = Callable[[], object]


def graph(nodes: int) -> dps.Graph:
    """Return a random graph of uneven degrees."""
    draw = np.random.default_rng(0)
    odds = np.arange(1, nodes + 1) ** _FALL
    ends = draw.choice(nodes, _EDGES * nodes, p=odds / odds.sum()), draw.choice(nodes, _EDGES * nodes)
    apart = ends[0] != ends[1]
    return dps.Graph.from_edges(ends[0][apart], ends[1][apart], nodes=nodes)


def select(scores: dps.Scores, name: str) -> object:
    """Release one candidate."""
    return dps.select(scores, epsilon=1, mechanism=dps.mechanism(name))


def different(size: int, objectives: int) -> Act:
    """Release by local dampening of a Pareto score, all distances included."""
    parts = node_like(size, objectives)
    return lambda: select(dps.multiobjective.pareto(parts), epsilon="local-dampening-flip")


def nodes(size: int) -> Act:
    """Release a node by degree and open pairs, which were counted before."""
    private = graph(size)
    parts = [dps.utilities.degree(private), dps.utilities.open_pairs(private, max_degree=_MOST)]
    return lambda: select(dps.multiobjective.pareto(parts), epsilon="local-dampening-flip")


def median(size: int, name: str) -> Act:
    """Release the record whose value is nearest to the median of even values."""
    values = np.random.default_rng(0).integers(0, 10**9, size)
    return lambda: select(dps.papers.median(values, upper=10**9), epsilon=name)


def law(size: int) -> Act:
    """Compute the law of the published median."""
    values = np.random.default_rng(0).integers(0, 10**9, size)
    shifted = dps.mechanism("shifted-local-dampening")
    return lambda: shifted.pmf(dps.papers.median(values, upper=10**9), 1)


_FOUR, _THREE = (10**3, 10**4, 10**5, 10**6), (10**3, 10**4, 10**5)
PARTS: dict[str, tuple[str, Callable[[int], Act], tuple[int, ...]]] = {
    "two": ("Pareto, two objectives, all different", lambda size: different(size, 2), _FOUR),
    "nodes": ("Pareto, degree and open pairs of a graph", nodes, _FOUR),
    "three": ("Pareto, three objectives, all different", lambda size: different(size, 3), _THREE),
    "four": ("Pareto, four objectives, all different", lambda size: different(size, 4), (10**3, 10**4, 37_700)),
    "median": ("median, shifted-local-dampening", lambda size: median(size, "shifted-local-dampening"), _FOUR),
    "flip": ("median, shifted-local-dampening-flip", lambda size: median(size, "shifted-local-dampening-flip"), _FOUR),
    "law": ("median, law of shifted-local-dampening", law, _FOUR),
}


def lines(name: str) -> Iterator[str]:
    """Yield a line per size: seconds, and the exponent of growth since the size before."""
    title, of, sizes = PARTS[name]
    yield f"{title}, processor seconds of a whole release:" if name != "law" else f"{title}, processor seconds:"
    before: tuple[int, float] | None = None
    for size in sizes:
        act = of(size)
        # Whatever is compiled or loaded once is not the time of a release.
        act()
        taken = seconds(act, 1 if size > 10**5 or (name == "four" and size > 10**4) else 5)
        growth = f"   growth {math.log(taken / before[1], size / before[0]):.2f}" if before else ""
        yield f"  {size:>9,} {taken:10.4f}{growth}"
        before = size, taken
    yield f"  {peak()}"


def main() -> None:
    """Run every part in its own process."""
    # How long a distance takes is what is measured here.
    logging.getLogger("dpselect").setLevel(logging.ERROR)
    if len(sys.argv) > 1:
        for line in lines(sys.argv[1]):
            print(line, flush=True)
        return
    for name in PARTS:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()

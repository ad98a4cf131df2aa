"""004, chapter 5: whether synthesis finds the prediction 0.9 - sparsity^1.5 that the paper imagines for MWEM.

The paper leaves synthesis to future work and gives this form as what might come out of it, in place of a programmer's
own 1 - sparsity^2. Here losses are made by that law on made-up public databases, with noise as large as is said, and a
search over facts and powers has to tell the law from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Results,
    mean_of,
    point,
)
from research.engine.series import Series

NOISES = (0.01, 0.02, 0.05, 0.1, 0.2)
DATABASES, EPSILONS = 24, (0.1, 1.0)
FORM = "a + b * sparsity ** 1.5"
FACT, BOTH = "the fact: sparsity", "fact and power: sparsity ** 1.5"
_PANEL = "searches that find it"


def grid(_: Effort) -> list[Cell]:
    """One cell for each size of the noise."""
    return [{"noise": noise} for noise in NOISES]


def measure(cell: Cell, effort: Effort, rng: np.random.Generator) -> Sequence[Point]:
    """The share of searches that find the fact, and that find its power too."""
    from dpselect.adaptive import search_formulas

    noise = float(cell["noise"])
    searches = 2 if effort.name == "quick" else 20
    formulas = [search_formulas(_maker(noise, rng))["mwem"] for _ in range(searches)]
    return [
        point(_PANEL, FACT, noise, mean_of(float("sparsity" in each and "records" not in each) for each in formulas)),
        point(_PANEL, BOTH, noise, mean_of(float(each == FORM) for each in formulas)),
    ]


def _maker(noise: float, rng: np.random.Generator) -> Any:
    """A choice maker that learned from losses of that law, and from a rival's that is the same everywhere."""
    from dpselect.adaptive import AdaptiveAlgorithm, Metafeature, Option, Traces

    rows: list[dict[str, Any]] = []
    for database in map(str, range(DATABASES)):
        sparsity, records = float(rng.uniform(0.02, 0.88)), float(np.exp(rng.uniform(3, 10)))
        known = {"database": database, "group": database, "sparsity": sparsity, "records": records}
        for epsilon in EPSILONS:
            for option, law in (("mwem", 0.9 - sparsity**1.5), ("rival", 0.4)):
                run = {"option": option, "epsilon": epsilon, "repetition": 0, "seconds": 0.0, "error": ""}
                rows.append({**known, **run, "loss": max(law * (1 + noise * float(rng.normal())), 1e-6)})
    facts = [Metafeature(name, lambda _: 0, public=True) for name in ("sparsity", "records")]
    options = [Option(name, lambda *_: 0) for name in ("mwem", "rival")]
    maker = AdaptiveAlgorithm(options, facts, lambda *_: 0.0, learner="fixed")
    return maker.learn(Traces.from_rows(rows, ["sparsity", "records"]))


def _found(results: Results) -> Judgement:
    line = results.line(_PANEL, BOTH)
    shown = ", ".join(f"{each.value:.0%} at {each.x:.0%} noise" for each in line)
    why = (
        "the losses are made by this very form, so this shows only how much noise the search withstands: MWEM's own "
        "losses on the authors' databases would decide"
    )
    return Judgement(f"share of searches that find the form: {shown}", "not comparable", why)


EXPERIMENT = Experiment(
    name="jostle_synthesis",
    paper="004",
    item="chapter 5",
    title="How often synthesis finds the form of a prediction from noisy losses.",
    method=(
        f"Losses of {DATABASES} made-up public databases at two epsilons follow 0.9 - sparsity^1.5, times 1 plus "
        "normal noise. The search has two facts, epsilon and nine powers, and takes the simplest form within a "
        "standard error of the best on databases left out. The paper gives the form as an example and implements no "
        "synthesis."
    ),
    grid=grid,
    measure=measure,
    x_label="noise of a loss, as a share of it",
    y_label="share of the searches",
    task="",
    better="higher",
    claims=(Claim("A more accurate prediction for MWEM is perhaps found by synthesis", "0.9 - sparsity^1.5", _found),),
    series=(Series(FACT, "reference", "reference"), Series(BOTH, "reference", "reference")),
    losses_on="No private data are read: synthesis sees traces of public databases only.",
)

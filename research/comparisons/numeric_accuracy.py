"""How accurate medians, percentiles and genetic markers are, from exact laws, beside what the papers print.

    DPSELECT_DATA=... python -m research.comparisons.numeric_accuracy [--studies 200]

No draw is made: every figure is a function of the exact law. The column holds the counts of the 4096 cells of a
histogram, as in both theses (the median's figures agree with the printed reductions only then). Public bounds are the
rounded largest counts, except where a thesis uses the largest count itself.
"""

from __future__ import annotations

import argparse

import numpy as np

import dpselect as dps
from dpselect import datasets
from dpselect.mechanisms.base import Mechanism
from research.engine import data
from research.engine.experiment import FULL, QUICK, Results
from research.papers import local_dampening_figure_17 as median

COLUMNS = {"patent": 20_000, "hepth": 1_000, "income": 3_000_000}
FENCED = {"calibration": "chaves-2024", "unsound": "reproduction"}


def named(name: str, **given: object) -> Mechanism:
    """A mechanism by name."""
    return dps.mechanism(name, **given)


def line(label: str, figures: list[float], form: str = "11.4g") -> str:
    """One row of a table."""
    return f"  {label:<52}" + "".join(f"{figure:>{form}}" for figure in figures)


def medians() -> None:
    """001, Figure 17: expected distance of the named record's value from the median."""
    for column in COLUMNS:
        print(f"\nMedian of {column}: expected error, epsilon " + " ".join(f"{e:g}" for e in median.epsilons(QUICK)))
        points = []
        for series in median.SERIES:
            points += median.measure({"dataset": column, "series": series}, FULL, np.random.default_rng(0))
            found = [p.value for p in points if p.series == series][::2]
            print(line(series, found))
        less = median.reductions(Results(points), column)
        print(f"  local dampening errs less than the exponential mechanism: mean {less.mean():.1f} %, ")


def percentiles() -> None:
    """000, Figure 7: the thesis's |x_p - E x|, the honest E|x - x_p|, and the probability of being exact."""
    epsilons = (0.1, 1.0, 10.0, 100.0)
    for column, upper in COLUMNS.items():
        values = np.load(datasets.checked_file(column))
        grid = np.arange(upper + 1)
        for p in (50, 90, 99):
            right = np.sort(values)[values.size * p // 100]
            cells = dps.papers.percentile(values, p, grid=grid)
            ranks = dps.utilities.percentile(values, p, grid=grid)
            # The theses choose among records: a record scores 1 when its value is the percentile.
            same = dps.sensitivity.local(lambda t, flat=cells.sensitivity: flat.at(t)[0], ceiling=1.0)
            among = dps.Scores((values == right).astype(np.int64), same, zero=cells.zero)
            rows = [
                ("exponential, 0/1 among records", named("exponential"), among, values),
                ("permute-and-flip, 0/1 among records", named("permute-and-flip"), among, values),
                ("local-dampening, 0/1 among records", named("local-dampening"), among, values),
                ("published SNM Student t (not private), records", named("smooth-noisy-max", **FENCED), among, values),
                (
                    "published SNM Laplace (not private), records",
                    named("smooth-noisy-max", **FENCED, noise="laplace"),
                    among,
                    values,
                ),
                ("sound SNM, 0/1 among records", named("smooth-noisy-max"), among, values),
                ("sound SNM, 0/1 on the grid", named("smooth-noisy-max"), cells, grid),
                ("local-dampening-flip, 0/1 on the grid", named("local-dampening-flip"), cells, grid),
                ("permute-and-flip on ranks (recommended)", named("permute-and-flip"), ranks, grid),
            ]
            print(
                f"\nPercentile {p} of {column} = {right}; at epsilon "
                + ", ".join(f"{e:g}" for e in epsilons)
                + ": |x_p - E x|, E|x - x_p|, Pr[exact]"
            )
            for label, mechanism, scores, places in rows:
                figures = []
                for e in epsilons:
                    law = mechanism.pmf(scores, e)
                    figures.append(
                        (abs(law @ places - right), law @ np.abs(places - right), law[places == right].sum())
                    )
                print(f"  {label:<50}" + "".join(f"{a:>11.4g}{b:>11.4g}{c:>7.3f}" for a, b, c in figures))


def markers(studies: int) -> None:
    """002, Table II and FiguresField 1 and 2: the probability of naming the most significant marker."""
    epsilons = (3, 6, 9, 12, 15, 18, 21)
    real = [dps.utilities.tdt(*data.markers(), families=215)]
    printed = {
        "printed EM": (30.0, 42.5, 42.5, 55.0, 60.0, 72.5, 82.5),
        "printed PF": (22.5, 40.0, 47.5, 55.0, 62.5, 77.5, 80.0),
        "printed SPS (IV), their best": (32.5, 55.0, 65.0, 67.5, 77.5, 82.5, 92.5),
    }
    print(
        "\nYamamoto and Shibuya 2024, Table II: six real markers, 215 families (reconstructed counts), per cent, "
        "epsilon " + " ".join(map(str, epsilons))
    )
    for label, figures in printed.items():
        print(line(f"{label} (40 draws)", list(figures), "8.1f"))
    accuracies(real, epsilons)
    rng = np.random.default_rng(2)
    for m in (5, 10, 15, 20):
        found = []
        for _ in range(studies):
            total = rng.binomial(300, 2 / 3, m)
            b = rng.binomial(total, 0.5)
            found.append(dps.utilities.tdt(b, total - b, families=150))
        print("\nYamamoto and Shibuya 2024, Figures 1 and 2: ", end="")
        print(f"{m} simulated markers, 150 families, mean of {studies} studies, per cent")
        accuracies(found, epsilons)


def accuracies(studies: list[dps.Scores], epsilons: tuple[int, ...]) -> None:
    """Print the mean probability of naming a best marker, mechanism by mechanism."""
    mechanisms = {
        "exponential": named("exponential"),
        "permute-and-flip": named("permute-and-flip"),
        **{
            f"SPS, gamma = {gamma}, one-sided": named("smooth-private-selection", gamma=gamma)
            for gamma in (2, 4, 6, 10)
        },
        "SPS, gamma = 4, two-sided": named("smooth-private-selection", sides=2),
        "local-dampening-flip, own sensitivities": named("local-dampening-flip"),
        "local-dampening-flip, one sensitivity for all": named("local-dampening-flip"),
        "local-dampening-t, one sensitivity for all": named("local-dampening-t"),
        "smooth-noisy-max (sound)": named("smooth-noisy-max"),
    }
    for label, mechanism in mechanisms.items():
        figures = []
        for e in epsilons:
            chances = []
            for own in studies:
                scores = own
                if "one sensitivity for all" in label:
                    shared = dps.sensitivity.flatten(own.sensitivity)
                    scores = dps.Scores(own.values, shared, neighbours="family", zero=own.zero)
                chances.append(mechanism.pmf(scores, e)[scores.values == scores.values.max()].sum())
            figures.append(100 * float(np.mean(chances)))
        print(line(label, figures, "8.1f"))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200, help="simulated studies a size")
    given = parser.parse_args()
    medians()
    percentiles()
    markers(given.studies)


if __name__ == "__main__":
    main()

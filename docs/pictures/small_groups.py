"""Picture of small groups: what a prior and a minimum size make of them, and of the chance to name the best group.

`python docs/pictures/small_groups.py` draws it afresh.
"""

import numpy as np
from paper import FAINT, INK, LIGHT, save, sheet

import dpselect as dps
from dpselect.formulas import RowKinds, margins, statistic
from dpselect.formulas.small_groups import fill_small_groups

ROWS = RowKinds.of([{"n": 1, "total": (1, 5)}])
N, TOTAL = statistic("n"), statistic("total")
USUAL = 3
# Forty small groups, of which some have fives alone, and ten large ones.
SMALL = np.arange(40) % 8 + 1
LARGE = np.array([900, 700, 600, 500, 400, 350, 300, 250, 200, 150])
MEANS = np.array([4.4, 4.0, 3.9, 3.8, 3.7, 3.6, 3.5, 3.4, 3.3, 3.2])
COUNTS = {
    "n": np.concatenate([SMALL, LARGE]),
    "total": np.concatenate([np.where(SMALL % 2 == 1, 5, 3) * SMALL, np.rint(MEANS * LARGE).astype(int)]),
}
BEST = SMALL.size


def prior(rows):
    """Return the mean with so many more rows of the usual value."""
    return (TOTAL + rows * USUAL) / (N + rows)


def chance(formula):
    """Return the chance to name the large group with the best mean at epsilon 1."""
    found = margins(formula, COUNTS, ROWS, 1)
    return dps.mechanism("permute-and-flip").pmf(found, 1)[BEST]


def small_groups():
    """Draw the score of a group of fives by its size, and the chance of the best group by the size that is asked."""
    figure, (score, chances) = sheet(ncols=2, width_ratios=(1, 1))
    sizes = np.arange(1, 81)
    score.axhline(5, color=FAINT, linewidth=4)
    score.annotate("their mean", (79, 4.92), va="top", ha="right", color=INK)
    score.plot(sizes, (5 * sizes + 20 * USUAL) / (sizes + 20), color=INK)
    score.annotate("prior 20:3", (50, 4.33), va="top", color=INK)
    score.plot(sizes, np.minimum(5, 1 + 4 * sizes / 20), color=LIGHT, linestyle="--")
    score.annotate("minimum 20", (9, 2.1), va="center", color=LIGHT)
    score.set(xlabel="rows of a group, all of them 5", ylabel="score", ylim=(1, 5.3), xlim=(0, 80))
    score.set_title("Few rows say little")
    asked = np.array([1, 2, 4, 7, 10, 15, 20, 30, 50, 100, 200])
    chances.plot(asked, [chance(prior(int(each))) for each in asked], color=INK)
    chances.plot(
        asked, [chance(fill_small_groups(TOTAL / N, ROWS, int(each))) for each in asked], color=LIGHT, linestyle="--"
    )
    chances.set(xscale="log", xlabel="rows of the prior, or minimum size", ylim=(0, 1.02))
    chances.set_xticks([1, 10, 100], ["1", "10", "100"])
    chances.set_title("Chance that the best large\ngroup is named, epsilon 1")
    return figure


PICTURES = {"small-groups": small_groups}

if __name__ == "__main__":
    save(PICTURES)

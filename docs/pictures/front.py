"""Picture of the first page: what one person changes, and what an epsilon buys.

`python docs/pictures/front.py` draws it afresh.
"""

import numpy as np
from paper import FAINT, INK, LIGHT, MIDDLE, save, sheet

import dpselect as dps

CANDIDATES = ("tea", "coffee", "milk")
EVERYBODY, WITHOUT_ANN = (12, 10, 4), (11, 10, 4)
EPSILON = 0.5


def front():
    """Draw the exact chance of each answer with and without one person, and that of the best answer by epsilon."""
    figure, (bars, curve) = sheet(height=3.6, ncols=2, width_ratios=(3, 2))
    rows = np.arange(len(CANDIDATES))
    for counts, label, colour, shift in (
        (EVERYBODY, "Ann is in the data", MIDDLE, -0.19),
        (WITHOUT_ANN, "Ann is not in the data", LIGHT, 0.19),
    ):
        law = chances(counts, EPSILON)
        bars.barh(rows + shift, law, height=0.36, color=colour, label=label)
        for row, chance in zip(rows, law, strict=True):
            bars.annotate(f"{chance:.2f}", (chance + 0.01, row + shift), va="center")
    bars.set_yticks(rows, CANDIDATES)
    bars.invert_yaxis()
    bars.set(xlabel=f"chance of being published, epsilon {EPSILON}", xlim=(0, 0.9))
    bars.set_title("Ann drinks tea. Without her, each chance\nchanges by a factor of at most e^0.5 = 1.65")
    bars.legend(loc="lower right")
    epsilons = np.geomspace(0.01, 10, 61)
    curve.axhline(1 / len(CANDIDATES), color=FAINT, linewidth=1.5)
    curve.annotate("a blind guess", (10, 1 / len(CANDIDATES) - 0.01), ha="right", va="top")
    curve.plot(epsilons, [chances(EVERYBODY, round(float(epsilon), 6))[0] for epsilon in epsilons], color=INK)
    curve.plot(EPSILON, chances(EVERYBODY, EPSILON)[0], "o", color=MIDDLE)
    curve.set_xscale("log")
    curve.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    curve.set(xlabel="epsilon", ylabel="chance of tea, the best", ylim=(0.2, 1.03))
    curve.set_title("A larger epsilon is more\naccurate, and protects less")
    return figure


def chances(counts, epsilon):
    """Return the exact chance of each candidate."""
    scores = dps.Scores(counts, sensitivity=1, candidates=CANDIDATES, range_bound=1, kind="integer")
    return dps.mechanism("permute-and-flip").pmf(scores, epsilon)


PICTURES = {"front": front}

if __name__ == "__main__":
    save(PICTURES)

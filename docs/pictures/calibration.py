"""Picture of calibration: what the tree and the boosted learner say, against what is seen.

`python docs/pictures/calibration.py` draws the stored figures afresh.
"""

from paper import FAINT, INK, LIGHT, MIDDLE, save, sheet

from research.comparisons.learners_calibration import EPSILONS, TABLES, stored

LOOKS = {"tree": (LIGHT, "s", "--"), "boosted": (MIDDLE, "o", "-")}


def calibration():
    """Draw reliability by tenths, one row per table and one column per epsilon."""
    curves = stored()
    figure, rows = sheet(width=8, height=5.4, nrows=2, ncols=3, sharex=True, sharey=True)
    for table, row in zip(TABLES, rows, strict=True):
        for epsilon, axes in zip(EPSILONS, row, strict=True):
            axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1)
            for learner, (colour, marker, line) in LOOKS.items():
                one = curves[table, learner, epsilon]
                axes.plot(one.said, one.seen, color=colour, marker=marker, linestyle=line, markersize=4, linewidth=1.2)
            axes.set_title(f"{table}, epsilon {epsilon:g}")
    for axes in rows[1]:
        axes.set(xlabel="probability said", xticks=(0, 0.5, 1))
    for row in rows:
        row[0].set(ylabel="share seen", yticks=(0, 0.5, 1))
    for place, (learner, (colour, _, _)) in enumerate(LOOKS.items()):
        rows[0][0].text(0.04, 0.92 - 0.11 * place, learner, color=colour, transform=rows[0][0].transAxes)
    rows[0][0].text(0.62, 0.5, "as said", color=INK, fontsize=9, rotation=45, alpha=0.6)
    return figure


PICTURES = {"calibration": calibration}

if __name__ == "__main__":
    save(PICTURES)

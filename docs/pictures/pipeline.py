"""Picture of the one pipeline: what each stage is, and which step leads to the next.

`python docs/pictures/pipeline.py` draws it afresh.
"""

from matplotlib.patches import FancyBboxPatch
from paper import FAINT, INK, save, sheet

STAGES = [
    ("Data", "a table, a graph, a file of edges"),
    ("View", "the little that a utility may see: a column, counts, a graph"),
    ("Scores", "one number for each public candidate, and its sensitivity"),
    ("Unit scores", "integers that one neighbour moves by at most one unit"),
    ("Position", "one exact draw, with fresh randomness"),
    ("Release", "the candidate's name and the guarantee"),
]
STEPS = ["source", "utility", "mechanism", "ledger, then sampler", "public list of candidates"]
WIDTH, HEIGHT, PITCH = 1.7, 0.62, 1.0


def pipeline():
    """Draw the stages as boxes, one below the other, and the steps between them as arrows."""
    figure, axes = sheet(width=8, height=5.2)
    for place, (title, words) in enumerate(STAGES):
        top, public = -place * PITCH, place == len(STAGES) - 1
        face = "white" if public else "#e3e7ec"
        shape = FancyBboxPatch((0, top - HEIGHT), WIDTH, HEIGHT, boxstyle="round,pad=0.03", facecolor=face)
        axes.add_patch(shape)
        axes.text(WIDTH / 2, top - HEIGHT / 2, title, ha="center", va="center", weight="bold")
        axes.text(WIDTH + 0.2, top - HEIGHT / 2, words, va="center")
    for place, step in enumerate(STEPS):
        top = -place * PITCH - HEIGHT
        axes.annotate(
            "",
            (WIDTH / 2, top - PITCH + HEIGHT + 0.03),
            (WIDTH / 2, top - 0.03),
            arrowprops={"arrowstyle": "->", "color": INK},
        )
        axes.text(WIDTH / 2 + 0.12, top - (PITCH - HEIGHT) / 2, step, va="center", style="italic", fontsize=10)
    last = -(len(STAGES) - 1) * PITCH
    for top, bottom, words in ((0, last + PITCH - HEIGHT, "private"), (last, last - HEIGHT, "public")):
        axes.plot([-0.2, -0.3, -0.3, -0.2], [top, top, bottom, bottom], color=FAINT)
        axes.text(-0.4, (top + bottom) / 2, words, ha="right", va="center", rotation=0)
    axes.set(xlim=(-1.1, 7.2), ylim=(last - HEIGHT - 0.1, 0.1))
    axes.axis("off")
    return figure


PICTURES = {"pipeline": pipeline}

if __name__ == "__main__":
    save(PICTURES)

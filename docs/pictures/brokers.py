"""Picture of brokers: how much of the betweenness a list of five has, by what is asked, on five graphs.

`python docs/pictures/brokers.py` draws the stored figures afresh.
"""

from paper import INK, save, sheet

from dpselect._display.families import look
from research.comparisons.brokers import EPSILONS, stored

TITLES = {
    "communities": "Communities with brokers",
    "affiliations": "Departments and teams",
    "partition": "Planted partition",
    "enron": "Enron",
    "github": "GitHub",
}
LOOKS = {
    "degree": ("degree, permute-and-flip", look("permute-and-flip").colour, "--", "s"),
    "open pairs": ("open pairs, local-dampening-flip", look("local-dampening-flip").colour, "-", "o"),
    "margin of ego betweenness": (
        "margin of ego betweenness, refined, permute-and-flip",
        look("permute-and-flip").colour,
        "-",
        "^",
    ),
    "shifted dampening": (
        "ego betweenness, published, shifted-local-dampening-flip",
        look("shifted-local-dampening-flip").colour,
        ":",
        "x",
    ),
}
# Where the limit at infinite epsilon is drawn.
_LIMIT = 3000


def brokers():
    """Draw the share of the ego betweenness of the true top 5 against epsilon, a panel per graph."""
    tables = stored()
    figure, rows = sheet(width=9, height=5.6, nrows=2, ncols=3, sharey=True)
    panels = [axes for row in rows for axes in row]
    x = [*map(float, EPSILONS), _LIMIT]
    for (graph, title), axes in zip(TITLES.items(), panels, strict=False):
        for label, colour, line, marker in LOOKS.values():
            shares = [share for _, share in tables[graph, 5][label]]
            axes.plot(x, shares, color=colour, linestyle=line, marker=marker, markersize=5, linewidth=1.5)
        axes.set(xscale="log", xlabel="epsilon", ylim=(-0.04, 1.04), title="", yticks=(0, 0.5, 1))
        axes.set_xticks(x, ["0.1", "1", "10", "100", "no noise"])
        axes.minorticks_off()
        axes.set_title(title)
    for row in rows:
        row[0].set(ylabel="share of betweenness")
    legend = panels[-1]
    legend.axis("off")
    for place, (name, (_, colour, line, marker)) in enumerate(LOOKS.items()):
        height = 0.85 - 0.2 * place
        legend.plot([0, 0.14], [height, height], color=colour, linestyle=line, marker=marker, markersize=5)
        legend.text(0.2, height, name, color=INK, va="center", fontsize=10)
    legend.set(xlim=(-0.05, 1.3))
    return figure


PICTURES = {"brokers": brokers}

if __name__ == "__main__":
    save(PICTURES)

"""What all pictures share: the paper they are drawn on, and what was drawn, so that a stale picture is found out."""

import hashlib
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
# Told apart by brightness and by line, so that grey print keeps the difference.
INK, MIDDLE, LIGHT, FAINT = "#1a1a1a", "#2f6f9f", "#d08a2e", "#c9ced6"
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "lines.linewidth": 2,
    "svg.hashsalt": "dpselect",
    "figure.facecolor": "white",
}


def sheet(width=8.0, height=3.4, **grid):
    """Return a figure and its axes."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(**grid)


def save(pictures, folder=FOLDER):
    """Write every picture as SVG: name to a function that returns a figure."""
    for name, draw in pictures.items():
        with mpl.rc_context(STYLE):
            figure = draw()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Description": digest(figure)})


def digest_of(draw):
    """Return the digest of what a function draws."""
    with mpl.rc_context(STYLE):
        return digest(draw())


def digest(figure):
    """Return a digest of what the figure shows: points, bars and words, but not where on the paper."""
    seen = []
    for axes in figure.axes:
        seen += [float(f"{value:.6g}") for line in axes.lines for value in line.get_xydata().ravel()]
        seen += [float(f"{value:.6g}") for patch in axes.patches for value in patch.get_path().vertices.ravel()]
        seen += [
            float(f"{value:.6g}") for patch in axes.patches for value in patch.get_patch_transform().get_matrix().flat
        ]
        seen += [text.get_text() for text in axes.texts]
        seen += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]

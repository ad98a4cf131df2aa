"""Pictures of what was learned and of what is released; originals are drawn for public data only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect._display.families import FAMILIES, family, look
from dpselect.adaptive.regret import Regret
from dpselect.kernel.errors import InputError
from dpselect.sources.figures import new_figure, require_picture
from dpselect.sources.output import save_figure

_MARKERS = "osD^vPX*<>"


def draw_regret(regret: Regret, path: str | Path, *, overwrite: bool = False) -> None:
    """Draw predicted against true loss, and mean held-out regret against epsilon, beside each other.

    Args:
        regret: of a trained choice maker.
        path: a .png, .svg or .pdf file.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ImportError: matplotlib is not installed.
        ValueError: a file of another kind.
    """
    figure = _figure(path, (11, 4.6))
    losses, curves = figure.subplots(1, 2)
    names, least = list(regret.rows[0]["true"]), regret.added_loss or 1e-12
    for place, name in enumerate(names):
        true = [max(row["true"][name], least) for row in regret.rows]
        guess = [max(row["predicted"][name], least) for row in regret.rows]
        losses.plot(true, guess, _MARKERS[place % 10], color=_colour(name, place), label=name, markersize=4, alpha=0.6)
    every = [loss for row in regret.rows for kind in ("true", "predicted") for loss in row[kind].values() if loss > 0]
    ends = [min(every), max(every)]
    losses.plot(ends, ends, color="0.6", linewidth=1, zorder=0)
    losses.set(xscale="log", yscale="log", xlabel="true mean loss", ylabel="predicted loss, database left out")
    for policy in regret.policies:
        fixed = policy.startswith("always ")
        place = names.index(policy.removeprefix("always ")) if fixed else 0
        looks: dict[str, Any] = {"color": _colour(names[place], place), "linewidth": 1, "linestyle": "--"}
        if not fixed:
            shade = [each for each in regret.policies if not each.startswith("always ")].index(policy)
            looks = {"color": str(min(0.3 * shade, 0.8)), "linewidth": 2, "marker": "o^sD"[shade % 4], "label": policy}
        curves.plot(regret.epsilons, [regret.mean(policy, epsilon) for epsilon in regret.epsilons], **looks)
    curves.axhline(1.0, color="0.8", linewidth=1, zorder=0)
    curves.set(xscale="log", xlabel="epsilon", ylabel="mean regret, database left out")
    # Fixed options may be tens of times worse: the scale keeps what matters visible.
    if max(regret.mean(policy, epsilon) for policy in regret.policies for epsilon in regret.epsilons) > 3:
        curves.set_yscale("log")
        for axis in (curves.yaxis.set_major_formatter, curves.yaxis.set_minor_formatter):
            axis("{x:g}")
    for axes in (losses, curves):
        axes.grid(color="0.92")
    figure.legend(loc="outside right upper", frameon=False, fontsize="small", title="dashed: always that option")
    save_figure(figure, path, overwrite=overwrite)


def draw_histograms(
    original: ArrayLike, noisy: Mapping[str, NDArray[np.float64]], path: str | Path, *, overwrite: bool = False
) -> None:
    """Draw a public histogram beside noisy answers, on one scale of colours.

    Args:
        original: counts, shape (n,) or (rows, columns): public, for it is drawn as it is.
        noisy: name to estimated counts of the same shape.
        path: a .png, .svg or .pdf file.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for.
        ImportError: matplotlib is not installed.
        ValueError: nothing to draw, other shapes, or a file of another kind.
    """
    counts = np.asarray(original, dtype=np.float64)
    if counts.ndim not in (1, 2) or not noisy or any(np.shape(each) != counts.shape for each in noisy.values()):
        raise InputError("Pass a histogram of one or two dimensions, and at least one estimate of its shape.")
    panels = {"original": counts, **noisy}
    many = min(4, len(panels))
    rows = -(-len(panels) // many)
    figure = _figure(path, (3.1 * many + 0.6, 3.2 * rows))
    axes = figure.subplots(rows, many, squeeze=False)
    for place, panel in enumerate(axes.flat):
        panel.axis("on" if place < len(panels) else "off")
    shown: Any = None
    for panel, (name, values) in zip(axes.flat, panels.items(), strict=False):
        panel.set_title(name, fontsize="medium")
        if counts.ndim == 2:
            # ln(1 + count): most cells are small, and noise below zero looks like nothing.
            shown = panel.imshow(
                np.log1p(np.maximum(values, 0)),
                cmap="magma",
                vmin=0,
                vmax=float(np.log1p(counts.max())),
                origin="lower",
            )
            panel.set(xticks=[], yticks=[])
        else:
            panel.plot(np.arange(counts.size), values, color="C0" if name == "original" else "C3", linewidth=0.6)
            if name != "original":
                panel.plot(np.arange(counts.size), counts, color="0.75", linewidth=0.6, zorder=0)
            # One scale for all: noise beyond it is cut off.
            high = max(float(counts.max()), 1.0)
            panel.set(ylim=(-0.4 * high, 1.1 * high), xlabel="cell")
    if shown is not None:
        bar = figure.colorbar(shown, ax=axes, shrink=0.8)
        ticks = [each for each in (0, 1, 10, 100, 1_000, 10_000, 100_000, 10**6) if each <= counts.max()]
        bar.set_ticks(np.log1p(ticks).tolist(), labels=[f"{each:,}" for each in ticks])
    save_figure(figure, path, overwrite=overwrite)


def _colour(name: str, place: int) -> str:
    """Return the one colour of a mechanism or an algorithm in all pictures; others are told apart in this one."""
    return look(name).colour if family(name) in FAMILIES else f"C{place}"


def _figure(path: str | Path, size: tuple[float, float]) -> Any:
    require_picture(path)
    return new_figure(figsize=size, layout="constrained")

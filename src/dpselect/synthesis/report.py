"""One HTML page about a synthetic table: what was measured, what it cost, and how far its counts may be trusted.

The page holds released figures and public facts only, and it needs no other file: no script, no font, no address.
"""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from dpselect._display.markup import render
from dpselect._public import named_publicly
from dpselect.kernel.format_exact import format_exact
from dpselect.sources.output import Output
from dpselect.synthesis.distance_bounds import PROBABILITY
from dpselect.synthesis.graphical_model import Measurement
from dpselect.synthesis.junction_tree import Clique, Floats
from dpselect.synthesis.synthetic_model import SyntheticModel

# Columns of a drawn table of pairs, drawn pairs, and codes of a drawn column.
_MOST_COLUMNS, _MOST_PAIRS, _MOST_CODES = 24, 12, 30
# Squares of a picture of a pair, along each side: neighbouring codes share one where there are more.
_MOST_SQUARES = 60
# Pairs with a bound below this share of rows are called trusted.
TRUSTED = 0.1
_SIDE = 220


def save_html(model: SyntheticModel, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the page of a synthetic table, whole or not at all.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
        OSError: it cannot be written.
    """
    with Output(path, overwrite) as file:
        file.put(page_of(model).encode("utf-8", "backslashreplace"))


def page_of(model: SyntheticModel) -> str:
    """Return the page of a synthetic table."""
    return str(
        render(
            __package__,
            "synthetic_table.html",
            names=model.names,
            rows=f"{model.rows:,}",
            promise=_promise(model),
            steps=[*_bins(model), *(_step(model, place) for place in range(len(model.steps)))],
            errors=_errors(model),
            trusted=_trusted_pairs(model),
            columns=[_column(model, each) for each in _finest(model, 1)],
            pairs=[_pair(model, each) for each in _finest(model, 2)][:_MOST_PAIRS],
            probability=f"{PROBABILITY:.0%}",
            limit=f"{TRUSTED:.0%}",
        )
    )


def _promise(model: SyntheticModel) -> dict[str, str]:
    guarantee, people = model.guarantee, model.rows_per_person
    whose = "any one row"
    if people is not None:
        whose = f"all rows of any one person, of which at most {people} count,"
    return {
        "figures": f"epsilon = {format_exact(guarantee.epsilon)}, delta = {format_exact(guarantee.delta)}, "
        f"rho = {float(guarantee.rho):.4g}",
        "whose": whose,
        "factor": f"{math.exp(min(float(guarantee.epsilon), 700)):.3g}",
        "delta": format_exact(guarantee.delta),
    }


def _finest(model: SyntheticModel, columns: int) -> list[Measurement]:
    """Return the measurement with the least noise of every set of so many columns, in the order of the first ones."""
    found = dict[Clique, Measurement]()
    for each in (step.measurement for step in model.steps):
        if len(each.clique) == columns:
            held = found.setdefault(each.clique, each)
            if each.variance.mean() < held.variance.mean():
                found[each.clique] = each
    return [*found.values()]


def _bins(model: SyntheticModel) -> list[dict[str, str]]:
    """Return of every column whose bins were chosen what that cost."""
    return [
        {
            "columns": each.name,
            "chosen": "quantiles, for its bins",
            "cells": f"{each.size - 1:,}",
            "share": f"{float(each.rho / model.guarantee.rho):.2%}",
            "noise": "",
        }
        for each in model.domain.columns
        if each.rho is not None
    ]


def _step(model: SyntheticModel, place: int) -> dict[str, str]:
    step = model.steps[place]
    cost, whole = step.rho + step.choice, model.guarantee.rho
    return {
        "columns": model.domain.words(step.measurement.clique),
        "chosen": f"chosen among {step.candidates}" if step.candidates else "measured in any case",
        "cells": f"{step.measurement.counts.size:,}",
        "share": f"{float(cost / whole):.2%}",
        "noise": f"± {math.sqrt(float(np.min(step.measurement.variance))):,.0f}",
    }


def _errors(model: SyntheticModel) -> list[dict[str, Any]]:
    """Return the bounds of every pair of columns, a row for each column."""
    names = model.names[:_MOST_COLUMNS]
    measured = {each.measurement.clique for each in model.steps}
    held = [{*clique} for clique in measured]
    rows = []
    for one, name in enumerate(names):
        cells = []
        for other in range(len(names)):
            pair = tuple(sorted((one, other)))
            bound = None if one == other else model.error(name, names[other])
            cells.append(
                {
                    "text": "" if one == other else "–" if bound is None else f"{bound:.0%}",
                    "shade": 0 if bound is None else round(100 * min(1.0, bound)),
                    "measured": one != other and any({*pair} <= each for each in held),
                }
            )
        rows.append({"name": name, "cells": cells})
    return rows


def _trusted_pairs(model: SyntheticModel) -> dict[str, Any]:
    """Return how many pairs have a small bound, and the names of some."""
    bounds = {pair: model.error(*pair) for pair in combinations(model.names, 2)}
    known = sorted((bound, pair) for pair, bound in bounds.items() if bound is not None and bound <= TRUSTED)
    return {
        "pairs": len(bounds),
        "small": len(known),
        "names": ["{} and {}".format(*pair) for _, pair in known[:8]],
    }


def _labels(model: SyntheticModel, column: int) -> list[str]:
    """Return what each group of codes is called."""
    each, merged = model.domain.columns[column], model.merged[column]
    labels = []
    for group in range(merged.size):
        codes = np.flatnonzero(merged.groups == group)
        named = [each.labels[code] for code in codes.tolist() if merged.weights[code] > 0] or [each.labels[codes[0]]]
        labels.append(named[0] if len(named) == 1 else f"{len(named)} rare values")
    return labels


def _column(model: SyntheticModel, measurement: Measurement) -> dict[str, Any]:
    """Return the measured and the synthetic share of each code of a column."""
    (column,) = measurement.clique
    synthetic = model.model.shares(measurement.clique)
    measured = measurement.counts / model.model.total
    most = max(float(synthetic.max()), float(measured.max()), 1e-9)
    bars = [
        {
            "label": label,
            "measured": round(100 * max(0.0, noisy) / most, 1),
            "synthetic": round(100 * share / most, 1),
            "share": f"{share:.1%}",
        }
        for label, noisy, share in zip(_labels(model, column), measured.tolist(), synthetic.tolist(), strict=True)
    ]
    return {"name": model.names[column], "bars": bars[:_MOST_CODES], "more": max(0, len(bars) - _MOST_CODES)}


def _pair(model: SyntheticModel, measurement: Measurement) -> dict[str, Any]:
    """Return two pictures of the shares of a pair of columns: as it was measured, and as it is in the model."""
    synthetic = _coarsen(model.model.shares(measurement.clique))
    measured = np.maximum(_coarsen(measurement.counts) / model.model.total, 0)
    most = max(float(synthetic.max()), float(measured.max()), 1e-9)
    return {
        "name": model.domain.words(measurement.clique),
        "side": _SIDE,
        "pictures": [
            {"title": "measured, with noise", "cells": _squares(measured / most)},
            {"title": "synthetic", "cells": _squares(synthetic / most)},
        ],
    }


def _coarsen(cells: Floats) -> Floats:
    """Return cells added up to at most so many along each side as are drawn."""
    for axis, size in enumerate(cells.shape):
        cells = np.add.reduceat(cells, np.arange(0, size, -(-size // _MOST_SQUARES)), axis)
    return cells


def _squares(shares: Floats) -> list[tuple[str, str, str, str, str]]:
    """Return rectangles of a picture: place, size and shade of every cell that is not empty."""
    high, wide = _SIDE / shares.shape[0], _SIDE / shares.shape[1]
    return [
        (f"{column * wide:.1f}", f"{row * high:.1f}", f"{wide:.1f}", f"{high:.1f}", f"{math.sqrt(shade):.2f}")
        for (row, column), shade in np.ndenumerate(shares)
        if shade > 0.001
    ]


named_publicly("dpselect.synthesis", globals(), ["save_html"])

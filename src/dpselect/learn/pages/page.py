"""One HTML page about a released model: what was asked, what is promised, its drawing, and which columns matter.

The page holds released figures and public facts only, and it needs no other file: no script, no font, no address.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.written import written
from dpselect.learn.domains import Attribute
from dpselect.learn.export import tree_text
from dpselect.learn.pages.colours import colour_of
from dpselect.learn.pages.drawn_tree import MOST_LEAVES, drawn_tree
from dpselect.sources.output import Output

_MOST_LISTED = 12


def save_html(model: Any, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the page of a fitted model, whole or not at all.

    Raises:
        FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
        OSError: it cannot be written.
    """
    with Output(path, overwrite) as file:
        file.put(page_of(model).encode("utf-8", "backslashreplace"))


def page_of(model: Any) -> str:
    """Return the page of a fitted model."""
    parts = [
        _HEAD,
        "<h1>A private decision tree</h1>",
        "<h2>What was asked</h2>",
        *_asked(model),
        "<h2>What is promised</h2>",
        *_promised(model),
        *_drawing(model),
        *_importances(model),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _asked(model: Any) -> Iterator[str]:
    """Yield what the model predicts, and from what."""
    classes = "".join(
        f'<span class="key"><span class="spot" style="background:{colour_of(code)}"></span>{escape(str(label))}</span>'
        for code, label in enumerate(model.classes_.tolist())
    )
    yield f"<p>Which of these classes a record belongs to: {classes}</p>"
    yield "<p>It is learned from these columns. Their domains were declared, not read from the data.</p>"
    yield '<div class="wide"><table><tr><th>column</th><th>public domain</th></tr>'
    for attribute in model.attributes_:
        yield f"<tr><td>{escape(str(attribute.name))}</td><td>{escape(_domain(attribute))}</td></tr>"
    yield "</table></div>"


def _domain(attribute: Attribute) -> str:
    """Return a domain in words."""
    if attribute.edges is not None:
        bins = attribute.edges.size - 1
        words = f"{attribute.edges[0]:g} to {attribute.edges[-1]:g}, in {bins} bins"
    else:
        names = [str(each) for each in attribute.categories or ()]
        words = ", ".join(names[:_MOST_LISTED])
        if len(names) > _MOST_LISTED:
            words += f" and {len(names) - _MOST_LISTED} more"
    return words + ("; or missing" if attribute.missing else "")


def _promised(model: Any) -> Iterator[str]:
    """Yield the guarantee in words, or that there is none."""
    guarantee = model.privacy_spent_
    if guarantee is None:
        yield "<p><strong>Nothing.</strong> Domains were read from the data, so this model is not private.</p>"
        return
    whose = "any one record"
    if model.person is not None:
        whose = f"all records of any one person, of which at most {model.rows_per_person} are kept,"
    factor = _factor(float(guarantee.epsilon))
    yield f'<p class="promise">{escape(_figures(guarantee))}</p>'
    yield (
        f"<p>Differential privacy: adding or removing {whose} changes the chance of any such page by a factor of at "
        f"most e<sup>epsilon</sup> = {factor}{_exception(guarantee)}. Everything on this page was released under this "
        "promise, and it may be published.</p>"
    )


def _figures(guarantee: Guarantee) -> str:
    parts = [f"epsilon = {written(guarantee.epsilon)}"]
    parts += [f"delta = {written(guarantee.delta)}"] if guarantee.delta else []
    parts += [f"rho = {float(guarantee.stated_rho):.4g}"] if guarantee.stated_rho is not None else []
    return ", ".join(parts)


def _factor(epsilon: float) -> str:
    return f"{math.exp(epsilon):.3g}" if epsilon < 20 else "more than 10<sup>8</sup>, which protects hardly at all"


def _exception(guarantee: Guarantee) -> str:
    if not guarantee.delta:
        return ""
    return f", but for events whose chances differ by at most delta = {escape(written(guarantee.delta))}"


def _drawing(model: Any) -> Iterator[str]:
    """Yield the first tree, drawn and as text."""
    tree = model.trees_[0]
    several = len(model.trees_) > 1
    yield f"<h2>The {'first of ' + str(len(model.trees_)) + ' trees' if several else 'tree'}</h2>"
    if tree.leaves.size > MOST_LEAVES:
        yield f"<p>It has {tree.leaves.size} leaves, too many to draw: export_text() lists them all.</p>"
        return
    if model._counted:
        yield (
            "<p>A record goes from left to right, along the conditions it meets, to a label. Bars and numbers are the "
            "noisy class counts that were released there.</p>"
        )
    else:
        yield "<p>A record goes from left to right, along the conditions it meets, to a label.</p>"
    yield f'<div class="wide">{drawn_tree(model, tree)}</div>'
    yield f"<details><summary>The same as text</summary><pre>{escape(tree_text(model, tree))}</pre></details>"


def _importances(model: Any) -> Iterator[str]:
    """Yield a bar for each column, the most important first."""
    shares = np.asarray(model.feature_importances_)
    if not shares.any():
        return
    yield "<h2>Which columns matter</h2>"
    yield "<p>The share of released errors that the splits by a column save, of all that splits save.</p>"
    yield '<table class="bars">'
    for place in np.argsort(-shares, kind="stable").tolist():
        name, share = escape(str(model.attributes_[place].name)), float(shares[place])
        yield (
            f'<tr><th scope="row">{name}</th><td class="bar"><span style="width:{100 * share:.1f}%"></span></td>'
            f'<td class="n">{100 * share:.1f} %</td></tr>'
        )
    yield "</table>"


_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A private model, by dpselect</title><style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1b1b1b; background: #fff; }
main { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 14px; }
td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { font-weight: 600; } tr:nth-child(even) { background: #f4f4f4; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.promise { font-size: 1.15rem; font-weight: 600; }
.wide { overflow-x: auto; } .wide svg { display: block; max-width: none; }
.key { margin-right: 1rem; white-space: nowrap; } .spot { display: inline-block; width: .8em; height: .8em;
border-radius: 2px; margin-right: .35em; }
.bars { width: 100%; max-width: 40rem; } .bars tr { background: none; }
.bars th { overflow-wrap: break-word; max-width: 9rem; }
.bars .bar { width: 55%; } .bars .bar span { display: block; height: 1em; margin-top: .25em; background: #0072b2; }
svg text { font: 13px system-ui, sans-serif; fill: #333; } svg .label { font-weight: 700; } svg .quiet { fill: #666; }
pre { overflow-x: auto; font-size: 13px; } summary { cursor: pointer; }
@media print { .wide { overflow: visible; } .wide svg { max-width: 100%; height: auto; } h2 { break-after: avoid; } }
</style></head><body><main>"""

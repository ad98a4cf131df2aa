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
from dpselect.learn.pages.colours import colour_of
from dpselect.learn.pages.parts import is_forest, of_curves, of_trees
from dpselect.learn.pages.style import HEAD
from dpselect.sources.output import Output

_MOST_LISTED = 8


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
        HEAD,
        f"<h1>{_title(model)}</h1>",
        "<h2>What was asked</h2>",
        *_asked(model),
        "<h2>What is promised</h2>",
        *_promised(model),
        *(part for parts in _shown(model) for part in parts),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _title(model: Any) -> str:
    """Return what the model is."""
    if not hasattr(model, "trees_"):
        return "A private sum of small tables"
    return f"A private forest of {len(model.trees_)} trees" if is_forest(model) else "A private decision tree"


def _shown(model: Any) -> tuple[Iterator[str], Iterator[str]]:
    """Return the drawing and the bars of columns; one tree of a forest says little, so that the bars come first."""
    if not hasattr(model, "trees_"):
        return of_curves(model), _importances(model, trees=False)
    parts = of_trees(model), _importances(model, trees=True)
    return parts[::-1] if is_forest(model) else parts


def _asked(model: Any) -> Iterator[str]:
    """Yield what the model predicts, and from what."""
    if hasattr(model, "classes_"):
        classes = "".join(
            f'<span class="key"><span class="spot" style="background:{colour_of(code)}"></span>{escape(str(label))}'
            "</span>"
            for code, label in enumerate(model.classes_.tolist())
        )
        yield f"<p>Which of these classes a record belongs to: {classes}</p>"
    else:
        low, high = model.target_
        yield f"<p>A number for each record, within its public bounds {low:g} and {high:g}.</p>"
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
    yield f'<p class="promise">{escape(_figures(guarantee))}</p>'
    yield (
        f"<p>Differential privacy: adding or removing {whose} changes the chance of any such page by a factor of at "
        f"most e<sup>epsilon</sup>{_factor(float(guarantee.epsilon))}{_exception(guarantee)}. Everything on this page "
        "was released under this promise, and it may be published.</p>"
    )


def _figures(guarantee: Guarantee) -> str:
    parts = [f"epsilon = {written(guarantee.epsilon)}"]
    parts += [f"delta = {written(guarantee.delta)}"] if guarantee.delta else []
    parts += [f"rho = {float(guarantee.stated_rho):.4g}"] if guarantee.stated_rho is not None else []
    return ", ".join(parts)


def _factor(epsilon: float) -> str:
    return f" = {math.exp(epsilon):.3g}" if epsilon < 20 else ", which is so large that it protects hardly at all"


def _exception(guarantee: Guarantee) -> str:
    """Return what a delta leaves open."""
    return f", plus delta = {escape(written(guarantee.delta))}" if guarantee.delta else ""


def _importances(model: Any, *, trees: bool) -> Iterator[str]:
    """Yield a bar for each column, the most important first."""
    shares = np.asarray(model.feature_importances_)
    if not shares.any():
        return
    yield "<h2>Which columns matter</h2>"
    if trees and not hasattr(model, "classes_"):
        yield "<p>The share of the squared error that splits by a column save, of all that splits save.</p>"
    elif trees:
        yield "<p>The share of released errors that the splits by a column save, of all that splits save.</p>"
    else:
        score = "score" if hasattr(model, "classes_") else "prediction"
        yield f"<p>How far a column moves the {score}, on average over its values, of all that columns move it.</p>"
    yield '<table class="bars">'
    for place in np.argsort(-shares, kind="stable").tolist():
        name, share = escape(str(model.attributes_[place].name)), float(shares[place])
        yield (
            f'<tr><th scope="row">{name}</th><td class="bar"><span style="width:{100 * share:.1f}%"></span></td>'
            f'<td class="n">{100 * share:.1f} %</td></tr>'
        )
    yield "</table>"

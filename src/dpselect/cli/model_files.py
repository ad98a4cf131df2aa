"""Files that hold a released model: its JSON, a page about it and a picture."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.cli import paths
from dpselect.cli.options import Argument, CommandOption
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact

if TYPE_CHECKING:
    from dpselect.cli.command import CommandAnswer
    from dpselect.dataset import Dataset

# So many columns of a sum are shown.
_MOST_COLUMNS = 6
# A delta beyond it is large for any table, where no number of records is public.
_LARGE = Fraction(1, 1000)
OPTIONS: tuple[CommandOption | Argument, ...] = (
    paths.output("--out", required=True, metavar="JSON", help="where to write the released model"),
    paths.output("--html", metavar="PAGE", help="also write a page about the model: promise, drawing, columns"),
    paths.output("--picture", endings=paths.PICTURES, help="also draw the (first) tree, or curves: .png, .svg or .pdf"),
)


def require(request: Request, query: Any, dataset: Dataset) -> None:
    """Refuse a picture of what has none, and say on standard error that a delta is large, by public numbers alone.

    Raises:
        ValueError: a sum of tables of several columns has no curves.
    """
    model = query.learner(dataset)
    if model == "boosted" and request.picture and query.interactions is not False:
        raise InputError(
            "--picture draws a tree, or the curves of --model boosted with --interactions false: add that, or write a "
            "page by --html."
        )
    most = Fraction(1, query.n_records) if query.n_records else _LARGE
    if query.delta is not None and most < query.delta:
        of = "one over --n-records" if query.n_records else "1/1000"
        print(
            f"{request.prog}: --delta {format_exact(query.delta)} is above {of}, and so large a delta protects hardly "
            "anybody: name one far below one over the number of records, such as 1e-6",
            file=sys.stderr,
        )


def save_model(
    request: Request, model: Any, cost: str, chosen: str | None, facts: dict[str, Any], line: str
) -> CommandAnswer:
    """Return a released model in words and for programs, and write it to the files that are named.

    Args:
        request: the command line.
        model: was paid for.
        cost: in words.
        chosen: why a rule chose this kind of model.
        facts: of the answer for programs.
        line: how wrong the model may be.

    Raises:
        UnsavedError: it cannot be written; it is printed whole.
    """
    from dpselect.cli.command import CommandAnswer
    from dpselect.learn.export import as_json
    from dpselect.learn.pages.model_page import page_of

    text = as_json(model)
    paths.keep(request.out, text.encode(), text)
    if request.picture:
        draw = model.plot_tree if hasattr(model, "plot_tree") else model.plot_curves
        paths.save_release(lambda: request.picture.draw(lambda file: draw(file, overwrite=True)), text)
    if request.html:
        paths.save_release(lambda: request.html.put(page_of(model).encode("utf-8", "backslashreplace")), text)
    # A column that was not described is left out: say which were used.
    learned = [*map(str, model.feature_names_in_)]
    why = "" if chosen is None else f"chosen because {chosen}; "
    files = {"learned_from": learned, "chosen_because": chosen, "written_to": str(request.out)}
    return CommandAnswer(
        f"{model_text(model)}\n\n{why}{cost}; learned from {', '.join(learned)}; written to {request.out}\n{line}",
        {"model": json.loads(text), **facts, **files},
    )


def model_text(model: Any) -> str:
    """Return what was learned, as far as a screen shows it."""
    if not hasattr(model, "trees_"):
        shares = zip(model.feature_importances_.tolist(), model.feature_names_in_, strict=True)
        moved = "score" if hasattr(model, "classes_") else "prediction"
        most = sorted(shares, key=lambda pair: -pair[0])[:_MOST_COLUMNS]
        columns = ", ".join(f"{name} {share:.0%}" for share, name in most if share) or "none beyond noise"
        return f"a sum of {len(model.model_.tiles)} small tables; columns that move its {moved} most: {columns}"
    return f"{len(model.trees_)} trees" if "Forest" in type(model).__name__ else str(model.export_text())

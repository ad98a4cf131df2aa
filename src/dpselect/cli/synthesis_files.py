"""Files of a released synthetic table: its rows, the model from which more are drawn, and a page about it."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.cli import paths
from dpselect.cli.options import Argument, CommandOption, Exact, option, whole
from dpselect.cli.request import Request
from dpselect.kernel.format_exact import format_exact

if TYPE_CHECKING:
    from dpselect.cli.command import CommandAnswer
    from dpselect.dataset import Dataset

TABLES = (".csv", ".parquet")
# A delta beyond it is large for any table, where no number of records is public.
_LARGE = Fraction(1, 1000)
_MOST_NAMED = 6


def _rows(text: str) -> int:
    from dpselect.synthesis.synthetic_model import require_rows

    return require_rows(whole.read(text))


ROWS = option(
    "--rows", type=Exact("whole", _rows), metavar="N", help="how many rows (default: about as many as the table has)"
)
OPTIONS: tuple[CommandOption | Argument, ...] = (
    ROWS,
    paths.output("--out", required=True, metavar="TABLE", endings=TABLES, help="where to write the rows, as a table"),
    paths.output("--model", metavar="JSON", help="also write the model, from which dpselect sample draws more rows"),
    paths.output("--html", metavar="PAGE", help="also write a page: what was measured, and what may be trusted"),
)


def require(request: Request, query: Any, dataset: Dataset) -> None:  # noqa: ARG001
    """Say on standard error that a delta is large, by public numbers alone."""
    if query.delta > _LARGE:
        print(
            f"{request.prog}: --delta {format_exact(query.delta)} is above 1/1000, and so large a delta protects "
            "hardly anybody: name one far below one over the number of records, such as 1e-6",
            file=sys.stderr,
        )


def save_table(request: Request, model: Any, cost: str, facts: dict[str, Any], line: str) -> CommandAnswer:
    """Return a released synthetic table in words and for programs, and write the files that are named.

    Args:
        request: the command line.
        model: was paid for.
        cost: in words.
        facts: of the answer for programs.
        line: how wrong the table may be.

    Raises:
        UnsavedError: it cannot be written; the model is printed whole.
    """
    from dpselect.cli.command import CommandAnswer
    from dpselect.synthesis.synthetic_model import table_bytes

    text = model.as_json()
    if request.get("model"):
        paths.keep(request.model, text.encode(), text)
    drawn: dict[str, Any] = {}

    def draw() -> None:
        drawn.update(model.sample(request.get("rows")))
        request.out.put(table_bytes(drawn, str(request.out)))

    paths.save_release(draw, text)
    if request.html:
        from dpselect.synthesis.report import page_of

        paths.save_release(lambda: request.html.put(page_of(model).encode("utf-8", "backslashreplace")), text)
    measured = [[model.names[place] for place in each.measurement.clique] for each in model.steps if each.candidates]
    together = [*dict.fromkeys(" x ".join(each) for each in measured if len(each) > 1)]
    listed = "; ".join(together[:_MOST_NAMED]) or "no columns"
    more = f" and {len(together) - _MOST_NAMED} more" if len(together) > _MOST_NAMED else ""
    rows = len(drawn[model.names[0]])
    return CommandAnswer(
        f"{rows} synthetic rows written to {request.out}\nmeasured together: {listed}{more}\n{cost}\n{line}",
        {"model": model.as_dict(), **facts, "rows": rows, "measured": measured, "written_to": str(request.out)},
    )

"""dpselect sample: draw more rows from the model of a synthetic table. It spends nothing."""

from __future__ import annotations

from dpselect.cli import paths, synthesis_files
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.request import Request


def run(request: Request) -> CommandAnswer:
    """Return how many rows were written."""
    from dpselect.synthesis.synthetic_model import load, table_bytes

    model = load(request.model)
    drawn = model.sample(request.rows)
    request.out.put(table_bytes(drawn, str(request.out)))
    rows = len(drawn[model.names[0]])
    return CommandAnswer(
        f"{rows} synthetic rows written to {request.out}", {"rows": rows, "written_to": str(request.out)}
    )


VERB = Command(
    run,
    (
        paths.input("model", metavar="MODEL", help="the JSON file that dpselect synthesize --model wrote"),
        synthesis_files.ROWS,
        paths.output(
            "--out", required=True, metavar="TABLE", endings=synthesis_files.TABLES, help="where to write the rows"
        ),
    ),
    "dpselect sample synthetic.json --rows 100000 --out more.csv",
    about="Protected: the rows of the private table, as the model promised when it was paid for. Nothing is spent.",
)

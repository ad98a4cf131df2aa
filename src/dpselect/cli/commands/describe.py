"""dpselect describe: write the public description of a table or a graph, to be filled in. It reads no cell."""

from __future__ import annotations

from dpselect.cli import locations, paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import READING, flag, option, whole
from dpselect.cli.request import Request
from dpselect.dataset import skeleton


def run(request: Request) -> CommandAnswer:
    """Return the skeleton: private until somebody has looked whether the first line of the file holds names."""
    said = {name: request.get(name) for name in ("table", "separator", "decimal", "thousands", "encoding", "sheet")}
    text = skeleton(request.file, is_graph=request.graph, skip_rows=request.skip_rows, **said)
    return CommandAnswer(
        text.rstrip("\n"), {"private": "until the names of the columns were looked at", "description": text}
    )


VERB = Command(
    run,
    (
        paths.input("file", help=f"{reading.FILES}, a file of edges, or the URL of a database"),
        flag(
            "--graph",
            "the rows of the table are edges; files of graphs, such as .txt, .mtx or .graphml, are edges always",
        ),
        locations.OPTIONS[0],
        *reading.DIALECT,
        option(
            "--sheet",
            metavar="NAME",
            panel=READING,
            help="the sheet of an Excel or OpenDocument file (default: the first)",
        ),
        option(
            "--skip-rows",
            type=whole,
            default=0,
            metavar="N",
            panel=READING,
            help="the number of lines, or rows of a sheet, before the names of the columns (default 0)",
        ),
    ),
    "dpselect describe people.csv\ndpselect describe edges.txt",
    about="Protected: nobody, until you have looked. It reads the names of columns and no cell; if a file has no "
    "header, its first line is somebody's record. Keep what it prints in a file, such as people.toml, and fill "
    "it in.",
    verbatim=True,
)

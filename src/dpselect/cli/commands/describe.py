"""dpselect describe: write the public description of a table or a graph, to be filled in. It reads no cell."""

from __future__ import annotations

from dpselect.cli import locations, paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import flag
from dpselect.cli.request import Request
from dpselect.dataset import skeleton


def run(request: Request) -> CommandAnswer:
    """Return the skeleton: private until somebody has looked whether the first line of the file holds names."""
    text = skeleton(request.file, table=request.table, is_graph=request.graph, **reading.keywords(request))
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
        *reading.FILE,
    ),
    "dpselect describe people.csv\ndpselect describe edges.txt",
    about="Protected: nobody, until you have looked. It reads the names of columns and no cell; if a file has no "
    "header, its first line is somebody's record. Keep what it prints in a file, such as people.toml, and fill "
    "it in.",
    verbatim=True,
)

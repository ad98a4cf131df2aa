"""dpselect explore: pages in a browser that show exact laws of public or made-up data."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from dataclasses import replace

from dpselect._optional import not_installed
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import option, whole
from dpselect.cli.request import Request
from dpselect.ledger.read_only import looked_at
from dpselect.web.explorer import public_data


def run(request: Request) -> CommandAnswer:
    """Serve the pages on 127.0.0.1 until the user stops it."""
    try:
        import uvicorn

        from dpselect.web.explorer.address import within
        from dpselect.web.explorer.app import explorer
        from dpselect.web.explorer.pages import PAGES
        from dpselect.web.explorer.warm_up import warm_up
    except ImportError:
        raise not_installed("The explorer needs FastAPI, uvicorn and vl-convert-python", "web") from None
    # A page that there is not, and data that cannot be shown, are refused before anybody can connect.
    first = within(request.at, PAGES)
    ledger = None if request.ledger is None else looked_at(request.ledger)
    material = replace(public_data.material_of(request), ledger=ledger)
    # The port is ours before the address with the token is printed.
    with socket.create_server(("127.0.0.1", request.port), reuse_port=False) as listening:
        port = listening.getsockname()[1]
        application, guard = explorer(port, material)
        print(f"Open {guard.address(first)}", flush=True)
        if material.description:
            print(f"The rows are made up: the data of {material.description} are not opened.", file=sys.stderr)
        elif material.given:
            print(f"{material.words} is shown as it is: name only data that anybody may see.", file=sys.stderr)
        if ledger is not None:
            print(
                f"The planner shows what {public_data.display_name(ledger.name)} has left: its owner may see it.",
                file=sys.stderr,
            )
        print("The address works once. Stop with Ctrl-C.", file=sys.stderr, flush=True)
        warm_up(PAGES)
        # No socket that outlives an answer, and no header that says who else asks.
        settings = uvicorn.Config(
            application, log_level="error", access_log=False, server_header=False, ws="none", proxy_headers=False
        )
        # The server ends by itself on Ctrl-C, and then raises it again.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[listening])
    return CommandAnswer("")


VERB = Command(
    run,
    (
        *public_data.OPTIONS,
        paths.input("--ledger", help="plan against this ledger, which is read and never written to"),
        option("--port", type=whole, default=0, metavar="N", help="of 127.0.0.1 (default: any that is free)"),
        option(
            "--at", default="/", metavar="PAGE", help="the page to begin with, or the address that a colleague sent"
        ),
    ),
    "dpselect explore\ndpselect explore survey.toml\ndpselect explore public.csv\ndpselect explore lesmis --at /top-k\n"
    "dpselect explore --ledger people.ledger --at /planner",
    about="Protected: nobody, so name a description of private data, which holds no row, or public data: that is shown "
    "as it is. The pages show exact probabilities, "
    "draw nothing and spend nothing, and each shows the command that would ask private data.",
    json=False,
)

"""A server as a process: it listens, answers, and stops when it is told to."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import suppress
from typing import Any

from dpselect.web.server.api import server
from dpselect.web.server.desk import Desk
from dpselect.web.server.house import House
from dpselect.web.server.settings import Settings

# How long open requests may take when the server stops.
_GRACE = 30


def serve(settings: Settings) -> None:
    """Serve until a signal says stop: what is being answered is finished, what waits is taken up at the next start.

    Raises:
        OSError, ValueError, ImportError: something cannot be opened; the message says which.
    """
    import uvicorn

    house = House.open(settings)
    try:
        host = settings.server.host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, settings.server.port), family=family, backlog=256) as listening:
            port = listening.getsockname()[1]
            application = server(Desk(house), hosts_of(settings, port))
            _log_to(sys.stderr)
            for sentence in house.outdated():
                print(sentence, file=sys.stderr, flush=True)
            many = len(house.datasets)
            print(f"Serving {many} dataset{'s' if many > 1 else ''} at http://{_named(host)}:{port}", flush=True)
            config = uvicorn.Config(
                application,
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_keep_alive=15,
                timeout_graceful_shutdown=_GRACE,
            )
            # The server ends by itself on Ctrl-C, and then raises it again.
            with suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listening])
    finally:
        house.close()


def hosts_of(settings: Settings, port: int) -> frozenset[str]:
    """Return what a request may call this server: where it listens, and the names in the settings."""
    names = {settings.server.host, *settings.server.hosts}
    if settings.server.host in ("127.0.0.1", "::1"):
        names.add("localhost")
    shown = {_named(name).lower() for name in names}
    return frozenset({*shown, *(f"{name}:{port}" for name in shown)})


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") and host.count(":") > 1 else host


def _log_to(stream: Any) -> None:
    """Write the server's own lines: what was asked for, with neither queries nor bodies, and what went wrong."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    for name in ("dpselect.server", "dpselect.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)

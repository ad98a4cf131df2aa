"""A server as a process: it listens, answers, and stops when it is told to."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from dpselect.web.server.api import server
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import Settings
from dpselect.web.server.state import ServerState

# How long open requests may take when the server stops.
_GRACE = 30


def serve(settings: Settings, listening: socket.socket | None = None) -> None:
    """Serve until a signal says stop: what is being answered is finished, what waits is taken up at the next start.

    Args:
        settings: what to serve, and where.
        listening: a socket that listens already, instead of the one that the settings name; it is closed at the end.

    Raises:
        OSError, ValueError, ImportError: something cannot be opened; the message says which.
    """
    import uvicorn

    from dpselect.web.server.connections import protocol

    class AnnouncedServer(uvicorn.Server):
        """A server that says where it is once it answers, and by then signals stop it in order."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print(f"Serving {many} dataset{'s' if many > 1 else ''} at http://{_bracket(host)}:{port}", flush=True)

    with stopped_by_signals(), closing(ServerState.open(settings)) as server_state:
        host = settings.server.host
        with listening or listen(host, settings.server.port) as held:
            port = held.getsockname()[1]
            application = server(JobQueue(server_state), hosts_of(settings, port))
            _log_to(sys.stderr)
            for sentence in server_state.outdated_settings():
                print(sentence, file=sys.stderr, flush=True)
            many = len(server_state.datasets)
            config = uvicorn.Config(
                application,
                log_level="error",
                access_log=False,
                server_header=False,
                # Whatever a proxy says of the client or of itself, anybody can say.
                proxy_headers=False,
                http=protocol(settings.limits),
                timeout_keep_alive=15,
                timeout_graceful_shutdown=_GRACE,
            )
            AnnouncedServer(config).run(sockets=[held])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; for port 0, at one that is free.

    Raises:
        OSError: somebody else listens there, or it is not an address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=256)


def hosts_of(settings: Settings, port: int) -> frozenset[str]:
    """Return what a request may call this server: where it listens, and the names in the settings."""
    names = {settings.server.host, *settings.server.hosts}
    if settings.server.host in ("127.0.0.1", "::1"):
        names.add("localhost")
    shown = {_bracket(name).lower() for name in names}
    return frozenset({*shown, *(f"{name}:{port}" for name in shown)})


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") and host.count(":") > 1 else host


def _log_to(stream: Any) -> None:
    """Write the server's own lines: what was asked for, with neither queries nor bodies, and what went wrong."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    for name in ("dpselect.server", "dpselect.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let a signal that would end the process at once end what is in here first, as Ctrl-C does."""

    def hung_up(*_: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    handlers: dict[str, Any] = {"SIGTERM": signal.default_int_handler, "SIGHUP": hung_up}
    # Windows has no SIGHUP.
    there = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {number: signal.signal(number, handler) for number, handler in there.items()}
    try:
        yield
    except KeyboardInterrupt:
        # Before the server listened there was nothing to finish; afterwards it has.
        return
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""A process whose imports are done, and which forks servers: python fork_server.py SOCKET.

Each connection sends what to run and two files, its standard output and its standard error; it is told the number of
the process, and the exit status when that ends. When standard input ends, so does everything that was forked.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import traceback
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import fastapi  # noqa: F401
import pandas  # noqa: F401
import pyarrow.csv
import pyarrow.parquet  # noqa: F401
import uvicorn  # noqa: F401

import dpselect.web.server.connections  # noqa: F401
import tests.web.server.programs.served  # noqa: F401
from dpselect.web.server.api import server
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import write
from tests.web.server.forked import LENGTH

# What a server imports when it starts and when it answers, so that nothing is left to import in a fork.
NEEDED = (
    "anyio._backends._asyncio", "cryptography.hazmat.primitives.ciphers.modes", "pandas", "pydantic.v1", "pyarrow.csv",
    "pyarrow.parquet", "sqlalchemy.dialects.sqlite", "uvicorn.lifespan.on", "uvicorn.loops.auto",
    "uvicorn.protocols.websockets.auto", "dpselect.certificates.build", "dpselect.histograms.quantile_methods",
    "dpselect.release.by_group", "dpselect.release.counts",
    "dpselect.release.partition_selection", "dpselect.release.median", "dpselect.release.most_common",
    "dpselect.release.unknown_domain",
    "dpselect.sources.candidate_tables", "dpselect.views.stored_events",
)  # fmt: skip


def served(connection: socket.socket) -> None:
    """Start what one connection asks for, wait for it, and tell how it ended."""
    length, files, _, _ = socket.recv_fds(connection, LENGTH, 2)
    with connection.makefile("rb") as stream:
        asked = json.loads(stream.read(int.from_bytes(length)))
    process = os.fork()
    if not process:
        connection.close()
        started(asked, *files)
    for file in files:
        os.close(file)
    # Whoever asked may have gone meanwhile.
    with suppress(OSError):
        connection.sendall(f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    with suppress(OSError):
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def started(asked: dict[str, Any], out: int, error: int) -> None:
    """Be the program: with its files, words, environment and folder, and the usual handlers of signals."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(out, 1)
    os.dup2(error, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = [asked["program"], *asked["words"]]
    status = 0
    try:
        runpy.run_path(asked["program"], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def rehearse() -> None:
    """Build a server that nobody asks: what is computed once, such as types of routes, is there in each fork."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(ServerState.open(read_settings(write(Path(folder))))) as server_state,
    ):
        server(JobQueue(server_state), frozenset())


def main() -> None:
    """Fork until standard input ends; then end every process that was forked."""
    os.setsid()
    for name in NEEDED:
        import_module(name)
    rehearse()
    # What is there before a fork is never garbage after it.
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(sys.argv[1])
    listening.listen(64)
    watched = selectors.DefaultSelector()
    watched.register(listening, selectors.EVENT_READ)
    watched.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in watched.select():
            if key.fileobj is sys.stdin:
                os.killpg(0, signal.SIGKILL)
            connection, _ = listening.accept()
            if not os.fork():
                listening.close()
                served(connection)
                os._exit(0)
            connection.close()
        # Those that have ended: their processor time counts.
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


if __name__ == "__main__":
    main()

"""A wire between a client and a server that can be cut at a word."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Wire:
    """What goes to the server is passed on, until a word is seen that it is to be cut at.

    Attributes:
        port: where clients reach it.
        word: cut when the client says it; ``None`` for never.
        delivered: whether the word still reaches the server, whose answer is lost.
        answered: set when the server has answered the word, or is gone.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port, self.word, self.delivered, self.cuts = self._ear.getsockname()[1], None, False, 0
        self.answered = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def cut_at(self, word: bytes, *, delivered: bool) -> None:
        """Cut when the client says a word."""
        self.word, self.delivered = word, delivered

    def close(self) -> None:
        """Take no more clients."""
        self._ear.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._ear.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()
                threading.Thread(target=_passed, args=(server, client), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while said := client.recv(65536):
                if self.word is None or self.word not in said:
                    server.sendall(said)
                    continue
                self.cuts += 1
                # The client is gone first, so that it never hears the answer.
                _gone(client)
                if self.delivered:
                    # Here or in the other thread, which then ends the connection.
                    try:
                        server.sendall(said)
                        server.recv(65536)
                    finally:
                        self.answered.set()
                break
        _gone(client)
        _gone(server)


def _passed(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while said := source.recv(65536):
            target.sendall(said)
    # Both ends: somebody else may wait for what this thread has read.
    _gone(target)
    _gone(source)


def _gone(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire(port: int) -> Iterator[Wire]:
    """A wire to a server."""
    made = Wire(port)
    try:
        yield made
    finally:
        made.close()

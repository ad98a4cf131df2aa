"""Open connections: how many there may be, and how long one may take to say what it wants."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from dpselect.web.server.settings import RequestLimits


class LimitedProtocol(H11Protocol):
    """A connection that is waited for only so long: until a request's headers end, and while it reads nothing."""

    limits = RequestLimits()
    _waited: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait no longer once a request has come; of one that comes in pieces no piece gives more time."""
        super().data_received(data)
        if self._is_asked:
            self._stop_waiting()
        elif self._waited is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the waits."""
        self._stop_waiting()
        self._is_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for a reader: who reads no answers would else keep a place without end."""
        super().pause_writing()
        self._is_read()
        self._unread = self.loop.call_later(self.limits.body_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Wait no longer once most of what was kept for the reader is read."""
        self._is_read()
        super().resume_writing()

    def _is_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    @property
    def _is_asked(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._waited = self.loop.call_later(self.limits.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waited is not None:
            self._waited.cancel()
            self._waited = None

    def _give_up(self) -> None:
        self._waited = None
        if not self._is_asked:
            self.transport.abort()


def protocol(limits: RequestLimits) -> type[asyncio.Protocol]:
    """Return the kind of connection that keeps the limits: it is closed without a word, since nobody has asked yet.

    Args:
        limits: their ``connections``, ``head_seconds`` and ``body_seconds``.
    """

    class ConfiguredProtocol(LimitedProtocol):
        """One with these limits."""

    ConfiguredProtocol.limits = limits
    return ConfiguredProtocol

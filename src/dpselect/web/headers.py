"""Headers of every page: rules that a browser enforces, so that nothing foreign runs and nothing is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

STRICT = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


def strict(application: Application) -> Application:
    """Return the same application, every answer of which has the strict headers."""
    added = [(name.encode(), value.encode()) for name, value in STRICT.items()]

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [each for each in message.get("headers", []) if each[0].lower().decode() not in STRICT]
                message["headers"] = [*kept, *added]
            await send(message)

        await application(scope, receive, sent)

    return answered


def header_values(scope: Scope, name: str) -> list[str]:
    """Return the values of a header of a request: one entry for each time that it was sent."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.decode("latin-1").lower() == name]

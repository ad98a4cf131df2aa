"""The cookie of a session, and how a request of this server's own pages is told from one that another site made."""

from __future__ import annotations

from dpselect.web.headers import Scope, header_values
from dpselect.web.server.sessions import SECONDS

_HERE = ("127.0.0.1", "localhost", "[::1]")


def is_secure_connection(scope: Scope) -> bool:
    """Return whether a browser takes cookies marked as secure: over TLS, which only this machine does without."""
    return scope.get("scheme") == "https" or _place(scope)[0] not in _HERE


def set_cookie(scope: Scope, secret: str) -> str:
    """Return the header that gives a browser a session."""
    return f"{_name(scope)}={secret}; Max-Age={int(SECONDS)}; {_rules(scope)}"


def clear_cookie(scope: Scope) -> str:
    """Return the header that takes it back."""
    return f"{_name(scope)}=; Max-Age=0; {_rules(scope)}"


def session_of(scope: Scope) -> str | None:
    """Return the secret that a browser sent; ``None`` where there is none, or more than one."""
    return cookie_of(scope, _name(scope))


def cookie_of(scope: Scope, wanted: str) -> str | None:
    """Return the value of a cookie; ``None`` where there is none, or more than one."""
    found = []
    # Cookies of other servers on this machine come along, in forms that a strict reader would stop at.
    for cookie in ";".join(header_values(scope, "cookie")).split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == wanted:
            found.append(value)
    return found[0] if len(found) == 1 and found[0] else None


def login_of(scope: Scope) -> str | None:
    """Return what a browser kept of a log in that it began."""
    return cookie_of(scope, f"{_name(scope)}-login")


def set_login(scope: Scope, value: str, seconds: int) -> str:
    """Return the header that lets a browser keep something until it returns from another site; 0 seconds end it."""
    # Strict cookies do not come along on the way back.
    return f"{_name(scope)}-login={value}; Max-Age={seconds}; {_rules(scope, 'Lax')}"


def is_own(scope: Scope) -> bool:
    """Return whether a browser says that a form was sent from a page of this server.

    Pages say nothing of where they are, so their forms come with the origin "null", and the browser's word for the
    site decides. A browser that has no such word names the origin.
    """
    origins, sites = header_values(scope, "origin"), header_values(scope, "sec-fetch-site")
    own = [f"{'https' if is_secure_connection(scope) else 'http'}://{_host(scope)}"]
    if sites:
        return sites == ["same-origin"] and origins in ([], ["null"], own)
    return origins == own


def _host(scope: Scope) -> str:
    return header_values(scope, "host")[0].lower()


def _place(scope: Scope) -> tuple[str, str]:
    """Return the name and the port by which a request calls this server."""
    host = _host(scope)
    # An address of version 6 has colons of its own, and brackets around them.
    name, _, port = host.rpartition(":") if ":" in host.rpartition("]")[2] else (host, "", "")
    return name, port


def _name(scope: Scope) -> str:
    if is_secure_connection(scope):
        return "__Host-dpselect"
    # Cookies do not tell ports apart, and two servers may run on this machine.
    return f"dpselect-{_place(scope)[1] or 80}"


def _rules(scope: Scope, same_site: str = "Strict") -> str:
    secure = "; Secure" if is_secure_connection(scope) else ""
    return f"HttpOnly; SameSite={same_site}; Path=/{secure}"

"""A browser that keeps several cookies and goes from this server to a provider and back."""

from __future__ import annotations

import http.client
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Walker:
    """A browser at one server.

    Attributes:
        port: of the server, which is called localhost.
        jar: the cookies that the server has set.
        rules: what was said of each cookie when it was set.
    """

    port: int
    jar: dict[str, str] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> tuple[int, str, str]:
        """Open an address of the server; return the status, the page, and where it leads."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        cookies = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        try:
            connection.request("GET", path, headers={"Host": f"localhost:{self.port}", "Cookie": cookies})
            reply = connection.getresponse()
            for header in reply.headers.get_all("set-cookie") or []:
                pair, _, rules = header.partition("; ")
                name, _, value = pair.partition("=")
                self.jar[name], self.rules[name] = value, rules
                if "Max-Age=0;" in header:
                    del self.jar[name]
            return reply.status, reply.read().decode(), reply.headers.get("location", "")
        finally:
            connection.close()

    def elsewhere(self, address: str) -> str:
        """Open an address of the provider; return the path to which it leads back."""
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        try:
            connection.request("GET", f"{parts.path}?{parts.query}")
            led = connection.getresponse().getheader("Location", "")
        finally:
            connection.close()
        assert led.startswith(f"http://localhost:{self.port}/"), led
        return led.partition(f":{self.port}")[2]

    def log_in(self, back: str = "/pages") -> tuple[int, str, str]:
        """Log in through the provider."""
        status, _, place = self.get(f"/login/openid?next={back}")
        assert status == 303
        return self.get(self.elsewhere(place))

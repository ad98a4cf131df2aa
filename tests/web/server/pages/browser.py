"""Someone at a browser, without one: cookies, forms and what a browser says of where they come from."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

from tests.web.server.served import Office, Reply

OWN = {"Origin": "null", "Sec_Fetch_Site": "same-origin"}
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


class Browser:
    """A user of a running server.

    Attributes:
        cookie: that the server has set, as it is sent back.
    """

    def __init__(self, office: Office, cookie: str = "") -> None:
        self.office, self.cookie = office, cookie

    def get(self, path: str, **headers: str) -> Reply:
        """Open an address; redirections are not followed."""
        return self._kept(self.office.send(None, "GET", path, **self._cookies(), **headers))

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> Reply:
        """Send a form as a page of this server does, unless headers say something else."""
        sent = {"Content_Type": "application/x-www-form-urlencoded", **self._cookies(), **OWN, **headers}
        body = urlencode(fields).encode()
        return self._kept(self.office.send(None, "POST", path, body, **{k: v for k, v in sent.items() if v}))

    def log_in(self, who: str) -> Reply:
        """Log in with the token of a user."""
        return self.post("/login", {"token": self.office.tokens[who], "next": "/pages"})

    def hidden(self, path: str, form: str = "") -> dict[str, str]:
        """Return the hidden fields of a form on a page: of the one that is sent to an address with this in it."""
        text = self.get(path).body.decode()
        (found,) = [each for each in re.findall(r"<form.*?</form>", text, re.DOTALL)
                    if f'action="{form}' in each and 'method="post"' in each]  # fmt: skip
        return {name: unescape(value) for name, value in _HIDDEN.findall(found)}

    def _cookies(self) -> dict[str, str]:
        return {"Cookie": self.cookie} if self.cookie else {}

    def _kept(self, reply: Reply) -> Reply:
        if "set-cookie" in reply.headers:
            pair = reply.headers["set-cookie"].partition(";")[0]
            self.cookie = pair if pair.partition("=")[2] else ""
        return reply

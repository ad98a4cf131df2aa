"""Settings of the OpenID provider of a server: where it is, what it knows this server as, and who comes from it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from dpselect.client.address import is_here
from dpselect.kernel.errors import InputError
from dpselect.web.server.settings_parts import Place, SettingsPart

CALLBACK = "/login/openid/callback"
_Text = Annotated[str, Field(min_length=1, max_length=255)]
_Groups = Annotated[tuple[_Text, ...], Field(max_length=1000)]


class Roles(SettingsPart):
    """Groups of curators and of analysts.

    Attributes:
        claim: that lists the groups of a user: its name, or the names on the way to it.
        curator, analyst: the groups of each role.
    """

    claim: _Text | Annotated[tuple[_Text, ...], Field(min_length=1, max_length=10)] = "groups"
    curator: _Groups = ()
    analyst: _Groups = ()

    @model_validator(mode="after")
    def _apart(self) -> Roles:
        if not self.curator and not self.analyst:
            raise InputError("list the groups of curators, of analysts, or of both.")
        if {*self.curator} & {*self.analyst}:
            raise InputError("a group is of one role: take it out of curator or of analyst.")
        return self


class Registration(SettingsPart):
    """The registration of this server with an OpenID provider. The secret itself stands elsewhere.

    Attributes:
        issuer: the address of the provider, letter by letter as it stands in its tokens.
        address: of this server, as browsers see it; a log in returns to ``/login/openid/callback`` there.
        client: the name of this server at the provider.
        secret_file, secret_variable: the file or the environment variable that holds the client's secret; neither
            where the provider gave none.
        audience: what the provider calls this server in tokens that programs send; none are taken without it.
        user: the claim that names a user who comes for the first time.
        suffix: what is taken off at the end of the name, such as ``@example.org``; a name without it is refused.
        roles: of groups. Without it, users come in whom the server knows as analysts, and no others.
        hosts: further hosts at which the provider may have its addresses, with their ports where they have one.
        scopes: what is asked for at a log in.
        hours: the longest time for which a token of the provider may be made.
    """

    issuer: str
    address: str
    client: _Text
    secret_file: Place | None = None
    secret_variable: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    audience: _Text | None = None
    user: _Text
    suffix: Annotated[str, Field(max_length=255)] = ""
    roles: Roles | None = None
    hosts: tuple[str, ...] = ()
    scopes: tuple[Annotated[str, Field(pattern=r"^[!#-\[\]-~]+$")], ...] = ("openid", "profile")
    hours: Annotated[float, Field(gt=0, le=168)] = 24.0

    @field_validator("issuer")
    @classmethod
    def _issuer(cls, value: str) -> str:
        return require_safe(value)

    @field_validator("address")
    @classmethod
    def _address(cls, value: str) -> str:
        if urlsplit(require_safe(value)).path not in ("", "/"):
            raise InputError("this server has no path: write its address like https://dp.example.org.")
        return value.rstrip("/")

    @field_validator("hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(not each or urlsplit(f"//{each}").netloc != each or "@" in each for each in value):
            raise InputError("a host is like keys.example.org or keys.example.org:8443, without https:// and path.")
        return tuple(each.lower() for each in value)

    @field_validator("scopes")
    @classmethod
    def _scopes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if "openid" not in value:
            raise InputError("scopes must hold openid: log in needs it.")
        return value

    @model_validator(mode="after")
    def _one_secret(self) -> Registration:
        if self.secret_file is not None and self.secret_variable is not None:
            raise InputError("name secret_file or secret_variable, not both.")
        return self

    @property
    def callback(self) -> str:
        """Return where a log in returns to."""
        return f"{self.address}{CALLBACK}"


def require_safe(address: str) -> str:
    """Return an address whose replies nobody on the way can change.

    Raises:
        ValueError: it is not ``https://``, nor ``http://`` on this machine, or has parts that it should not.

    >>> require_safe("https://id.example.org/realms/office")
    'https://id.example.org/realms/office'
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    written = address.isascii() and address.isprintable() and not {*' <>"\\^`{|}'} & {*address}
    if not host or not written or "@" in parts.netloc or "?" in address or "#" in address:
        raise InputError("an address is like https://id.example.org, without user, query and fragment: check it.")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here(host)):
        raise InputError("it must begin with https://: over http:// others could answer in its place.")
    return address

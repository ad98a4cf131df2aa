"""The address of a ledger in PostgreSQL: ``postgresql://user@host:port/database?ledger=NAME``, and never a password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dpselect.kernel.errors import InputError

# Also what was meant to be one: with one slash, as a Path makes of it, or escaped.
_ADDRESS_PREFIX = re.compile(r"(?is)\s*postgres(?:ql)?(?::|%3a)(?:/|%2f).*")
_ADDRESS = re.compile(
    r"(?i)postgres(?:ql)?://(?:(?P<user>[^:/?#@]*)@)?(?P<hosts>[^/?#@]*)(?P<base>/[^?#@]*)?(?:\?(?P<query>[^#@]*))?"
)
# A colon that no port follows, or a password by its name.
_SECRET = re.compile(r"(?is)[^@/?#]*://[^@/?#]*:(?!\d*(?:[,/?#]|$))|.*[?&](?:ssl)?password(?:=|%3d)")
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::\d+)?")
_NAME = re.compile(r"(?!pg_)[a-z][a-z0-9_]{0,62}")
_RESERVED_SCHEMAS = ("public", "information_schema")
# What the client library may be told in an address: where the server is, and how both prove who they are.
_OPTIONS = {
    "application_name", "channel_binding", "connect_timeout", "gssencmode", "host", "hostaddr", "keepalives",
    "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "passfile", "port", "require_auth",
    "service", "sslcert", "sslcrl", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "target_session_attrs",
    "tcp_user_timeout", "user",
}  # fmt: skip
# A dead server is noticed within a minute: half of one without a word, and then three questions.
_DEFAULTS = {
    "application_name": "dpselect",
    "connect_timeout": "15",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
_PASSWORD = (
    "The address of a ledger holds no password, because it is shown, pickled and kept: leave the password out, and put "
    "it into the file that PGPASSFILE names or into a service file."
)


@dataclass(frozen=True)
class PostgresAddress:
    """An address without a password.

    Attributes:
        url: of the database, for the client library.
        ledger: the name of the ledger, which is that of its schema.
        options: what the address says besides, by name.
    """

    url: str
    ledger: str
    options: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, text: str) -> PostgresAddress:
        """Return the address that a text is.

        Raises:
            ValueError: it is none, lacks the ledger, or holds a password; no word of it is repeated.

        >>> str(PostgresAddress.of("postgres://ann@db.example/people?ledger=survey"))
        'postgresql://ann@db.example/people?ledger=survey'
        """
        if _SECRET.match(re.sub(r"\[[0-9A-Fa-f:.%]*\]", "", text)):
            raise InputError(_PASSWORD)
        written = _ADDRESS.fullmatch(text.strip())
        if written is None or not all(map(_HOST.fullmatch, written["hosts"].split(","))):
            raise InputError(_wrong())
        options = parse_qsl(written["query"] or "", keep_blank_values=True)
        names = [value for name, value in options if name == "ledger"]
        if len(names) != 1:
            raise InputError("Which ledger of this database? End the address with ?ledger=NAME.")
        if not _NAME.fullmatch(names[0]) or names[0] in _RESERVED_SCHEMAS:
            raise InputError(
                "The ledger of an address is the name of a schema of its own: up to 63 lower-case letters, digits and "
                "_, the first a letter, and neither public nor information_schema nor pg_ in front."
            )
        others = tuple(pair for pair in options if pair[0] != "ledger")
        for name, _ in others:
            if name not in _OPTIONS:
                raise InputError(
                    f"The address of a ledger may have {', '.join(sorted(_OPTIONS))}, and no other option."
                )
        user = f"{written['user']}@" if written["user"] else ""
        return cls(f"postgresql://{user}{written['hosts']}{written['base'] or ''}", names[0], others)

    @property
    def settings(self) -> dict[str, Any]:
        """Return what the client library is told besides the URL."""
        return {**_DEFAULTS, **dict(self.options), "client_encoding": "utf8"}

    @property
    def display_name(self) -> str:
        """Return what messages call it: the name, and where that is."""
        return f"{self.ledger} in {self.url}"

    def __str__(self) -> str:
        return f"{self.url}?{urlencode([*self.options, ('ledger', self.ledger)], safe='/:')}"


def in_postgres(address: str | Path) -> bool:
    """Return whether an address is meant to be one of PostgreSQL, and no file.

    Raises:
        ValueError: it was made a path, which loses a slash.
    """
    meant = _ADDRESS_PREFIX.fullmatch(str(address)) is not None
    if meant and isinstance(address, Path):
        raise InputError("The address of a ledger in PostgreSQL is text: pass it as a string, and not as a Path.")
    return meant


def _wrong() -> str:
    return "This is not the address of a ledger: write postgresql://user@host/database?ledger=NAME, without a password."

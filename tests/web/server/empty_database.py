"""An empty database of a PostgreSQL that a test has started, which a house or several keep everything in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.warehouse.engines import Server
from tests.web.server.conftest import CONFIG

_NUMBERS = count()


@contextmanager
def empty_database(running: Server, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a database, and the file of its password; yield its address, and drop it afterwards."""
    passwords = folder / "passwords"
    passwords.write_text("127.0.0.1:*:*:*:hidden\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    name = f"office_{next(_NUMBERS)}"
    running.run(f"CREATE DATABASE {name}")
    yield f"postgresql://keeper@127.0.0.1:{running.port}/{name}"
    running.run(f"DROP DATABASE {name} WITH (FORCE)")


def config_with(url: str) -> str:
    """Return settings that keep everything in a database."""
    return CONFIG.replace("port = 0", f'port = 0\ndatabase = "{url}"\nledgers = "{url}"')

"""A running server, and a client of an analyst."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

# More is shared, since every question is asked.
GENEROUS = CONFIG.replace("allowance = 10\nshares = {ann = 6, bob = 8}", "shares = {ann = 14, bob = 8}")


@pytest.fixture
def office(tmp_path):
    """A server that runs for one test, which has its budgets to itself."""
    folder = tmp_path / "office"
    folder.mkdir()
    running = Office(folder, GENEROUS)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def ann(office):
    """What an analyst has in hand."""
    return dps.connect(f"http://127.0.0.1:{office.port}", office.tokens["ann"])


@pytest.fixture
def bob(office):
    """Another analyst."""
    return dps.connect(f"http://127.0.0.1:{office.port}", office.tokens["bob"])

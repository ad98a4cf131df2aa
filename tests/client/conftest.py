"""A running server, and a client of an analyst."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from tests.web.server import offices

office, shared_office = offices.office, offices.shared_office


@pytest.fixture
def ann(office):
    """What an analyst has in hand."""
    return dps.connect(f"http://127.0.0.1:{office.port}", office.tokens["ann"])


@pytest.fixture
def bob(office):
    """Another analyst."""
    return dps.connect(f"http://127.0.0.1:{office.port}", office.tokens["bob"])

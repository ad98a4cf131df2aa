"""A user of the explorer, without a browser."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from starlette.testclient import TestClient

from dpselect.web.explorer.app import explorer

PORT = 8765


@pytest.fixture
def authenticator():
    """The application with its walls, and the guard that knows the token."""
    return explorer(PORT)


@pytest.fixture
def stranger(authenticator) -> TestClient:
    """Someone on the same machine without the token."""
    return TestClient(authenticator[0], base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


@pytest.fixture
def user(authenticator) -> TestClient:
    """Whoever opened the address that the command printed."""
    client = TestClient(authenticator[0], base_url=f"http://127.0.0.1:{PORT}")
    assert client.get(authenticator[1].address()).status_code == 200
    return client

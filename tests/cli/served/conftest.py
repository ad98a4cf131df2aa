"""A running server of made-up tables, and the token of an analyst in the environment."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from tests.web.server import offices

office, shared_office = offices.office, offices.shared_office


@pytest.fixture
def url(office, tmp_path, monkeypatch) -> str:
    """Where it is; the command runs in an empty folder, and its analyst is ann."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPSELECT_TOKEN", office.tokens["ann"])
    return f"http://127.0.0.1:{office.port}"

"""What tests of experiments share."""

import pytest


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no folder of research data be at hand, the repository's neither."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    monkeypatch.setattr("dpselect.datasets.repository", lambda: None)

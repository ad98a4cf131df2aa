"""A server with pages, and visitors of them."""

from __future__ import annotations

import pytest

from tests.web.server.pages.browser import Browser
from tests.web.server.served import Office


@pytest.fixture
def office(tmp_path):
    """A server that runs for one test, which has its budgets to itself."""
    folder = tmp_path / "office"
    folder.mkdir()
    running = Office(folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def ann(office):
    """An analyst who is logged in."""
    browser = Browser(office)
    assert browser.log_in("ann").status == 303
    return browser

"""A server with pages, and visitors of them."""

from __future__ import annotations

import pytest

from tests.web.server.pages.browser import Browser
from tests.web.server.served import Office


@pytest.fixture(scope="session")
def office(tmp_path_factory):
    """A running server; tests ask questions of their own."""
    running = Office(tmp_path_factory.mktemp("office"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def ann(office):
    """An analyst who is logged in."""
    browser = Browser(office)
    assert browser.log_in("ann").status == 303
    return browser

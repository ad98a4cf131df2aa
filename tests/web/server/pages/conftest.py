"""A server with pages, and visitors of them."""

from __future__ import annotations

import pytest

from tests.web.server import offices
from tests.web.server.pages.browser import Browser

office, shared_office = offices.office, offices.shared_office


@pytest.fixture
def ann(office):
    """An analyst who is logged in."""
    browser = Browser(office)
    assert browser.log_in("ann").status == 303
    return browser

"""An analyst logs in through an OpenID provider, in a real browser: there, back, and into the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("jwt", reason="OpenID Connect needs the extra web")
from tests.web.browser.conftest import SIZES, Watch, pictured
from tests.web.server.openid.provider import Provider
from tests.web.server.openid.registered import registered
from tests.web.server.served import Office


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A running provider, which shows a page of its own."""
    running = Provider()
    running.asks = True
    yield running
    running.close()


@pytest.fixture
def office(tmp_path, provider) -> Iterator[Office]:
    """A running server that is registered with it. To a browser the two are different sites."""
    running = registered(tmp_path, provider)
    yield running
    running.kill()


@pytest.fixture(params=list(SIZES))
def page(request, chromium, office, provider) -> Iterator[Any]:
    """A new window of each width; nothing but the two sites may be asked, and nothing may go wrong."""
    wide, high = SIZES[request.param]
    context = chromium.new_context(viewport={"width": wide, "height": high}, base_url=f"http://localhost:{office.port}")
    watch = Watch(f"http://localhost:{office.port}")
    watch.hosts.add(provider.issuer.removeprefix("http://"))
    watch.follow(context)
    context.watch = watch
    yield context.new_page()
    context.close()
    assert not watch.wrong(), watch.wrong()


def test_an_analyst_logs_in_and_out(page) -> None:
    """From a page that asks for a log in to the provider, back to that page, and out again."""
    page.goto("/pages/datasets/survey")
    page.wait_for_url("**/login?next=*")
    pictured(page, "openid-login")
    page.get_by_role("link", name="organization").click()
    page.get_by_role("link", name="Go on as ann").click()
    page.wait_for_url("**/pages/datasets/survey")
    assert "survey" in page.get_by_role("heading", level=1).inner_text()
    kept = {each["name"]: each for each in page.context.cookies()}
    (session,) = kept.values()
    assert (True, "Strict") == (session["httpOnly"], session["sameSite"])
    pictured(page, "openid-entered")

    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.goto("/pages")
    page.wait_for_url("**/login*")


def test_who_has_no_role_is_told(page, provider) -> None:
    """On a page that leads back to the log in; nobody is logged in."""
    page.context.watch.expected.append("status of 401")
    provider.person["groups"] = ["others"]
    page.goto("/login")
    page.get_by_role("link", name="organization").click()
    page.get_by_role("link", name="Go on as ann").click()
    page.get_by_role("alert").wait_for()
    assert re.search("in no group that this server lets in", page.get_by_role("alert").inner_text())
    assert [] == page.context.cookies()
    pictured(page, "openid-refused")

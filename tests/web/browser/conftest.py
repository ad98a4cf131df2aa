"""A user in a real browser: Chromium of the system, driven by Playwright, at the width of a desk and of a phone.

Without Chromium or Playwright these tests are skipped with the reason; with DPSELECT_BROWSER=required, as on the build
machine, they fail. Where DPSELECT_SCREENSHOTS names a folder, pictures of the pages are written to it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.web.explorer.served import Served

REQUIRED = os.environ.get("DPSELECT_BROWSER") == "required"
PICTURES = os.environ.get("DPSELECT_SCREENSHOTS")
# No name leads to another machine; one leads here as an attacker's might.
NAMES = "MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
SIZES = {"desk": (1280, 900), "phone": (390, 844)}


def _absent(reason: str) -> None:
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, which can reach no other machine."""
    try:
        import fastapi  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ImportError:
        _absent('no Playwright: python -m pip install ".[browser,web]"')
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        _absent("no Chromium on PATH: apt-get install chromium")
    flags = ["--no-sandbox", f"--host-resolver-rules={NAMES}"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served(chromium) -> Iterator[Served]:
    """A running explorer that some browser has entered already."""
    assert chromium.is_connected()
    with Served() as server:
        yield server


@pytest.fixture(scope="session")
def cookies(chromium, served) -> Any:
    """What that browser holds."""
    context = chromium.new_context()
    context.new_page().goto(served.first)
    kept = context.storage_state()
    context.close()
    return kept


class Watch:
    """What goes wrong in a browser beside the test: messages, errors, and requests to elsewhere.

    Attributes:
        expected: parts of messages that the test is about.
        hosts: of other servers that the test has started.
    """

    def __init__(self, here: str) -> None:
        self.expected: list[str] = []
        self.hosts = {urlsplit(here).netloc}
        self._wrong: list[str] = []
        self._asked: set[str] = set()

    def follow(self, context: Any) -> None:
        """Listen to every page of a context."""
        context.on("console", lambda message: message.type in ("error", "warning") and self._note(message.text))
        context.on("weberror", lambda error: self._note(str(error.error)))
        context.on("dialog", lambda dialog: (self._note(f"a dialog: {dialog.message}"), dialog.dismiss()))
        context.on("request", lambda request: self._asked.add(request.url))

    def wrong(self) -> list[str]:
        """Return what nobody expected."""
        foreign = [url for url in self._asked if urlsplit(url).scheme not in ("data", "blob", "about")
                   and urlsplit(url).netloc not in self.hosts]  # fmt: skip
        return [each for each in self._wrong if not any(part in each for part in self.expected)] + foreign

    def _note(self, text: str) -> None:
        self._wrong.append(text)


@pytest.fixture
def watch(served) -> Watch:
    """What goes wrong in this test."""
    return Watch(served.here)


@pytest.fixture
def window(chromium, served, cookies, watch) -> Iterator[Callable[..., Any]]:
    """A new window of someone who has been let in, of the width of a desk or phone; settings are Playwright's."""
    contexts = []

    def opened(size: str = "desk", known: bool = True, server: Served = served, **settings: Any) -> Any:
        wide, high = SIZES[size]
        kept = cookies if known else None
        context = chromium.new_context(
            viewport={"width": wide, "height": high}, storage_state=kept, base_url=server.here, **settings
        )
        context.set_default_timeout(60_000)
        watch.hosts.add(urlsplit(server.here).netloc)
        watch.follow(context)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()
    assert not watch.wrong(), watch.wrong()


@pytest.fixture
def jobs(window) -> Any:
    """A page 1280 pixels wide."""
    return window("desk")


@pytest.fixture(params=list(SIZES))
def either(request, window) -> Any:
    """A page of each width in turn."""
    return window(request.param)


def pictured(page: Any, name: str) -> None:
    """Write a picture of the whole page, where somebody wants to look at it."""
    if PICTURES is not None:
        page.screenshot(path=Path(PICTURES) / f"{name}-{page.viewport_size['width']}.png", full_page=True)


def settled(page: Any) -> None:
    """Wait until the page shows what its form asks for, and is no longer pale, as it is while it waits."""
    page.locator("#view[aria-busy]").wait_for(state="detached")
    page.evaluate("Promise.allSettled(document.getAnimations().map(each => each.finished))")


def visit(page: Any, address: str, *, folded: bool = False) -> None:
    """Open an address and wait until its pictures are drawn for this width; unfold what a reader would unfold."""
    page.goto(address)
    settled(page)
    if not folded:
        unfold(page)


def unfold(page: Any) -> None:
    """Open everything that is folded, as a click on each of its names does."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")

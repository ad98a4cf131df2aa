"""An analyst at the pages of a server, in a real browser: from the log in to the certificate, with and without scripts.

The server is the one of ``dpselect serve``, in a process of its own, with made-up tables.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")
from dpselect.certificates.certificate import Certificate
from tests.web.browser.conftest import SIZES, Watch, pictured
from tests.web.browser.test_every_page import findings
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

# The name of what has the focus, and whether that is seen.
_FOCUSED = "(e => (e.labels?.[0]?.firstChild ?? e).textContent.trim())(document.activeElement)"
_OUTLINED = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
HOSTILE = "<img src=x onerror=alert(1)>&\"'"
PLACES = ["/login", "/pages", "/pages/datasets/survey", "/pages/datasets/friends", "/pages/datasets/survey/histogram",
          "/pages/datasets/survey/quantiles?column=age&q=2&epsilon=x", "/pages/history", "/pages/nothing",
          "/pages/datasets/survey/median?column=age&by=job&epsilon=0.5"]  # fmt: skip


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Iterator[Office]:
    """A running server, one of whose tables has names that look like markup."""
    names = json.dumps(["clerk", "nurse", "smith", HOSTILE], ensure_ascii=False)
    config = CONFIG.replace('about = "Made-up people."', f"about = {json.dumps(HOSTILE)}")
    config = config.replace('columns.job = ["clerk", "nurse", "smith"]', f"columns.job = {names}")
    running = Office(tmp_path_factory.mktemp("office"), config)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def window(chromium, office) -> Iterator[Callable[..., Any]]:
    """A new window of the width of a desk or phone; whatever goes wrong in it fails the test."""
    contexts, here = [], f"http://127.0.0.1:{office.port}"
    watch = Watch(here)
    # What the pages under test say of themselves.
    watch.expected += ["404 (Not Found)", "422 (Unprocessable", "403 (Forbidden)"]

    def opened(size: str = "desk", **settings: Any) -> Any:
        wide, high = SIZES[size]
        context = chromium.new_context(viewport={"width": wide, "height": high}, base_url=here, **settings)
        context.set_default_timeout(60_000)
        watch.follow(context)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()
    assert not watch.wrong(), watch.wrong()


def entered(page: Any, office: Office, who: str = "ann") -> Any:
    """Log somebody in."""
    page.goto("/login")
    page.get_by_label("Your token").fill(office.tokens[who])
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Datasets").wait_for()
    return page


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("size", list(SIZES))
def test_from_the_log_in_to_the_certificate(window, office, tmp_path, size, scripts) -> None:
    """By links, labels and buttons alone; the file that is saved is the certificate of the answer on the page."""
    page = window(size, java_script_enabled=scripts)
    page.goto("/pages/history")
    page.get_by_label("Your token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    assert "does not work" in page.get_by_role("alert").inner_text()
    page.get_by_label("Your token").fill(office.tokens["ann"])
    page.get_by_role("button", name="Log in").click()
    assert page.url.endswith("/pages/history")

    page.get_by_role("link", name="Datasets", exact=True).click()
    page.get_by_role("link", name="survey", exact=True).click()
    page.get_by_role("link", name="Histogram", exact=True).click()
    page.get_by_label("Column", exact=True).select_option("job")
    page.get_by_label("Epsilon").fill("0.25")
    page.get_by_role("button", name="Plan").click()
    assert "epsilon 0.25" in page.get_by_role("region", name="Plan").inner_text()
    pictured(page, "office-plan")
    page.get_by_role("button", name="Release for epsilon 0.25").click()
    page.get_by_role("heading", name="Answer").wait_for()
    counted = page.get_by_role("row", name="nurse").get_by_role("cell").first.inner_text()
    pictured(page, "office-answer")
    again = page.url
    page.reload()
    assert counted == page.get_by_role("row", name="nurse").get_by_role("cell").first.inner_text()

    with page.expect_download() as table:
        page.get_by_role("link", name="Download as CSV").click()
    table.value.save_as(tmp_path / "answer.csv")
    lines = (tmp_path / "answer.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "job,count,from,to"
    assert f"nurse,{counted}" == ",".join(lines[2].split(",")[:2])
    page.get_by_role("link", name="Ask again").click()
    assert "0.25" == page.get_by_label("Epsilon").input_value()
    assert page.get_by_role("button", name="Release for epsilon 0.25").is_visible()
    page.go_back()
    page.get_by_role("link", name="Certificate", exact=True).click()
    pictured(page, "office-certificate")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as JSON").click()
    saved.value.save_as(tmp_path / "certificate.json")
    content = Certificate.read(tmp_path / "certificate.json").content
    assert counted == str(content["answer"]["nurse"])
    page.get_by_role("link", name="History", exact=True).click()
    asked = page.locator(f'a[href="{again[again.index("/pages") :]}"]')
    # A click does not wait for what the next page holds.
    asked.first.wait_for()
    assert asked.count() == 1
    page.get_by_role("button", name="Log out").click()
    page.goto(again)
    assert page.get_by_role("heading", name="Log in").is_visible()


def test_an_answer_is_asked_for_by_the_keyboard_alone(window, office) -> None:
    """From the log in to the certificate by Tab, Enter, and letters; nothing is clicked."""
    page = window()
    page.goto("/login")

    def tab_to(name: str) -> None:
        """Press Tab until what has the focus is called so."""
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(_FOCUSED) == name:
                assert page.evaluate(_OUTLINED), name
                return
        raise AssertionError(f"Tab does not reach {name}")

    def follow(name: str, heading: str) -> None:
        tab_to(name)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=heading, exact=True).wait_for()

    tab_to("Your token")
    page.keyboard.type(office.tokens["bob"])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Datasets").wait_for()
    follow("survey", "survey")
    follow("Median", "Median: survey")
    tab_to("Column")
    page.keyboard.press("a")
    tab_to("Epsilon")
    page.keyboard.type("0.1")
    follow("Plan", "Plan")
    follow("Release for epsilon 0.1", "Answer")
    assert re.search(r"The median of age is [0-9]+\.", page.inner_text("#answer"))
    tab_to("Copy")
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text=re.compile("Copied|Selected")).wait_for()
    follow("Ask again", "Plan")
    page.go_back()
    follow("Certificate", "Certificate")


def test_the_keyboard_is_enough(window, office) -> None:
    """To log in and to plan: what has the focus is what the labels say, in the order of the page."""
    page = window()
    page.goto("/login")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.get_by_label("Your token").focus()
    page.keyboard.type(office.tokens["ann"])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Datasets").wait_for()
    page.goto("/pages/datasets/survey/median")
    page.get_by_label("Epsilon").focus()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Plan").wait_for()


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("place", PLACES)
def test_nothing_keeps_anybody_out(window, office, size, place) -> None:
    """Axe has no serious or critical finding, and no page scrolls sideways."""
    page = entered(window(size), office)
    page.goto(place)
    pictured(page, "office-" + place.strip("/").partition("?")[0].replace("/", "-"))

    assert [] == findings(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]


@pytest.mark.parametrize("size", list(SIZES))
def test_names_that_look_like_markup_are_text(window, office, size) -> None:
    """In what a dataset is about, in values, in an answer, its picture and its certificate; no script ever runs."""
    page = entered(window(size), office)
    for place in ("/pages", "/pages/datasets/survey"):
        page.goto(place)
        assert HOSTILE in page.content().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        assert 0 == page.locator("img").count()
    page.goto("/pages/datasets/survey/histogram?column=job&epsilon=0.1")
    page.get_by_role("button", name="Release").click()
    page.get_by_role("heading", name="Answer").wait_for()
    hostile = page.get_by_role("rowheader", name=HOSTILE)
    hostile.first.wait_for()
    assert hostile.count() == 1
    assert [] == findings(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    page.get_by_role("link", name="Certificate", exact=True).click()
    assert HOSTILE in page.inner_text("main")
    assert 0 == page.locator("img").count()
    assert [] == findings(page)


def test_a_form_on_another_site_does_nothing(window, office) -> None:
    """A page elsewhere that sends the form of the log out or of the log in: the session stays, and nobody gets one."""
    page = entered(window(), office)
    stranger = window()
    for user, address, field in ((page, "/logout", "form"), (stranger, "/login", "token")):
        # A page without an address of its own, as one of another site is.
        user.goto("about:blank")
        user.set_content(
            f'<form action="http://127.0.0.1:{office.port}{address}" method="post">'
            f'<input name="{field}" value="{office.tokens["bob"]}"><button>Win</button></form>'
        )
        user.get_by_role("button", name="Win").click()
        user.get_by_text("This is not allowed").wait_for()
    page.goto("/pages")
    assert page.get_by_text("ann, analyst").is_visible()
    stranger.goto("/pages")
    assert stranger.get_by_role("heading", name="Log in").is_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_that_waits_finds_the_answer_by_itself(window, office, scripts) -> None:
    """While another server holds the request, the page says so; then it shows the answer without a key pressed."""
    page = entered(window(java_script_enabled=scripts), office)
    page.goto("/pages/datasets/survey/median?column=age&epsilon=0.05")
    fields = ("key", "query")
    key, question = (page.locator(f"form.release input[name={each}]").get_attribute("value") for each in fields)
    number = f"held-{scripts}"
    with closing(sqlite3.connect(office.folder / "server.db", timeout=30)) as raw, raw:
        raw.execute(
            "INSERT INTO requests (id, analyst, idempotency_key, dataset, body, state, worker, lease, created) "
            "VALUES (?, 'ann', ?, 'survey', ?, 'running', 'another', ?, ?)",
            (number, key, question, time.time() + 8, time.time()),
        )
    page.get_by_role("button", name="Release").click()
    page.get_by_role("heading", name="Your answer is being drawn").wait_for()
    assert page.url.endswith(f"/pages/requests/{number}")
    if scripts:
        assert [] == findings(page)
    pictured(page, "office-waiting")
    page.get_by_role("heading", name="Answer", exact=True).wait_for()


def test_an_answer_prints_without_what_only_a_screen_needs(window, office) -> None:
    """On paper there are no buttons, and no list of pages."""
    page = entered(window(), office)
    page.goto("/pages/datasets/survey")
    page.emulate_media(media="print")

    assert not page.get_by_role("button", name="Log out").is_visible()
    assert not page.get_by_role("link", name="History").is_visible()
    assert page.get_by_role("heading", name="survey").is_visible()

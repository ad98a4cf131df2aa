"""What holds for every page in a real browser, at both widths: it can be read, reached, printed and looked at."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from dpselect.web.explorer.pages import PAGES
from tests.web.browser.conftest import pictured, visit

PATHS = ["/", *(f"/{page.path}" for page in PAGES), "/no-such-page"]
SERIOUS = ("serious", "critical")


def findings(page: Any) -> list[str]:
    """Return what axe finds that keeps somebody from using the page."""
    from axe_playwright_python.sync_playwright import Axe

    rules = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['target']}" for rule in rules if rule["impact"] in SERIOUS for node in rule["nodes"]]


@pytest.fixture(autouse=True)
def _missing_is_expected(watch) -> None:
    watch.expected.append("404 (Not Found)")


def beyond(page: Any) -> list[str]:
    """Return the words of charts that end outside of their picture; trees scroll in a box."""
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll('figure:not(.wide) svg')].flatMap(svg => {
        const box = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(each => each.getBoundingClientRect().width)
            .map(each => [each.textContent, each.getBoundingClientRect()])
            .filter(([_, place]) => place.left < box.left - 2 || place.right > box.right + 2).map(([words]) => words);
    })""")
    return found


@pytest.mark.parametrize("path", PATHS)
def test_nothing_keeps_anybody_out(either, path) -> None:
    """Axe has no serious or critical finding (names, contrast, roles, order of headings, what the keyboard reaches).

    The page never scrolls sideways, and no word of a picture is cut off: what is wide scrolls in a box of its own.
    """
    visit(either, path)
    pictured(either, path.strip("/") or "index")

    assert either.evaluate("document.documentElement.scrollWidth") <= either.viewport_size["width"]
    assert [] == beyond(either)
    assert [] == findings(either)


@pytest.mark.parametrize("page", PAGES)
def test_the_open_page_is_in_sight_in_the_menu(either, page) -> None:
    """Its name is not cut, also where the menu scrolls sideways; the page begins at its top."""
    visit(either, f"/{page.path}")
    place = either.locator("nav [aria-current]").bounding_box()

    assert 0 <= place["x"]
    assert place["x"] + place["width"] <= either.viewport_size["width"]
    assert 0 == either.evaluate("scrollY")


@pytest.mark.parametrize("path", PATHS)
def test_print_leaves_the_controls_out(jobs, path) -> None:
    """On paper are the answer, the pictures and the commands; no links to other pages, no buttons, no sliders."""
    visit(jobs, path, folded=True)
    jobs.emulate_media(media="print")

    for hidden in ("nav", "button", ".slider", "footer", ".skip"):
        assert all(not each.is_visible() for each in jobs.locator(hidden).all())
    assert jobs.locator("h1").is_visible()
    # The home shows no commands.
    shown = "#view pre, #view figure, .headline" if path != "/" else "#view figure, .headline"
    assert all(each.is_visible() for each in jobs.locator(shown).all())


@pytest.mark.parametrize("path", PATHS)
def test_nothing_moves_for_whoever_asked_for_that(window, path) -> None:
    """No transition and no animation where the system says that motion is to be reduced."""
    page = window(reduced_motion="reduce")
    visit(page, path)
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].map(getComputedStyle)"
        ".filter(style => parseFloat(style.transitionDuration) || parseFloat(style.animationDuration)).length"
    )

    assert 0 == moving


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/no-such-page"])
def test_the_words_can_be_twice_as_large(window, path) -> None:
    """At 200 % on a desk, which is 640 pixels of page, nothing is cut off."""
    page = window("desk", device_scale_factor=2)
    page.set_viewport_size({"width": 640, "height": 450})
    visit(page, path)

    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_the_list_leads_to_every_page(jobs) -> None:
    """Each link of the first page opens a page of that title, and the list marks where one is."""
    visit(jobs, "/")
    for page in PAGES:
        jobs.get_by_role("main").get_by_role("link", name=page.title, exact=True).click()

        assert page.title == jobs.get_by_role("heading", level=1).inner_text()
        assert page.title == jobs.locator("nav a[aria-current=page]").inner_text()
        jobs.go_back()


def test_a_slow_redraw_is_over_before_it_is_looked_at(jobs) -> None:
    """A view that waits is pale and fades back: until it has, its words have too little contrast."""

    def late(route: Any) -> None:
        time.sleep(0.3)
        route.continue_()

    session = jobs.context.new_cdp_session(jobs)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0.1})
    jobs.route("**/view?*", late)
    visit(jobs, "/mechanisms")

    assert "1" == jobs.evaluate("getComputedStyle(document.getElementById('view')).opacity")

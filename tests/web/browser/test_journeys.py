"""What visitors do on the page of candidates, step by step, in a real browser."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from tests.web.browser.conftest import pictured, settled, visit
from tests.web.explorer.served import Served


def headline(page: Any) -> str:
    """Return the answer that stands on the page."""
    settled(page)
    return page.locator(".headline").inner_text()


def figures(page: Any) -> list[str]:
    """Return all numbers of the first picture."""
    settled(page)
    return re.findall(r"[<]?\d\.\d+", page.locator("#view figure svg").first.text_content())


def test_the_slider_follows_the_keyboard(either) -> None:
    """Each key moves epsilon, the chances follow, and the number, the address and the words for a reader agree."""
    visit(either, "/candidates")
    slider, number = either.locator(".slider"), either.get_by_label("Epsilon", exact=True)
    before, answer = figures(either), headline(either)
    slider.focus()
    for _ in range(10):
        either.keyboard.press("ArrowRight")
    either.wait_for_url(re.compile("epsilon=" + re.escape(number.input_value()) + "(&|$)"))

    assert figures(either) != before
    assert headline(either) != answer
    assert float(number.input_value()) > 0.5
    assert number.input_value() == slider.get_attribute("aria-valuetext")
    assert headline(either) == either.locator("#said").text_content()
    either.keyboard.press("Home")
    either.wait_for_url(re.compile(r"epsilon=0\.001(&|$)"))
    assert "0.001" == number.input_value()


def test_a_number_that_is_typed_moves_the_slider(jobs) -> None:
    """The slider stands where the logarithm of the number is."""
    visit(jobs, "/candidates")
    for value, place in (("0.001", 0), ("0.316", 100), ("100", 200)):
        jobs.get_by_label("Epsilon", exact=True).fill(value)

        assert place == int(jobs.locator(".slider").input_value())
        jobs.wait_for_url(re.compile(f"epsilon={re.escape(value)}(&|$)"))


def test_counts_change_by_hand(either) -> None:
    """Coffee overtakes tea, and the answer names it."""
    visit(either, "/candidates")
    assert headline(either).startswith("tea")
    either.get_by_label("Count 2").fill("90")
    either.wait_for_url("**candidate-count=90**")

    assert headline(either).startswith("coffee")


def test_a_new_row_follows_the_last(jobs) -> None:
    """A name in the empty row is one more candidate, and another empty row comes."""
    visit(jobs, "/candidates")
    rows = jobs.locator(".counts .row")
    count = rows.count()
    jobs.get_by_label(f"Name {count}").fill("cocoa")
    jobs.get_by_label(f"Count {count}").fill("200")
    jobs.wait_for_url("**candidate-count=200**")

    assert headline(jobs).startswith("cocoa")
    assert count + 1 == rows.count()
    assert "" == jobs.get_by_label(f"Name {count + 1}").input_value()


def test_the_neighbour_stays_within_what_epsilon_allows(jobs) -> None:
    """The factor on the page follows the neighbour, and is never above e^epsilon."""
    visit(jobs, "/candidates?epsilon=1")
    seen = set()
    for neighbour in ("less", "more"):
        jobs.get_by_label("Neighbour", exact=True).select_option(neighbour)
        jobs.wait_for_url(f"**neighbour={neighbour}**")
        factor, allowed = re.findall(r"factor of (\d[\d.]*\d).*allows (\d[\d.]*\d)", headline(jobs))[0]
        seen.add(jobs.locator("#view figure svg").first.inner_html())

        assert 1 < float(factor) <= float(allowed)
    assert 2 == len(seen)


def test_another_mechanism_has_other_chances(jobs) -> None:
    """In the picture, in the answer and in the command."""
    visit(jobs, "/candidates")
    before = figures(jobs)
    jobs.get_by_label("Mechanism", exact=True).select_option("exponential")
    jobs.wait_for_url("**mechanism=exponential**")

    assert figures(jobs) != before
    assert "--mechanism exponential" in jobs.locator("#shell").inner_text()


def test_a_view_can_be_sent_to_a_colleague(jobs, window) -> None:
    """Loaded again, and in another explorer that begins with it, it shows the same."""
    visit(jobs, "/candidates")
    jobs.get_by_label("Epsilon", exact=True).fill("1.25")
    jobs.get_by_label("Count 3").fill("59")
    jobs.wait_for_url("**epsilon=1.25**candidate-count=59**")
    answer, numbers = headline(jobs), figures(jobs)
    jobs.reload()

    assert (answer, numbers) == (headline(jobs), figures(jobs))
    jobs.get_by_text("On private data").click()
    sent = jobs.get_by_role("link", name="Address of this view").get_attribute("href")
    with Served("--at", sent) as other:
        theirs = window(server=other, known=False)
        visit(theirs, other.first)

        assert (answer, numbers) == (headline(theirs), figures(theirs))
        assert "token" not in theirs.url
        theirs.context.close()


def test_the_command_is_copied(window) -> None:
    """Word for word, and the button says so."""
    page = window(permissions=["clipboard-read", "clipboard-write"])
    visit(page, "/candidates?epsilon=0.7")
    for name, which in (("Copy the command", "#shell"), ("Copy the Python", "#python")):
        page.get_by_role("button", name=name).click()
        page.get_by_role("button", name="Copied").first.wait_for()

        assert page.locator(which).inner_text() == page.evaluate("navigator.clipboard.readText()")
    assert "--epsilon 0.7" in page.locator("#shell").inner_text()


def test_where_copying_is_forbidden_the_command_is_selected(jobs) -> None:
    """A key is enough then."""
    visit(jobs, "/candidates")
    jobs.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error()); null")
    jobs.get_by_role("button", name="Copy the command").click()
    jobs.get_by_role("button", name="Selected: press Ctrl-C").wait_for()

    assert jobs.locator("#shell").inner_text() == jobs.evaluate("String(getSelection())").strip()


def test_the_notebook_is_downloaded(jobs) -> None:
    """It holds the numbers of the view that is shown."""
    visit(jobs, "/candidates")
    jobs.get_by_label("Count 1").fill("61")
    jobs.wait_for_url("**candidate-count=61**")
    settled(jobs)
    with jobs.expect_download() as started:
        jobs.get_by_role("link", name="Download this view as a notebook").click()
    content = json.loads(started.value.path().read_text())

    assert "dpselect-candidates.ipynb" == started.value.suggested_filename
    assert "61" in "".join(content["cells"][1]["source"])


def test_back_and_forward_keep_the_view(jobs) -> None:
    """Who looks at another page and comes back finds what was left, in the form and in the answer."""
    visit(jobs, "/")
    visit(jobs, "/candidates")
    jobs.get_by_label("Epsilon", exact=True).fill("3")
    jobs.wait_for_url("**epsilon=3**")
    answer = headline(jobs)
    visit(jobs, "/")
    jobs.go_back()

    assert answer == headline(jobs)
    assert "3" == jobs.get_by_label("Epsilon", exact=True).input_value()
    jobs.go_forward()
    assert jobs.url.endswith("/")


def test_without_scripts_the_form_works(window) -> None:
    """A button shows the answer, and nothing that needs a script is on the page."""
    page = window(java_script_enabled=False)
    page.goto("/candidates")
    page.get_by_label("Epsilon", exact=True).fill("2")
    page.get_by_label("Count 2").fill("90")
    page.get_by_label("Name 6").fill("cocoa")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**epsilon=2**")

    assert page.locator(".headline").inner_text().startswith("coffee")
    page.get_by_text("On private data").click()
    assert "--epsilon 2" in page.locator("#shell").inner_text()
    assert "cocoa" in page.locator("#view svg").text_content()
    assert not any(each.is_visible() for each in page.locator(".js-only").all())


def test_an_explorer_that_has_stopped_says_so(window, watch) -> None:
    """In a sentence on the page, in place of a view that would not belong to its form."""
    watch.expected.append("ERR_CONNECTION_REFUSED")
    with Served("--at", "/candidates") as server:
        page = window(server=server, known=False)
        visit(page, server.first)
        server.stop()
        page.get_by_label("Epsilon", exact=True).fill("4")
        alert = page.get_by_role("alert")
        alert.wait_for()
        pictured(page, "stopped")

        assert "The explorer has stopped: start dpselect explore again." == alert.inner_text()
        assert 0 == page.locator("#view svg").count()


def test_who_is_no_longer_known_is_told(jobs, watch) -> None:
    """Without the cookie the page says how to be let in again."""
    watch.expected.append("403 (Forbidden)")
    visit(jobs, "/candidates")
    jobs.context.clear_cookies()
    jobs.get_by_label("Epsilon", exact=True).fill("4")
    alert = jobs.get_by_role("alert")
    alert.wait_for()

    assert "Open the address that dpselect explore printed" in alert.inner_text()


@pytest.mark.parametrize("wrong", ["-1", "1e9", ""])
def test_a_wrong_value_is_a_sentence(either, watch, wrong) -> None:
    """It is said at once, and the view comes back with a right one; no value is the one of the beginning."""
    watch.expected.append("400 (Bad Request)")
    visit(either, "/candidates")
    answer = headline(either)
    either.get_by_label("Epsilon", exact=True).fill(wrong)
    if wrong:
        either.get_by_role("alert").wait_for()
        pictured(either, "wrong")

        assert "Epsilon is a number from 0.001 to 100." == either.get_by_role("alert").inner_text()
    either.get_by_label("Epsilon", exact=True).fill("0.5")
    either.get_by_role("alert").wait_for(state="detached")
    assert answer == headline(either)


def test_the_keyboard_is_enough(jobs) -> None:
    """From the first key: over the list of pages to the form, to another mechanism, and on to the folded command.

    What is open stays open when the view is drawn anew.
    """
    visit(jobs, "/candidates", folded=True)
    assert not jobs.locator("#shell").is_visible()
    jobs.keyboard.press("Tab")
    assert "Skip to the page" == jobs.evaluate("document.activeElement.textContent")
    jobs.keyboard.press("Enter")
    reached = []
    for _ in range(40):
        jobs.keyboard.press("Tab")
        name = jobs.evaluate("document.activeElement.id || document.activeElement.textContent")
        reached.append(name)
        outline = jobs.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert "none" != outline, name
        if name == "mechanism":
            jobs.keyboard.press("ArrowDown")
            jobs.wait_for_url("**mechanism=exponential**")
            settled(jobs)
        if name == "On private data":
            jobs.keyboard.press("Enter")
        if name == "Copy the command":
            break

    assert "epsilon" == reached[0]
    assert "Copy the command" == reached[-1]
    assert "--mechanism exponential" in jobs.locator("#shell").inner_text()
    jobs.get_by_label("Epsilon", exact=True).fill("2")
    jobs.wait_for_url("**epsilon=2&**")
    settled(jobs)
    assert "--epsilon 2" in jobs.locator("#shell").inner_text()
    assert not jobs.locator("#view table").first.is_visible()


def test_the_home_shows_the_chart_and_follows_its_slider(either) -> None:
    """Above the questions, by the keyboard; the address stays that of the home, and leads on to the whole choice."""
    visit(either, "/", folded=True)
    before, answer = figures(either), headline(either)
    either.locator(".slider").focus()
    for _ in range(20):
        either.keyboard.press("ArrowLeft")
    either.wait_for_function("before => document.querySelector('.headline').textContent !== before", arg=answer)
    assert before != figures(either)
    assert "/" == urlsplit(either.url).path
    assert answer != headline(either)
    value = either.get_by_label("Epsilon", exact=True).input_value()
    settled(either)
    either.get_by_role("link", name="All about this choice").click()
    either.wait_for_url(f"**/candidates?epsilon={value}&**")


def test_fields_that_do_not_count_are_put_away(either) -> None:
    """On the page of sensitivities each score has its own rows, and values that were typed stay in the address."""
    visit(either, "/distance")
    markers, values = either.get_by_label("Name 1").first, either.get_by_text("Votes or values")
    assert markers.is_visible()
    assert not values.is_visible()

    markers.fill("rs99")
    either.get_by_label("Score", exact=True).select_option("votes")
    either.wait_for_url(re.compile("score=votes"))

    assert not markers.is_visible()
    assert values.is_visible()
    assert "rs99" in either.url


def test_a_wrong_value_in_an_address_is_said(either, watch) -> None:
    """Also where the page draws its charts anew for its width: the sentence stays."""
    watch.expected.append("400 (Bad Request)")
    visit(either, "/candidates?epsilon=0")

    assert either.locator(".problem").is_visible()
    assert 0 == either.locator(".headline").count()

"""What a hostile address, a hostile file and a hostile page of another server can do in a real browser: nothing."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from dpselect.web.explorer.pages import PAGES
from tests.web.browser.conftest import settled, visit
from tests.web.browser.elsewhere import Elsewhere
from tests.web.explorer.served import Served

HOSTILE = (
    "<img src=x onerror=\"window.ran=1;alert(1)\">",
    "<script>window.ran=1;alert(1)</script>",
    "\"'><svg onload=window.ran=1>",
    "</text></svg><script>window.ran=1</script>",
    "javascript:window.ran=1",
    "{{7*7}}${7*7}",
)  # fmt: skip
# Elements of the page that only an injected text could have made, and handlers on any element.
FOREIGN = """() => [...document.querySelectorAll('*')].filter(each =>
    ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'STYLE', 'BASE'].includes(each.tagName)
    || (each.tagName === 'SCRIPT' && new URL(each.src).origin !== location.origin)
    || [...each.attributes].some(one => one.name.startsWith('on')
        || (['href', 'src', 'action'].includes(one.name) && /^\\s*javascript:/i.test(one.value))))
    .map(each => each.outerHTML)"""


def unharmed(page: Any) -> None:
    """Refuse a page in which something ran or stands that the explorer did not write; dialogs are watched for."""
    assert [] == page.evaluate(FOREIGN)
    assert None is page.evaluate("window.ran ?? null")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_name_in_an_address_is_text(jobs, hostile) -> None:
    """In the form, the picture, the answer and the commands, at first and after a redraw."""
    rows = [("candidate", hostile), ("candidate-count", "60"), ("candidate", "b"), ("candidate-count", "3")]
    visit(jobs, f"/candidates?{urlencode(rows)}")
    unharmed(jobs)
    assert hostile[:24] in jobs.locator("#view").text_content()
    jobs.get_by_label("Epsilon", exact=True).fill("2")
    jobs.wait_for_url("**epsilon=2**")
    settled(jobs)

    unharmed(jobs)
    assert hostile[:24] in jobs.locator("#view").text_content()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_an_address_is_text(jobs, watch, hostile) -> None:
    """In a path, in the name of a value, in a value that is refused, and in the part behind the hash."""
    watch.expected += ["404 (Not Found)", "400 (Bad Request)"]
    queries = [urlencode(each) for each in ({hostile: 1}, {"epsilon": hostile}, {"mechanism": hostile})]
    for address in (f"/{hostile}", *(f"/candidates?{query}" for query in queries), f"/candidates#{hostile}"):
        visit(jobs, address)

        unharmed(jobs)


def test_a_colleagues_hostile_view_is_text(window) -> None:
    """Passed to --at on the command line."""
    rows = [("candidate", HOSTILE[0]), ("candidate-count", "60"), ("candidate", "b"), ("candidate-count", "3")]
    with Served("--at", f"/candidates?{urlencode(rows)}") as server:
        page = window(server=server, known=False)
        visit(page, server.first)

        unharmed(page)
        page.context.close()


def test_a_table_is_text(window, watch, tmp_path) -> None:
    """The names of its columns, its cells and its own name, on every page."""
    # A formula cannot name such columns: the page of best groups says so.
    watch.expected.append("the server responded with a status of 400")
    table = tmp_path / "<b onmouseover=alert(1)>.csv"
    with table.open("w", newline="") as written:
        rows = csv.writer(written)
        rows.writerow(HOSTILE)
        rows.writerows([HOSTILE, HOSTILE[::-1], HOSTILE])
    with Served(str(table)) as server:
        page = window(server=server, known=False)
        visit(page, server.first)
        assert "<b onmouseover=alert(1)>.csv" in page.locator(".public").inner_text()
        for each in PAGES:
            visit(page, f"/{each.path}")
            unharmed(page)
        visit(page, "/candidates")
        page.get_by_label("Candidates", exact=True).select_option(HOSTILE[0])
        settled(page)

        unharmed(page)
        assert HOSTILE[0][:24] in page.locator("#view").text_content()
        page.context.close()


def test_the_policy_stops_what_gets_in(jobs, watch) -> None:
    """Even markup that were in a page by a mistake does not run: neither handlers, nor scripts, nor styles."""
    watch.expected.append("Content Security Policy")
    visit(jobs, "/")
    jobs.evaluate("""() => {
        const box = document.createElement('div');
        box.innerHTML = '<a id=lure href="javascript:window.ran=1" onclick="window.ran=1" style="color:red">x</a>';
        const script = document.createElement('script');
        script.textContent = 'window.ran = 1';
        document.querySelector('main').append(box, script);
    }""")
    jobs.locator("#lure").click()
    assert "rgb(255, 0, 0)" != jobs.locator("#lure").evaluate("each => getComputedStyle(each).color")
    assert None is jobs.evaluate("window.ran ?? null")


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Another server."""
    with Elsewhere() as server:
        yield server


@pytest.fixture(params=["localhost", "127.0.0.1"])
def lure(request, jobs, elsewhere, watch) -> Any:
    """A page of another site, and of another port of the same, opened by somebody whom the explorer knows."""
    watch.hosts.add(f"{request.param}:{elsewhere.port}")
    watch.expected += ["a status of 40", "ERR_BLOCKED_BY", "ERR_FAILED", "X-Frame-Options", "frame-ancestors", "CORS",
                       "WebSocket", "net::ERR", "Refused to display", "MIME type", "Framing"]  # fmt: skip
    visit(jobs, "/candidates")
    jobs.goto(f"http://{request.param}:{elsewhere.port}/")
    return jobs


@pytest.mark.parametrize("mode", ["cors", "no-cors"])
def test_another_page_cannot_fetch(lure, served, mode) -> None:
    """With the user's cookies, and without; the text does not reach it either way."""
    for credentials in ("include", "omit"):
        got = lure.evaluate(
            "([url, mode, credentials]) => fetch(url, {mode, credentials}).then(got => got.text(), () => 'refused')",
            [f"{served.here}/candidates", mode, credentials],
        )

        assert got in ("refused", "")


@pytest.mark.parametrize(
    "kind, path",
    [
        ("img", "/static/icon.svg"),
        ("script", "/static/explorer.js"),
        ("link", "/static/explorer.css"),
        ("script", "/candidates/notebook.ipynb"),
    ],
)
def test_another_page_cannot_load(lure, served, kind, path) -> None:
    """Neither picture, nor script, nor style: it cannot even tell that the explorer runs."""
    got = lure.evaluate(
        """([kind, url]) => new Promise(done => {
            const each = document.createElement(kind);
            each.onload = () => done('loaded');
            each.onerror = () => done('refused');
            if (kind === 'link') { each.rel = 'stylesheet'; each.href = url } else each.src = url;
            document.documentElement.append(each);
        })""",
        [kind, served.here + path],
    )

    assert "refused" == got


def test_another_page_cannot_frame(lure, served) -> None:
    """A frame stays empty, so that nobody can be led to press what is below another picture."""
    lure.evaluate(
        """url => {
            const frame = document.createElement('iframe');
            frame.src = url;
            document.documentElement.append(frame);
        }""",
        f"{served.here}/candidates",
    )
    lure.wait_for_timeout(1500)
    (frame,) = [each for each in lure.frames if each.parent_frame]

    assert "dpselect" not in frame.content()


def test_another_page_cannot_reach_into_a_window(lure, served) -> None:
    """It may open one, as any link may; what it holds then tells it nothing."""
    with lure.context.expect_page() as opened:
        lure.evaluate("url => { window.held = window.open(url) }", f"{served.here}/candidates")
    opened.value.wait_for_load_state()
    got = lure.evaluate(
        "() => { try { return held.closed ? 'gone' : held.document.title } catch { return 'refused' } }"
    )

    assert got in ("gone", "refused")
    assert None is opened.value.evaluate("window.opener")


def test_another_page_cannot_keep_a_socket(lure, served) -> None:
    """No web socket, which no policy of origins would hold back."""
    got = lure.evaluate(
        """url => new Promise(done => {
            const socket = new WebSocket(url);
            socket.onopen = () => done('open');
            socket.onerror = () => done('refused');
        })""",
        served.here.replace("http", "ws") + "/",
    )

    assert "refused" == got


def test_another_page_cannot_post(lure, served) -> None:
    """A form that is sent to the explorer is refused in a sentence."""
    with lure.expect_navigation() as gone:
        lure.evaluate(
            """url => {
                const form = document.createElement('form');
                form.method = 'post';
                form.action = url;
                document.documentElement.append(form);
                form.submit();
            }""",
            f"{served.here}/candidates",
        )

    assert gone.value.status in (403, 405)


def test_a_link_of_another_site_shows_nothing(jobs, elsewhere, served, watch) -> None:
    """The cookie does not come along from another site, so the answer is the sentence for strangers."""
    watch.hosts.add(f"localhost:{elsewhere.port}")
    # The sentence for strangers names no icon, so that the browser asks for one, in its own time.
    watch.expected += ["403 (Forbidden)", "404 (Not Found)"]
    visit(jobs, "/candidates")
    jobs.goto(f"http://localhost:{elsewhere.port}/")
    with jobs.expect_navigation() as gone:
        jobs.evaluate("url => { location.href = url }", f"{served.here}/candidates")

    assert 403 == gone.value.status
    assert "dpselect explore printed" in jobs.content()
    assert "" == "".join(elsewhere.cookies)


def test_a_name_that_was_led_here_gets_nothing(window, served, watch) -> None:
    """A site whose name suddenly means this machine: the explorer does not answer to that name."""
    watch.hosts.add(f"rebound.example:{served.port}")
    watch.expected += ["421 (Misdirected Request)", "origin was untrustworthy"]
    answer = window(known=False).goto(f"http://rebound.example:{served.port}/candidates")

    assert 421 == answer.status


def test_no_script_can_read_the_cookie(jobs) -> None:
    """Not even the explorer's own; only this browser sends it, to this address."""
    visit(jobs, "/candidates")
    (cookie,) = jobs.context.cookies()

    assert "" == jobs.evaluate("document.cookie")
    assert cookie["httpOnly"]
    assert "Strict" == cookie["sameSite"]
    assert -1 == cookie["expires"]


def test_the_token_is_used_up_and_left_behind(window, watch) -> None:
    """It works once; afterwards it is neither in the address, nor in history, nor in any request."""
    watch.expected.append("403 (Forbidden)")
    with Served() as server:
        first, second = window(server=server, known=False), window(server=server, known=False)
        referrers = []
        first.context.on("request", lambda request: referrers.append(request.headers.get("referer")))
        visit(first, server.first)
        assert "token" not in first.url
        first.get_by_role("main").get_by_role("link").first.click()
        settled(first)

        assert "" == first.evaluate("document.referrer")
        assert not any(referrers)
        first.go_back()
        assert "token" not in first.url
        assert 403 == second.goto(server.first).status
        assert "works once" in second.content()
        for page in (first, second):
            page.context.close()

"""Forms that other sites send with a user's cookie, and cookies where tokens belong."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from dpselect.web import tokens
from dpselect.web.server import middleware
from dpselect.web.server.api import server
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.sessions import LoginMethod, form_token
from tests.web.server.pages.browser import Browser


@pytest.mark.parametrize(
    "headers",
    [{"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Sec_Fetch_Site": "none"},
     {"Origin": "https://evil.example"}, {"Origin": "https://evil.example", "Sec_Fetch_Site": ""},
     {"Origin": "null", "Sec_Fetch_Site": ""}, {"Origin": "", "Sec_Fetch_Site": ""}],
)  # fmt: skip
def test_a_form_of_another_site_is_refused(office, headers) -> None:
    """At the log in, where it would let somebody in as somebody else, and behind it."""
    stranger, ann = Browser(office), Browser(office)
    ann.log_in("ann")
    refused = stranger.post("/login", {"token": office.tokens["bob"]}, **headers)
    leaving = ann.post("/logout", ann.hidden("/pages", "/logout"), **headers)

    assert (403, "", 403) == (refused.status, stranger.cookie, leaving.status)
    assert 200 == ann.get("/pages").status


def test_an_older_browser_names_the_origin(office) -> None:
    """Without a word for the site, the origin must be this server."""
    browser = Browser(office)
    own = {"Origin": f"http://127.0.0.1:{office.port}", "Sec_Fetch_Site": ""}

    assert 303 == browser.post("/login", {"token": office.tokens["ann"]}, **own).status


def test_a_form_needs_the_mark_of_its_session(office, ann) -> None:
    """None, another's, and one of odd signs are refused; so is another kind of body."""
    bob = Browser(office)
    bob.log_in("bob")
    theirs = bob.hidden("/pages", "/logout")
    for fields in ({}, {"form": ""}, {"form": "x"}, {"form": "\u00e9"}, theirs):
        assert 403 == ann.post("/logout", fields).status
    mark = ann.hidden("/pages", "/logout")
    assert 422 == ann.post("/logout", mark, Content_Type="text/plain").status
    assert 200 == ann.get("/pages").status
    assert 303 == ann.post("/logout", mark).status


def test_a_cookie_authorises_no_request_of_a_program(office, ann) -> None:
    """It lets read, as pages do; whatever spends or changes there needs a token."""
    question = {"query": "median", "column": "age", "epsilon": 0.5}
    cookie = {"Cookie": ann.cookie, "Origin": f"http://127.0.0.1:{office.port}", "Sec_Fetch_Site": "same-origin"}
    release = office.send(None, "POST", "/datasets/survey/release", question, Idempotency_Key="k", **cookie)
    plan = office.send(None, "POST", "/datasets/survey/plan", question, **cookie)
    boss = Browser(office)
    boss.log_in("carla")
    cookie["Cookie"] = boss.cookie

    assert (401, 401) == (release.status, plan.status)
    assert 401 == office.send(None, "POST", "/datasets/survey/pause", **cookie).status
    assert 401 == office.send(None, "DELETE", "/tokens/x", **cookie).status
    assert 200 == ann.get("/datasets").status
    assert 401 == office.send("wrong", "GET", "/datasets", Cookie=ann.cookie).status


def test_a_server_that_forgets_the_mark_is_caught(server_state, monkeypatch) -> None:
    """The same form of another session logs somebody out where nobody looks at the mark: the test above would fail."""
    assert 403 == left_by_another(server_state)
    monkeypatch.setattr(tokens, "same", lambda *_: True)
    assert 303 == left_by_another(server_state)


def test_a_server_that_forgets_where_forms_come_from_is_caught(server_state, monkeypatch) -> None:
    """A form of another site opens a session where nobody asks for its origin."""
    secret = server_state.people.new_token("ann", 1, "test").secret
    sent = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    assert 403 == asked_of(server_state, "/login", {"token": secret}, sent)
    monkeypatch.setattr(middleware, "is_own", lambda _: True)
    assert 303 == asked_of(server_state, "/login", {"token": secret}, sent)


@pytest.mark.parametrize("path", ["/logout", "/pages/datasets/survey/median", "/pages/nothing", "/pages", "/login"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "FOO"])
def test_whatever_changes_needs_a_page_of_this_server(office, ann, path, method) -> None:
    """At every address of a page, also one that is not there, and by every method."""
    sent = {"Cookie": ann.cookie, "Sec_Fetch_Site": "cross-site", "Origin": "https://evil.example"}

    assert 403 == office.send(None, method, path, b"", **sent).status


def left_by_another(server_state) -> int:
    """Return what becomes of a log out whose form holds the mark of another session."""
    mine, theirs = (server_state.sessions.open(who, LoginMethod(provider="p")) for who in ("ann", "bob"))
    sent = {"cookie": f"__Host-dpselect={mine}", "sec-fetch-site": "same-origin"}
    return asked_of(server_state, "/logout", {"form": form_token(theirs)}, sent)


def asked_of(server_state, path: str, fields: dict[str, str], sent: dict[str, str]) -> int:
    """Return the status of the reply to a form, by the application alone."""
    application, statuses, body = (
        server(JobQueue(server_state), frozenset({"dp.example.org"})),
        [],
        urlencode(fields).encode(),
    )
    headers = {"host": "dp.example.org", "content-type": "application/x-www-form-urlencoded", **sent}
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "scheme": "https", "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "root_path": "", "http_version": "1.1",
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        statuses.extend([message["status"]] if message["type"] == "http.response.start" else [])

    # In a thread of its own: a browser of another test may run a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, application(scope, receive, send)).result()
    (status,) = statuses
    return status

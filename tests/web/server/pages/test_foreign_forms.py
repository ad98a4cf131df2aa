"""Forms that other sites send with a visitor's cookie, and cookies where tokens belong."""

from __future__ import annotations

import pytest

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
    question = {"question": "median", "column": "age", "epsilon": 0.5}
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

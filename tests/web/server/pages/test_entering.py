"""Logging in with a browser, and out: who gets a session, and what ends it."""

from __future__ import annotations

import sqlite3
import time

import pytest

from dpselect.web.server.cookies import clear_cookie, set_cookie
from dpselect.web.server.database import Database
from dpselect.web.server.dependencies import User
from dpselect.web.server.sessions import SECONDS, LoginMethod, Sessions
from dpselect.web.server.users import Users
from tests.calls import calls
from tests.web.server.pages.browser import Browser


def test_a_token_opens_a_session(office) -> None:
    """The cookie is out of reach of scripts and of other sites, and the database holds neither it nor the token."""
    browser = Browser(office)
    reply = browser.log_in("ann")
    home = browser.get("/pages")

    assert (303, "/pages") == (reply.status, reply.headers["location"])
    (_, *rules) = reply.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={int(SECONDS)}"} == {*rules}
    assert 200 == home.status
    assert b"survey" in home.body
    assert "default-src 'self'" in home.headers["content-security-policy"]
    kept = b"".join(path.read_bytes() for path in office.folder.glob("server.db*"))
    assert browser.cookie.partition("=")[2].encode() not in kept
    assert office.tokens["ann"].encode() not in kept + home.body


def test_behind_a_proxy_the_cookie_goes_over_tls_alone() -> None:
    """By another name than this machine's, and where the proxy says so."""
    for scheme, host in (("http", b"dp.example.org"), ("https", b"127.0.0.1:8440"), ("http", b"10.1.2.3:8440")):
        scope = {"scheme": scheme, "headers": [(b"host", host)]}
        for header in (set_cookie(scope, "x"), clear_cookie(scope)):
            assert header.startswith("__Host-dpselect=")
            assert header.endswith("HttpOnly; SameSite=Strict; Path=/; Secure")


def test_pages_lead_to_the_log_in(office) -> None:
    """And back to where somebody wanted to go; programs are told that a token is missing."""
    browser = Browser(office)

    assert "/login?next=%2Fpages%2Fdatasets%2Fsurvey" == browser.get("/pages/datasets/survey").headers["location"]
    assert (303, "/login") == ((page := browser.get("/pages")).status, page.headers["location"])
    assert 401 == browser.get("/datasets").status
    reply = browser.post("/login", {"token": office.tokens["ann"], "next": "/pages/datasets/survey"})
    assert "/pages/datasets/survey" == reply.headers["location"]
    assert "/pages" == browser.get("/").headers["location"]


@pytest.mark.parametrize(
    "address",
    ["//evil.example", "https://evil.example/pages", "/\\evil.example", "/pages//evil.example", "/pages/../logout",
     "/pages\r\nSet-Cookie: a=b", "javascript:alert(1)", "/pages/./x", "/pages@evil.example", " /pages/x", "/pagesx"],
)  # fmt: skip
def test_nobody_is_led_elsewhere(office, address) -> None:
    """Whatever a link says about where to go after the log in."""
    browser = Browser(office)
    reply = browser.post("/login", {"token": office.tokens["ann"], "next": address})

    assert (303, "/pages") == (reply.status, reply.headers["location"])


@pytest.mark.own_server
def test_every_wrong_token_gets_the_same_page(office) -> None:
    """Whether there is none such, it is expired or revoked, or of odd signs; none opens a session."""
    people = Users(_database(office))
    revoked = people.new_token("ann", 1, "test")
    people.revoke(revoked.id, "test")
    expired = Users(_database(office), lambda: time.time() - 3 * 86400).new_token("ann", 1, "test")
    browser = Browser(office)
    replies = [
        browser.post("/login", {"token": each}) for each in ("x", revoked.secret, expired.secret, "", "\ud7ff", "'")
    ]

    assert {403} == {each.status for each in replies}
    assert 1 == len({each.body for each in replies})
    assert not browser.cookie


def _database(office):
    return Database(str(office.folder / "server.db"))


def test_wrong_tokens_take_alike_long(server_state) -> None:
    """One that was revoked, and one that never was: by the number of functions that are called."""
    made = server_state.people.new_token("ann", 1, "test")
    server_state.people.revoke(made.id, "test")
    seen: list[User | None] = []
    # The first call opens a connection.
    one, other = (
        [calls(lambda secret=secret: seen.append(server_state.people.user_of(secret))) for _ in range(3)][-1]
        for secret in (made.secret, "x" * len(made.secret))
    )

    assert {None} == {*seen}
    assert max(one, other) < 1.5 * min(one, other)


@pytest.mark.own_server
def test_many_wrong_tokens_keep_nobody_out(office) -> None:
    """They are refused for a while, and the right one still lets in."""
    browser = Browser(office)
    statuses = [browser.post("/login", {"token": f"wrong{place}"}).status for place in range(30)]

    assert {403, 429} >= {*statuses}
    assert 429 == statuses[-1]
    assert 303 == browser.log_in("bob").status


def test_a_session_that_was_fixed_beforehand_is_not_taken(office) -> None:
    """The cookie is new at each log in, and the one before ends."""
    browser = Browser(office)
    browser.log_in("ann")
    before = browser.cookie
    browser.log_in("bob")
    planted = Browser(office, before.partition("=")[0] + "=planted")
    planted.log_in("ann")

    assert browser.cookie != before
    assert b"bob, analyst" in browser.get("/pages").body
    assert 303 == Browser(office, before).get("/pages").status
    assert "planted" not in planted.cookie


def test_a_stolen_cookie_is_worth_nothing_after_the_log_out(office) -> None:
    """The server forgets the session, not the browser alone."""
    browser = Browser(office)
    browser.log_in("ann")
    stolen = Browser(office, browser.cookie)
    assert 200 == stolen.get("/pages").status
    reply = browser.post("/logout", browser.hidden("/pages", "/logout"))

    assert (303, "/login", "") == (reply.status, reply.headers["location"], browser.cookie)
    assert 303 == stolen.get("/pages").status
    assert 401 == stolen.get("/datasets").status


def test_a_session_ends_with_its_token(server_state) -> None:
    """When it is revoked, when it expires, and after some hours in any case."""
    database, moment = server_state.database, [time.time()]
    people, sessions = Users(database, lambda: moment[0]), Sessions(database, lambda: moment[0])
    short, long = people.new_token("ann", 0.1, "test"), people.new_token("ann", 9, "test")
    by_short, by_long = (sessions.open("ann", LoginMethod(token=each.id)) for each in (short, long))
    by_provider = sessions.open("ann", LoginMethod(provider="https://login.example.org"))

    assert [short.id, long.id] == [sessions.user_of(each).token for each in (by_short, by_long)]
    moment[0] += 0.11 * 86400
    assert sessions.user_of(by_short) is None
    assert "ann" == sessions.user_of(by_long).name == sessions.user_of(by_provider).name
    people.revoke(long.id, "test")
    assert sessions.user_of(by_long) is None
    moment[0] += SECONDS
    assert sessions.user_of(by_provider) is None


def test_a_session_has_one_origin(server_state) -> None:
    """A token or a provider, and the database refuses both and neither."""
    with pytest.raises(ValueError, match="name one of the two"):
        LoginMethod()
    with pytest.raises(ValueError, match="name one of the two"):
        LoginMethod(token="t", provider="p")
    with (
        sqlite3.connect(server_state.settings.server.database) as raw,
        pytest.raises(sqlite3.IntegrityError, match="CHECK"),
    ):
        raw.execute("INSERT INTO sessions (id, hash, holder, created, expires) VALUES ('a', 'b', 'ann', 0, 0)")
    raw.close()

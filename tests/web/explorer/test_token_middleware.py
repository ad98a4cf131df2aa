"""Only the browser that opened the printed address is answered, and only what it reads."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from dpselect.web.headers import STRICT
from tests.web.explorer.conftest import PORT


def test_nothing_is_shown_without_the_token(stranger) -> None:
    """Neither a page nor a style sheet."""
    for path in ("/", "/candidates", "/static/explorer.css", "/candidates?token=wrong", "/candidates?token="):
        answer = stranger.get(path)

        assert 403 == answer.status_code
        assert "dpselect explore printed" in answer.text


def test_the_token_works_once(authenticator, stranger) -> None:
    """A second browser with the same address is refused, and the first is still let in."""
    first = stranger.get(authenticator[1].address("/candidates?epsilon=2"))
    second = TestClient(authenticator[0], base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)

    assert (303, "/candidates?epsilon=2") == (first.status_code, first.headers["location"])
    assert 403 == second.get(authenticator[1].address()).status_code
    assert 200 == stranger.get("/candidates").status_code


def test_the_cookie_is_for_this_site_and_no_script(authenticator, stranger) -> None:
    """HttpOnly, SameSite=Strict, and it is not the token."""
    cookie = stranger.get(authenticator[1].address()).headers["set-cookie"]

    assert "HttpOnly; SameSite=Strict; Path=/" in cookie
    assert authenticator[1].token not in cookie


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:8765", ""])
def test_a_forged_host_is_refused(user, host) -> None:
    """A name that was pointed at this machine gets nothing, cookie or not."""
    assert 421 == user.get("/candidates", headers={"host": host}).status_code


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8765", "http://127.0.0.1:1"])
def test_another_origin_is_refused(user, origin) -> None:
    """A page of another site cannot read these pages."""
    assert 403 == user.get("/candidates", headers={"origin": origin}).status_code


def test_a_request_by_another_site_is_refused(user) -> None:
    """A picture, a fetch or a frame of another site, or of another port; a link there may lead here."""
    for site in ("cross-site", "same-site"):
        for mode, dest, status in (("no-cors", "image", 403), ("cors", "empty", 403), ("navigate", "iframe", 403),
                                   ("navigate", "document", 200)):  # fmt: skip
            sent = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}

            assert status == user.get("/candidates", headers=sent).status_code


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_it_can_only_be_read(user, method) -> None:
    """Nothing here changes anything."""
    assert 405 == user.request(method, "/candidates").status_code


def test_head_answers_as_get(user) -> None:
    """With the same status and kind, for pages, views, files and what is missing."""
    for path in ("/", "/candidates", "/candidates/view", "/static/explorer.css", "/candidates?epsilon=x", "/no"):
        asked, read = user.head(path), user.get(path)

        assert (read.status_code, read.headers["content-type"]) == (asked.status_code, asked.headers["content-type"])


def test_head_does_not_use_the_token_up(authenticator, stranger) -> None:
    """Whoever looks whether the address is there leaves it to the browser."""
    assert 403 == stranger.head(authenticator[1].address()).status_code
    assert 303 == stranger.get(authenticator[1].address()).status_code


def test_a_token_in_a_link_is_dropped(authenticator, stranger) -> None:
    """The address of a colleague, token and all, still lets this browser in."""
    answer = stranger.get(authenticator[1].address("/candidates?token=old&epsilon=2&token="))

    assert (303, "/candidates?epsilon=2") == (answer.status_code, answer.headers["location"])
    assert 200 == stranger.get("/candidates").status_code


def test_no_upload(user) -> None:
    """A body is refused before it is read."""
    assert 413 == user.request("GET", "/candidates", content=b"x").status_code


def test_a_redirect_stays_here(authenticator) -> None:
    """Two slashes would be another server."""
    client = TestClient(authenticator[0], base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)
    answer = client.get(f"http://127.0.0.1:{PORT}//evil.example/?token={authenticator[1].token}")

    assert "/evil.example/" == answer.headers["location"]


def test_every_answer_has_the_strict_headers(user, stranger) -> None:
    """Pages, files, refusals and what is missing."""
    for answer in (user.get("/"), user.get("/static/explorer.js"), user.get("/no"), stranger.get("/")):
        assert STRICT.items() <= dict(answer.headers).items()
    assert "default-src 'self'" in STRICT["content-security-policy"]
    assert "unsafe" not in STRICT["content-security-policy"]

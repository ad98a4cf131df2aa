"""What curators do on pages: see every spend and change, and decide what may be spent."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.web.server.pages.browser import Browser
from tests.web.server.served import Office

QUESTION = {"query": "median", "column": "age", "epsilon": 0.5}
BUDGET = "/pages/budgets/survey"


@pytest.fixture
def own(tmp_path):
    """A running server of this test alone."""
    running = Office(tmp_path)
    running.start()
    yield running
    running.kill()


@pytest.fixture
def carla(own):
    """A curator who is logged in."""
    browser = Browser(own)
    assert 303 == browser.log_in("carla").status
    return browser


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """A running server that these tests leave as it is."""
    running = Office(tmp_path_factory.mktemp("steady"))
    running.start()
    yield running
    running.kill()


@pytest.fixture
def boss(steady):
    """Its curator, who is logged in."""
    browser = Browser(steady)
    assert 303 == browser.log_in("carla").status
    return browser


def text(reply) -> str:
    """Return the words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", reply.body.decode()).split())


def send(browser, path, sent, **fields):
    """Fill in a form of a page and send it; answer the second question with yes."""
    hidden = browser.hidden(path, f'{sent}"')
    reply = browser.post(sent, hidden | fields)
    if b'name="sure"' in reply.body:
        reply = browser.post(sent, hidden | fields | {"sure": "yes"})
    return reply


def test_a_curator_sees_what_everybody_spent(own, carla) -> None:
    """Budget, allowance, shares, what each analyst spent and has left, and each row."""
    assert 200 == own.ask("ann", "a1", QUESTION).status
    assert 200 == own.ask("bob", "b1", QUESTION | {"epsilon": 0.25}).status
    overview, seen = text(carla.get("/pages/budgets")), text(carla.get(BUDGET))

    assert "survey epsilon 20 epsilon 10 epsilon 0.75 epsilon 9.25 2 open" in overview
    assert "visits epsilon 10, delta 0.000001" in overview
    assert "rho 0" in overview
    assert "ann epsilon 6 epsilon 0.5 epsilon 5.5" in seen
    assert "bob epsilon 8 epsilon 0.25 epsilon 7.75" in seen
    # The newest row first.
    assert re.search(
        r" 2 \S+ \S+ UTC bob permute-and-flip 0.25 0 1 .* 1 \S+ \S+ UTC ann permute-and-flip 0.5 0 1 ", seen
    )
    assert "settings registered with an allowance of 10" in seen


def test_rows_and_changes_have_pages(own, carla) -> None:
    """Every row is on one of them, once; a page behind the first row is empty."""
    for place in range(53):
        assert 200 == own.ask("bob", f"k{place}", QUESTION | {"epsilon": 0.01}).status
    for _ in range(26):
        for way in ("pause", "resume"):
            own.send("carla", "POST", f"/datasets/survey/{way}")
    first = carla.get(BUDGET).body.decode()
    older = re.search(r'href="/pages/budgets/survey(\?before=\d+)#rows"', first)[1]
    second = carla.get(BUDGET + older).body.decode()
    rows = [int(row) for page in (first, second) for row in re.findall(r'<th scope="row">(\d+)</th>', page)]
    changes = re.search(r'href="/pages/budgets/survey(\?skip=\d+)#changes"', first)[1]

    assert [*range(53, 0, -1)] == rows
    assert "?before=" not in second
    assert "registered with an allowance" not in first
    assert "registered with an allowance" in carla.get(BUDGET + changes).body.decode()
    assert "None here." in text(carla.get(f"{BUDGET}?before=1"))
    assert 422 == carla.get(f"{BUDGET}?before=0").status
    assert 422 == carla.get(f"{BUDGET}?before=x").status


def test_a_pause_ends_spending_and_a_resume_begins_it(own, carla) -> None:
    """At once, and both are written down with who did it."""
    assert 303 == send(carla, BUDGET, f"{BUDGET}/pause").status
    assert 403 == own.ask("ann", "k", QUESTION).status
    assert "This dataset is paused" in text(carla.get(BUDGET))
    assert 303 == send(carla, BUDGET, f"{BUDGET}/resume").status
    assert 200 == own.ask("ann", "k2", QUESTION).status
    seen = text(carla.get(BUDGET))
    assert "carla paused" in seen
    assert "carla resumed" in seen


def test_an_allowance_is_raised_after_a_second_question(carla) -> None:
    """The first form changes nothing; the answer to the second does; a lower one needs no question."""
    hidden = carla.hidden(BUDGET, f"{BUDGET}/allowance")
    asked = carla.post(f"{BUDGET}/allowance", hidden | {"epsilon": "12"})
    assert 200 == asked.status
    assert "becomes 12; it is 10 now" in text(asked)
    assert "epsilon 10" in text(carla.get(BUDGET))
    # The page itself holds all that its form sends.
    kept = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', asked.body.decode()))
    assert 303 == carla.post(f"{BUDGET}/allowance", kept).status
    assert "carla allowance 10 became 12" in text(carla.get(BUDGET))
    assert 303 == carla.post(f"{BUDGET}/allowance", hidden | {"epsilon": "3"}).status


@pytest.fixture(scope="module")
def paid(tmp_path_factory) -> Iterator[Office]:
    """A running server at which something is spent, and where nothing else changes."""
    running = Office(tmp_path_factory.mktemp("paid"))
    running.start()
    assert 200 == running.ask("ann", "k", QUESTION).status
    yield running
    running.kill()


@pytest.mark.parametrize(
    "epsilon, status, sentence",
    [
        ("21", 403, "The budget of this dataset is 20 and never changes: release at most that."),
        ("0.4", 403, "More than that was spent already: an allowance is never below what was spent."),
        ("ten", 422, "positive number"),
        ("-1", 422, "positive number"),
        ("1e400", 422, "positive number"),
        ("0.0000001", 422, "at most 6 decimals"),
        ("", 422, "Fill in the epsilon."),
    ],
)
def test_a_refused_allowance_is_said_on_the_page(paid, epsilon, status, sentence) -> None:
    """In the words of the server, with nothing changed; those of programs are refused in the same way."""
    carla = Browser(paid)
    assert 303 == carla.log_in("carla").status
    reply = send(carla, BUDGET, f"{BUDGET}/allowance", epsilon=epsilon)
    program = paid.send("carla", "POST", "/datasets/survey/allowance", {"epsilon": epsilon})

    assert (status, status) == (reply.status, program.status)
    assert sentence in text(reply)
    assert 'role="alert"' in reply.body.decode()
    assert "Allowance epsilon 10" in text(carla.get(BUDGET))
    if status == 403:
        assert sentence == program.json["detail"]


def test_a_share_opens_a_dataset_to_an_analyst(own, carla) -> None:
    """Who had none cannot see it; who has one can ask."""
    assert 404 == own.ask("bob", "k", QUESTION, "friends").status
    path = "/pages/budgets/friends"
    assert 303 == send(carla, path, f"{path}/shares", analyst="bob", epsilon="1.5").status
    assert "bob epsilon 1.5 epsilon 0" in text(carla.get(path))
    assert 200 == own.send("bob", "GET", "/datasets/friends").status
    # A smaller one is given without a second question.
    hidden = carla.hidden(path, f"{path}/shares")
    assert 303 == carla.post(f"{path}/shares", hidden | {"analyst": "bob", "epsilon": "1"}).status
    assert 422 == send(carla, path, f"{path}/shares", analyst="No Name", epsilon="1").status


def test_a_token_is_shown_once_and_revoked(own, carla) -> None:
    """On the page that answers the form, which nobody keeps; afterwards nowhere, and its number ends it."""
    assert 303 == send(carla, "/pages/users", "/pages/users", name="dora", role="analyst").status
    reply = send(carla, "/pages/users", "/pages/tokens", user="dora", days="2")
    secret = re.search(r'class="secret"[^>]* value="([^"]+)"', reply.body.decode())[1]
    number = re.search(r"<code>([\w-]{16})</code>", reply.body.decode())[1]

    assert (201, "no-store") == (reply.status, reply.headers["cache-control"])
    assert 200 == own.send(secret, "GET", "/datasets").status
    users = carla.get("/pages/users")
    assert secret not in users.body.decode() + own.log()
    assert "carla added analyst dora" in text(users)
    assert f"carla made token {number} of dora" in text(users)
    hidden = carla.hidden("/pages/users", f"/pages/tokens/{number}/revoke")
    # Asked for once it still works.
    assert 200 == carla.post(f"/pages/tokens/{number}/revoke", hidden).status
    assert 200 == own.send(secret, "GET", "/datasets").status
    assert 303 == carla.post(f"/pages/tokens/{number}/revoke", hidden | {"sure": "yes"}).status
    assert 401 == own.send(secret, "GET", "/datasets").status
    assert 404 == carla.post(f"/pages/tokens/{number}/revoke", hidden | {"sure": "yes"}).status
    assert f"{number} dora" in text(carla.get("/pages/users"))


@pytest.mark.parametrize(
    "path, fields, status, sentence",
    [
        ("/pages/users", {"name": "ann", "role": "curator"}, 422, "There is a user ann already"),
        ("/pages/users", {"name": "Ann Smith", "role": "analyst"}, 422, "A name has at most 63"),
        ("/pages/users", {"name": "<b>x</b>", "role": "analyst"}, 422, "A name has at most 63"),
        ("/pages/users", {"name": "dora", "role": "root"}, 422, "Role:"),
        ("/pages/tokens", {"user": "nobody", "days": "9"}, 422, "The user nobody does not exist"),
        ("/pages/tokens", {"user": "ann", "days": "0"}, 422, "greater than 0"),
        ("/pages/tokens", {"user": "ann", "days": "nan"}, 422, "Days"),
        ("/pages/tokens", {"user": "ann", "days": "many"}, 422, "Days"),
    ],
)
def test_a_refused_user_or_token_is_said_on_the_page(boss, path, fields, status, sentence) -> None:
    """And neither is made."""
    before = text(boss.get("/pages/users"))
    reply = send(boss, "/pages/users", path, **fields)
    assert status == reply.status
    assert sentence in text(reply)
    assert "<b>x" not in reply.body.decode()
    assert before == text(boss.get("/pages/users"))


PLACES = ["/pages/budgets", BUDGET, "/pages/budgets/nothing", "/pages/users"]
CHANGES = [f"{BUDGET}/pause", f"{BUDGET}/allowance", f"{BUDGET}/shares", "/pages/users", "/pages/tokens",
           "/pages/tokens/x/revoke"]  # fmt: skip


def test_analysts_find_none_of_it(steady) -> None:
    """To them every place and every change looks like one that is not there, whether the dataset exists or not."""
    ann = Browser(steady)
    ann.log_in("ann")
    hidden = ann.hidden("/pages", "/logout")
    replies = [ann.get(path) for path in PLACES]
    fields = hidden | {"sure": "yes", "epsilon": "20", "analyst": "ann", "name": "eve", "role": "curator"}
    replies += [ann.post(path, fields | {"user": "carla", "days": "9"}) for path in CHANGES]

    assert {404} == {each.status for each in replies}
    assert 1 == len({each.body for each in replies})
    assert "Budgets" not in text(ann.get("/pages"))
    assert "eve" not in steady.send("carla", "GET", "/datasets/survey/spends").body.decode()


@pytest.mark.parametrize("path", CHANGES)
def test_a_change_needs_the_form_of_the_session(steady, boss, path) -> None:
    """Without its mark, with another's, or from another site, nothing is changed."""
    other = Browser(steady)
    other.log_in("carla")
    theirs = other.hidden("/pages/users", "/logout")
    fields = {"sure": "yes", "epsilon": "11", "analyst": "ann", "name": "eve", "role": "curator", "user": "ann",
              "days": "9"}  # fmt: skip
    before = text(boss.get(BUDGET)) + text(boss.get("/pages/users"))
    assert 403 == boss.post(path, fields).status
    assert 403 == boss.post(path, fields | theirs).status
    assert 403 == boss.post(path, fields | boss.hidden("/pages/users", "/logout"), Sec_Fetch_Site="cross-site").status
    assert before == text(boss.get(BUDGET)) + text(boss.get("/pages/users"))


def test_nothing_is_changed_by_opening_an_address(boss) -> None:
    """What changes something takes a form."""
    for path in CHANGES:
        assert (200 if path == "/pages/users" else 405) == boss.get(path).status

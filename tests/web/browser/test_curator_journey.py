"""A curator in a real browser: from the log in to a larger share, a new analyst's token, and its end."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")
from tests.web.browser.conftest import SIZES, Watch, pictured
from tests.web.browser.test_every_page import findings
from tests.web.server.served import Office

QUESTION = {"query": "median", "column": "age", "epsilon": 0.5}


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A running server whose analysts have asked."""
    running = Office(tmp_path_factory.mktemp("office"))
    running.start()
    for place in range(4):
        assert 200 == running.ask(("ann", "bob")[place % 2], f"k{place}", QUESTION).status
    yield running
    running.stop()


@pytest.fixture(params=list(SIZES))
def carla(request, chromium, office):
    """A curator at each width, who logs in by typing; nothing goes wrong in the console."""
    wide, high = SIZES[request.param]
    here = f"http://127.0.0.1:{office.port}"
    watch = Watch(here)
    watch.expected += ["403 (Forbidden)", "404 (Not Found)", "422 (Unprocessable"]
    context = chromium.new_context(viewport={"width": wide, "height": high}, base_url=here)
    context.set_default_timeout(60_000)
    watch.follow(context)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Your token").fill(office.tokens["carla"])
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Budgets").wait_for()
    yield page
    context.close()
    assert not watch.wrong(), watch.wrong()


def looked_at(page, name: str) -> None:
    """Take a picture; nothing keeps anybody out, and nothing is beyond the edge."""
    pictured(page, f"curator-{name}")
    assert [] == findings(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_curators_day(office, carla) -> None:
    """Looks at what is spent, pauses and resumes, is refused, releases more, adds an analyst and ends a token."""
    wide = carla.viewport_size["width"]
    carla.get_by_role("link", name="Budgets").click()
    looked_at(carla, "budgets")
    carla.get_by_role("link", name="survey").click()
    carla.get_by_role("row", name="bob epsilon 8 epsilon 1 epsilon 7").wait_for()
    looked_at(carla, "budget")

    carla.get_by_role("button", name="Pause").click()
    carla.get_by_text("This dataset is paused").wait_for()
    assert 403 == office.ask("ann", f"paused-{wide}", QUESTION).status
    carla.get_by_role("button", name="Resume").click()
    carla.get_by_role("button", name="Pause").wait_for()

    carla.get_by_label("Epsilon that all analysts may spend together").fill("1")
    carla.get_by_role("button", name="Set allowance").click()
    assert "never below what was spent" in carla.get_by_role("alert").inner_text()
    looked_at(carla, "refused")
    # More than it is now: the other width may have raised it before.
    allowance = carla.get_by_role("row", name=re.compile("^Allowance")).inner_text()
    after = str(int(allowance.split()[-1]) + 1)
    carla.get_by_label("Epsilon that all analysts may spend together").fill(after)
    carla.get_by_role("button", name="Set allowance").click()
    carla.get_by_role("heading", name=f"The allowance becomes {after}?").wait_for()
    looked_at(carla, "sure")
    carla.get_by_role("link", name="Leave it as it is").click()
    assert carla.get_by_role("cell", name=f"epsilon {after}", exact=True).count() == 0
    carla.get_by_label("Epsilon that all analysts may spend together").fill(after)
    carla.get_by_role("button", name="Set allowance").click()
    carla.get_by_role("button", name="Let it be spent").click()
    carla.get_by_role("cell", name=f"epsilon {after}", exact=True).wait_for()

    carla.get_by_role("link", name="Users").click()
    looked_at(carla, "users")
    name = f"dora-{wide}"
    carla.get_by_label("Name", exact=True).fill(name)
    carla.get_by_role("button", name="Add", exact=True).click()
    carla.get_by_role("button", name=f"Add {name}").click()
    carla.get_by_label("User", exact=True).select_option(name)
    carla.get_by_role("button", name="Make a token").click()
    secret = carla.get_by_label("Token").input_value()
    looked_at(carla, "secret")
    assert 200 == office.send(secret, "GET", "/datasets").status
    carla.get_by_role("link", name="To the users and tokens").click()
    assert secret not in carla.content()
    carla.get_by_role("button", name=f"of {name}").click()
    carla.get_by_role("button", name="Revoke it").click()
    carla.get_by_role("row", name="revoked").first.wait_for()
    assert 401 == office.send(secret, "GET", "/datasets").status
    looked_at(carla, "revoked")
    carla.get_by_role("button", name="Log out").click()
    carla.get_by_label("Your token").wait_for()
    carla.goto("/pages/budgets/survey")
    assert carla.get_by_label("Your token").is_visible()

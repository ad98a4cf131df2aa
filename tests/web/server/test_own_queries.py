"""Queries of a curator's own, in a file that the settings name: served as those of the library are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.queries import QUERIES
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState, queries_with
from tests.web.server.conftest import CONFIG, write
from tests.web.server.pages.browser import Browser
from tests.web.server.served import Office

# The one that the documentation shows.
GUIDE = Path(__file__).parents[3] / "docs/how-to/serve.md"
(SHOWN,) = re.findall(r"```python\n(# our_queries\.py\n.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
OWN = f'''{SHOWN}
from pathlib import Path

from dpselect.queries.field_kinds import NUMERIC_COLUMN


class Telling(Query):
    """A price that tells how old somebody is."""

    name = "telling"

    column: str = argument(NUMERIC_COLUMN, "a column of numbers")

    def candidates(self, dataset):
        return 2

    def release(self, data, accountant):
        ages = [*map(float, data.table([self.column])[self.column])]
        epsilon = self.epsilon * (2 if max(ages) > 50 else 1)
        answer = dps.select(dps.Scores([1.0, 2.0], 1), epsilon=epsilon, ledger=accountant)
        Path(__file__).with_name(f"drawn-{{len(ages)}}").touch()
        return answer

    def words(self):
        return "?"
'''
ASKED = {"query": "rarest", "column": "job", "epsilon": "0.5"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A server with two queries of a curator."""
    folder = tmp_path_factory.mktemp("own") / "office"
    folder.mkdir()
    (folder / "our_queries.py").write_text(OWN, encoding="utf-8")
    running = Office(folder, CONFIG.replace("[server]", '[server]\nqueries = "our_queries.py"'))
    running.start()
    yield running
    running.kill()


def spends(office: Office) -> int:
    """Return how many rows the ledger has."""
    return dps.Ledger.read(office.folder / "ledgers" / "survey.ledger").totals.spends


def test_it_is_asked_over_http(office) -> None:
    """A plan, one payment, an answer with a certificate, and the same answer again."""
    before = spends(office)
    plan = office.send("ann", "POST", "/datasets/survey/plan", ASKED)
    assert (200, "0.5") == (plan.status, plan.json["guarantee"]["epsilon"])
    assert before == spends(office)

    reply = office.ask("ann", "own", ASKED)
    assert (200, ["clerk"]) == (reply.status, reply.json["answer"]["candidates"])
    assert "Which value of job is the rarest?" == reply.json["certificate"]["certificate"]["question"]
    assert reply.body == office.ask("ann", "own", ASKED).body
    assert before + 1 == spends(office)
    assert ASKED == office.send("ann", "GET", "/history").json[0]["query"]


@pytest.mark.parametrize("changes", [{"column": ""}, {"column": "age"}, {"epsilon": 0}, {"k": 1}])
def test_what_is_not_one_of_them_is_refused_unpaid(office, changes) -> None:
    """By the kinds of its fields and the description."""
    before = spends(office)
    assert 422 == office.ask("ann", f"odd{[*changes]}".replace(" ", ""), ASKED | changes).status
    assert before == spends(office)


def test_it_is_in_the_schema(office) -> None:
    """Beside those of the library, by its name."""
    schemas = office.send("ann", "GET", "/openapi.json").json["components"]["schemas"]
    assert {*QUERIES, "rarest", "telling"} == schemas["Query"]["discriminator"]["mapping"].keys()
    assert ["query", "column", "epsilon"] == schemas["rarest_query"]["required"]


def test_it_has_a_form(office) -> None:
    """With its title, its fields and its plan; a graph has none."""
    ann = Browser(office)
    ann.log_in("ann")
    assert '<a href="/pages/datasets/survey/rarest">Rarest value</a>' in ann.get("/pages/datasets/survey").body.decode()
    assert 404 == ann.get("/pages/datasets/friends/rarest").status
    page = "/pages/datasets/survey/rarest"
    planned = f"{page}?column=job&epsilon=0.25"
    assert "Which value of job is the rarest?" in ann.get(planned).body.decode()
    where = ann.post(page, ann.hidden(planned, page)).headers["location"]
    assert '<p class="answer">clerk</p>' in ann.get(where).body.decode()


def test_a_price_that_follows_from_rows_is_refused_before_a_draw(office) -> None:
    """The planned price is paid, and the other is not; nothing is drawn, and the reply says nothing of it."""
    before = spends(office)
    reply = office.ask("ann", "telling", {"query": "telling", "column": "age", "epsilon": "0.5"})

    assert 424 == reply.status
    assert before + 1 == spends(office)
    assert "0.5" == office.send("carla", "GET", "/datasets/survey/spends").json["spends"][-1]["epsilon"]
    # From the one row of the plan something was drawn, from the others nothing.
    assert ["drawn-1"] == [each.name for each in office.folder.glob("drawn-*")]
    assert reply.body == office.ask("ann", "telling", {"query": "telling", "column": "age", "epsilon": "0.5"}).body


QUERY = "from dpselect.queries import Median, Query\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "our_queries.py has no query: write a subclass"),
        (QUERY, "our_queries.py has no query"),
        ("def (", "our_queries.py, line 1: this is not Python"),
        ("\nimport nothing_of_this_name", "our_queries.py, line 2: ModuleNotFoundError"),
        (f"{QUERY}class Mine(Median):\n    pass\n", "Mine has the name median, and so has another query"),
        (f'{QUERY}class Mine(Median):\n    name = "../x"\n', "Mine.name is '../x': write a name such as"),
        (f'{QUERY}class Mine(Query):\n    name = "mine"\n', "Mine lacks candidates, release, words: write them"),
    ],
)
def test_what_cannot_be_served_is_refused_at_the_start(tmp_path, text: str, sentence: str) -> None:
    """In one sentence, and nothing is opened."""
    (tmp_path / "our_queries.py").write_text(text, encoding="utf-8")
    path = write(tmp_path, CONFIG.replace("[server]", '[server]\nqueries = "our_queries.py"'))
    with pytest.raises(ValueError) as refused:
        ServerState.open(read_settings(path))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "server.db").exists()


def test_a_file_that_is_not_there_is_refused_at_the_start(tmp_path) -> None:
    """By its name; settings alone run nothing."""
    path = write(tmp_path, CONFIG.replace("[server]", '[server]\nqueries = "ours.py"'))
    settings = read_settings(path)
    assert str(tmp_path / "ours.py") == settings.server.queries
    with pytest.raises(FileNotFoundError, match=r"ours\.py"):
        ServerState.open(settings)


def test_those_of_the_library_stay(tmp_path) -> None:
    """An alias in the file is one query, and an imported class is none of it."""
    (tmp_path / "own.py").write_text(
        f'{QUERY}class Mine(Median):\n    """Mine."""\n    name = "mine"\nAgain = Mine\n', encoding="utf-8"
    )
    known = queries_with(str(tmp_path / "own.py"))
    assert [*QUERIES, "mine"] == [*known]
    assert known["median"] is QUERIES["median"]
    assert {"query": "mine", "column": "age", "mechanism": "permute-and-flip", "epsilon": "1"} == json.loads(
        known["mine"](column="age", epsilon=1).canonical()
    )

"""Models over HTTP: their files, what neighbours show, and a server that ends in the middle of one."""

from __future__ import annotations

import http.client
import time

import pytest

import dpselect as dps
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

# The table of the survey, and one with a row less.
NEIGHBOUR = CONFIG + CONFIG[CONFIG.index("[datasets.survey]") : CONFIG.index("[datasets.visits]")].replace(
    "survey", "fewer"
).replace("people.csv", "fewer.csv")
TREE = {"query": "train", "target": "job", "epsilon": 1, "max_depth": 3}


@pytest.fixture
def office(tmp_path):
    """A server's files; whatever runs is ended."""
    (tmp_path / "fewer.csv").write_text("age,job\n20,nurse\n", encoding="utf-8")
    made = Office(tmp_path, NEIGHBOUR)
    lines = (tmp_path / "people.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "fewer.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    yield made
    if made.process is not None and made.process.poll() is None:
        made.kill()


def test_neighbours_show_the_same(office) -> None:
    """A row less: the same plan, status, names of headers, parts of the answer and price; the model is another."""
    office.start()
    plans = [office.send("ann", "POST", f"/datasets/{name}/plan", TREE) for name in ("survey", "fewer")]
    replies = [office.ask("ann", f"tree-{name}", TREE, name) for name in ("survey", "fewer")]

    assert plans[0].body == plans[1].body
    assert {200} == {reply.status for reply in replies}
    assert replies[0].headers.keys() == replies[1].headers.keys()
    one, other = (reply.json for reply in replies)
    assert one.keys() == other.keys()
    assert all(one[name] == other[name] for name in ("mechanism", "guarantee", "accuracy", "ledger_row"))
    left = [office.send("ann", "GET", f"/datasets/{name}").json["left"] for name in ("survey", "fewer")]
    assert left[0] == left[1]


def test_a_model_is_a_file(office, tmp_path) -> None:
    """For whoever asked for it; of another question there is none."""
    office.start()
    number = office.ask("ann", "tree", TREE).json["request"]
    other = office.ask("ann", "counts", {"query": "histogram", "column": "job", "epsilon": 0.1}).json["request"]
    file = office.send("ann", "GET", f"/models/{number}")

    assert f'attachment; filename="model-{number}.json"' == file.headers["content-disposition"]
    (tmp_path / "model.json").write_bytes(file.body)
    assert 1 == len(dps.learn.load(tmp_path / "model.json").predict({"age": [30]}))
    assert 404 == office.send("bob", "GET", f"/models/{number}").status
    assert 404 == office.send("ann", "GET", f"/models/{other}").status


def test_a_server_that_ends_in_the_middle_of_a_tree(office) -> None:
    """The next one draws it again, whole, under the same payment, without being asked: one row and one answer."""
    office.start("in the middle of a tree")
    with pytest.raises((OSError, http.client.HTTPException)):
        office.ask("ann", "tree", TREE)
    assert 9 == office.process.wait(30)
    office.process.stdout.close()
    ledger = office.folder / "ledgers" / "survey.ledger"
    assert 1 == dps.Ledger.read(ledger).totals.spends

    office.start()
    until = time.monotonic() + 30
    while (asked := office.send("ann", "GET", "/history").json)[0]["state"] != "answered":
        assert time.monotonic() < until, asked
        time.sleep(0.05)
    stored = office.send("ann", "GET", f"/requests/{asked[0]['request']}")
    assert stored.body == office.ask("ann", "tree", TREE).body
    assert 1 == stored.json["ledger_row"] == dps.Ledger.read(ledger).totals.spends

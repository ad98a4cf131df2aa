"""Synthetic tables made by the server: planned without rows, paid for once, and drawn from by whoever has the model."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from dpselect.queries import query_of
from dpselect.synthesis import SyntheticModel
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import CONFIG, write

WITH_DELTA = CONFIG.replace("budget = {epsilon = 20}", "budget = {epsilon = 20, delta = 1e-4}")


@pytest.fixture
def server_state(tmp_path):
    """Tables with a delta to spend."""
    opened = ServerState.open(read_settings(write(tmp_path, WITH_DELTA)))
    opened.people.add("bob", "analyst", "test")
    yield opened
    opened.close()


@pytest.mark.parametrize(("where", "epsilon"), [("survey", "1"), ("visits", "0.25")])
def test_a_synthetic_table_is_what_was_planned_and_paid(server_state, where: str, epsilon: str) -> None:
    """One row of the ledger pays; the model is that of the certificate."""
    question = query_of({"query": "synthesize", "epsilon": epsilon, "delta": "0.0000001", "method": "mst"})
    dataset, jobs = server_state.datasets[where], JobQueue(server_state)
    shown = dataset.plan(question, 10**5).as_json()
    request = jobs.submit("bob", "table", where, question)
    jobs.start_job(request).result(60)
    found = server_state.requests.find(request.id)
    answer = json.loads(found.answer)
    jobs.stop()

    assert ("answered", 1) == (found.state, found.row)
    assert 1 == dataset.account.ledger.totals.spends
    assert all(answer[each] == shown[each] for each in ("mechanism", "guarantee", "accuracy"))
    model = SyntheticModel.from_dict(answer["model"])
    assert model.answer == answer["answer"]
    assert 5 == len(model.sample(5)[model.names[0]])

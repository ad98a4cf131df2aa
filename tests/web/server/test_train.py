"""Models: what they cost, what comes back, and what is refused before anything is spent."""

from __future__ import annotations

import hashlib
import json
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.learn.export import as_json, restore_model
from dpselect.queries import QUERIES, QueryError, Train, query_of
from dpselect.web.server.errors import InvalidQueryError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.queries import query_in
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.chance import believe, reject
from tests.web.server.conftest import CONFIG, write

WITH_DELTA = CONFIG.replace("budget = {epsilon = 20}", "budget = {epsilon = 20, delta = 1e-4}")
MODELS = {
    "tree": ("survey", {"target": "job", "epsilon": 1}),
    "tree of known size": ("survey", {"target": "job", "epsilon": 1, "n_records": 400, "max_depth": 2, "bins": 8}),
    "boosted": ("survey", {"target": "job", "epsilon": 1, "model": "boosted"}),
    "boosted with a delta": (
        "survey",
        {"target": "job", "epsilon": 1, "model": "boosted", "delta": 1e-6, "rounds": 9, "interactions": False},
    ),
    "id3": ("survey", {"target": "job", "epsilon": 1, "model": "id3", "n_trees": 2, "missing": "category"}),
    "forest": ("survey", {"target": "job", "epsilon": 1, "model": "forest", "delta": "0.000001", "n_trees": 4}),
    "pure forest": ("survey", {"target": "job", "epsilon": 1, "model": "forest", "n_trees": 2, "max_depth": 3}),
    "tree of a number": ("survey", {"target": "age", "epsilon": 1, "unknown": "ignore"}),
    "boosted of a number": ("survey", {"target": "age", "features": ["job"], "epsilon": 1, "model": "boosted"}),
    "tree of persons": ("visits", {"target": "ward", "epsilon": "0.25"}),
    "boosted of persons": ("visits", {"target": "hours", "epsilon": "0.25", "model": "boosted", "delta": 1e-9}),
}


def asked(body) -> Train:
    """Return the question."""
    question = query_of({"query": "train"} | body)
    assert isinstance(question, Train)
    return question


@pytest.fixture
def server_state(tmp_path):
    """Two tables and a graph, with a delta to spend."""
    opened = ServerState.open(read_settings(write(tmp_path, WITH_DELTA)))
    for name in ("ann", "bob"):
        opened.people.add(name, "analyst", "test")
    yield opened
    opened.close()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_what_was_planned_and_paid(server_state, name) -> None:
    """The plan reads no row; one row of the ledger pays; the file is that of the certificate, and loads."""
    where, body = MODELS[name]
    dataset, question, jobs = server_state.datasets[where], asked(body), JobQueue(server_state)
    assert question == query_of(question.canonical())
    shown = dataset.plan(question, 10**5).as_json()
    assert 0 == dataset.account.ledger.totals.spends
    request = jobs.submit("bob", "model", where, question)
    jobs.start_job(request).result(60)
    found = server_state.requests.find(request.id)
    answer = json.loads(found.answer)
    jobs.stop()

    assert ("answered", 1) == (found.state, found.row)
    assert 1 == dataset.account.ledger.totals.spends
    assert all(answer[each] == shown[each] for each in ("mechanism", "guarantee", "accuracy"))
    assert Fraction(shown["guarantee"]["epsilon"]) == question.epsilon
    assert Fraction(shown["guarantee"]["delta"]) == (question.delta or 0)
    model = restore_model(answer["model"])
    assert answer["answer"] == answer["certificate"]["certificate"]["answer"]
    assert hashlib.sha256(as_json(model).encode()).hexdigest() == answer["answer"]["SHA-256 of its file"]
    assert type(model).__name__ == answer["mechanism"] == answer["answer"]["model"]
    assert model.privacy_spent_.epsilon == question.epsilon
    table = {"age": [20, 90], "job": ["nurse", "smith"], "ward": ["east", "west"], "hours": [0, 1]}
    wanted = {column: table[column] for column in model.feature_names_in_}
    assert 2 == len(model.predict(wanted))


@pytest.mark.parametrize("name", MODELS)
def test_a_plan_is_the_same_whatever_the_rows(server_state, tmp_path, name) -> None:
    """They may be locked away, and a plan draws nothing."""
    where, body = MODELS[name]
    first = server_state.datasets[where].plan(asked(body), 10**5)
    for file in ("people.csv", "visits.csv"):
        (tmp_path / file).unlink()
    second = server_state.datasets[where].plan(asked(body), 10**5)

    assert first.as_json() == second.as_json()
    assert first.spends == second.spends
    assert 1 == len(first.spends)


@pytest.mark.parametrize(
    "where, body",
    [
        ("survey", {"target": "income"}),
        ("survey", {"target": "job", "features": ["income"]}),
        ("survey", {"target": "job", "features": ["job"]}),
        ("survey", {"target": "job", "features": ["age", "age"]}),
        ("visits", {"target": "who"}),
        ("visits", {"target": "ward", "features": ["who"]}),
        ("friends", {"target": "source"}),
        ("survey", {"target": "age", "model": "id3"}),
        ("survey", {"target": "age", "model": "forest"}),
        ("survey", {"target": "age", "n_records": 100}),
        ("survey", {"target": "job", "delta": 1e-6}),
        ("survey", {"target": "job", "model": "id3", "delta": 1e-6}),
        ("survey", {"target": "job", "rounds": 3}),
        ("survey", {"target": "job", "model": "boosted", "max_depth": 3}),
        ("survey", {"target": "job", "model": "forest", "interactions": True}),
        ("survey", {"target": "job", "n_trees": 3}),
    ],
)
def test_what_is_no_question_is_refused_unpaid(server_state, where, body) -> None:
    """By public facts alone, in a sentence."""
    with pytest.raises(InvalidQueryError):
        server_state.datasets[where].plan(query_in({"query": "train", "epsilon": 1} | body, QUERIES), 10**5)
    assert 0 == server_state.datasets[where].account.ledger.totals.spends


@pytest.mark.parametrize("delta", [0, 1, -1e-6, 1.5, 1e-16, True, "1e-6", "0.0000000000000001", "", [], float("nan")])
def test_deltas_are_short_decimals(delta) -> None:
    """As prices are, so that exact sums stay short."""
    with pytest.raises(QueryError):
        asked({"target": "job", "model": "boosted", "epsilon": 1, "delta": delta})


@pytest.mark.parametrize(
    "body",
    [{"model": "oracle"}, {"missing": "error"}, {"unknown": "error"}, {"max_records": 9}, {"features": []}],
)
def test_one_record_refuses_no_fit(body) -> None:
    """What could end a fit for the sake of a record cannot be asked for."""
    with pytest.raises(QueryError):
        asked({"target": "job", "epsilon": 1} | body)


def test_models_that_could_outgrow_the_server_are_refused(server_state) -> None:
    """By the limit on candidates: codes times classes, and a hundred times as many cells of a level."""
    survey = server_state.datasets["survey"]
    with pytest.raises(InvalidQueryError, match="96 public candidates and the server allows 95"):
        survey.plan(asked({"target": "job", "epsilon": 1}), 95)
    survey.plan(asked({"target": "job", "epsilon": 1}), 10**3)
    # 32 bins have 32 leaves at most: 32 x 32 x 3 cells of 30 x 100.
    with pytest.raises(InvalidQueryError, match="public candidates and the server allows 1300"):
        survey.plan(asked({"target": "job", "epsilon": 1, "bins": 400}), 1300)


def test_many_trees_at_a_time_are_many_candidates(server_state) -> None:
    """So the limit of the server holds for a tree for several goals too, however often it tries."""
    survey = server_state.datasets["survey"]
    body = {"target": "job", "epsilon": 1, "model": "evolutionary", "population": 1000, "generations": 50}
    with pytest.raises(InvalidQueryError, match="public candidates and the server allows 100000"):
        survey.plan(asked(body), 10**5)
    survey.plan(asked({"target": "job", "epsilon": 1, "model": "evolutionary"}), 10**5)


def test_forests_have_few_levels(server_state) -> None:
    """So that an answer has a few megabytes at most; fewer can be asked for."""
    facts = server_state.datasets["survey"].description
    for asked_for, levels in ((None, 10), (24, 10), (3, 3)):
        body = {"target": "job", "epsilon": 1, "model": "forest", "max_depth": asked_for}
        assert levels == asked(body)._model(facts, None).max_depth


def test_hostile_domains_are_data(tmp_path) -> None:
    """Two numbers that read like a range, text that reads like numbers, quotes, markup, and names of Python."""
    values = ["0", "01", "a,b", 'say "no"', "<b>", "'; DROP TABLE x", "é", "__class__", " x ", "nan"]
    lines = "".join(f'{18 + 72 * (place % 2)},"{each.replace(chr(34), chr(34) * 2)}",{place % 3}\n'
                    for place, each in enumerate(values * 30))  # fmt: skip
    config = f"""
[server]
port = 0

[datasets.odd]
source = "odd.csv"
budget = {{epsilon = 20}}
shares = {{ann = 20}}
columns."a column" = [90, 18]
columns.__class__ = {json.dumps(values)}
columns.class = [0, 1, 2]
"""
    path = write(tmp_path, config)
    (tmp_path / "odd.csv").write_text("a column,__class__,class\n" + lines, encoding="utf-8")
    server_state = ServerState.open(read_settings(path))
    server_state.people.add("ann", "analyst", "test")
    jobs = JobQueue(server_state)
    for target in ("a column", "__class__", "class"):
        request = jobs.submit("ann", target, "odd", asked({"target": target, "epsilon": 5}))
        jobs.start_job(request).result(60)
        answer = json.loads(server_state.requests.find(request.id).answer)
        assert "answered" == answer["state"], answer
        model = restore_model(answer["model"])
        assert {"a column": [18, 90], "__class__": sorted(values), "class": [0, 1, 2]}[
            target
        ] == model.classes_.tolist()
    # Which of the ten it is says whether the number is 18 or 90.
    assert [18, 90] == restored_of(server_state, "a column").predict(
        {"__class__": ["0", "01"], "class": [0, 1]}
    ).tolist()
    jobs.stop()
    server_state.close()


def restored_of(server_state: ServerState, key: str):
    """Return the model of a request of ann's."""
    return restore_model(json.loads(server_state.requests.with_key("ann", key).answer)["model"])


SHAPE = """
[server]
port = 0

[datasets.small]
source = "small.csv"
budget = {epsilon = 20}
shares = {ann = 20}
columns.f = {lower = 0, upper = 2}
{columns}
columns.y = ["no", "yes"]
"""
# Columns that are all alike: the law of the split changes with epsilon the more, the more candidates there are.
ALIKE = [f"g{place}" for place in range(16)]
# How many rows there are of f and of these, each below 1 or above it, and y.
CELLS = {(0, 0): (8, 3), (0, 2): (4, 6), (2, 0): (3, 7), (2, 2): (6, 5)}
ROWS = [(*at, answer) for at, each in CELLS.items() for answer, many in zip(("no", "yes"), each, strict=True)
        for _ in range(many)]  # fmt: skip
# No count is so small that its noise is cut at 0.
TRUE = {"f": [[12, 9], [9, 12]]} | {name: [[11, 10], [10, 11]] for name in ALIKE}
# So many that each wrong law is rejected at that level, but for this probability: by exact binomial tails.
DRAWS, LEVEL, MISSED = 512, 1e-4, 2.3e-7


def fitted_many(tmp_path) -> list:
    """Return as many whole trees of one split as draws, each drawn by the desk under the one payment."""
    columns = "\n".join(f"columns.{name} = {{lower = 0, upper = 2}}" for name in ALIKE)
    path = write(tmp_path, SHAPE.replace("{columns}", columns))
    lines = [("f", *ALIKE, "y"), *((f, *[g] * len(ALIKE), y) for f, g, y in ROWS)]
    (tmp_path / "small.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
    server_state = ServerState.open(read_settings(path))
    server_state.people.add("ann", "analyst", "test")
    jobs = JobQueue(server_state)
    body = {"target": "y", "epsilon": 3, "max_depth": 1, "bins": 2, "n_records": 1000}
    request = jobs.submit("ann", "one", "small", asked(body))
    paid = [jobs._pay(request, server_state.datasets["small"]) for _ in range(DRAWS)]
    kept = [(json.loads(draw()), row) for draw, row in paid]
    assert {("answered", 1)} == {(content["state"], row) for content, row in kept}
    assert 1 == server_state.datasets["small"].account.ledger.totals.spends
    jobs.stop()
    server_state.close()
    return [restore_model(content["model"]).trees_[0].whole_tree for content, _ in kept]


@pytest.mark.chance(1e-6)
def test_trees_follow_their_law(tmp_path) -> None:
    """Leaves have the noise of three tenths of epsilon and splits the law of the rest, not of 0.7 or 1.3 times that."""
    trees = fitted_many(tmp_path)
    chosen = [[*TRUE][tree.split[0]] for tree in trees]
    noise = np.concatenate([(tree.counts[1:] - TRUE[name]).ravel() for tree, name in zip(trees, chosen, strict=True)])
    far = 6
    clipped = iter(np.clip(noise.astype(int), -far, far).tolist())
    scores = dps.utilities.misclassified({name: np.array(table) for name, table in TRUE.items()})

    def of_noise(epsilon: Fraction) -> dict[int, float]:
        ratio = math.exp(-float(epsilon))
        law = {size: (1 - ratio) / (1 + ratio) * ratio ** abs(size) for size in range(-far + 1, far)}
        return law | dict.fromkeys((-far, far), ratio**far / (1 + ratio))

    def of_split(epsilon: Fraction) -> dict[str, float]:
        return dict(zip(TRUE, dps.mechanism("permute-and-flip").pmf(scores, epsilon).tolist(), strict=True))

    for draws, many, law, epsilon in (
        (clipped, noise.size, of_noise, Fraction(9, 10)),
        (iter(chosen), DRAWS, of_split, Fraction(21, 10)),
    ):
        against = {f"{float(factor)} epsilon": law(epsilon * factor) for factor in (Fraction(7, 10), Fraction(13, 10))}
        verdict = audit.sampler(draws.__next__, law(epsilon), against=against, draws=many)
        believe(verdict.p_value, 1e-9)
        for wrong in verdict.rejections:
            reject(wrong.p_value, LEVEL, power=1 - MISSED)

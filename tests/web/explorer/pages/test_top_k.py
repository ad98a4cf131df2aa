"""The page of the top k of a graph shows figures of the library."""

from __future__ import annotations

import contextlib
import contextvars
import io
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.web.explorer.example_data import friends
from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages.top_k import PAGE, right_of
from dpselect.web.explorer.ranking import METRICS, toggle_edge
from research.comparisons import brokers
from tests.chance import believe


def view_of(material=EXAMPLES, **changed):
    """Return the view of a state, the other fields as they stand at first."""
    state = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(state | changed, material)


def test_the_chance_and_the_change_are_those_of_the_library() -> None:
    """Computed here from the degrees alone: the chance of the best, and the largest ratio for an edge that is named."""
    view = view_of(k=1, epsilon=0.7, edge="named", one="Ada", other="Ben")
    drawn, graph = dps.mechanism("permute-and-flip"), friends()
    here = drawn.pmf(dps.utilities.degree(graph), 0.7)
    there = drawn.pmf(dps.utilities.degree(toggle_edge(graph, 0, 1)), 0.7)
    best = graph.degrees == graph.degrees.max()
    ratio = np.exp(np.abs(np.log(here) - np.log(there)).max())

    assert f"{here[best].sum():.3f}" in view.headline
    assert f"by a factor of {ratio:.3g} at most; epsilon allows {np.exp(0.7):.3g}." in view.parts[1].words[0]


def test_the_pictures_mark_the_neighbour() -> None:
    """Bars are the law of the graph and marks the law of its neighbour, at epsilon / k."""
    view = view_of(k=2, epsilon=1, edge="named", one="Ada", other="Zoe")
    rows = view.parts[0].draw(640).to_dict()["data"]["values"]
    drawn, graph = dps.mechanism("permute-and-flip"), friends()
    for graph_of, key in ((graph, "chance"), (toggle_edge(graph, 0, 25), "neighbour")):
        law = drawn.pmf(dps.utilities.degree(graph_of), Fraction(1, 2))
        for row in rows[:24]:
            assert row[key] == law[graph.labels.index(row["candidate"])]


def test_the_table_is_that_of_recommend_metric() -> None:
    """Row by row, and its advice."""
    view = view_of(k=3, epsilon=2, max_degree=30)
    advice = dps.accuracy.recommend_metric(friends(), 3, epsilon=2, max_degree=30, data="public")

    assert (advice.sentence,) == view.parts[2].words
    assert [
        (row.metric, row.mechanism, f"{row.recall:.2f}", f"{row.share:.2f}", *(f"{each:.2f}" for each in row.limit))
        for row in advice.table
    ] == [*map(tuple, view.parts[3].rows)]


def test_one_graph_is_for_degree_and_the_other_is_not() -> None:
    """Where a few know many, degree does as well; among teams it names none of the brokers, and open pairs do."""
    friends_say, teams_say = (view_of(graph=graph, k=3, epsilon=10) for graph in ("given", "teams"))
    shares = {row[0]: float(row[3]) for row in teams_say.parts[3].rows}

    assert friends_say.parts[2].words[0].startswith("Use degree with permute-and-flip: ")
    assert teams_say.parts[2].words[0].startswith("Use open-pairs with local-dampening-flip: ")
    assert shares["degree"] < 0.2 < 0.9 < shares["open-pairs"]
    assert "example_data import teams" in teams_say.example


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(6)])
def test_the_right_of_a_list_are_those_of_drawn_lists(epsilon) -> None:
    """Of 5,000 lists of 4, ties counted as right: right to 0.03 for each place, by Hoeffding's bound."""
    scores = dps.utilities.degree(friends())
    kth = np.sort(scores.values)[-4]
    lists = brokers.lists(scores, "permute-and-flip", 4, epsilon, 5000)
    right = [(scores.values[one] >= kth).sum() for one in lists]
    expected = right_of(scores, dps.mechanism("permute-and-flip"), epsilon, 4)

    beyond = max(0.0, abs(np.mean(right) - expected) / 4 - 0.03)
    believe(2 * np.exp(-2 * 5000 * beyond**2), 1e-6)


@pytest.mark.parametrize(("name", "value"), [("one", ""), ("one", "<b>"), ("other", "Ada"), ("other", "Nobody")])
def test_an_edge_that_is_not_one_is_a_sentence(user, name, value) -> None:
    """A node that there is not, or twice the same."""
    asked = {"edge": "named", "one": "Ada", "other": "Ben"} | {name: value}
    answer = user.get("/top-k", params=asked)

    assert 400 == answer.status_code
    assert 'role="alert"' in answer.text
    assert "<b>" not in answer.text


@pytest.mark.parametrize(("k", "most"), [(49, 30), (50, 30), (3, 2)])
def test_numbers_that_do_not_fit_the_graph_are_a_sentence(user, k, most) -> None:
    """A list of everybody, a maximum degree that the graph exceeds: a sentence, or an answer where it is one."""
    answer = user.get("/top-k", params={"k": k, "max_degree": most, "metric": "open-pairs"})

    assert ("headline" if k == 49 else 'role="alert"') in answer.text


def test_names_of_nodes_are_text() -> None:
    """A public graph may have nodes of any name."""
    names = ["<script>alert(1)</script>", "{{7*7}}", "a'b", '"', "plain"]
    graph = dps.Graph.from_edges([names[0], names[1], names[2]], [names[1], names[2], names[3]], nodes=names)
    material = replace(EXAMPLES, graph=graph)
    view = view_of(material, edge="named", one=names[0], other=names[3], max_degree=4)
    assert "<script" not in view.parts[0].draw(640).svg()
    assert "<script" not in view.commands.shell + view.commands.python


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("mechanism", ["default", "permute-and-flip", "shifted-local-dampening"])
def test_the_commands_exist_and_ask_the_same(metric, mechanism, tmp_path, monkeypatch, capsys) -> None:
    """The command as a dry run, and the Python as it is, on made-up files of those names."""
    view = view_of(metric=metric, mechanism=mechanism, epsilon=2, k=2)
    monkeypatch.chdir(tmp_path)
    graph = friends()
    source = np.repeat(np.arange(len(graph)), graph.degrees)
    rows = [f"{graph.labels[a]},{graph.labels[b]}" for a, b in zip(source, graph.indices, strict=True) if a < b]
    Path("friends.csv").write_text("\n".join(["source,target", *rows]) + "\n", encoding="utf-8")
    Path("nodes.txt").write_text("\n".join(graph.labels) + "\n", encoding="utf-8")
    assert 0 == main(
        ["budget", "create", "friends.ledger", "--epsilon", "9", "--neighbours", "edge", "--dataset", "friends"]
    )

    assert 0 == main([*shlex.split(view.commands.shell)[1:], "--dry-run"])
    assert metric in capsys.readouterr().out
    exec(compile(view.commands.python, "python", "exec"), {})
    assert 7 == dps.Ledger.read("friends.ledger").remaining.epsilon


@pytest.mark.parametrize(
    ("metric", "graph"), [*((metric, "teams") for metric in METRICS), ("degree", "given"), ("triangles", "given")]
)
def test_the_example_draws_the_picture_of_the_page(metric, graph) -> None:
    """The same bars and marks, from public functions alone."""
    view = view_of(metric=metric, k=3, epsilon=2, graph=graph)
    last = view.example.splitlines()[-1]
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n".join(view.example.splitlines()[:-1]), "notebook", "exec"), names)
        chart = eval(last, names)
    mine, page = (each.to_dict()["data"]["values"] for each in (chart, view.parts[0].draw(640)))

    assert [row["candidate"] for row in page] == [row["candidate"] for row in mine]
    assert np.allclose([row["chance"] for row in page], [row["chance"] for row in mine], rtol=1e-9, atol=0)
    assert np.allclose([row["neighbour"] for row in page], [row["neighbour"] for row in mine], rtol=1e-9, atol=0)
    assert view.parts[2].words[0] in printed.getvalue()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_is_an_answer_or_a_sentence(user, mechanism) -> None:
    """Of open pairs at a large epsilon."""
    answer = contextvars.Context().run(
        user.get, "/top-k", params={"mechanism": mechanism, "metric": "open-pairs", "epsilon": 40}
    )

    assert ('class="headline"' in answer.text) != ('role="alert"' in answer.text)
    assert ('role="alert"' in answer.text) == (mechanism == "inverse-sensitivity")

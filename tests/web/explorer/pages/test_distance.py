"""The page of sensitivity by distance shows what the library's own scores and mechanisms say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.cli import main
from dpselect.web.explorer.distance_scores import KINDS
from dpselect.web.explorer.example_data import friends
from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages.distance import PAGE


def state_of(**changed):
    """Return the state at first, with changes."""
    return {field.name: field.read({}) for field in PAGE.fields(EXAMPLES)} | changed


def view_of(**changed):
    """Return the view of a state, the other fields as they stand at first."""
    return PAGE.view(state_of(**changed), EXAMPLES)


def test_the_first_example_is_inverted_and_shifting_restores_it() -> None:
    """By the laws of the library: the best marker is less likely than the second, shifted it is not."""
    view = view_of()
    scores = dps.utilities.tdt([24, 50, 30, 16], [0, 16, 12, 14], families=40)
    classic = dps.mechanism("local-dampening").pmf(scores, 2)
    shifted = dps.mechanism("shifted-local-dampening").pmf(scores, 2)

    assert view.headline.startswith("Local dampening inverts rs1 and rs2: rs1 has the better score, 24 against 17.5")
    assert scores.values[0] > scores.values[1]
    assert classic[0] < classic[1]
    assert shifted[0] == shifted.max()
    assert "restores the order" in view.parts[2].words[1]


def test_the_example_of_betweenness_is_inverted_too() -> None:
    """As published, hubs of the made-up graph fall behind people with less of it."""
    view = view_of(score="ego-betweenness")
    scores = dps.utilities.ego_betweenness(friends(), max_degree=40, sensitivity="degree")
    ticks = dps.mechanism("local-dampening").effective(scores).ticks
    names = re.match(r"Local dampening inverts (\w+) and (\w+) and", view.headline)
    assert names is not None
    better, worse = (friends().labels.index(name) for name in names.groups())

    assert scores.values[better] > scores.values[worse]
    assert ticks[better] < ticks[worse]


@pytest.mark.parametrize("score", KINDS)
def test_the_table_is_that_of_the_library(score) -> None:
    """Scores, sensitivities and effective scores, candidate by candidate."""
    view = view_of(score=score)
    scores = KINDS[score].scores(state_of(score=score), friends())
    classic, shifted = (
        dps.mechanism(name).effective(scores) for name in ("local-dampening", "shifted-local-dampening")
    )
    names = [str(name) for name in scores.candidates]
    for name, *cells in view.parts[3].rows:
        place = names.index(name)
        expected = [
            float(scores.values[place]),
            *scores.sensitivity.at([0, 1])[:, place],
            *(unit.ticks[place] / float(unit.per_unit) for unit in (classic, shifted)),
        ]

        assert [f"{each:.4g}" for each in expected] == cells


@pytest.mark.parametrize("score", KINDS)
def test_the_reason_is_true(score) -> None:
    """Where something is inverted, the one whose steps are said to be wider has wider ones at that distance."""
    view = view_of(score=score)
    if "inverts" not in view.headline:
        assert len(view.parts[2].words) == 1
        return
    found = re.search(r"(\S+) has the wider ones \((\S+) against (\S+) at distance (\d+)\)", view.parts[2].words[0])
    assert found is not None
    scores = KINDS[score].scores(state_of(score=score), friends())
    at = scores.sensitivity.at(int(found[4]))
    names = [str(name) for name in scores.candidates]

    assert float(found[2]) > float(found[3])
    assert f"{at[names.index(found[1])]:.3g}" == found[2]


def test_a_score_below_zero_is_explained_the_other_way_round() -> None:
    """Then the worse candidate has the wider steps, and fewer of them behind zero."""
    found = 0
    for left in range(11):
        for other in range(11):
            splits = (("one", (left, 1)), ("two", (other, 8)), ("three", (5, 0)))
            view = view_of(score="information-gain", split=splits)
            if "inverts" not in view.headline:
                continue
            found += 1
            worse = re.search(r"inverts (\w+) and (\w+)", view.headline)
            assert worse is not None

            assert f"{worse[2]} has the wider ones" in view.parts[2].words[0]

    assert found > 0


UNIVERSES = {
    "tdt": (audit.families(4), lambda row: {"bound": 4, "marker": (("rs1", row),)}),
    "votes": (audit.tables((3,), 4), lambda row: {"count": tuple(zip("abc", row.tolist(), strict=True))}),
    "median": (audit.vectors(3, range(4)), lambda row: {"bound": 3, "count": tuple(zip("abc", row, strict=True))}),
    "ego-betweenness": (audit.graphs(5), lambda _: {"bound": 4}),
    "open-pairs": (audit.graphs(5), lambda _: {"bound": 4}),
    "linear-decay": (audit.graphs(5), lambda _: {"bound": 4}),
}


@pytest.mark.parametrize("score", UNIVERSES)
def test_what_a_page_draws_is_admissible(score) -> None:
    """By the auditor, on every database of a small universe, made of the fields of the page."""
    universe, fields = UNIVERSES[score]

    def utility(database):
        return KINDS[score].scores(state_of() | fields(database), database)

    assert audit.admissible(utility, universe).admissible


@pytest.mark.parametrize("score", KINDS)
def test_a_count_that_is_changed_by_hand_changes_the_page(user, score) -> None:
    """Every score but those of the graph follows the fields; the state stands in the address."""
    rows = {
        "tdt": {"marker": ["rs1", "rs2"], "marker-1": ["9", "30"], "marker-2": ["0", "9"]},
        "votes": {"count": ["x", "y"], "count-count": ["3", "1"]},
        "median": {"count": ["x", "y", "z"], "count-count": ["3", "1", "30"]},
        "information-gain": {"split": ["x", "y"], "split-1": ["3", "1"], "split-2": ["9", "2"]},
        "gini": {"split": ["x", "y"], "split-1": ["3", "1"], "split-2": ["9", "2"]},
    }.get(score, {"bound": "45"})
    first, then = (user.get("/distance/view", params={"score": score, **more}) for more in ({}, rows))

    assert 200 == first.status_code == then.status_code
    assert first.text != then.text


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"score": "tdt", "bound": "5"}, "families"),
        ({"score": "information-gain", "bound": "5"}, "max_records"),
        ({"score": "open-pairs", "bound": "3"}, "exceeds"),
        ({"score": "median", "count": ["x"], "count-count": ["3"]}, "single record"),
        ({"score": "<b>"}, "Score is one of"),
    ],
)
def test_what_does_not_fit_is_a_sentence(user, asked, words) -> None:
    """That of the library, as text."""
    answer = user.get("/distance", params=asked)
    assert 400 == answer.status_code
    (problem,) = re.findall(r'role="alert">([^<]*)<', answer.text)

    assert words in problem


def test_hostile_names_are_text(user) -> None:
    """In the page, in both pictures, in the notebook."""
    hostile = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
    for score, field in (("tdt", "marker"), ("votes", "count"), ("median", "count"), ("gini", "split")):
        numbers = {"marker-1": ["9", "1"], "marker-2": ["1", "2"], "split-1": ["9", "1"], "split-2": ["1", "2"]}
        params = {"score": score, field: [hostile, "b"], "count-count": ["3", "2"], **numbers}
        answer = user.get("/distance", params=params)
        content = json.loads(user.get("/distance/notebook.ipynb", params=params).text)

        assert 200 == answer.status_code
        assert "<img" not in answer.text
        names: dict[str, object] = {}
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), "notebook", "exec"), names)


@pytest.mark.parametrize("score", KINDS)
def test_the_example_draws_the_pictures_of_the_page(score) -> None:
    """The same rows in both, from public functions alone."""
    view = view_of(score=score, beta=0.1)
    names: dict[str, object] = {}
    first, last = view.example.split("\n# %%\n")
    *lines, shown = first.splitlines()
    exec(compile("\n".join(lines), "notebook", "exec"), names)
    for part, expression in zip(view.parts[:2], (shown, last), strict=True):
        assert part.draw(640).to_dict()["data"]["values"] == eval(expression, names).to_dict()["data"]["values"]


@pytest.mark.parametrize("score", KINDS)
def test_a_command_draws_what_the_python_draws_or_is_not_shown(score, user) -> None:
    """A command shifts for growing sensitivities alone, and only some name such a mechanism; the Python names both."""
    for direction in ("growing", "shrinking"):
        commands = view_of(score=score, direction=direction).commands

        assert f'"shifted-local-dampening", direction="{direction}"' in commands.python
        if direction == "growing" and score in {"tdt", "ego-betweenness", "open-pairs", "linear-decay"}:
            assert "--mechanism shifted-local-dampening" in commands.shell
        else:
            assert "" == commands.shell
            assert "use the Python" in commands.note
            assert "Copy the command" not in user.get(f"/distance?score={score}&direction={direction}").text


def test_more_families_than_somebody_waits_for_are_refused() -> None:
    """In a sentence, before anything is computed."""
    with pytest.raises(ValueError, match="up to 20,000 families"):
        view_of(bound=10**6)


@pytest.mark.parametrize("score", KINDS)
def test_the_commands_exist(score, tmp_path, monkeypatch) -> None:
    """The command as a dry run on made-up files of those names, and the Python with made-up data."""
    view, state = view_of(score=score), state_of(score=score)
    monkeypatch.chdir(tmp_path)
    graph = friends()
    ends = np.repeat(np.arange(len(graph)), graph.degrees)
    rows = [f"{graph.labels[a]},{graph.labels[b]}" for a, b in zip(ends, graph.indices, strict=True)]
    files = {
        "friends.csv": ["source,target", *rows],
        "nodes.txt": [*graph.labels],
        "study.csv": ["snp,b,c", "rs1,24,0", "rs2,50,16"],
        "people.csv": ["age,choice", "30,tea", "40,milk"],
        "choices.txt": ["tea", "milk"],
        "gains.csv": ["attribute,gain", "windy,-3.5", "humid,-4"],
    }
    for name, content in files.items():
        Path(name).write_text("\n".join(content) + "\n", encoding="utf-8")
    words = [
        word for word in shlex.split(view.commands.shell)[1:] if not word.endswith(".ledger") and word != "--ledger"
    ]

    if view.commands.shell:
        assert "--mechanism shifted-local-dampening" in view.commands.shell
        assert "--ledger" in view.commands.shell
        assert 0 == main([*words, "--dry-run"])
    else:
        assert "use the Python" in view.commands.note
    scores = KINDS[score].scores(state, graph)
    (file,) = set(re.findall(r'"(\w+\.ledger)"', view.commands.python))
    ledger = dps.Ledger.open(file, dataset="it", epsilon=9, neighbours=scores.neighbours.value)
    exec(compile(view.commands.python, "python", "exec"), {})
    assert 8 == ledger.remaining.epsilon

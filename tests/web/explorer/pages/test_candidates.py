"""The page about candidates: its figures are those of the library, whatever the counts."""

from __future__ import annotations

import math
import re
import shlex
from contextlib import chdir
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.web.explorer.form_fields import NumberField
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages.candidates import PAGE, VOTES
from dpselect.web.explorer.text_column import TextColumn

NAMES, COUNTS = zip(*VOTES, strict=True)


def viewed(material=EXAMPLES, **changed):
    """The view of the first state with some values changed."""
    state = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(state | changed, material)


def rows(view, title: str) -> dict[str, list[str]]:
    """The rows of a table by their first cells."""
    (table,) = [part for part in view.parts if part.kind == "table" and part.title.startswith(title)]
    return {row[0]: row[1:] for row in table.rows}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.001, 0.5, 100])
def test_the_bars_are_the_law(mechanism, epsilon) -> None:
    """Chances, and the neighbour's beside them, are those of scores that the library counts itself."""
    view = viewed(mechanism=mechanism, epsilon=epsilon, changes="water", neighbour="less")
    bars = view.parts[0].draw(640).to_dict()["data"]["values"]
    here = dps.mechanism(mechanism).pmf(dps.utilities.counts(COUNTS), epsilon)
    there = dps.mechanism(mechanism).pmf(dps.utilities.counts([60, 57, 30, 12, 7]), epsilon)

    assert list(NAMES) == [bar["candidate"] for bar in bars]
    assert np.allclose(here, [bar["chance"] for bar in bars], rtol=1e-12)
    assert np.allclose(there, [bar["neighbour"] for bar in bars], rtol=1e-12)


def test_the_largest_ratio_is_over_all_candidates() -> None:
    """Coffee loses by a factor of e^epsilon where one more person chose tea, which is all that epsilon allows."""
    facts = rows(viewed(), "What one person")

    assert ["coffee"] == facts["changes most"]
    assert [f"{math.exp(0.5):.4g}"] == facts["the larger over the smaller"] == facts["what epsilon allows, e^epsilon"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("changes", "neighbour"), [("tea", "more"), ("coffee", "less"), ("milk", "more")])
def test_no_neighbour_exceeds_epsilon(mechanism, changes, neighbour) -> None:
    """The largest ratio that the page states stays below e^epsilon."""
    view = viewed(mechanism=mechanism, changes=changes, neighbour=neighbour, epsilon=1)

    assert float(rows(view, "What one person")["the larger over the smaller"][0]) <= math.e * 1.001


def test_all_mechanisms_are_compared() -> None:
    """Each with its own chance and its own expected loss."""
    table, scores = rows(viewed(), "All mechanisms"), dps.utilities.counts(COUNTS)
    for name in MECHANISMS:
        right, loss = (
            dps.mechanism(name).pmf(scores, 0.5)[0],
            dps.accuracy.expected_error(scores, epsilon=0.5, mechanism=name),
        )

        assert [f"{right:.3f}", f"{loss:.3g}"] == table[name]


def test_epsilon_is_needed_twice() -> None:
    """For these counts, by a search on the law; whatever the counts, as dpselect plan says it."""
    facts = rows(viewed(probability=0.9), "Epsilon that names the best with probability 0.9")
    here, whatever = (facts[name][0] for name in ("for these counts alone", "whatever the counts are"))
    planned = dps.epsilon_for(error=1, candidates=5, probability=0.9, range_bound=1, kind="integer")

    assert dps.mechanism("permute-and-flip").pmf(dps.utilities.counts(COUNTS), float(here))[0] >= 0.9
    assert f"{planned:.6g}" == whatever
    assert ["not known of this mechanism"] == rows(viewed(mechanism="smooth-noisy-max"), "Epsilon")[
        "whatever the counts are"
    ]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "votes",
    [
        (("a", 10**9), ("b", 10**9 - 1), ("c", 0)),
        (("a", 0), ("b", 0)),
        (("a", 7), ("b", 7), ("c", 7)),
        (("alone", 3),),
        (("a", 10**9), ("b", 0)),
    ],
)
def test_hostile_counts(mechanism, votes) -> None:
    """Enormous, zero, equal, or of one candidate: the figures are numbers, and the chances of the bars sum to 1."""
    view = viewed(mechanism=mechanism, candidate=votes)
    bars = view.parts[0].draw(640).to_dict()["data"]["values"]

    assert np.isclose(1, sum(bar["chance"] for bar in bars))
    assert [name for name, _ in votes] == [bar["candidate"] for bar in bars]
    assert "nan" not in view.headline
    assert not [part for part in view.parts if part.kind == "table" and "nan" in str(part.rows)]


def test_the_largest_count_and_one_less_differ() -> None:
    """One vote is one vote, however many there are."""
    view = viewed(candidate=(("a", 10**9 - 1), ("b", 10**9)), epsilon=1)
    one = dps.mechanism("permute-and-flip").pmf(dps.utilities.counts([0, 1]), 1)

    assert f"b, which has the largest count, is named with probability {one[1]:.3f}" in view.headline
    assert f"{one[0]:.3g}" == rows(view, "All mechanisms")["permute-and-flip"][1]


def test_ties_are_said() -> None:
    """No candidate is called the largest where several are."""
    assert "All 2 candidates" in viewed(candidate=(("a", 4), ("b", 4))).headline
    assert "One of the 2 candidates" in viewed(candidate=(("a", 4), ("b", 4), ("c", 1))).headline


def test_nobody_is_taken_from_nobody() -> None:
    """A count of 0 has no neighbour with one less, and a name that nobody has no neighbour at all."""
    with pytest.raises(ValueError, match="Nobody chose b"):
        viewed(candidate=(("a", 1), ("b", 0)), changes="b", neighbour="less")
    with pytest.raises(ValueError, match="No candidate is called beer"):
        viewed(changes="beer")


def test_a_column_is_counted() -> None:
    """Its values are the candidates: the best 24, and the rest in one bar; by hand remains a choice."""
    column = [f"v{number % 3000}" for number in range(10_000)] + ["v7"] * 9 + [""]
    material = Material(columns={"word": TextColumn.of(column), "n": TextColumn.of("12")}, given="table")
    view = viewed(material)
    bars = view.parts[0].draw(640).to_dict()["data"]["values"]
    numbers = np.array([4] * 1000 + [3] * 2000)
    numbers[7] += 9
    law = dps.mechanism("permute-and-flip").pmf(dps.utilities.counts(numbers), 0.5)

    assert "v7, which has the largest count" in view.headline
    assert 25 == len(bars)
    assert "the other 2,976" == bars[-1]["candidate"]
    assert np.isclose(law[7], bars[0]["chance"], rtol=1e-12)
    assert "most-common people.csv word " in view.commands.shell
    assert "tea" in viewed(material, column="").headline


def test_a_column_that_cannot_be_shown_is_refused() -> None:
    """There is nothing to choose from, or more than a page shows."""
    for cells, words in ((["", ""], "is empty"), (map(str, range(100_001)), "100,001 different values")):
        with pytest.raises(ValueError, match=words):
            viewed(Material(columns={"word": TextColumn.of(cells)}), column="word")


@pytest.mark.parametrize("place", [0, 57, 100, 150, 200])
def test_the_slider_reaches_every_state(user, place) -> None:
    """From its least epsilon to its largest, the page answers with the chance that the library finds."""
    (slider,) = [field for field in PAGE.fields(EXAMPLES) if isinstance(field, NumberField) and field.slider]
    epsilon = float(f"{math.exp(math.log(slider.low) + math.log(slider.high / slider.low) * place / 200):.3g}")
    answer = user.get("/candidates/view", params={"epsilon": epsilon})
    chance = dps.mechanism("permute-and-flip").pmf(dps.utilities.counts(COUNTS), epsilon)[0]

    assert 200 == answer.status_code
    assert f"with probability {chance:.3f}" in unescape(answer.text)


@pytest.mark.parametrize("count", ["-1", "1000000001", "1e3", "nan", "x"])
def test_a_count_is_a_whole_number(user, count) -> None:
    """From 0 to 10^9; anything else is a sentence."""
    answer = user.get("/candidates/view", params={"candidate": "a", "candidate-count": count})

    assert 400 == answer.status_code
    assert re.search("whole number from 0 to 1,000,000,000", answer.text)


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != "inverse-sensitivity"])
def test_the_command_exists(mechanism, tmp_path, capsys) -> None:
    """It says what it would cost: on a file of the name that it has, with columns of those names."""
    (tmp_path / "people.csv").write_text("choice\ntea\nmilk\n", encoding="utf-8")
    (tmp_path / "counts.csv").write_text("choice,count\ntea,2\nmilk,1\n", encoding="utf-8")
    (tmp_path / "choices.txt").write_text("tea\nmilk\n", encoding="utf-8")
    for epsilon in (0.5, 20):
        words = shlex.split(viewed(mechanism=mechanism, epsilon=epsilon).commands.shell)
        with chdir(tmp_path):
            (tmp_path / "people.ledger").unlink(missing_ok=True)
            assert 0 == main(["budget", "create", "people.ledger", "--epsilon", "100", "--dataset", "people"])
            assert 0 == main([*words[1:], "--dry-run"])

    assert "Dry run: nothing was spent" in capsys.readouterr().out


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_python_exists(mechanism, tmp_path, monkeypatch) -> None:
    """It runs on a table, choices and a ledger of those names, and spends what the page says."""
    monkeypatch.chdir(tmp_path)
    ledger = dps.Ledger.open("people.ledger", dataset="people", epsilon=1)
    Path("people.csv").write_text("choice\n" + 9 * "tea\n" + 4 * "milk\n")
    Path("choices.txt").write_text("tea\nmilk\n")
    exec(viewed(mechanism=mechanism).commands.python, {})

    assert 0.5 == ledger.remaining.epsilon


def test_no_command_asks_by_another_mechanism() -> None:
    """Where no command draws by the mechanism of the page, there is none, and a sentence says so."""
    commands = viewed(mechanism="inverse-sensitivity").commands

    assert "" == commands.shell
    assert "No command draws counts by inverse-sensitivity" in commands.note
    assert 'mechanism="inverse-sensitivity"' in commands.python


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 10])
def test_no_factor_beyond_what_is_allowed_is_shown(epsilon) -> None:
    """At the largest counts that a user can write, and told from 1 at the least epsilon."""
    (field,) = [field for field in PAGE.fields(EXAMPLES) if field.name == "candidate"]
    votes = (("tea", field.high), ("b", 0), ("c", 5))
    facts = rows(viewed(candidate=votes, mechanism="exponential", epsilon=epsilon), "What one person changes")
    (shown,), (allowed,) = facts["the larger over the smaller"], facts["what epsilon allows, e^epsilon"]

    assert allowed != "1"
    assert 1 < float(shown) <= float(allowed)

"""The page of trees: its figures are the library's, on made-up people and on a table of one's own."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")

import dpselect as dps
from dpselect.cli import main
from dpselect.web.explorer.example_data import people
from dpselect.web.explorer.explorer_page import PageTable, TreeDrawing, View
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages.tree import PAGE
from dpselect.web.explorer.text_column import TextColumn

SAMPLE = {name: [*cells] for name, cells in people().items()}
NUMBERS = {name: [float(cell) for cell in SAMPLE[name]] for name in ("age", "income")}
DOMAINS = {
    **{name: (min(cells), max(cells)) for name, cells in NUMBERS.items()},
    **{name: sorted({*SAMPLE[name]}) for name in ("job", "region", "rich")},
}


def shown(material: Material = EXAMPLES, **changed) -> View:
    """The view of the state that stands there at first, with changes."""
    first = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(first | changed, material)


def default(epsilon: float, **more) -> dps.learn.DPTreeClassifier:
    """The default tree of the page, made without it."""
    return dps.learn.DPTreeClassifier(epsilon, domains=DOMAINS, n_records=1000, **more)


@pytest.mark.parametrize(
    ("learner", "made"),
    [
        ("tree", lambda: default(0.3, max_depth=2)),
        ("id3", lambda: dps.learn.DPID3Classifier(0.3, 2, domains=DOMAINS)),
    ],
)
def test_the_headline_is_the_law(learner, made) -> None:
    """Best answer, its chance, its cost and the neighbour's factor are those of the library."""
    view = shown(learner=learner, epsilon=0.3, depth="2", row=5)
    fewer = {name: cells[:4] + cells[5:] for name, cells in SAMPLE.items()}
    asked, other = (dps.learn.first_split(made(), table, "rich") for table in (SAMPLE, fewer))
    law = asked.mechanism.pmf(asked.scores, asked.epsilon)
    there = other.mechanism.pmf(other.scores, other.epsilon)
    said = re.search(r"(\S.*), with probability ([\d.]+).* costs ([\d.]+) .*factor of ([\d.]+) at", view.headline)

    assert said is not None
    assert said[1].endswith(asked.scores.candidates[int(np.argmax(asked.scores.values))])
    assert float(said[2]) == pytest.approx(law.max(), abs=0.0006)
    assert float(said[3]) == pytest.approx(float(asked.epsilon), rel=0.006)
    factor = math.exp(np.abs(np.log(law) - np.log(there)).max())
    assert float(said[4]) == pytest.approx(factor, rel=0.006)
    assert factor <= math.exp(asked.epsilon) * (1 + 1e-9)


def test_leaves_keep_their_labels_as_their_law_says() -> None:
    """Counted from the table by hand, for a tree of one split."""
    leaves = next(part for part in shown(depth="1", epsilon=0.2).parts if isinstance(part, PageTable))
    assert 2 == len(leaves.rows)
    for leaf, rows, label, left, chance in leaves.rows:
        column, sign, number = leaf.split()
        below = [(float(cell) < float(number)) == (sign == "<") for cell in SAMPLE[column]]
        ended = [rich for rich, here in zip(SAMPLE["rich"], below, strict=True) if here]
        counts = [ended.count("no"), ended.count("yes")]
        law = dict(zip(("no", "yes"), by_hand(counts, 0.06), strict=True))

        assert (f"{len(ended):,}", "0.06") == (rows, left)
        assert label == max(law, key=law.__getitem__)
        assert float(chance) == pytest.approx(law[label], abs=0.0006)


def by_hand(counts: list[int], epsilon: float) -> list[float]:
    """The law of a label, by the plain sum over the noise of both counts."""
    q = math.exp(-epsilon)
    noise = np.arange(-700, 701)
    chance = (1 - q) / (1 + q) * q ** np.abs(noise)
    one, other = (np.maximum(0, count + noise) for count in counts)
    second = float(chance @ (other[None, :] > one[:, None]) @ chance)
    return [1 - second, second]


@pytest.mark.parametrize(("learner", "words"), [("tree", "mixes in the counts above"), ("id3", "then prunes by")])
def test_what_a_fit_does_next_is_said(learner, words) -> None:
    """The default tree mixes in what stands above a leaf, and ID3 prunes."""
    assert words in next(part for part in shown(learner=learner).parts if isinstance(part, PageTable)).note


def test_the_tree_is_drawn() -> None:
    """With the label of every leaf; one that is too wide says so instead."""
    tree = next(part for part in shown(depth="1").parts if isinstance(part, TreeDrawing))

    assert "<svg" in str(tree.picture)
    assert "income" in str(tree.picture)


def test_too_few_rows_are_one_leaf() -> None:
    """At a tiny epsilon nothing is asked, and the page says what would help."""
    assert "one leaf" in shown(epsilon=0.01).headline


def test_the_same_state_shows_the_same(user) -> None:
    """Nothing is drawn at random: a reload shows the same page."""
    one, two = (user.get("/tree/view?epsilon=0.7&depth=2").text for _ in range(2))

    assert one == two


def test_learners_are_compared_and_one_is_recommended() -> None:
    """Four first questions, and the library's public rule for the rows of the private table."""
    parts = shown(rows=100).parts
    compared, advice = parts[-2], parts[-1]

    assert ["readable tree", "ID3, max-operator", "ID3, gini", "ID3, information-gain"] == [r[0] for r in compared.rows]
    assert "below 500" in advice.words[1]
    assert "boosted tables" in shown(rows=50_000).parts[-1].words[1]


def test_a_table_without_a_class_is_a_sentence() -> None:
    """Numbers alone, or one column alone, cannot be predicted."""
    numbers = Material(columns={"a": TextColumn.of(map(str, range(50))), "b": TextColumn.of(map(str, range(50)))})
    with pytest.raises(ValueError, match="two to eight classes"):
        shown(numbers)
    with pytest.raises(ValueError, match="one more column"):
        shown(Material(columns={"a": TextColumn.of(["x", "y"] * 20)}))


def test_hostile_tables_are_text() -> None:
    """Names of columns and cells stay text in the headline's place, the drawing and the command."""
    bad = "<script>alert(1)</script>"
    columns = {bad: TextColumn.of([bad, "b"] * 50), "it's; rm": TextColumn.of(["'$(x)", "n", "n", "'$(x)"] * 25)}
    view = shown(Material(columns=columns), epsilon=9.0)
    tree = next(part for part in view.parts if isinstance(part, TreeDrawing))
    words = shlex.split(view.commands.shell)

    assert "<script" not in str(tree.picture)
    assert ["dpselect", "train", "people.toml", "it's; rm"] == words[:4]


@pytest.mark.parametrize("learner", ["tree", "id3"])
def test_the_command_runs(learner, tmp_path, monkeypatch, capsys) -> None:
    """It is accepted with --dry-run for a table of that name, and spends nothing."""
    monkeypatch.chdir(tmp_path)
    rows = zip(*SAMPLE.values(), strict=True)
    lines = [",".join(SAMPLE), *(",".join(row) for row in rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = {
        name: {"lower": known[0], "upper": known[1]} if isinstance(known, tuple) else known
        for name, known in DOMAINS.items()
    }
    (tmp_path / "people.toml").write_text(dps.Dataset(source="people.csv", columns=columns).dump(), encoding="utf-8")
    assert 0 == main(shlex.split("budget create people.ledger --epsilon 5 --dataset people"))
    words = shlex.split(shown(learner=learner, depth="2").commands.shell)

    assert (0, "dpselect") == (main([*words[1:], "--dry-run"]), words[0]), capsys.readouterr().err


@pytest.mark.parametrize("learner", ["tree", "id3"])
def test_the_python_runs(learner, tmp_path, monkeypatch) -> None:
    """The statements for private rows fit a model and spend what they say, once."""
    monkeypatch.chdir(tmp_path)
    ledger = dps.Ledger.open("people.ledger", epsilon=1, dataset="people")
    rows = [",".join(map(str, row)) for row in zip(*SAMPLE.values(), strict=True)]
    Path("people.csv").write_text("\n".join([",".join(SAMPLE), *rows]) + "\n")
    exec(compile(shown(learner=learner, epsilon=0.25).commands.python, "private", "exec"), {})

    assert 0.25 == float(ledger.totals.epsilon)

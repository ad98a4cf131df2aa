"""Choosing the algorithm from the command line."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpselect import adaptive, histograms
from dpselect.adaptive import histogram_options, tree_options
from dpselect.adaptive.choice import Choice, MeasuredFact, PredictedLoss
from dpselect.cli import main
from dpselect.cli.commands.choose import _explanation
from tests.cli.inputs import description
from tests.cli.test_command_registry import refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of small histograms and tables, one private histogram, one private table with its domains."""
    found = tmp_path_factory.mktemp("choose")
    shapes = {
        f"{name} {scale}": histograms.shapes.make(name, (32,), scale)
        for name in ("uniform", "steps")
        for scale in (100, 5000)
    }
    maker = adaptive.AdaptiveAlgorithm(
        histogram_options.options(["identity", "uniform", "hb"]),
        histogram_options.metafeatures(),
        histogram_options.range_error,
        learner="fixed",
    )
    groups = {name: name.split()[0] for name in shapes}
    maker.train(shapes, [0.1, 1], 2, groups=groups, traces=found / "cells.parquet", jobs=1)
    np.save(found / "counts.npy", histograms.shapes.make("steps", (32,), 3000, seed=5))
    tables = {}
    for rows in (100, 3000):
        size, color = np.arange(rows) % 3, np.arange(rows) % 2
        columns = {"size": size, "color": color}
        tables[str(rows)] = tree_options.LabelledTable(
            columns, color, {"size": [0, 1, 2], "color": [0, 1]}, [0, 1], (columns, color)
        )
    maker = adaptive.AdaptiveAlgorithm(
        tree_options.options(names=["A5", "default"]),
        tree_options.metafeatures(),
        tree_options.error_rate,
        learner="fixed",
    )
    maker.train(tables, [1, 10], 2, traces=found / "trees.parquet", jobs=1)
    lines = ["size,color,rich", *(f"{i % 3},{i % 2},{'yes' if i % 2 else 'no'}" for i in range(2000))]
    (found / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    columns = 'size = [0, 1, 2]\ncolor = [0, 1]\nrich = ["no", "yes"]\n'
    (found / "people.toml").write_text(description(columns), encoding="utf-8")
    return found


def histogram(folder: Path, *more: str) -> list[str]:
    """The arguments of a choice among histograms."""
    paths = [str(folder / "counts.npy"), "--traces", str(folder / "cells.parquet")]
    return ["choose", "histogram", *paths, "--epsilon", "1", "--learner", "fixed", *more]


def test_histograms_are_answered_and_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Estimated counts in a file, and why."""
    assert 0 == main(histogram(folder, "--out", str(folder / "noisy.npy")))
    text = capsys.readouterr().out

    assert "6 metafeatures were read, 4 of them paid for with epsilon 0.05" in text
    assert "<- chosen" in text
    assert "epsilon = 1 per record added or removed; written to" in text
    assert (32,) == np.load(folder / "noisy.npy").shape


def test_free_choices_spend_nothing_on_metafeatures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Public metafeatures only, from the same traces."""
    assert 0 == main(histogram(folder, "--metafeatures", "free", "--out", str(folder / "free.npy")))

    assert "all of them public, at no cost" in capsys.readouterr().out


def test_trees_are_answered_from_a_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A released model that predicts; one spend for all of it."""
    ledger, model = str(folder / "b.ledger"), str(folder / "m.json")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "10", "--dataset", "people"])
    table = [str(folder / "people.toml"), "rich"]
    traces = ["--traces", str(folder / "trees.parquet"), "--epsilon", "10", "--learner", "regret-tree"]
    assert 0 == main(["choose", "tree", *table, *traces, "--ledger", ledger, "--out", model])
    assert "epsilon = 10 per record added or removed" in capsys.readouterr().out
    assert 0 == main(["predict", model, str(folder / "people.csv")])
    assert ["label", "no", "yes"] == capsys.readouterr().out.split()[:3]
    assert 0 == main(["budget", "export", ledger])
    spent = capsys.readouterr().out

    assert 1 == spent.count('"choice-maker"')
    assert json.dumps("choose") in spent


def test_no_number_of_rows_is_refused(folder: Path) -> None:
    """One row more than any bound would decide whether there is an answer."""
    rows = [f"{i % 3},{i % 2},{'yes' if i % 2 else 'no'}" for i in range(100_001)]
    (folder / "many.csv").write_text("\n".join(["size,color,rich", *rows]), encoding="utf-8")
    described = (folder / "people.toml").read_text(encoding="utf-8").replace("people.csv", "many.csv")
    (folder / "many.toml").write_text(described, encoding="utf-8")
    table = [str(folder / "many.toml"), "rich", "--traces", str(folder / "trees.parquet"), "--epsilon", "1"]

    assert 0 == main(["choose", "tree", *table, "--learner", "fixed", "--out", str(folder / "many.json")])


def test_traces_of_trees_that_need_a_bound_on_rows_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are for Python, where the bound is passed."""
    monkeypatch.setattr(tree_options, "UNBOUNDED", ("A3", "default"))
    table = [str(folder / "people.toml"), "rich", "--traces", str(folder / "trees.parquet"), "--epsilon", "1"]

    assert "trees.parquet holds traces of fewer than two of A3, default: train with these." in refusal(
        ["choose", "tree", *table, "--out", str(folder / "none.json")], capsys
    )


def test_compare_draws_regret(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Learned, rival and fixed policies in one table, and a picture."""
    picture = folder / "regret.png"
    assert 0 == main(["compare", "--traces", str(folder / "cells.parquet"), "--out", str(picture)])
    text = capsys.readouterr().out

    assert ["forest", "regret-tree", "fixed", "always"] == [line.split()[0] for line in text.splitlines()[1:5]]
    assert picture.stat().st_size > 5000


@pytest.mark.parametrize("shape", [pytest.param((32,), marks=pytest.mark.slow), (8, 8)])
def test_compare_draws_histograms(shape, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The original beside every private one, for public counts."""
    counts, picture = tmp_path / "c.npy", tmp_path / "h.png"
    np.save(counts, histograms.shapes.make("steps", shape, 3000))
    assert 0 == main(["compare", "histogram", str(counts), "--epsilon", "1", "--out", str(picture)])

    assert [*histograms.EVERY_ALGORITHM] == [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert picture.stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["choose", "histogram", "none.npy", "--traces", "CELLS", "--epsilon", "1", "--out", "a.npy"],
            "The file none.npy does not exist",
        ),
        (
            ["choose", "histogram", "CELLS", "--traces", "CELLS", "--epsilon", "1", "--out", "a.npy"],
            "is not a .npy file",
        ),
        (
            ["choose", "histogram", "COUNTS", "--traces", "TREES", "--epsilon", "1", "--out", "a.npy"],
            "of the kind 'tree'",
        ),
        (
            ["choose", "histogram", "COUNTS", "--traces", "none", "--epsilon", "1", "--out", "a.npy"],
            "The file none does not exist",
        ),
        (
            ["choose", "histogram", "COUNTS", "--traces", "CELLS", "--epsilon", "1", "--out", "a.csv"],
            "--out writes .npy",
        ),
        (
            ["choose", "histogram", "COUNTS", "--traces", "CELLS", "--epsilon", "1", "--out", "a.npy", "--share", "2"],
            "share is the part",
        ),
        (
            [
                "choose",
                "histogram",
                "COUNTS",
                "--traces",
                "CELLS",
                "--epsilon",
                "1",
                "--out",
                "a.npy",
                "--learner",
                "x",
            ],
            "The learner 'x' does not exist",
        ),
        (["compare"], "or pass --traces"),
        (["compare", "--traces", "CELLS", "--out", "a.doc"], "not a picture"),
    ],
)
def test_refusals(arguments, words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence on standard error, status 2."""
    paths = {"CELLS": "cells.parquet", "TREES": "trees.parquet", "COUNTS": "counts.npy"}
    given = [str(folder / paths[each]) if each in paths else each for each in arguments]

    assert words in refusal(given, capsys)


def test_the_traces_that_ship_are_used_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --traces a choice works at first use, and says where it learned; with them it does not say so."""
    counts, out = str(folder / "counts.npy"), str(folder / "first.npy")
    quick = ["--learner", "regret-tree", "--metafeatures", "free"]
    assert 0 == main(["choose", "histogram", counts, "--epsilon", "1", "--out", out, *quick])
    assert "those that ship with dpselect: its own options on made-up data" in capsys.readouterr().out
    table = [str(folder / "people.toml"), "rich"]
    assert 0 == main(["choose", "tree", *table, "--epsilon", "1", "--out", str(folder / "first.json"), *quick])
    assert "On databases left out of training" in capsys.readouterr().out
    assert 0 == main(histogram(folder, "--out", str(folder / "own.npy")))
    assert "ship" not in capsys.readouterr().out


def test_what_lies_outside_the_trained_range_is_named_and_nothing_is_negative() -> None:
    """616 records where 1,000 to 50,000 were trained for; noise made the non-zero cells negative: shown as 0."""
    measured = (
        MeasuredFact("total", 616.0, Fraction(1, 80), 113.0, 1000.0, 50_000.0),
        MeasuredFact("nonzero", -695.0, Fraction(1, 80), 113.0, 0.0, 4096.0),
    )
    guesses = {name: PredictedLoss(1.0, 1.0 + k, 0.5, 2.0) for k, name in enumerate(("identity", "uniform"))}
    option = histogram_options.options(["identity"])[0]
    text = _explanation(Choice(option, measured, guesses, Fraction(1), Fraction(1, 20), "", None, None))

    assert "Outside the trained range, though within half its width: total. " in text
    assert "-695" not in text

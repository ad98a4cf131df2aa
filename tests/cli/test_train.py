"""Training and predicting from the command line."""

import csv
import json
import os
import subprocess
import sys
from fractions import Fraction
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.format_exact import format_rounded
from dpselect.kernel.rho_conversion import rho_within
from dpselect.queries.train import CRITERIA
from tests.cli import inputs
from tests.cli.inputs import changed
from tests.cli.test_command_registry import refusal

EVOLUTIONARY = ["--model", "evolutionary"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table where old nurses are rich, and its public domains."""
    rng = np.random.default_rng(0)
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "job", "rich"])
        for age, job in zip(rng.integers(0, 101, 2000).tolist(), rng.choice(["nurse", "smith"], 2000), strict=True):
            writer.writerow([age, job, "yes" if age >= 50 and job == "nurse" else "no"])
    describe(tmp_path)
    return tmp_path


AGE, RICH = "age = {lower = 0, upper = 100}\n", 'rich = ["no", "yes"]\n'


def describe(folder: Path, columns: str = inputs.COLUMNS, more: str = "") -> None:
    """Write what is public of the table."""
    (folder / "people.toml").write_text(inputs.description(columns, more), encoding="utf-8")


def train(folder: Path, *more: str) -> list[str]:
    """The arguments of a training."""
    return ["train", str(folder / "people.toml"), "rich", "--epsilon", "20", "--out", str(folder / "m.json"), *more]


@pytest.mark.parametrize("model", ["tree", "boosted", "id3", "forest", "evolutionary"])
def test_train_and_predict(model: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model file, its promise, labels with shares and reasons."""
    assert 0 == main(train(folder, "--model", model))
    assert "epsilon = 20 per record added or removed" in capsys.readouterr().out
    assert 0 == main(["predict", str(folder / "m.json"), str(folder / "people.csv"), "--proba", "--why"])
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))

    assert ["label", "chance of no", "chance of yes", "why"] == rows[0]
    assert 2001 == len(rows)
    assert "because" in rows[1][3]


@pytest.mark.parametrize("model", ["tree", "boosted", "forest"])
def test_a_rare_class_is_labelled_by_a_threshold(model: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the model, or of one prediction: the labels are those of shares from it on, as in Python."""
    learned = train(folder, "--model", model, "--threshold", "0.15")
    assert 0 == main([*learned, "--dry-run"])
    assert 0 == main(learned)
    capsys.readouterr()
    asked = ["predict", str(folder / "m.json"), str(folder / "people.csv"), "--proba"]
    for more, least in (((), 0.15), (("--threshold", "1/3"), 1 / 3)):
        assert 0 == main([*asked, *more])
        for label, _, yes in [*csv.reader(capsys.readouterr().out.splitlines())][1:]:
            assert (label == "yes") == (float(yes) >= least) or abs(float(yes) - least) < 1e-4
    assert dps.learn.load(folder / "m.json").threshold == 0.15
    assert 0 == main([*asked, "--threshold", "base-rate"])


def test_a_threshold_that_does_not_fit_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is spent, with what to do."""
    assert "a share between 0 and 1 such as 0.2, or base-rate" in refusal(train(folder, "--threshold", "1.5"), capsys)
    other = refusal(train(folder, "--model", "id3", "--threshold", ".2"), capsys)
    assert "goes with the model tree, boosted or forest" in other
    asked = train(folder, "--threshold", "0.2")
    describe(folder, AGE + 'rich = ["no", "yes", "unknown"]\n')
    assert "two classes, and rich has 3: ask for base-rate" in refusal(asked, capsys)
    describe(folder)
    number = [each if each != "rich" else "age" for each in asked]
    assert "a target of classes" in refusal(number, capsys)
    assert not (folder / "m.json").exists()
    assert 0 == main(train(folder, "--model", "id3"))
    capsys.readouterr()
    predicted = ["predict", str(folder / "m.json"), str(folder / "people.csv"), "--threshold", "0.2"]
    assert "leave --threshold out" in refusal(predicted, capsys)


def test_the_published_tree_is_trained_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """LocalDiffPID3 by its parts; others need a bound on rows, which one row may break, and are refused."""
    from dpselect.learn.id3 import CRITERIA as learned

    assert learned == CRITERIA
    gain = ["--model", "id3", "--criterion", "information-gain"]
    assert 0 == main(train(folder, *gain, "--mechanism", "local-dampening"))
    assert "epsilon = 20" in capsys.readouterr().out
    refused = refusal_after(capsys, train(folder, *gain, "--overwrite"))
    assert "public bound on information gain: pass --mechanism local-dampening, or max_records= in Python." in refused
    stray = train(folder, "--criterion", "gini", "--overwrite")
    assert "--criterion: this goes with the model id3: leave it out." in refusal_after(capsys, stray)


def test_labels_go_to_a_file_and_the_spend_to_a_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a picture of the tree."""
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    assert 0 == main(train(folder, "--ledger", ledger, "--picture", str(folder / "t.png"), "--max-depth", "2"))
    again = train(folder, "--ledger", ledger, "--overwrite")
    assert "left epsilon 10" in refusal_after(capsys, again)
    labels = str(folder / "labels.csv")
    assert 0 == main(["predict", str(folder / "m.json"), str(folder / "people.csv"), "--out", labels])

    assert 2001 == len(Path(labels).read_text(encoding="utf-8").splitlines())
    assert (folder / "t.png").stat().st_size > 2000
    assert 0 == main(["budget", "export", ledger])
    assert '"command": "train"' in capsys.readouterr().out


def test_several_trees_are_shown_and_what_was_weighed_is_recorded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three trees, an empty line between them; the weights stand with the spend."""
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    capsys.readouterr()
    more = ["--output", "3", "--population", "10", "--max-depth", "2", "--importance", "yes=3", "no=1/2"]
    assert 0 == main(train(folder, *EVOLUTIONARY, *more, "--ledger", ledger))
    *trees, last = capsys.readouterr().out.split("\n\n")
    assert 3 == len(trees)
    assert last.startswith("epsilon = 20 per record")
    assert 0 == main(["budget", "export", ledger])
    assert '"importance": "yes=3, no=1/2"' in capsys.readouterr().out


def refusal_after(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """What a refused command says, after others have printed."""
    capsys.readouterr()
    return refusal(arguments, capsys)


@pytest.mark.parametrize(
    ("columns", "more", "message"),
    [
        (f'{AGE}job = ["nurse", "smith"]\n', [], "columns.rich: no such column is described"),
        (f"age = 7\n{RICH}", [], "<toml>, line 3: columns.age: a column is {lower = ..., upper = ..., step = ...}"),
        (f"{AGE}rich = no", [], "<toml>, line 4: this is not TOML"),
        ("age = [0, 100]", [], "write {lower = 0, upper = 100} for all between, or [100, 0] for these two alone."),
        ("age = [", [], "this is not TOML"),
        (None, ["--mechanism", "exponential"], "--mechanism: this goes with the model id3"),
        (None, ["--max-depth", "0"], "--max-depth: a whole number from 1"),
        (f'{AGE}rich = "yes"\n', [], "<toml>, line 4: columns.rich: a column is"),
        (f"{AGE}rich = {{lower = 0, upper = 1}}\n", ["--model", "id3"], "rich is a number: ask for tree or boosted."),
        (f"{AGE}rich = {{lower = 0, upper = 1}}\n", ["--model", "forest"], "--model: The model forest learns classes"),
        (
            f"{AGE}rich = {{lower = 0, upper = 1}}\n",
            ["--n-records", "2000"],
            "--n-records: this goes with a target of classes",
        ),
        (
            f"{AGE}rich = {{lower = 1, upper = 0}}\n",
            [],
            "<toml>, line 4: columns.rich.lower: lower must be below upper",
        ),
        (f'age = {{lower = "a", upper = 9}}\n{RICH}', [], "<toml>, line 3: columns.age.lower: this must be a finite"),
        (
            f"age = {{lower = 0, uper = 9}}\n{RICH}",
            [],
            "<toml>, line 3: columns.age.uper: this key does not exist: did you",
        ),
        (f"age = {{lower = 0}}\n{RICH}", [], "<toml>, line 3: columns.age: upper is missing"),
        (f"age = {{lower = 0, upper = true}}\n{RICH}", [], "columns.age.upper: this must be a finite number"),
        (f"age = {{lower = 0, upper = 9, edges = 3}}\n{RICH}", [], "columns.age.edges: edges are a list of numbers"),
        (f"age = {{lower = 0, upper = 9, edges = [0, 9, 5]}}\n{RICH}", [], "edges rise from lower to upper"),
        (f'{AGE}rich = ["no"]\n', [], "the target: A target has at least two classes"),
        (None, [*EVOLUTIONARY, "--goal", "pareto", "--importance", "yes=3"], "or pass --goal weighted."),
        (None, [*EVOLUTIONARY, "--importance", "yes=1", "yes=2"], "--importance: yes is named twice"),
        (
            None,
            [*EVOLUTIONARY, "--importance", "yes=-3"],
            "--importance: this is CLASS=NUMBER, and a class counts at least 0",
        ),
        (
            None,
            [*EVOLUTIONARY, "--mechanism", "shifted-local-dampening-flip", "--goal", "pareto"],
            "pass --mechanism permute-and-flip or one of local-dampening-flip, exponential, local-dampening.",
        ),
    ],
)
def test_bad_trainings_end_with_one_sentence(
    columns: str | None, more: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the line of the description or the option; and write no model."""
    if columns is not None:
        describe(folder, columns)
    assert message.replace("<toml>", str(folder / "people.toml")) in refusal(train(folder, *more), capsys)
    assert not (folder / "m.json").exists()


@pytest.mark.parametrize("model", ["tree", "forest"])
def test_what_reads_records_in_memory_says_so_in_the_words_of_the_shell(
    model: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A regressor and a forest in place: leave out --in-place, and nothing about frames."""
    pytest.importorskip("ibis")
    # Without classes the target is a number.
    if model == "tree":
        describe(folder, f"{AGE}rich = {{lower = 0, upper = 1}}\n", "in_place = true\n")
    else:
        describe(folder, more="in_place = true\n")
    message = refusal(train(folder, "--model", model), capsys)
    assert "leave out in_place" in message
    assert "frame" not in message


def test_json_keeps_a_released_model_on_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is nothing but numbers, and programs read it all the same."""
    assert 0 == main(train(folder, "--model", "boosted", "--rounds", "3", "--json"))
    text = capsys.readouterr().out
    assert json.loads((folder / "m.json").read_text(encoding="utf-8")) == json.loads(text)["model"]
    assert len(text.splitlines()) < 60


def test_one_file_is_not_written_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model, the picture and the ledger are different files, and nothing is spent when they are not."""
    ledger = str(folder / "m.json")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    assert "--out and --ledger are the same file" in refusal_after(capsys, train(folder, "--ledger", ledger))
    for taken in ("people.csv", "people.toml"):
        other = folder / f"other name of {taken}"
        other.hardlink_to(folder / taken)
        before = other.read_bytes()
        assert "The dataset and --out are the same file" in refusal_after(
            capsys, changed(train(folder), ["--out", str(other)])
        )
        assert before == other.read_bytes()
    assert 0 == main(["budget", "verify", ledger])
    assert "0 entries" in capsys.readouterr().out


def test_damaged_models_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence."""
    (folder / "m.json").write_text(json.dumps({"format": 1}), encoding="utf-8")
    assert "was edited" in refusal(["predict", str(folder / "m.json"), str(folder / "people.csv")], capsys)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--model", "forest", "--goal", "pareto"], "--goal: this goes with the model evolutionary: leave it out."),
        (["--delta", "1e-6"], "pass --n-records, a rough public number, or name the learner."),
        (["--delta", "1e-6", "--model", "tree"], "--delta: this goes with the model boosted or forest: leave"),
        (["--delta", "1", "--model", "boosted"], "--delta: delta is a positive number below 1"),
        (["--delta", "1e-6", "--n-records", "2000", "--max-depth", "3"], "leads to boosted"),
        (["--delta", "1e-6", "--n-records", "20", "--rounds", "3"], "leads to tree"),
        (["--model", "boosted", "--max-depth", "3"], "--max-depth: this goes with the model tree, id3"),
        (["--model", "boosted", "--n-records", "2000"], "--n-records: this goes with"),
        (["--model", "boosted", "--mechanism", "exponential"], "--mechanism: this goes with the model id3"),
        (
            ["--model", "forest", "--mechanism", "exponential"],
            "--mechanism: this goes with the model id3 or evolutionary",
        ),
        (["--model", "boosted", "--rounds", "0"], "--rounds: a whole number from 1"),
        (["--interactions", "false"], "--interactions: this goes with the model boosted"),
        (["--model", "boosted", "--picture", "c.svg"], "the curves of --model boosted with --interactions false"),
        (["--model", "id3", "--n-records", "2000"], "--n-records: this goes with the model tree: leave it out."),
        (["--n-records", "0"], "--n-records: a whole number from 1"),
        (["--features", "rich"], "--features: A column cannot be both target and feature"),
    ],
)
def test_options_that_do_not_go_together_are_refused_unpaid(
    more: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence that names the options; the ledger stays as it was."""
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    assert message in refusal_after(capsys, train(folder, *more, "--ledger", ledger))
    assert 0 == main(["budget", "verify", ledger])
    assert "0 entries" in capsys.readouterr().out


def test_whole_persons_are_protected_and_recorded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The promise names them, in a dry run too, and the ledger keeps the column and the number of records."""
    rows = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    owned = [f"who,{rows[0]}", *(f"p{number // 2},{row}" for number, row in enumerate(rows[1:]))]
    (folder / "people.csv").write_text("\n".join(owned), encoding="utf-8")
    describe(folder, more='person = "who"\nrows_per_person = 2\n')
    ledger, persons = str(folder / "b.ledger"), ["--n-records", "2000"]
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people", "--neighbours", "person"])
    assert 0 == main(train(folder, *persons, "--ledger", ledger, "--dry-run"))
    cost = "epsilon = 20 per person, of whom at most 2 records count"
    assert cost in capsys.readouterr().out
    assert 0 == main(train(folder, *persons, "--ledger", ledger))
    printed = capsys.readouterr().out
    assert f"{cost}; learned from age, job;" in printed
    assert 0 == main(["budget", "export", ledger])
    printed = capsys.readouterr().out
    assert '"person": "who"' in printed
    assert '"rows_per_person": "2"' in printed


@pytest.mark.parametrize("model", ["tree", "forest", "evolutionary"])
def test_a_page_for_people_is_written_beside_the_model(
    model: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was asked, the promise, and a drawing; one that exists is not replaced, and nothing is spent then."""
    page = folder / "m.html"
    assert 0 == main(train(folder, "--model", model, "--html", str(page)))
    text = page.read_text(encoding="utf-8")
    assert "epsilon = 20" in text
    assert "<svg" in text
    assert "exists" in refusal_after(capsys, train(folder, "--html", str(page)))


BOOSTED = ["--delta", "1e-6", "--n-records", "2000"]


def test_a_budget_with_a_delta_pays_for_boosting_where_the_rule_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which and why, in a dry run too; the ledger adds up the rho, and curves and page are written."""
    ledger = str(folder / "b.ledger")
    create = ["budget", "create", ledger, "--epsilon", "50", "--delta", "1e-5", "--rule", "rho", "--dataset", "people"]
    assert 0 == main(create)
    assert "kept as rho " in capsys.readouterr().out
    assert 0 == main(train(folder, *BOOSTED, "--ledger", ledger, "--dry-run"))
    planned = capsys.readouterr().out
    assert "cost       epsilon = 20 and delta = 0.000001 (rho = " in planned
    assert "mechanism  DPBoostedTreesClassifier" in planned
    assert "chosen     because 2,000 records x epsilon 20 = 40,000 is at least 500" in planned
    pictures = ["--interactions", "false", "--picture", str(folder / "c.svg"), "--html", str(folder / "c.html")]
    assert 0 == main(train(folder, *BOOSTED, "--ledger", ledger, *pictures, "--rounds", "20"))
    printed = capsys.readouterr().out
    assert "a sum of 20 small tables; columns that move its score most: " in printed
    assert "chosen because 2,000 records" in printed
    assert "(rho = " in printed
    assert 'aria-label="curve of age"' in (folder / "c.html").read_text(encoding="utf-8")
    assert (folder / "c.svg").stat().st_size > 2000

    (event,) = dps.Ledger.read(ledger).events
    assert rho_within(20, Fraction("1e-6")) == event.rho
    assert 0 == main(["budget", "show", ledger])
    assert f"DPBoostedTreesClassifier (rho {format_rounded(event.rho)})" in capsys.readouterr().out
    assert 0 == main(["budget", "verify", ledger])
    assert f"1 entry, unbroken; rho {format_rounded(event.rho)} spent" in capsys.readouterr().out


def test_few_records_lead_to_a_tree_that_spends_no_delta(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the public number, whatever the table holds, and programs read why."""
    assert 0 == main(train(folder, "--delta", "1e-6", "--n-records", "20", "--json"))
    answer = json.loads(capsys.readouterr().out)

    assert "DPTreeClassifier" == answer["mechanism"]
    assert (
        "20 records x epsilon 20 = 400 is below 500, too little to promise more than a tree" == answer["chosen_because"]
    )
    assert "0" == answer["guarantee"]["delta"]
    assert 0 == main(train(folder, "--model", "auto", "--overwrite", "--dry-run"))
    assert "mechanism  DPTreeClassifier" in capsys.readouterr().out


def test_boosting_without_a_delta_is_pure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No delta is spent that was not named."""
    assert 0 == main(train(folder, "--model", "boosted", "--dry-run", "--json"))
    guarantee = json.loads(capsys.readouterr().out)["guarantee"]

    assert ("20", "0") == (guarantee["epsilon"], guarantee["delta"])
    assert "rho" not in guarantee


def numbers(folder: Path) -> list[str]:
    """The arguments of a training of a number: who is 50 or older has 3000, others 1000."""
    rows = ["age,income", *(f"{age},{1000 if age < 50 else 3000}" for age in range(100) for _ in range(20))]
    (folder / "people.csv").write_text("\n".join(rows), encoding="utf-8")
    describe(folder, f"{AGE}income = {{lower = 0, upper = 4000}}\n")
    asked = train(folder)
    return [*asked[:2], "income", *asked[3:]]


@pytest.mark.parametrize(
    "more", [[], ["--model", "boosted", "--delta", "1e-6", "--interactions", "false", "--rounds", "50"]]
)
def test_a_target_with_bounds_is_a_number(more: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is predicted by a regressor, with reasons and without shares; its page and its picture show it."""
    asked = numbers(folder)
    assert 0 == main([*asked, *more, "--html", str(folder / "m.html"), "--picture", str(folder / "m.svg")])
    assert ("move its prediction most: age 100%" if more else "; records: ") in capsys.readouterr().out
    page = (folder / "m.html").read_text(encoding="utf-8")
    assert "within its public bounds 0 and 4000" in page
    assert ("A prediction starts with " if more else "to a value. In brackets stand") in page
    predict = ["predict", str(folder / "m.json"), str(folder / "people.csv")]
    assert 0 == main([*predict, "--why"])
    header, *values = csv.reader(capsys.readouterr().out.splitlines())
    assert ["value", "why"] == header
    assert all(
        abs(float(value) - (1000 if row < 1000 else 3000)) < 500
        for row, (value, _) in enumerate(values)
        if not 900 <= row < 1100
    )
    assert "predicts a number: leave it out" in refusal([*predict, "--proba"], capsys)


def test_a_number_is_learned_by_what_the_rule_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As classes are; check counts what is beyond the bounds."""
    asked = numbers(folder)
    assert 0 == main([*asked, "--delta", "1e-6", "--n-records", "2000", "--dry-run"])
    assert "mechanism  DPBoostedTreesRegressor" in capsys.readouterr().out
    assert 0 == main([*asked, "--delta", "1e-6", "--n-records", "20", "--dry-run"])
    assert "mechanism  DPTreeRegressor" in capsys.readouterr().out
    assert 0 == main(["check", str(folder / "people.toml")])


@pytest.mark.parametrize("relation", ["person", "add-remove"])
def test_a_ledger_of_the_other_relation_is_refused_before_the_spend(
    relation: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are paid from a ledger of rows, and persons from one of persons; a dry run says so too."""
    other, persons = ("add-remove", "") if relation == "person" else ("person", 'person = "job"\n')
    ledger = str(folder / "b.ledger")
    create = ["budget", "create", ledger, "--epsilon", "30", "--dataset", "people", "--neighbours", relation]
    assert 0 == main(create)
    describe(folder, AGE + RICH, persons)
    capsys.readouterr()
    for dry in ([], ["--dry-run"]):
        assert 2 == main(train(folder, "--ledger", ledger, *dry))
        refused = capsys.readouterr().err
        assert f"This budget protects {relation} neighbours and the release {other} neighbours" in refused
        assert f"--neighbours {other}" in refused
    assert not (folder / "model.json").exists()
    assert 0 == main(["budget", "show", ledger])
    assert "epsilon: 0 spent, 30 left" in capsys.readouterr().out


def test_the_ledger_says_whose_rows_are_protected_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Column and number of rows are public, and budget show prints them."""
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people", "--neighbours", "person"])
    describe(folder, AGE + RICH, 'person = "job"\nrows_per_person = 3\n')
    assert 0 == main(train(folder, "--ledger", ledger))
    capsys.readouterr()
    assert 0 == main(["budget", "show", ledger])
    assert "fit; persons: column job, at most 3 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--delta", "0.5"], "above 1/1000"),
        (["--delta", "1e-3"], ""),
        (["--delta", "1e-3", "--n-records", "2000"], "above one over --n-records"),
    ],
)
def test_a_large_delta_is_allowed_and_said(
    more: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error, by public numbers alone, beside the one for the curator."""
    model = ["--model", "auto"] if "--n-records" in more else ["--model", "boosted"]
    assert 0 == main(train(folder, *model, *more, "--dry-run"))
    errors = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("private, for you alone: ")]
    assert said in "".join(errors)
    assert bool(said) == bool(errors)


@pytest.mark.parametrize("place", ["", "in_place = true\n"])
def test_a_database_file_is_answered_with_its_url(place: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """duckdb:// and the name of the table."""
    pytest.importorskip("ibis")
    (folder / "p.duckdb").write_bytes(b"")
    text = inputs.description(more=place, source="p.duckdb")
    (folder / "people.toml").write_text(text, encoding="utf-8")
    assert f"pass duckdb://{folder / 'p.duckdb'}?table=NAME" in refusal(train(folder), capsys)


MISSING = """
import sys
from dpselect.cli import main
sys.modules[sys.argv[1]] = None
train = "train d.toml y --epsilon 1 --out m.json"
for words in (train, "predict d.toml t.csv", *sys.argv[2:]):
    print(main(words.split()))
"""


@pytest.mark.parametrize("module, library", [("sklearn", "scikit-learn"), ("narwhals", "narwhals")])
def test_without_a_library_the_commands_name_its_extra_alike(module: str, library: str, tmp_path: Path) -> None:
    """To train and to predict take the extra of learners; to reproduce takes further ones."""
    if module == "narwhals" and not any(need.startswith(module) for need in metadata.requires("scikit-learn") or []):
        pytest.skip("before version 1.9 scikit-learn needs no narwhals, and neither does a text file")
    (tmp_path / "t.csv").write_text("a,y\n0,1\n1,0\n", encoding="utf-8")
    columns = 'a = ["0", "1"]\ny = ["0", "1"]\n'
    (tmp_path / "d.toml").write_text(inputs.description(columns, source="t.csv"), encoding="utf-8")
    # To reproduce comes with a clone alone, and it needs no data frames.
    further = ["reproduce --quick"] if module == "sklearn" else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    run = subprocess.run(
        [sys.executable, "-c", MISSING, module, *further],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    said = f'{library} is not installed: python -m pip install ".[{{}}]" in a clone of dpselect.'
    expected = [f"dpselect train: {said.format('learn')}", f"dpselect predict: {said.format('learn')}"]
    expected += [f"dpselect reproduce: {said.format('all,reproduce')}" for _ in further]
    assert run.stderr.splitlines() == expected
    assert ["2"] * len(expected) == run.stdout.split()

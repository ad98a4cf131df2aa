"""What users of other estimators and other tables take for granted."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import get_scorer

import dpselect as dps
from dpselect.cli import main
from dpselect.learn import (
    DPEvolutionaryTreeClassifier,
    DPID3Classifier,
    DPTreeClassifier,
    load,
    preview,
)
from dpselect.papers import RandomDecisionForestClassifier

AGES = np.arange(2000) % 100
LABELS = np.where(AGES >= 50, "late", "soon")


def tree(**given) -> DPTreeClassifier:
    """A tree that certainly finds the cut."""
    return DPTreeClassifier(50, **({"domains": {"age": (0, 100)}, "classes": ["soon", "late"]} | given))


def test_scorers_take_classes_to_be_sorted() -> None:
    """The area under the curve and the log loss of a perfect tree, with classes declared in another order."""
    table = pd.DataFrame({"age": AGES})
    model = tree().fit(table, LABELS)

    assert ["late", "soon"] == model.classes_.tolist()
    # Areas are summed in floats.
    assert get_scorer("roc_auc")(model, table, LABELS) > 1 - 1e-9
    assert -0.01 < get_scorer("neg_log_loss")(model, table, LABELS)


def test_classes_without_an_order_stay_as_declared() -> None:
    """Numbers and text cannot be sorted together."""
    model = tree(classes=["soon", 1]).fit({"age": [10] * 50}, ["soon"] * 50)

    assert ["soon", "1"] == [str(label) for label in model.classes_]


def test_a_refused_fit_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    """The ledger is empty: the earlier tree still answers, for its own columns and classes."""
    ledger = dps.Ledger.open(tmp_path / "book", epsilon=50)
    model = tree(ledger=ledger, domains={"age": (0, 100), "debt": (-100, 0)}).fit({"age": AGES}, LABELS)
    with pytest.raises(dps.BudgetError):
        model.fit({"debt": -AGES}, LABELS)

    assert ["age"] == model.feature_names_in_.tolist()
    assert 1.0 == model.score({"age": AGES}, LABELS)


def test_names_follow_the_last_fit() -> None:
    """Columns renamed, then no names at all."""
    model = tree(domains={"age": (0, 100)}).fit({"age": AGES}, LABELS)
    model.set_params(domains={"years": (0, 100)}).fit({"years": AGES}, LABELS)

    assert ["years"] == model.feature_names_in_.tolist()
    model.set_params(domains={0: (0, 100)}).fit(AGES[:, None], LABELS)
    assert not hasattr(model, "feature_names_in_")


def test_columns_named_by_numbers(tmp_path: Path) -> None:
    """As pandas names them when nobody does; the file keeps the numbers."""
    table = pd.DataFrame(np.stack([AGES, AGES[::-1]], axis=1))
    model = tree(domains={0: (0, 100), 1: (0, 100)}).fit(table, LABELS)
    model.save(tmp_path / "model.json")

    assert 1.0 == model.score(table, LABELS) == load(tmp_path / "model.json").score(table, LABELS)


def test_columns_of_one_name_are_refused() -> None:
    """In one sentence."""
    table = pd.DataFrame({"age": AGES})
    with pytest.raises(ValueError, match="columns of different names"):
        tree().fit(pd.concat([table, table], axis=1), LABELS)


@pytest.mark.parametrize("dtype", ["string", "object", "category"])
def test_the_missing_value_of_pandas(dtype: str) -> None:
    """It compares with nothing: its row is left out, or it is a category of its own, or an error."""
    word = pd.Series(["x", "z", pd.NA] * 300, dtype=dtype)
    given = {"domains": {"word": ["x", "z"]}, "classes": [0, 1]}
    model = DPTreeClassifier(20, missing="category", **given).fit(pd.DataFrame({"word": word}), [0, 1, 1] * 300)

    assert [0, 1, 1] == model.predict(pd.DataFrame({"word": word[:3]})).tolist()
    left = DPTreeClassifier(1000, **given).fit(pd.DataFrame({"word": word}), [0, 1, 1] * 300).trees_[0]
    assert 600 == left.counts[0].sum()
    with pytest.raises(ValueError, match='pass missing="category"'):
        DPTreeClassifier(20, missing="error", **given).fit(pd.DataFrame({"word": word}), [0, 1, 1] * 300)


def test_the_target_is_no_attribute() -> None:
    """A series among the columns would be predicted from itself."""
    table = pd.DataFrame({"age": AGES, "when": LABELS})
    model = tree(domains={"age": (0, 100), "when": ["soon", "late"]})
    with pytest.raises(ValueError, match="'when' is also a column"):
        model.fit(table, table["when"])


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_a_named_series_brings_its_declared_classes(make) -> None:
    """As the name of a target column does."""
    target = make(name="when", data=LABELS) if make is pd.Series else make("when", LABELS)
    model = tree(classes=None, domains={"age": (0, 100), "when": ["soon", "late"]}).fit({"age": AGES}, target)

    assert 1.0 == model.score({"age": AGES}, LABELS)


def test_categories_that_no_file_could_hold_are_refused_before_spending(tmp_path: Path) -> None:
    """Dates become text first."""
    days = pd.to_datetime(["2020-01-01", "2021-01-01"])
    ledger = dps.Ledger.open(tmp_path / "book", epsilon=50)
    with pytest.raises(ValueError, match="text, numbers or booleans"):
        tree(domains={"day": list(days)}, ledger=ledger).fit({"day": days}, ["soon", "late"])

    assert 0 == ledger.totals.epsilon


@pytest.mark.parametrize(
    "model, share",
    [
        (DPTreeClassifier(2, n_records=1), 0.3),
        (DPTreeClassifier(2), 0.3 * 0.98),
        (DPID3Classifier(2, 1), 1 / 4),
        (DPID3Classifier(2, 1, stop="depth", n_trees=2), 1 / 4),
        (DPID3Classifier(2, 2, shares=(1, 2, 3)), 3 / 10),
        (RandomDecisionForestClassifier(2, 4), 1),
        (RandomDecisionForestClassifier(2, 4, sharing="budget", leaf="counts", stop="support"), 0.98 / 4),
        (DPTreeClassifier(2, n_records=1, person="who", rows_per_person=3), 0.1),
    ],
    ids=str,
)
def test_previews_tell_the_noise_of_a_leaf(model, share: float) -> None:
    """Standard deviation sqrt 2 over what a leaf spends."""
    table = {"age": AGES, "who": np.arange(AGES.size)} if model.person else {"age": AGES}
    model.set_params(domains={"age": (0, 100)}, classes=["soon", "late"])

    assert 2**0.5 / (2 * share) == pytest.approx(preview(model, table, LABELS, n_records=5000, tries=1).noise)


@pytest.mark.parametrize(
    "convert", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_previews_take_every_table(convert) -> None:
    """With labels, or with the name of the target column."""
    model = tree(classes=None, domains={"age": (0, 100), "when": ["soon", "late"]})

    assert 1.0 == preview(model, convert({"age": AGES, "when": LABELS}), "when", n_records=5000, tries=1).score
    model.set_params(classes=["soon", "late"])
    assert 1.0 == preview(model, convert({"age": AGES}), LABELS, n_records=5000, tries=1).score


@pytest.mark.parametrize("option, path", [("--out", "none/m.json"), ("--out", "."), ("--picture", "m.doc")])
def test_where_nothing_can_be_written_nothing_is_spent(
    option: str, path: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    """The model would be lost and its budget with it."""
    monkeypatch.chdir(tmp_path)
    columns = {"age": {"lower": 0, "upper": 100}, "when": ["soon", "late"]}
    Path("t.toml").write_text(dps.Dataset(source="t.csv", columns=columns).dump())
    Path("t.csv").write_text(
        "age,when\n" + "".join(f"{age},{label}\n" for age, label in zip(AGES, LABELS, strict=True))
    )
    ledger = dps.Ledger.open("book", epsilon=1)
    places = {"--out": "m.json"} | {option: path}
    given = [word for pair in places.items() for word in pair]
    status = main(["train", "t.toml", "when", "--epsilon", "1", "--ledger", "book", *given])

    assert 2 == status
    assert option in capsys.readouterr().err
    assert 0 == ledger.totals.epsilon


def test_people_are_told_apart_exactly() -> None:
    """A number and its text are two people; rows of nobody are left out, or refused where that is asked for."""
    given = {"domains": {"age": (0, 100)}, "classes": ["soon", "late"], "person": "who"}
    two = np.array([7, "7"] * 1000, dtype=object)
    model = DPTreeClassifier(1000, **given).fit({"age": AGES, "who": two}, LABELS)

    assert 2 == model.trees_[0].counts.sum()
    for nobody in (None, float("nan"), pd.NA):
        some = {"age": AGES, "who": np.array([1, nobody] * 1000, dtype=object)}
        assert 1 == model.fit(some, LABELS).trees_[0].counts.sum()
        with pytest.raises(ValueError, match="whose every row is"):
            DPTreeClassifier(1000, missing="error", **given).fit(some, LABELS)


def test_labels_outside_the_declared_classes() -> None:
    """Left out; where that is to be an error, one sentence that speaks of labels, missing or unknown."""
    for classes, labels in ((["soon", "x"], LABELS), (["soon", "late"], np.where(AGES > 3, LABELS, None))):
        tree(classes=classes).fit({"age": AGES}, labels)
        with pytest.raises(ValueError, match="among the declared classes|labels are missing"):
            tree(classes=classes, unknown="error", missing="error").fit({"age": AGES}, labels)


def test_columns_are_one_dimensional() -> None:
    """A column of a mapping holds one value a record."""
    with pytest.raises(ValueError, match="one-dimensional"):
        tree().fit({"age": AGES[:, None]}, LABELS)


def test_loaded_models_can_be_fitted_again(tmp_path: Path) -> None:
    """With the domains and the epsilon they were trained with."""
    table = {"age": AGES, "job": np.where(AGES > 80, "x", None)}
    known = {"age": np.array([0, 25, 50, 100]), "job": ["x", "z"]}
    tree(domains=known, missing="category").fit(table, LABELS).save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")

    assert 1.0 == again.fit(table, LABELS).score(table, LABELS)
    assert 50 == again.privacy_spent_.epsilon


def test_domains_from_the_data_stay_private_to_nobody(tmp_path: Path) -> None:
    """Text columns predict as well; a loaded model does not pass such domains off as public."""
    table = pd.DataFrame({"job": ["x", "z"] * 300, "when": LABELS[:600], "age": AGES[:600]})
    model = DPTreeClassifier(20, domains="observed-not-private")
    with pytest.warns(UserWarning, match="not private"):
        model.fit(table, "when")
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")

    assert 0.9 < model.score(table[["job", "age"]], table["when"])
    assert again.predict(table).tolist() == model.predict(table[["job", "age"]]).tolist()
    with pytest.raises(dps.PrivacyError, match="domains="):
        again.fit(table, "when")


@pytest.mark.parametrize("classes", [["soon", "late"], ["late", "soon"]])
def test_importance_belongs_to_its_class(classes: list[str]) -> None:
    """However the classes are declared, and whether or not the model was fitted before."""
    table = {"age": np.zeros(4000), "when": np.array(["soon", "late"] * 2000)}
    given = {"generations": 0, "population": 60, "depth": 1, "domains": {"age": (0, 100), "when": classes}}
    for label in classes:
        model = DPEvolutionaryTreeClassifier(10_000, importance={label: 9}, **given)
        for _ in range(2):
            assert label == model.fit(table, "when").predict({"age": [0]})[0]


@pytest.mark.parametrize("labels", [np.array(["no", "yes"]), pd.Series(["no", "yes"]), ["no", "yes"]])
def test_a_target_without_a_name_is_told_so(labels) -> None:
    """Domains list its classes, and nobody can know under which name."""
    model = DPTreeClassifier(1, domains={"age": (0, 100), "rich": ["no", "yes"]})
    with pytest.raises(dps.PrivacyError, match="The target has no name"):
        model.fit(pd.DataFrame({"age": [20, 70]}), labels)

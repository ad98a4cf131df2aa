"""Why a boosted model gives a label: the columns that move the score most, in words that are true of the record."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dpselect.learn.boosted.score_reasons import alike_codes, reasons
from dpselect.learn.domains import Attribute
from dpselect.views.gradient_sums import Interaction
from tests.learn.boosted_models import TABLE, fitted


class Model:
    """A model of two columns and one tile each."""

    def __init__(self, classes: list[str]) -> None:
        self.classes_ = np.array(classes)
        self.attributes_ = (
            Attribute("age", None, np.array([0.0, 10.0, 20.0, 30.0]), missing=True),
            Attribute("job", ("nurse", "smith"), None),
        )
        age = Interaction((0,), (np.array([0, 0, 1, 1]),), 2)
        job = Interaction((1,), (np.array([0, 1]),), 2)
        self.model_ = type("Sum", (), {"sizes": (4, 2), "tiles": (age, job)})()

    def _places(self, chances: np.ndarray) -> np.ndarray:
        """The likeliest."""
        return chances.argmax(axis=1)

    def _base_rates(self) -> np.ndarray:
        """Even ones."""
        return np.full(self.classes_.size, 1 / self.classes_.size)


CODES = [np.array([0, 2, 3, -1]), np.array([0, 1, 0, -1])]


def test_values_that_no_tile_tells_apart_have_one_name() -> None:
    """Ages below 20 are one value to this model; missing has a name of its own, as has what has no code."""
    moves = np.array([[2.0, -1.0], [0.5, 0.25], [0.01, 3.0], [-0.02, 0.04]])
    chances = np.array([[0.2, 0.8], [0.3, 0.7], [0.1, 0.9], [0.6, 0.4]])

    assert [[0, 0, 1, 1], [0, 1]] == [each.tolist() for each in alike_codes(Model(["no", "yes"]).model_)]
    assert [
        "yes (chance 0.80, 0.50 among all), because age < 20 (+2.00), despite job is nurse (-1.00)",
        "yes (chance 0.70, 0.50 among all), because age >= 20 (+0.50) and job is smith (+0.25)",
        "yes (chance 0.90, 0.50 among all), because job is nurse (+3.00)",
        "no (chance 0.60, 0.50 among all), because it is the likelier label before any column is looked at",
    ] == reasons(Model(["no", "yes"]), CODES, chances, moves)


def test_a_first_class_is_spoken_for_by_what_lowers_the_score() -> None:
    """Of two classes there is one score."""
    chances = np.array([[0.9, 0.1]] * 4)
    (said, *_) = reasons(Model(["no", "yes"]), CODES, chances, np.array([[-2.0, 1.0]] * 4))

    assert "no (chance 0.90, 0.50 among all), because age < 20 (+2.00), despite job is nurse (-1.00)" == said


def test_of_several_classes_the_score_of_the_label_counts() -> None:
    """Each class has its own."""
    moves = np.zeros((4, 2, 3))
    moves[3, :, 2] = [1.5, -0.5]
    *_, said = reasons(Model(["a", "b", "c"]), CODES, np.array([[0.1, 0.2, 0.7]] * 4), moves)

    assert (
        "c (chance 0.70, 0.33 among all), because age is missing or not a number (+1.50), "
        "despite job is missing or not listed (-0.50)" == said
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_reasons_are_true_of_every_record(classes: int) -> None:
    """The label is the predicted one, the chance its chance, and a named range of ages holds the age."""
    model = fitted(classes, interactions=False)
    labels, chances = model.predict(TABLE), model.predict_proba(TABLE)
    for row, said in enumerate(model.why(TABLE)):
        assert said.startswith(f"{labels[row]} (chance {chances[row].max():.2f}, ")
        age = TABLE["age"][row]
        for low, high in re.findall(r"age in \[(\S+), (\S+)\)", said):
            assert float(low) <= age < float(high)
        for low in re.findall(r"age >= (\S+)", said):
            assert age >= float(low)
        for high in re.findall(r"age < (\S+)", said):
            assert age < float(high)
        if "job is " in said and "job is not" not in said:
            assert f"job is {TABLE['job'][row]} (" in said

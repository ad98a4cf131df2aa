"""Which mechanism, prior or minimum size serves a formula, on rows that may be looked at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.release.best import GroupRanking

GROUPS = ["a", "b", "c", "d"]
ROWS = {
    "shop": ["a"] * 900 + ["b"] * 700 + ["c"] * 60 + ["d"] * 4,
    "stars": [4, 5] * 450 + [2, 3] * 350 + [5] * 30 + [4] * 30 + [5] * 4,
}
STARS = {"stars": {"lower": 1, "upper": 5}}


def advised(**more: Any) -> dps.accuracy.FormulaRecommendation:
    given = {"by": "shop", "groups": GROUPS, "columns": STARS, "score": "avg(stars)", "data": "example", "epsilon": 1}
    return dps.accuracy.recommend_formula(ROWS, **{**given, **more})


def test_every_row_is_judged_by_the_score_that_is_wanted() -> None:
    """Chances are those of the law, and shortfalls by the wanted prior, whatever draws."""
    advice = advised(prior="20:3", others=["100:3", 10])
    found = {(row.small_groups, row.mechanism): row for row in advice.table}
    assert len(found) == 12
    wanted = GroupRanking.of("avg(stars)", STARS, "20:3").scores(ROWS, "shop", GROUPS).values
    drawn = GroupRanking.of("avg(stars)", STARS, "100:3")

    law = dps.mechanism("permute-and-flip").pmf(drawn.margins(ROWS, 1, "shop", GROUPS), 1)
    assert found["100:3", "margins"].chance == pytest.approx(law[wanted.argmax()])
    assert found["100:3", "margins"].shortfall == pytest.approx(wanted.max() - law @ wanted)
    law = dps.mechanism("smooth-noisy-max").pmf(drawn.scores(ROWS, "shop", GROUPS), 1)
    assert found["100:3", "smooth-noisy-max"].shortfall == pytest.approx(wanted.max() - law @ wanted)
    sized = GroupRanking.of("avg(stars)", STARS, min_rows=10).margins(ROWS, 1, "shop", GROUPS)
    assert found["10", "margins"].chance == pytest.approx(
        dps.mechanism("permute-and-flip").pmf(sized, 1)[wanted.argmax()]
    )


def test_a_larger_prior_is_advised_where_small_groups_hide_the_best() -> None:
    """With one row in the prior, a group of four rows is nearly the best, and could be with a few more."""
    advice = advised(prior="1:3", others=["30:3"])
    assert advice.mechanism == "margins"
    tiny = advised(prior="20:3", others=["1:3", "30:3"])
    assert tiny.small_groups in ("20:3", "30:3")
    by_prior = {row.small_groups: row.shortfall for row in tiny.table if row.mechanism == "margins"}
    assert by_prior["30:3"] < by_prior["1:3"] / 2
    assert "Use margins with" in tiny.sentence


def test_what_is_wanted_stays_where_nothing_is_clearly_better() -> None:
    """At a large epsilon all name the best."""
    advice = advised(prior="20:3", others=["21:3", "19:3"], epsilon=200)
    assert (advice.small_groups, advice.mechanism) == ("20:3", "margins")
    assert advice.table[0].chance == pytest.approx(1)


def test_what_names_the_best_less_often_is_not_advised() -> None:
    """Dampening names the largest of good groups, whatever epsilon is: near on average, and hardly ever the best."""
    rows = {"shop": ["a"] * 9000 + [*"bcde"] * 20, "stars": [4] * 9000 + [1, 1, 1, 5] * 20}
    advice = dps.accuracy.recommend_formula(
        rows, by="shop", groups=[*"abcde"], columns=STARS, score="avg(stars)", data="example", epsilon=0.005,
        prior="1:3",
    )  # fmt: skip
    found = {row.mechanism: row for row in advice.table}
    assert found["local-dampening-flip"].shortfall < found["margins"].shortfall
    assert found["local-dampening-flip"].chance < found["margins"].chance
    assert advice.mechanism != "local-dampening-flip"


def test_what_does_not_apply_says_why() -> None:
    """A ratio of ratios has no largest move; margins need none."""
    score = "(count(stars = 5) + 1) / (count(stars = 1) + 1) * (count(stars = 4) + 1) / (count(stars = 2) + 1)"
    advice = advised(score=score)
    why = {row.mechanism: row.why for row in advice.table}
    assert why["margins"] == ""
    assert why["permute-and-flip"]
    assert all(math.isnan(row.chance) for row in advice.table if row.why)
    assert why["permute-and-flip"] in str(advice)
    assert "shortfall" in advice._repr_html_()


def test_orders_persons_and_other_refusals() -> None:
    """As dps.best takes them; rows must be declared, before they are read."""
    lowest = advised(prior="20:3", order="lowest", epsilon=50)
    assert lowest.table[0].chance > 0.99
    people = {**ROWS, "who": np.arange(1664) // 2}
    given = {"by": "shop", "groups": GROUPS, "columns": STARS, "score": "avg(stars)", "prior": "20:3", "epsilon": 1}
    one = dps.accuracy.recommend_formula(people, data="public", person="who", rows_per_person=2, **given)
    other = advised(prior="20:3")
    assert one.table[0].shortfall > other.table[0].shortfall
    with pytest.raises(dps.PrivacyError, match="chosen by looking at private rows leaks"):
        dps.accuracy.recommend_formula("nowhere.csv", **given)
    with pytest.raises(FormulaError, match="give a prior"):
        advised()
    with pytest.raises(ValueError, match="such as 5:3 or 20:0.1"):
        advised(prior="20:3", others=["many"])
    with pytest.raises(ValueError, match="pass a number"):
        advised(prior="20:3", groups=["a"])

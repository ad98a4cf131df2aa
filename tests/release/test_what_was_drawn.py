"""Releases and ledgers say which noise was drawn, with which public parameters."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.cli import main

STEP = dps.sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
VOTES = dps.Scores([1, 0, 0], STEP, kind="integer", distance=[0, 1, 1])
DRAWN = [
    ("permute-and-flip", {}, "permute-and-flip, one-shot"),
    ("local-dampening", {}, "local-dampening"),
    ("shifted-local-dampening", {"direction": "growing"}, "shifted-local-dampening, direction growing"),
    ("smooth-noisy-max", {}, "smooth-noisy-max, student-t, phi 0.7"),
    ("smooth-noisy-max", {"noise": "cauchy-2", "phi": 0.3}, "smooth-noisy-max, cauchy-2, phi 0.3"),
    ("smooth-noisy-max", {"noise": "exponential"}, "smooth-noisy-max, exponential, floor 0.001, phi 0.7"),
    ("smooth-noisy-max", {"noise": "laplace", "clip": 8}, "smooth-noisy-max, laplace, clip 8, phi 0.7"),
    ("smooth-noisy-max", {"noise": "laplace", "delta": 1e-6}, "smooth-noisy-max, laplace, delta 1e-06, phi 0.7"),
    ("smooth-private-selection", {}, "smooth-private-selection, gamma 4, sides 1, phi 0.7"),
    (
        "smooth-noisy-max",
        {"calibration": "chaves-2024", "sides": 1},
        "smooth-noisy-max, student-t, calibration chaves-2024, sides 1",
    ),
]


@pytest.mark.parametrize(("name", "parameters", "words"), DRAWN)
def test_a_release_and_the_ledger_say_what_was_drawn(name: str, parameters, words: str) -> None:
    """The same words in both; the share that the scores declare is among them."""
    scores = dps.Scores([1, 0, 0], 1, kind="integer") if name.startswith("shifted") else VOTES
    with dps.budget(epsilon=1, delta=1e-5) as book:
        release = dps.top_k(scores, 2, epsilon=1, mechanism=dps.mechanism(name, **parameters))

    assert (words, words) == (release.mechanism, book.events[0].mechanism)


@pytest.mark.parametrize(("name", "parameters"), [each[:2] for each in DRAWN])
def test_the_share_can_be_seen(name: str, parameters) -> None:
    """Passed or declared; mechanisms without a moving scale have none."""
    mechanism = dps.mechanism(name, **parameters)
    moving = name.startswith("smooth") and "calibration" not in parameters

    assert (Fraction(parameters.get("phi", Fraction(7, 10))) if moving else None) == mechanism.budget_fraction(VOTES)
    still = dps.Scores([1, 0], 1, kind="integer")
    assert not moving or "phi" in parameters or Fraction(1, 64) == mechanism.budget_fraction(still)


def test_budget_show_prints_the_noise_and_delta_of_each_row(tmp_path, capsys) -> None:
    """A column of deltas where any row has one; none before."""
    path = tmp_path / "people.ledger"
    ledger = dps.Ledger.open(path, epsilon=9, delta=1e-5, dataset="people")
    light = {"noise": "exponential"}
    dps.select(VOTES, epsilon=1, mechanism=dps.mechanism("smooth-noisy-max", **light), ledger=ledger)
    main(["budget", "show", str(path)])
    assert " delta " not in capsys.readouterr().out.partition("\n\n")[2]
    dps.select(VOTES, epsilon=1, mechanism=dps.mechanism("smooth-noisy-max", delta=1e-6, **light), ledger=ledger)
    main(["budget", "show", str(path)])
    rows = capsys.readouterr().out.partition("\n\n")[2].splitlines()

    assert "floor 0.001" in rows[0]
    assert " delta 0 " in rows[0]
    assert "smooth-noisy-max, exponential, delta 1e-06" in rows[1]
    assert " delta 1e-06 " in rows[1].partition("smooth")[0]
    main(["budget", "show", str(path), "--json"])
    events = json.loads(capsys.readouterr().out)["events"]
    assert ["0", "1/1000000"] == [each["delta"] for each in events]
    assert "exponential" in events[1]["mechanism"]

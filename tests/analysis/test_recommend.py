"""Which mechanism to use."""

import math

import numpy as np
import pytest

import dpselect as dps


def test_counts_want_permute_and_flip() -> None:
    """A small global sensitivity and monotone scores: the classic, with every figure exact."""
    advice = dps.recommend(dps.Scores([60, 40, 5], sensitivity=1, range_bound=1), epsilon=0.1, data="example")

    assert "permute-and-flip" == advice.mechanism.name
    errors = {name: error for name, error, why in advice.table if not why}
    assert errors["permute-and-flip"] == min(errors.values())
    assert math.isclose(
        errors["exponential"],
        dps.accuracy.expected_error(
            dps.Scores([60, 40, 5], sensitivity=1, range_bound=1), epsilon=0.1, mechanism=dps.mechanism("exponential")
        ),
    )


def test_a_score_that_cannot_change_soon_wants_a_smooth_bound() -> None:
    """0/1 scores that are safe for 300 steps."""
    safe = dps.sensitivity.local(lambda t: float(t >= 300), ceiling=1.0)
    advice = dps.recommend(dps.Scores([1.0, *[0.0] * 50], safe), epsilon=0.5, data="public")

    assert advice.mechanism.name in ("smooth-noisy-max", "local-dampening", "local-dampening-flip", "local-dampening-t")
    assert dps.accuracy.expected_error(
        dps.Scores([1.0, *[0.0] * 50], safe), epsilon=0.5, mechanism=advice.mechanism
    ) < dps.accuracy.expected_error(
        dps.Scores([1.0, *[0.0] * 50], safe), epsilon=0.5, mechanism=dps.mechanism("permute-and-flip")
    )


def test_what_does_not_apply_says_why() -> None:
    """No reach, no distances: the table holds the reason in place of a figure."""
    advice = dps.recommend(dps.Scores([3.0, 1.0], dps.sensitivity.local(lambda t: 1 + t)), epsilon=1, data="public")
    reasons = {name: why for name, _, why in advice.table if why}

    assert "reach" in reasons["shifted-local-dampening"]
    assert "distance=" in reasons["inverse-sensitivity"]
    assert "public ceiling" in reasons["exponential"]
    assert advice.mechanism.name.startswith("local-dampening")
    assert "shifted-local-dampening" in str(advice)


def test_a_bound_that_grows_slowly_among_many_wants_light_tails() -> None:
    """A thousand candidates a tenth behind, LS(t) = .01 + t / 10^4: among smooth bounds clipped exponential noise."""
    slow = dps.sensitivity.profiles(lambda t: np.minimum(1.0, 0.01 + 1e-4 * t)[:, None], ceiling=1.0, reach=10_000)
    advice = dps.recommend(dps.Scores([0.1, *[0.0] * 999], slow), epsilon=2, data="example")
    errors = {name: error for name, error, why in advice.table if not why}

    assert errors['smooth-noisy-max, noise="exponential"'] < errors["smooth-noisy-max"]
    assert 'noise="exponential"' in str(advice)


def test_a_few_markers_want_the_heaviest_tails() -> None:
    """Six candidates at epsilon 9: gamma 2 errs a twentieth as often as Student t, and is the advice."""
    markers = dps.utilities.tdt([139, 150, 36, 67, 67, 66], [57, 69, 105, 150, 148, 150], families=215)
    advice = dps.recommend(markers, epsilon=9, data="example")
    errors = {name: error for name, error, why in advice.table if not why}

    assert 'smooth-noisy-max, noise="cauchy-2"' == advice.table[0][0]
    assert errors['smooth-noisy-max, noise="cauchy-2"'] < errors["smooth-noisy-max"] / 5


@pytest.mark.parametrize("data", [None, "private", "mine"])
def test_undeclared_data_is_refused(data) -> None:
    """A choice made on private scores leaks."""
    with pytest.raises(dps.PrivacyError, match='data="public" or data="example"'):
        dps.recommend(dps.Scores([1, 2], 1), epsilon=1, data=data)


def test_bad_epsilon_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(ValueError, match="positive and finite"):
        dps.recommend(dps.Scores([1, 2], 1), epsilon=0, data="public")


@pytest.mark.parametrize(("sign", "zero"), [(1, "worst"), pytest.param(-1, "best", marks=pytest.mark.slow)])
def test_a_zero_that_is_not_declared_is_pointed_out(sign: int, zero: str) -> None:
    """Where declaring it would help; once it is declared the figure is that of the advice."""
    safe = dps.sensitivity.local(lambda t: float(t >= 30), ceiling=1.0)
    values = [sign * 1.0, 0.0, *[sign * 1.0] * 20] if sign < 0 else [1.0, *[0.0] * 20]
    advice = dps.recommend(dps.Scores(values, safe), epsilon=0.2, data="example").sentence
    declared = dps.recommend(dps.Scores(values, safe, zero=zero), epsilon=0.2, data="example")

    assert f'zero="{zero}"' in advice
    assert "zero=" not in declared.sentence
    assert f"{declared.table[0][1]:.3g}" in advice


def test_a_zero_that_changes_nothing_is_not_mentioned() -> None:
    """One constant sensitivity, scores of both signs, no zero at all."""
    safe = dps.sensitivity.local(lambda t: float(t >= 30), ceiling=1.0)
    for scores in (dps.Scores([0.0, 1.0], 1), dps.Scores([-1.0, 0.0, 1.0], safe), dps.Scores([2.0, 1.0], safe)):
        assert "zero=" not in dps.recommend(scores, epsilon=0.2, data="example").sentence


def test_pareto_scores_want_dampening() -> None:
    """Zero is declared by ``pareto`` itself."""
    speed = dps.Scores([90, 1, 2], 1, kind="integer")
    advice = dps.recommend(dps.multiobjective.pareto([speed, speed]), epsilon=1, data="example")

    assert "local-dampening-flip" == advice.mechanism.name
    assert advice.table[0][1] < 0.001


@pytest.mark.parametrize("points", [5, pytest.param(13, marks=pytest.mark.slow)])
def test_tuning_finds_the_best_share_of_each_noise(points: int) -> None:
    """No share on a fine grid is better by more than a few per cent, and the mechanism it returns has that error."""
    safe = dps.sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
    slow = dps.sensitivity.local(lambda t: min(1.0, 0.01 + 1e-3 * t), ceiling=1.0)
    for scores, epsilon in (
        (dps.Scores([1, 0, 0], safe, kind="integer"), 1),
        (dps.Scores([0.1, *[0.0] * 9], slow), 2),
    ):
        advice = dps.tuning.tune(scores, epsilon=epsilon, data="example")
        assert advice.table[0][1] == dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=advice.mechanism)
        errors = {name: error for name, error, _ in advice.table}
        for noise, name in (("student-t", "smooth-noisy-max"), ("cauchy-2", 'smooth-noisy-max, noise="cauchy-2"')):
            fine = min(
                dps.accuracy.expected_error(
                    scores, epsilon=epsilon, mechanism=dps.mechanism("smooth-noisy-max", noise=noise, phi=phi)
                )
                for phi in np.linspace(0.05, 0.95, points)
            )
            assert errors[name] <= 1.05 * fine
        assert f"phi={advice.mechanism.parameters['phi']}" in advice.sentence


def test_tuning_serves_scores_of_which_only_a_smooth_bound_is_known() -> None:
    """And so does a recommendation, where dampening says why it does not apply."""
    known = dps.sensitivity.smooth_bound(lambda beta: math.exp(-20 * beta), ceiling=1)
    scores = dps.Scores([1, 0, 0], known, kind="integer")

    assert 1e-3 > dps.tuning.tune(scores, epsilon=1, data="example").table[0][1]
    reasons = {name: why for name, _, why in dps.recommend(scores, epsilon=1, data="example").table}
    assert "only a smooth bound is known" in reasons["local-dampening"]


def test_tuning_needs_a_ceiling_and_data_that_may_be_looked_at() -> None:
    """As a recommendation."""
    open_ended = dps.Scores([1.0, 0.0], dps.sensitivity.local(lambda t: 1 + t))
    with pytest.raises(dps.PrivacyError, match="public ceiling"):
        dps.tuning.tune(open_ended, epsilon=1, data="public")
    with pytest.raises(dps.PrivacyError, match='data="public"'):
        dps.tuning.tune(dps.Scores([1, 0], 1), epsilon=1)


def test_very_many_scores_keep_the_declared_share(monkeypatch) -> None:
    """Their laws take long."""
    monkeypatch.setattr("dpselect.analysis.share_tuning._MOST", 2)
    advice = dps.tuning.tune(dps.Scores(range(3), 1), epsilon=1, data="public")

    assert "phi" not in advice.mechanism.parameters


def test_both_compare_the_same_noises() -> None:
    """Cauchy noise among them: what tuning finds best, a recommendation does not miss."""
    safe = dps.sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
    scores = dps.Scores([1, 0, 0], safe, kind="integer")
    tuned, advice = (f(scores, epsilon=1, data="example") for f in (dps.tuning.tune, dps.recommend))

    assert set(tuned.table) <= set(advice.table)
    assert advice.table[0][1] <= tuned.table[0][1] < 1e-7


def test_margins_are_advised_where_they_err_least() -> None:
    """The best is the most sensitive, so dampening loses it; the figure is that of the law of the margins."""
    spread = dps.sensitivity.element(lambda t: [20 + t, 3 + t, 1 + t], ceiling=60)
    scores = dps.Scores([300, 90, 60], spread, kind="integer")
    advice = dps.recommend(scores, epsilon=1, data="public")
    law = dps.mechanism("permute-and-flip").pmf(dps.utilities.margin(scores, 1), 1)
    error = float(law @ (scores.values.max() - scores.values))

    assert error < advice.table[0][1]
    said = f" Still better are margins, dps.utilities.margin(scores, 1), by permute-and-flip: then it is {error:.3g}."
    assert advice.sentence.endswith(said)


def test_margins_that_do_not_apply_or_gain_nothing_are_not_mentioned() -> None:
    """They count in steps of a public quantum, and change nothing of one constant sensitivity."""
    endless = dps.Scores([3.0, 1.0], dps.sensitivity.local(lambda t: 1 + t))
    for scores in (endless, dps.Scores([3, 1], 1), dps.Scores([3, 3], dps.sensitivity.local(lambda t: t, ceiling=2))):
        assert "margin" not in dps.recommend(scores, epsilon=1, data="public").sentence

"""Local dampening with heavy tails."""

import dpselect as dps


def test_it_draws_the_dampened_score() -> None:
    """Same effective scores as local dampening; another noise."""
    scores = dps.Scores([6.5, 3.0, 0.0], dps.sensitivity.local(lambda t: 3 + 2 * t, ceiling=9))
    plain, heavy = dps.mechanism("local-dampening"), dps.mechanism("local-dampening-t")

    assert plain.effective(scores).ticks.tolist() == heavy.effective(scores).ticks.tolist()


def test_it_beats_permute_and_flip_at_large_epsilon_and_loses_at_small() -> None:
    """Ten rivals one unit behind: heavy tails hide a shift of 36 at epsilon 10, where exponential noise hides 10."""
    scores = dps.Scores([1.0, *[0.0] * 10], dps.sensitivity.local(lambda t: 1.0, ceiling=1.0, reach=0))
    tails, flip = dps.mechanism("local-dampening-t"), dps.mechanism("local-dampening-flip")

    assert tails.pmf(scores, 1)[0] < flip.pmf(scores, 1)[0]
    assert tails.pmf(scores, 10)[0] > flip.pmf(scores, 10)[0]

"""An option that would refuse does so before the choice is paid for, from public facts."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.adaptive import histogram_options, tree_options
from tests.adaptive.toy_options import ROWS, ZERO, adaptive, noisy_sum, trained


def test_a_refusal_comes_before_the_spend() -> None:
    """Of any option that may be chosen, with its name; the option is told what it would be given."""
    received = []

    def refuses(_, epsilon):
        received.append(epsilon)
        if epsilon < Fraction(1, 2):
            raise dps.PrivacyError("Not with so little.")

    picky = adaptive.Option("noisy sum", noisy_sum, rehearse=refuses)
    own = trained(options=[picky, ZERO])
    with dps.budget(epsilon=4) as book:
        for ask in (own.choose, own.answer):
            with pytest.raises(dps.PrivacyError, match="Option 'noisy sum' would refuse at epsilon 19/50: Not with"):
                ask([1] * 900, Fraction(2, 5))
        assert 0 == book.totals.spends
        own.answer([1] * 900, 1)
        assert 1 == book.totals.spends

    assert [Fraction(19, 50), Fraction(19, 50), Fraction(19, 20)] == received


def test_outside_the_trained_epsilons_only_the_safest_is_asked() -> None:
    """It is given everything."""
    received = []
    options = [
        adaptive.Option("noisy sum", noisy_sum, rehearse=lambda _, epsilon: received.append(("noisy sum", epsilon))),
        adaptive.Option(ZERO.name, ZERO.answer, rehearse=lambda _, epsilon: received.append(("zero", epsilon))),
    ]
    choice = trained(options=options).choose([1] * 900, 7)

    assert [(choice.option.name, Fraction(7))] == received


def test_histograms_refuse_before_the_spend() -> None:
    """An epsilon that is too small for any of them; and no counts are read."""
    public = {f"{size}": np.arange(8) * size for size in (1, 10, 100, 1000)}
    own = adaptive.AdaptiveAlgorithm(
        histogram_options.options(["identity", "uniform"]),
        [ROWS],
        histogram_options.LOSS,
        learner="regret-tree",
        fall_back="never",
    )
    own = own.train(public, epsilons=[1], repetitions=2, jobs=1)
    with dps.budget(epsilon=2) as book, pytest.raises(ValueError, match="would refuse .* at least 1/10000"):
        own.answer(np.arange(8), Fraction(1, 10**5))

    assert 0 == book.totals.spends
    unread = np.full((4, 4), -1)
    for option in histogram_options.options():
        option.rehearse(unread, Fraction(1))
        with pytest.raises(ValueError, match="at least 1/10000"):
            option.rehearse(unread, Fraction(1, 10**5))


def test_trees_refuse_from_their_domains() -> None:
    """Domains with too many leaves, and epsilons too small for counts; no column and no label is read."""
    names = list("abcd")
    small, wide = ({name: list(range(size)) for name in names} for size in (3, 200))
    columns = dict.fromkeys(names)
    for option in tree_options.options():
        option.rehearse(tree_options.LabelledTable(columns, None, small, [0, 1]), Fraction(1))
        with pytest.raises(ValueError, match="too small for counts"):
            option.rehearse(tree_options.LabelledTable(columns, None, small, [0, 1]), Fraction(1, 10**14))
        if option.name in ("A1", "A2", "A4"):
            with pytest.raises(ValueError, match="could have"):
                option.rehearse(tree_options.LabelledTable(columns, None, wide, [0, 1]), Fraction(1))


def test_a_rehearsal_is_a_function() -> None:
    """Or nothing."""
    with pytest.raises(TypeError, match="rehearse or None"):
        adaptive.Option("one", noisy_sum, rehearse=3)

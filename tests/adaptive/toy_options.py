"""Options and metafeatures over lists of numbers, small enough to know what is right."""

from fractions import Fraction

import numpy as np

import dpselect as dps

adaptive = dps.adaptive
PUBLIC = {"two": [1] * 2, "five": [1] * 5, "six hundred": [1] * 600, "thousand": [1] * 1000}


def noisy_sum(records, epsilon):
    """Right up to its noise."""
    with dps.open_session(dps.Guarantee(epsilon, "add-remove"), mechanism="noisy sum") as draws:
        return int(draws.counts(np.array([sum(records)]), epsilon, dps.mechanisms.Bound(1))[0])


def zero(_, epsilon):
    """Right for small databases."""
    assert isinstance(epsilon, Fraction)
    return 0


def distance(records, answer):
    """Absolute error."""
    return abs(sum(records) - answer)


NOISY, ZERO = adaptive.Option("noisy sum", noisy_sum), adaptive.Option("zero", zero)
ROWS = adaptive.Metafeature("rows", len, sensitivity=1, scale="log")


# Four databases are too few to beat the best fixed option on those left out: here what was learned is used anyway.
USUAL = {
    "options": [NOISY, ZERO],
    "metafeatures": [ROWS],
    "loss": distance,
    "learner": "regret-tree",
    "fall_back": "never",
}


def maker(**given):
    """A choice maker over both, not trained."""
    return adaptive.AdaptiveAlgorithm(**(USUAL | given))


def trained(**given):
    """The same, trained on four databases at two epsilons."""
    return maker(**given).train(PUBLIC, epsilons=[Fraction(1, 20), 1], repetitions=30, jobs=1)

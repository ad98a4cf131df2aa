"""What a tree says of the counts at its leaves: the law of the noise that they have, for as many as it released."""

import math
from fractions import Fraction

import dpselect as dps
from dpselect.learn.shrunk import deviation, rate_of
from dpselect.release.count_bound import within

DOMAINS = {0: (0, 100)}


def fitted(model):
    """A model of ages, fitted."""
    ages = list(range(100)) * 5
    return model.fit([[age] for age in ages], ["old" if age >= 50 else "young" for age in ages])


def test_a_tree_states_the_error_of_its_leaf_counts() -> None:
    """At 30 per cent of epsilon, all of it where the number of records is public; persons share it."""
    for more, share in (({"n_records": 500}, Fraction(3, 10)), ({}, Fraction(98, 100) * Fraction(3, 10))):
        model = fitted(dps.learn.DPTreeClassifier(2, domains=DOMAINS, classes=["old", "young"], **more))
        worst = model.error_bound
        leaves = model.trees_[0].whole_tree.leaves.size

        assert math.isclose(worst.rate, 2 * share, rel_tol=1e-9)
        assert worst.rate <= 2 * share
        assert within(2 * share, 2 * leaves) + 1 == worst.at(0.95)
        assert model.error_bound.describe().startswith(f"every class count at its {leaves} leaves less than")
    assert math.isclose(rate_of(deviation(0.3)), 0.3, rel_tol=1e-9)


def test_before_a_fit_the_most_leaves_are_reckoned_with() -> None:
    """So no fit says more than was said before it."""
    model = dps.learn.DPTreeClassifier(2, domains=DOMAINS, classes=["old", "young"], max_depth=3)
    before = model.error_bound_for(2)

    assert fitted(model).error_bound.at(0.95) <= before.at(0.95)
    assert "(at most 8)" in before.describe()


def test_models_that_add_counts_up_say_why_nothing_is_known() -> None:
    """Pruned id3 trees and forests; without pruning the leaves are there."""
    settings = {"domains": DOMAINS, "classes": ["old", "young"], "max_depth": 1}
    assert "pruning" in fitted(dps.learn.DPID3Classifier(2, **settings)).error_bound.describe()
    assert fitted(dps.learn.DPID3Classifier(2, prune="none", **settings)).error_bound.at(0.95) > 1

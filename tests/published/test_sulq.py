"""The tree of SuLQ spends its budget once per path, and pays for every attribute."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect.learn.domains import attributes
from dpselect.published import SulqID3Classifier
from dpselect.views import Records
from tests.learn.replay import Replay, chance_of, transcripts

KINDS = list(itertools.product(range(2), range(2), range(2)))
KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)


def runner(model, records, epsilon):
    """The whole fit on a table of these kinds of record, as a function of its draws."""
    rows = np.array([KINDS[kind] for kind in records], dtype=np.int64).reshape(-1, 3)
    plan = model._planned(KNOWN, 2, epsilon)
    return lambda draws: plan(Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2), draws)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_no_transcript_loses_more_than_epsilon(epsilon: Fraction) -> None:
    """Every table of up to two records, one more record, every transcript; and some transcript loses all of it."""
    model, worst = SulqID3Classifier(max_depth=1), 0.0
    for size in range(3):
        for records in itertools.combinations_with_replacement((0, 3, 5, 6), size):
            for script, chance in transcripts(runner(model, records, epsilon)):
                for more in (0, 5):
                    there = runner(model, (*records, more), epsilon)
                    worst = max(worst, abs(chance - chance_of(there, script)))

    assert float(epsilon) == pytest.approx(worst)


class Asked(Replay):
    """Note at what epsilon every query is asked."""

    def noisy(self, counts, epsilon):
        """As the transcript says."""
        self.spent = [*getattr(self, "spent", []), epsilon]
        return super().noisy(counts, epsilon)


def test_every_attribute_is_paid_for_and_a_path_spends_epsilon() -> None:
    """Depth one: a count, two tables, and a leaf that takes the rest."""
    asked = Asked((1, 1, 1, 1))
    runner(SulqID3Classifier(max_depth=1), (0, 3, 5), Fraction(4))(asked)

    assert [Fraction(1), Fraction(1, 2), Fraction(1, 2), Fraction(2)] == asked.spent[:4]
    assert Fraction(4) == sum(asked.spent[:4])

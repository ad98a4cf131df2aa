"""The tree of SuLQ spends its budget once per path, and pays for every attribute."""

import itertools
from fractions import Fraction

import pytest

from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.papers import SulqID3Classifier
from tests.learn.doors import fit
from tests.losses import losses


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_no_transcript_loses_more_than_epsilon(epsilon: Fraction) -> None:
    """Every table of up to two records, one more record, every transcript; and some transcript loses all of it."""
    model = SulqID3Classifier(max_depth=1)
    tables = [table for size in range(3) for table in itertools.combinations_with_replacement((0, 3, 5, 6), size)]
    worst = max(losses(lambda records: fit(model, records, epsilon), tables, (0, 5)))

    assert float(epsilon) == pytest.approx(worst)


class Asked(ScriptedNoise):
    """Note at what epsilon every query is asked."""

    def noisy(self, counts, rate):
        """As the transcript says; a record moves the counts by 1."""
        self.spent = [*getattr(self, "spent", []), rate]
        return super().noisy(counts, rate)


def test_every_attribute_is_paid_for_and_a_path_spends_epsilon() -> None:
    """Depth one: a count, two tables, and a leaf that takes the rest."""
    asked = Asked((1, 1, 1, 1))
    left = fit(SulqID3Classifier(max_depth=1), (0, 3, 5), Fraction(4))(asked)

    assert [Fraction(1), Fraction(1, 2), Fraction(1, 2), Fraction(2)] == asked.spent[:4]
    assert Fraction(4) == sum(asked.spent[:4])
    assert 0 == left

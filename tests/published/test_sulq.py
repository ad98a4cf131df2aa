"""The tree of SuLQ spends its budget once per path, and pays for every attribute."""

import itertools
from fractions import Fraction

import pytest

from dpselect.audit.replay import Replay, log_chance_of, transcripts
from dpselect.published import SulqID3Classifier
from tests.learn.doors import fit


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_no_transcript_loses_more_than_epsilon(epsilon: Fraction) -> None:
    """Every table of up to two records, one more record, every transcript; and some transcript loses all of it."""
    model, worst = SulqID3Classifier(max_depth=1), 0.0
    for size in range(3):
        for records in itertools.combinations_with_replacement((0, 3, 5, 6), size):
            for script, chance in transcripts(fit(model, records, epsilon)):
                for more in (0, 5):
                    there = fit(model, (*records, more), epsilon)
                    worst = max(worst, abs(chance - log_chance_of(there, script)))

    assert float(epsilon) == pytest.approx(worst)


class Asked(Replay):
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

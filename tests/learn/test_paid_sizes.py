"""The exact loss of whole transcripts where a noisy size is paid for and large, so that trees go on to split."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect.learn import THE_FIVE, DPTreeClassifier
from dpselect.learn.domains import attributes
from dpselect.views import Records
from tests.learn import replay
from tests.learn.replay import Replay, chance_of, transcripts

KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)
KINDS = list(itertools.product(range(2), range(2), range(2)))
LARGE = 10_000
VARIANTS = {
    "default": DPTreeClassifier(max_depth=1),
    "default, two levels": DPTreeClassifier(max_depth=2),
    "A1": THE_FIVE["A1"](1, 1, max_records=6),
    "A2": THE_FIVE["A2"](1, 1, max_records=6),
    "A3": THE_FIVE["A3"](1).set_params(n_trees=2),
    "A4": THE_FIVE["A4"](1, 1, max_records=6).set_params(n_trees=2),
    "A5": THE_FIVE["A5"](1),
}


def fit(model, records: tuple[int, ...], epsilon: Fraction):
    """The whole fit on records of these kinds, as a function of its draws."""
    rows = np.array([KINDS[kind] for kind in records], dtype=np.int64).reshape(-1, 3)
    plan = model._planned(KNOWN, 2, epsilon)
    return lambda draws: plan(Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2), draws)


class Watched(Replay):
    """Notes whether a split was chosen, privately or at random."""

    split = False

    def choose(self, *given):
        """Any candidate."""
        self.split = True
        return super().choose(*given)

    def choose_rows(self, *given):
        """Any cut."""
        self.split = True
        return super().choose_rows(*given)

    def below(self, bounds):
        """A random split."""
        self.split = True
        return super().below(bounds)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Released sizes are far below or far above every true one."""
    monkeypatch.setattr(replay, "RELEASED", (-4, LARGE))


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("name", VARIANTS)
def test_no_transcript_loses_more_than_epsilon(name: str) -> None:
    """Sizes, selections and leaves together; the budget is used, not wasted."""
    epsilon, model, worst = Fraction(1), VARIANTS[name], 0.0
    for records in ((), (0,), (5,), (0, 3), (5, 5), (3, 6)):
        for script, chance in transcripts(fit(model, records, epsilon)):
            for more in (0, 5, 6):
                worst = max(worst, abs(chance - chance_of(fit(model, (*records, more), epsilon), script)))

    assert worst <= float(epsilon) * (1 + 1e-9)
    assert worst >= 0.6 * float(epsilon)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("name", VARIANTS)
def test_these_transcripts_do_split(name: str) -> None:
    """Otherwise the audit above would only see a leaf."""
    run, split = fit(VARIANTS[name], (0, 3), Fraction(1)), 0
    for script, _ in transcripts(run):
        draws = Watched(script)
        run(draws)
        split += draws.split

    assert split > 0


@pytest.mark.usefixtures("large")
def test_the_audit_would_find_a_tenth_too_much() -> None:
    """A default tree whose counts are more exact than they were paid for."""
    model, worst = DPTreeClassifier(max_depth=1), 0.0
    planned = [model._planned(KNOWN, 2, Fraction(1)) for _ in range(2)]
    greedy = [
        lambda draws, run=run, rows=rows: run(_records(rows), _Overspent(draws))
        for run, rows in zip(planned, ((), (5,)), strict=True)
    ]
    for script, chance in transcripts(greedy[0]):
        worst = max(worst, abs(chance - chance_of(greedy[1], script)))

    assert worst > 1.01


def _records(kinds: tuple[int, ...]) -> Records:
    rows = np.array([KINDS[kind] for kind in kinds], dtype=np.int64).reshape(-1, 3)
    return Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2)


class _Overspent:
    """Draws whose noisy counts are drawn with 1/10 more of epsilon than they were given."""

    def __init__(self, draws: Replay) -> None:
        self.draws = draws
        self.below = draws.below
        self.choose_rows = draws.choose_rows

    def noisy(self, counts, epsilon):
        """Too exact."""
        return self.draws.noisy(counts, epsilon * Fraction(11, 10))

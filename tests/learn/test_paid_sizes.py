"""The exact loss of whole transcripts where a noisy size is paid for and large, so that trees go on to split."""

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.learn import THE_FIVE, DPTreeClassifier
from dpselect.release.open_session import session_factory_of
from tests.learn.doors import KNOWN, fit, records_of
from tests.losses import losses

# Released sizes are far below or far above every true one.
LARGE = (-4, 10_000)
VARIANTS = {
    "default": DPTreeClassifier(max_depth=1),
    "default, two levels": DPTreeClassifier(max_depth=2),
    "A1": THE_FIVE["A1"](1, 1, max_records=6),
    "A2": THE_FIVE["A2"](1, 1, max_records=6),
    "A3": THE_FIVE["A3"](1).set_params(n_trees=2),
    "A4": THE_FIVE["A4"](1, 1, max_records=6).set_params(n_trees=2),
    "A5": THE_FIVE["A5"](1),
}


class Watched(ScriptedNoise):
    """Notes whether a split was chosen, privately or at random."""

    split = False

    def winners(self, *given):
        """Any candidate."""
        self.split = True
        return super().winners(*given)

    def rows(self, *given):
        """Any cut."""
        self.split = True
        return super().rows(*given)

    def uniform(self, bounds):
        """A random split."""
        self.split = True
        return super().uniform(bounds)


TABLES = ((), (0,), (5,), (0, 3), (5, 5), (3, 6))


@pytest.mark.parametrize(
    ("name", "tables"),
    # Two trees of selections have many transcripts.
    [
        *((name, TABLES[3:5] if name == "A4" else TABLES) for name in VARIANTS),
        pytest.param("A4", TABLES, marks=pytest.mark.slow),
    ],
    ids=lambda each: each if isinstance(each, str) else len(each),
)
def test_no_transcript_loses_more_than_epsilon(name: str, tables) -> None:
    """Sizes, selections and leaves together; the budget is used, not wasted."""
    epsilon = Fraction(1)
    worst = max(losses(lambda records: fit(VARIANTS[name], records, epsilon), tables, (0, 5, 6), LARGE))

    assert worst <= float(epsilon) * (1 + 1e-9)
    assert worst >= 0.6 * float(epsilon)


@pytest.mark.parametrize("name", VARIANTS)
def test_these_transcripts_do_split(name: str) -> None:
    """Otherwise the audit above would only see a leaf."""
    run, split = fit(VARIANTS[name], (0, 3), Fraction(1)), 0
    for script, _ in transcripts(run, released=LARGE):
        outcomes = Watched(script, LARGE)
        run(outcomes)
        split += outcomes.split

    assert split > 0


def test_the_audit_would_find_a_tenth_too_much() -> None:
    """A default tree whose counts are more exact than they were paid for."""
    worst = 0.0
    greedy = [too_exact(kinds) for kinds in ((), (5,))]
    for script, chance in transcripts(greedy[0], released=LARGE):
        worst = max(worst, abs(chance - log_chance_of(greedy[1], script, LARGE)))

    assert worst > 1.01


def too_exact(kinds: tuple[int, ...]):
    """A fit in a session that draws counts with 1/10 more of epsilon than was taken for them."""
    plan = DPTreeClassifier(max_depth=1)._fit_plan(KNOWN, [0, 1], Fraction(1))

    def run(replay: ScriptedNoise) -> None:
        with session_factory_of(lambda: _Overspent(replay))(dps.Guarantee(1, "add-remove")) as draws:
            plan(records_of(kinds), draws)

    return run


class _Overspent:
    """Outcomes whose noisy counts are too exact."""

    def __init__(self, replay: ScriptedNoise) -> None:
        self.replay = replay
        self.rows = replay.rows

    def noisy(self, counts, rate):
        """As at a larger epsilon."""
        return self.replay.noisy(counts, rate * Fraction(11, 10))

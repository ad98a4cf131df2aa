"""Lists in one pass of candidates that stay elsewhere: when, at what price, by which law, and with which gaps."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.privacy_loss import top_k_log_pmf
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.neighbours import Neighbours
from dpselect.release.open_session import session_factory_of
from dpselect.release.select import release_of
from dpselect.scores.grouped_scores import GroupedScores
from tests.chance import accept
from tests.release.test_one_shot import Book

FLIP, EXPONENTIAL = dps.mechanism("permute-and-flip"), dps.mechanism("exponential")


class Source:
    """Candidates 0 .. m - 1 with these votes, somewhere."""

    neighbours = Neighbours.ADD_REMOVE

    def __init__(self, votes, known: int | None = None, tries: int = 1) -> None:
        self.metadata: dict = {}
        self.votes, self.known, self.tries = votes, known, tries

    def example(self):
        """One made-up score."""
        return self._scored([0])

    def answer(self, pick):
        """Pick among groups, perhaps more than once; the last counts."""
        values, counts = np.unique(self.votes, return_counts=True)
        for _ in range(self.tries):
            pairs = pick(GroupedScores(self._scored(values), counts))
        return [int(np.flatnonzero(np.asarray(self.votes) == values[g])[i]) for g, i in pairs]

    def _scored(self, values):
        return dps.Scores(np.asarray(values), 1, range_bound=1, kind="integer")


@pytest.mark.chance(3.1e-6)
def test_released_lists_follow_the_law_of_one_pass() -> None:
    """Through the public ``top_k``: rejected at 0.7 and 1.3 epsilon, and at epsilon for each winner."""
    votes, epsilon = [6, 5, *[3] * 8], Fraction(2)

    def law(total: Fraction) -> dict:
        scores = dps.Scores(votes, 1, range_bound=1, kind="integer")
        logs = top_k_log_pmf(FLIP, FLIP.effective(scores), 2, total, "one-shot")
        return dict(zip(itertools.permutations(range(10), 2), np.exp(logs).tolist(), strict=True))

    verdict = dps.audit.sampler(
        lambda: dps.top_k(Source(votes), 2, epsilon=epsilon, mechanism=FLIP).value,
        law(epsilon),
        against={f"{factor} epsilon": law(epsilon * Fraction(factor)) for factor in ("0.7", "1.3", "2")},
    )
    accept(verdict)


@pytest.mark.parametrize(
    ("mechanism", "asked", "rule", "spent"),
    [
        (FLIP, {}, "sum", ("permute-and-flip, one-shot", 3, False, 1)),
        (FLIP, {"gaps": True}, "rho", ("permute-and-flip, one-shot", 3, False, 1)),
        (FLIP, {"method": "one-shot"}, "rho", ("permute-and-flip, one-shot", 3, False, 1)),
        (FLIP, {"method": "peeling"}, "sum", ("permute-and-flip", 1, False, 3)),
        (FLIP, {}, "rho", ("permute-and-flip", 1, False, 3)),
        (EXPONENTIAL, {}, "sum", ("exponential", 1, True, 3)),
    ],
)
def test_one_pass_is_one_event_of_epsilon_and_peeling_is_k(mechanism, asked, rule: str, spent) -> None:
    """The same rule as for scores in memory, and the same words."""
    book = Book(rule)
    release = dps.top_k(Source([9, 6, 4, 1], 4), 3, epsilon=3, mechanism=mechanism, ledger=book, **asked)
    assert [spent] == book.spent
    assert (spent[0], 3, 3) == (release.mechanism, release.guarantee.epsilon, len(set(release.value)))
    assert 3 * ("gaps" in asked) == len(release.gaps)


@pytest.mark.parametrize(
    ("k", "epsilon", "mechanism", "asked", "message"),
    [
        (2, 1, EXPONENTIAL, {"method": "one-shot"}, "draw by permute-and-flip"),
        (2, 1, FLIP, {"method": "twice"}, "method must be"),
        (2, 1, FLIP, {"method": "peeling", "gaps": True}, "Only one pass has gaps"),
        (4, 1, FLIP, {"gaps": True}, "there are none: ask for fewer"),
        (2, Fraction(1, 2**39), FLIP, {"gaps": True}, "epsilon is too small"),
        (2, 1, FLIP, {"method": "joint"}, "draw"),
        (2, 1, dps.mechanism("noisy-max-laplace"), {"gaps": True}, "groups cannot do"),
    ],
)
def test_what_has_no_gaps_is_refused_unpaid(k: int, epsilon, mechanism, asked, message: str) -> None:
    """In one sentence, by public facts."""
    book = Book()
    with pytest.raises(ValueError, match=message):
        dps.top_k(Source([9, 6, 4, 1], 4), k, epsilon=epsilon, mechanism=mechanism, ledger=book, **asked)
    assert [] == book.spent


def test_gaps_are_those_of_the_list_that_is_returned() -> None:
    """Lists of a state that has passed go nowhere, and neither do their gaps; where all win the last has none."""
    source = Source([900, 600, 400, 100], 4, tries=3)
    release = dps.top_k(source, 2, epsilon=1000, mechanism=FLIP, gaps=True)
    assert ((0, 1), 2) == (release.value, len(release.gaps))
    assert all(abs(gap - exact) <= 2 for gap, exact in zip(release.gaps, (300, 200), strict=True))
    assert release.p_value < 1e-300
    everyone = dps.top_k(Source([9, 6, 4]), 3, epsilon=1, mechanism=FLIP, gaps=True)
    assert (3, 2, None) == (len(everyone.value), len(everyone.gaps), everyone.p_value)


def test_one_pass_takes_the_price_of_the_whole_list() -> None:
    """And what was paid in parts is peeled."""
    counted = GroupedScores(dps.Scores([4, 1], 1, kind="integer"), np.array([1, 10**6]))
    with dps.open_session(dps.Guarantee(1, "add-remove")) as draws:
        assert 3 == len(draws.top_k_grouped(counted, 3, Fraction(3, 4)))
        asked = draws.prepare(counted.scores, Fraction(1, 4))
        assert Fraction(1, 4) == draws.remaining
        with pytest.raises(PrivacyError, match="is left of what was paid"):
            draws.ordered_groups(asked, counted.counts, 2)
        with pytest.raises(ValueError, match="draw by permute-and-flip"):
            draws.ordered_groups(draws.prepare(counted.scores, 1, mechanism=EXPONENTIAL), counted.counts, 2)
    with dps.open_session(dps.Guarantee(Fraction(1, 4), "add-remove"), count=3) as draws:
        assert 3 == len(draws.top_k_grouped(counted, 3, Fraction(3, 4)))
        assert 0 == draws.remaining


def law_of(votes, k: int, epsilon: Fraction, *, gaps: bool) -> dict:
    """The chance of every list, with each of its gaps, by the release itself."""
    chances: dict = {}
    waiting: list = [()]
    while waiting:
        replay = ScriptedNoise(waiting.pop(), (0, 3))
        release = release_of(
            Source(votes), k, epsilon, FLIP, session_factory=session_factory_of(lambda replay=replay: replay), gaps=gaps
        )
        key = (release.value, release.gaps)
        chances[key] = chances.get(key, 0.0) + math.exp(replay.log_chance)
        taken = tuple(replay.taken)
        for at in range(len(replay.script), len(taken)):
            waiting.extend((*taken[:at], other) for other in range(1, replay.ways[at]))
    return chances


@pytest.mark.parametrize("gaps", [False, True])
def test_lists_lose_epsilon_at_most_whatever_the_groups(gaps: bool) -> None:
    """A record merges groups and splits them; nearly epsilon somewhere."""
    epsilon, worst = Fraction(1), 0.0
    for moved in itertools.product((0, 1), repeat=3):
        votes = np.array([2, 2, 0])
        laws = [law_of(each.tolist(), 2, epsilon, gaps=gaps) for each in (votes, votes + moved)]
        assert laws[0].keys() == laws[1].keys()
        worst = max(worst, *(abs(math.log(laws[0][key] / laws[1][key])) for key in laws[0] if laws[0][key]))
    assert 0.6 < worst <= 1 + 1e-9

"""An option pays for what it releases from what the choice has left of one opening."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import histograms
from dpselect.adaptive import histogram_options
from tests.adaptive.toy_options import ROWS, ZERO, adaptive, maker, trained

FLIP = dps.mechanism("permute-and-flip")


def scores(records, **facts) -> dps.Scores:
    """Many or none."""
    return dps.Scores([sum(records), 0], sensitivity=1, candidates=["many", "none"], **facts)


def selecting(factor, times: int = 1, **facts):
    """An option that selects so many times, each at a multiple of the epsilon it is given."""

    def answer(records, epsilon):
        return [
            dps.select(scores(records, **facts), epsilon=epsilon * factor, mechanism=FLIP).value for _ in range(times)
        ]

    return answer


def answering(answer):
    """A trained maker that always takes this option; it was trained as one that behaves."""
    always = adaptive.Option("noisy sum", answer)
    learned = trained(learner="fixed", loss=lambda records, found: 1.0 if found == 0 else 0.5)
    return maker(options=[always, ZERO], learner="fixed", loss=learned.loss, trained=learned.trained)


@pytest.mark.parametrize("answer", [selecting(1), selecting(Fraction(1, 3), 3), selecting(Fraction(1, 9), 2)])
def test_options_release_what_is_left(answer) -> None:
    """All of it, at once or in parts, or less; the budget around is asked once."""
    with dps.budget(epsilon=1) as book:
        value = answering(answer).answer([1] * 900, 1).value

        assert 1 == book.totals.epsilon == len(book.events)
    assert {"many"} == set(value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (selecting(2), "is left of what was paid"),
        (selecting(1, 2), "is left of what was paid"),
        (selecting(Fraction(51, 100), 2), "is left of what was paid"),
        (selecting(1, neighbours="substitution"), "substitution"),
    ],
)
def test_options_that_take_more_get_nothing(answer, message: str) -> None:
    """More than is left, in one release or in several, or protection of other neighbours; what was paid stays paid."""
    with dps.budget(epsilon=5) as book:
        with pytest.raises(dps.PrivacyError, match=message):
            answering(answer).answer([1] * 900, 1)

        assert 1 == book.totals.epsilon


def test_an_option_opens_the_door_itself() -> None:
    """A noisy sum of its own, paid from what is left."""

    def noisy_sum(records, epsilon):
        with dps.open_session(dps.Guarantee(epsilon, "add-remove"), mechanism="noisy sum") as draws:
            return int(draws.counts(np.array([sum(records)]), epsilon, dps.mechanisms.Bound(1))[0])

    with dps.budget(epsilon=1) as book:
        assert abs(900 - answering(noisy_sum).answer([1] * 900, 1).value) < 60
        assert 1 == len(book.events)


def test_a_budget_for_persons_pays_for_their_rows() -> None:
    """An option that draws for groups of two records pays the whole and draws with the half."""
    drawn = []

    def of_two(records, epsilon):
        with dps.open_session(dps.Guarantee(epsilon, "add-remove"), per_person=2) as draws:
            drawn.append((epsilon, draws.remaining))
            return int(draws.counts(np.array([sum(records)]), draws.remaining, dps.mechanisms.Bound(1))[0])

    answering(of_two).answer([1] * 900, 1)

    assert [(Fraction(19, 20), Fraction(19, 40))] == drawn


def test_nothing_can_be_drawn_after_the_answer() -> None:
    """What an option keeps of its opening is closed with it."""
    kept = []

    def keeping(_, epsilon):
        with dps.open_session(dps.Guarantee(epsilon, "add-remove")) as draws:
            kept.append(draws)
        return 1

    answering(keeping).answer([1] * 900, 1)
    with pytest.raises(dps.PrivacyError, match="has ended"):
        kept[0].counts(np.array([1]), 1, dps.mechanisms.Bound(1))


def test_training_leaves_out_what_would_overdraw() -> None:
    """On public data, where nothing is paid: an option that takes twice its epsilon never meets a private one."""
    greedy = adaptive.Option("greedy", selecting(1, 2))
    own = maker(options=[greedy, *maker().options], loss=lambda records, found: 1.0)
    public = {"two": [1] * 2, "many": [1] * 900}
    with dps.budget(epsilon=1) as book:
        with pytest.warns(UserWarning, match="'greedy' failed on two: PrivacyError: This draw asks"):
            own = own.train(public, [1], 2, jobs=1)
        assert 0 == book.totals.spends

    assert "greedy" not in own.trained.policy.options


@pytest.mark.parametrize("name", list(histograms.EVERY_ALGORITHM))
def test_every_histogram_is_an_option_that_pays(name: str) -> None:
    """To the last fraction of what is left."""
    (option,) = histogram_options.options([name])
    with dps.open_session(dps.Guarantee(Fraction(1, 3), "add-remove")) as draws:
        with draws.use_accountant():
            option.answer(np.arange(8), Fraction(1, 3))
        assert 0 == draws.remaining


def test_choosing_alone_draws_its_share_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The metafeatures take all that was paid for them."""
    left, close = [], dps.tuning.Session.close
    monkeypatch.setattr(dps.tuning.Session, "close", lambda self: left.append(self.remaining) or close(self))
    spread = adaptive.Metafeature("spread", lambda records: float(len(records)) / 2, sensitivity=0.5)
    own = trained(metafeatures=[ROWS, spread], share=Fraction(1, 7))
    left.clear()
    own.choose([1] * 900, 1)

    assert [0] == left

"""The end-to-end guarantee of ``answer``: exactly, over all databases of a universe and all their neighbours."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.adaptive import AdaptiveAlgorithm, Metafeature, Option, answer_pmf
from dpselect.adaptive.metafeature import release_facts
from dpselect.mechanisms.pmf import discrete_laplace as log_law
from tests.chance import accept

FLIP, EXPONENTIAL = dps.mechanism("permute-and-flip"), dps.mechanism("exponential")
UNIVERSE = dps.audit.multisets([0, 1], 3)
WINDOW = (-16, 20)


def scores(records) -> dps.Scores:
    """Which value is commoner."""
    return dps.Scores([list(records).count(0), list(records).count(1)], sensitivity=1)


def law(mechanism, factor=1):
    """The law of a selection at a multiple of the epsilon it is given: 1, unless a fault is planted."""
    return lambda records, epsilon: dict(enumerate(mechanism.pmf(scores(records), epsilon * factor).tolist()))


def ones(records) -> int:
    """How many ones there are."""
    return list(records).count(1)


def maker(share=Fraction(1, 2), **given) -> AdaptiveAlgorithm:
    """Permute-and-flip or the exponential mechanism or a constant, by rows and ones, on an ad hoc loss."""
    options = [
        Option("flip", lambda x, e: dps.select(scores(x), epsilon=e, mechanism=FLIP).value),
        Option("exponential", lambda x, e: dps.select(scores(x), epsilon=e, mechanism=EXPONENTIAL).value),
        Option("one", lambda *_: 1),
    ]
    metafeatures = [Metafeature("rows", len, sensitivity=1), Metafeature("ones", ones, sensitivity=1)]
    public = {"none": [0], "few": [0, 0, 1], "some": [1] * 4, "many": [1] * 9 + [0] * 3, "most": [0] * 12}
    # Each option is best somewhere, so that what is chosen depends on the release.
    cost = {"flip": lambda x: 1 + len(x), "exponential": lambda x: 13 - len(x), "one": lambda x: 9 - ones(x)}
    named = [Option(each.name, lambda x, e, own=each.name: cost[own](x)) for each in options]
    given = {"learner": "regret-tree", "fall_back": "never", **given}
    own = AdaptiveAlgorithm(named, metafeatures, lambda _, lost: lost, share=share, **given)
    trained = own.train(public, [1, 2], 1, jobs=1)
    return replace(trained, options=tuple(options))


LAWS = {"flip": law(FLIP), "exponential": law(EXPONENTIAL), "one": lambda *_: {1: 1.0}}


@pytest.fixture(scope="module")
def own() -> AdaptiveAlgorithm:
    """A trained maker that uses all its options."""
    return maker()


@pytest.mark.parametrize("epsilon", [1, 2])
def test_the_whole_answer_costs_epsilon(own, epsilon) -> None:
    """Metafeatures, choice and option together keep epsilon on every pair of neighbours, and come close to it."""
    loss = dps.audit.privacy_loss_of_pmf(lambda x: answer_pmf(own, x, epsilon, LAWS, WINDOW), UNIVERSE, epsilon=epsilon)

    assert loss.holds, str(loss)
    assert loss.worst > 0.7 * epsilon
    used = {outcome[2] for outcome in answer_pmf(own, [0, 1, 1], epsilon, LAWS, WINDOW) if outcome != "outside"}
    assert {"flip", "exponential", "one"} == used


def test_options_that_take_too_much_are_caught(own) -> None:
    """Options that take four times what is left for them break the promise, and the auditor says so."""
    wrong = LAWS | {"flip": law(FLIP, 4), "exponential": law(EXPONENTIAL, 4)}
    loss = dps.audit.privacy_loss_of_pmf(lambda x: answer_pmf(own, x, 1, wrong, WINDOW), UNIVERSE, epsilon=1)

    assert not loss.holds
    assert loss.worst > 1.2


def test_understated_sensitivities_are_caught() -> None:
    """A metafeature that moves by three, declared as one, is caught."""
    faulty = maker()
    tripled = Metafeature("rows", lambda x: 3 * len(x), sensitivity=1)
    faulty = replace(faulty, metafeatures=(tripled, faulty.metafeatures[1]))
    loss = dps.audit.privacy_loss_of_pmf(lambda x: answer_pmf(faulty, x, 1, LAWS, WINDOW), UNIVERSE, epsilon=1)

    assert not loss.holds


@pytest.mark.chance(2.1e-6)
@pytest.mark.slow
def test_answers_follow_the_law(own) -> None:
    """Draws of ``answer`` follow the law that was audited, and not that of 0.7 or 1.3 epsilon."""
    records, epsilon = [0, 1, 1, 1], Fraction(3, 2)

    def outcomes(total):
        found: dict = {}
        for outcome, chance in answer_pmf(own, records, total, LAWS, WINDOW).items():
            short = outcome if outcome == "outside" else outcome[2:]
            found[short] = found.get(short, 0.0) + chance
        return found

    def draw():
        found = own.answer(records, epsilon)
        return (found.choice.option.name, found.value)

    against = {f"{float(factor)} epsilon": outcomes(epsilon * factor) for factor in (Fraction(7, 10), Fraction(13, 10))}
    accept(dps.audit.sampler(draw, outcomes(epsilon), against=against))


@pytest.mark.chance(3.1e-6)
def test_released_values_follow_the_law() -> None:
    """The noise of a metafeature is the law that the audit assumes, and not that of 0.7 or 1.3 epsilon."""
    rows = [Metafeature("rows", len, sensitivity=1)]
    noise = np.arange(-60, 61)

    def at(rate):
        found = dict(zip((noise + 5.0).tolist(), np.exp(log_law(noise, Fraction(rate))).tolist(), strict=True))
        rest = max(0.0, 1 - sum(found.values()))
        return found | {66.0: found.get(66.0, 0.0) + rest}

    def drawn(metafeatures, values):
        with dps.open_session(dps.Guarantee(1, "add-remove")) as draws:
            return release_facts(metafeatures, values, Fraction(1), draws)

    verdict = dps.audit.sampler(
        lambda: drawn(rows, {"rows": 5})["rows"],
        at(1),
        against={"at 0.7 epsilon": at("7/10"), "at 1.3 epsilon": at("13/10")},
    )
    accept(verdict)

"""The choice maker: trains, chooses, spends once, and refuses what it cannot do."""

from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.release.open_session import session_factory_of
from tests.adaptive.toy_options import NOISY, PUBLIC, ROWS, ZERO, adaptive, maker, trained


@pytest.fixture(scope="module")
def learned():
    """A trained choice maker."""
    return trained()


def test_learns_which_option_suits(learned) -> None:
    """Many rows are counted; at small epsilon few rows are better called none."""
    assert "noisy sum" == learned.choose([1] * 900, 1).option.name
    free = trained(metafeatures=[adaptive.Metafeature("rows", len, public=True, scale="log")])
    assert "zero" == free.choose([1] * 3, Fraction(1, 20)).option.name


def test_regret_is_measured_on_groups_left_out(learned) -> None:
    """One row a database and epsilon, and every fixed option beside the learned policy."""
    regret = learned.trained.regret

    assert ("learned", "always noisy sum", "always zero") == regret.policies
    assert 8 == len(regret.rows)
    assert regret.mean("learned") < regret.mean("always zero")
    assert "worst" in str(regret)


def test_one_guarantee_spent_once() -> None:
    """An answer spends epsilon once, also when the option would spend from the budget around it."""

    def releases(records, epsilon):
        scores = dps.Scores([sum(records), 0], sensitivity=1, candidates=["many", "none"])
        return dps.select(scores, epsilon=epsilon, mechanism=dps.mechanism("permute-and-flip")).value

    def wrong(records, answer):
        return float((answer == "many") != (len(records) > 100)) + 0.01

    options = [adaptive.Option("selects", releases), adaptive.Option("none", lambda records, epsilon: "none")]
    own = trained(options=options, loss=wrong)
    with dps.budget(epsilon=2) as book:
        answer = own.answer([1] * 900, 1)

        assert (1, 1) == (book.totals.epsilon, len(book.events))
    assert dps.Guarantee(1, "add-remove") == answer.guarantee
    assert "many" == answer.value


def test_choosing_spends_the_share_only(learned) -> None:
    """What the metafeatures cost, and what is left for the option."""
    with dps.budget(epsilon=1) as book:
        choice = learned.choose([1] * 900, 1)

        assert Fraction(1, 20) == book.totals.epsilon
    assert Fraction(19, 20) == choice.remaining
    assert dps.Guarantee(Fraction(1, 20), "add-remove") == choice.guarantee


def test_nothing_is_drawn_when_the_ledger_refuses(learned) -> None:
    """The spend comes before any randomness, and before the option sees the database."""
    drawn = []
    with dps.budget(epsilon=Fraction(1, 2)) as book, pytest.raises(dps.BudgetError):
        learned._answer([1] * 900, 1, book, session_factory_of(lambda: drawn.append(1)))

    assert [] == drawn


def test_options_receive_what_is_left() -> None:
    """Share and rest sum to epsilon exactly."""
    received = []

    def watching(_, epsilon):
        received.append(epsilon)
        return 0

    options = [adaptive.Option("noisy sum", watching), adaptive.Option("zero", watching)]
    own = maker(options=options, share=Fraction(1, 7)).learn(learned_at(Fraction(1, 7)), [1])
    answer = own.answer([1] * 900, 1)

    assert [Fraction(6, 7)] == received
    assert Fraction(1) == answer.choice.spent + answer.choice.remaining


def learned_at(share):
    """Traces at a share of their own."""
    return maker(share=share).train(PUBLIC, [1], 2, jobs=1).trained.traces


def test_epsilon_outside_the_grid_measures_nothing(learned) -> None:
    """It says so, takes the option of least worst regret, and gives it all of epsilon."""
    choice = learned.choose([1] * 900, 100)

    assert "outside the trained grid, 0.05 to 1" in choice.explain()
    assert (Fraction(0), None, ()) == (choice.spent, choice.guarantee, choice.measured)
    assert learned.trained.policy.options[learned.trained.policy.safest] == choice.option.name


def test_databases_outside_the_range_fall_back(learned) -> None:
    """A table far larger than any trained on gets the safest option, and is told why."""
    choice = learned.choose([1] * 10**6, 1)

    assert "outside the trained range in rows" in choice.explain()
    assert learned.trained.policy.options[learned.trained.policy.safest] == choice.option.name


def test_explanations_say_what_was_measured_and_what_it_cost(learned) -> None:
    """A paragraph and two tables, with the chosen option marked and how sure it is."""
    text = learned.choose([1] * 900, 1).explain()

    assert "1 metafeatures were read, 1 of them paid for with epsilon 0.05" in text
    assert "noisy sum answers with epsilon 0.95 of 1." in text
    assert "four times in five" in text
    assert "<- chosen" in text
    assert "databases left out of training" in text


def test_public_metafeatures_are_free() -> None:
    """With a share of 0 nothing is spent on choosing, and the option receives all of epsilon."""
    own = trained(metafeatures=[adaptive.Metafeature("rows", len, public=True, scale="log")])
    with dps.budget(epsilon=1) as book:
        choice = own.choose([1] * 900, 1)

        assert 0 == book.totals.epsilon
    assert Fraction(1) == choice.remaining
    assert "all of them public, at no cost" in choice.explain()


@pytest.mark.parametrize("share", [1, 1.5, -0.1, "much"])
def test_shares_outside_their_range(share) -> None:
    """A share is a number in (0, 1)."""
    with pytest.raises(ValueError, match="share is the part of epsilon"):
        maker(share=share)


def test_shares_must_fit_the_metafeatures() -> None:
    """Nothing is read for nothing, and nothing is paid for what is free."""
    with pytest.raises(dps.PrivacyError, match="share of 0 pays for nothing"):
        maker(share=0)
    with pytest.raises(ValueError, match="nothing to pay for"):
        maker(metafeatures=[], share=0.1)


@pytest.mark.parametrize("options", [[], [NOISY]])
def test_too_few_options(options) -> None:
    """No option and one option leave nothing to choose."""
    with pytest.raises(ValueError, match="nothing to choose: pass two"):
        maker(options=options)


def test_names_that_clash() -> None:
    """Options of one name, and metafeatures named like a column of the traces."""
    with pytest.raises(ValueError, match="different names"):
        maker(options=[NOISY, NOISY])
    with pytest.raises(ValueError, match="different names"):
        maker(metafeatures=[adaptive.Metafeature("loss", len, public=True)])


def test_untrained_makers_choose_nothing() -> None:
    """Choosing needs training."""
    with pytest.raises(ValueError, match="not trained: call train"):
        maker().choose([1], 1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"databases": {}}, "Pass public databases"),
        ({"epsilons": []}, "at least one epsilon"),
        ({"epsilons": [-1]}, "positive and finite"),
        ({"repetitions": 0}, "repetitions is an integer"),
    ],
)
def test_training_refuses_bad_numbers(given, words) -> None:
    """Databases, epsilons and repetitions are checked before anything runs."""
    usual = {"databases": PUBLIC, "epsilons": [1], "repetitions": 1, "jobs": 1}
    with pytest.raises(ValueError, match=words):
        maker().train(**(usual | given))


def test_options_that_fail_are_left_out() -> None:
    """Raising and returning NaN are recorded with their reason; the others are learned."""

    def raising(_, __):
        raise RuntimeError("no such luck")

    bad = [adaptive.Option("raises", raising), adaptive.Option("is nan", lambda x, e: float("nan"))]
    own = maker(options=[*bad, NOISY, ZERO])
    with (
        pytest.warns(UserWarning, match="'raises' failed on two: RuntimeError: no such luck; it is left out"),
        pytest.warns(UserWarning, match="'is nan' failed on two: its loss was nan"),
    ):
        own = own.train(PUBLIC, [1], 2, jobs=1)

    assert ("noisy sum", "zero") == own.trained.policy.options
    assert "noisy sum" == own.choose([1] * 900, 1).option.name


def test_all_options_failing() -> None:
    """With nothing left there is nothing to learn."""

    def raising(_, __):
        raise RuntimeError

    with pytest.warns(UserWarning, match="left out"), pytest.raises(ValueError, match="Every option failed"):
        maker(options=[adaptive.Option("a", raising), adaptive.Option("b", raising)]).train(PUBLIC, [1], 1, jobs=1)


@pytest.mark.parametrize("learner", [pytest.param("forest", marks=pytest.mark.slow), "fixed"])
def test_every_learner(learner) -> None:
    """All learn from the same traces, in the same way."""
    assert "noisy sum" == trained(learner=learner).choose([1] * 900, 1).option.name


def test_any_regressor_learns() -> None:
    """A scikit-learn regressor is cloned for every option; anything else is refused."""
    from sklearn.tree import DecisionTreeRegressor

    assert "noisy sum" == trained(learner=DecisionTreeRegressor()).choose([1] * 900, 1).option.name
    with pytest.raises(ValueError, match="learner is one of"):
        maker(learner=3)
    with pytest.raises(ValueError, match="The learner 'oracle' does not exist"):
        maker(learner="oracle")


def test_predictions_and_derived_features_are_seen() -> None:
    """A programmer's prediction is one more feature, and so is every derived formula."""
    predicting = adaptive.Option("zero", ZERO.answer, predict=lambda known, epsilon: known["rows"])
    own = trained(options=[NOISY, predicting], derived={"mass": "log1p(max(epsilon * rows, 0))"})

    assert ("log rows", "log epsilon", "mass", "prediction of zero") == own.trained.policy.recipe.features
    assert "noisy sum" == own.choose([1] * 900, 1).option.name
    few = trained(derived={"mass": "log1p(max(epsilon * rows, 0))"}, features=["mass"])
    assert [2] == few.trained.policy.recipe.places
    assert "noisy sum" == few.choose([1] * 900, 1).option.name
    with pytest.raises(ValueError, match="features are some of log rows, log epsilon"):
        maker(features=["rows"])
    with pytest.raises(ValueError, match="reads cells: name metafeatures of it"):
        maker(derived={"density": "rows / cells"})


def test_nothing_private_in_a_repr(learned) -> None:
    """Representations show names, sizes and promises."""
    texts = [repr(each) for each in (learned, ROWS, ZERO, learned.answer([7] * 900, 1), learned.choose([7] * 900, 1))]

    assert not any("900" in text or "6300" in text for text in texts)


def test_groups_name_databases() -> None:
    """A slip of the pen would let copies of one source judge each other."""
    options = [adaptive.Option("one", lambda x, epsilon: 1.0), adaptive.Option("two", lambda x, epsilon: 2.0)]
    fresh = adaptive.AdaptiveAlgorithm(
        options, [adaptive.Metafeature("rows", len, public=True)], lambda x, found: found
    )
    with pytest.raises(ValueError, match="which is not a database"):
        fresh.train({"a": [1]}, [1], 1, groups={"b": "c"}, jobs=1)

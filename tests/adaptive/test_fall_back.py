"""Where the best fixed option did better on databases left out of training, choosing ends there, and says so."""

import functools
from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

import dpselect as dps
from dpselect.adaptive import AdaptiveAlgorithm, Metafeature, Option, Traces, answer_pmf

FLIP = dps.mechanism("permute-and-flip")
CELLS, ALL = 64, np.arange(64)


def ranked(records) -> dps.Scores:
    """Cells by how many records lie below and above."""
    below = np.searchsorted(np.sort(records), ALL, side="right")
    return dps.Scores(-np.abs(2 * below - len(records)), sensitivity=1)


def blocks(records) -> dps.Scores:
    """Eight blocks of cells by their records."""
    return dps.Scores(np.bincount(np.asarray(records) // 8, minlength=8), 1, range_bound=1)


# Three private medians: by rank, the middle of the commonest block, the middle of the domain.
LAWS = {
    "rank": lambda x, e: dict(zip(ALL.tolist(), FLIP.pmf(ranked(x), e).tolist(), strict=True)),
    "block": lambda x, e: dict(zip((8 * ALL[:8] + 4).tolist(), FLIP.pmf(blocks(x), e).tolist(), strict=True)),
    "middle": lambda x, e: {CELLS // 2: 1.0},
}
OPTIONS = [
    Option("rank", lambda x, e: int(dps.select(ranked(x), epsilon=e, mechanism=FLIP).value)),
    Option("block", lambda x, e: 8 * int(dps.select(blocks(x), epsilon=e, mechanism=FLIP).value) + 4),
    Option("middle", lambda x, e: CELLS // 2),
]
FACTS = [
    Metafeature("total", len, sensitivity=1, scale="log"),
    Metafeature("block", lambda x: int(np.bincount(np.asarray(x) // 8, minlength=8).max()), sensitivity=1, scale="log"),
]


def drawn(kind: str, rows: int, numbers: np.random.Generator) -> np.ndarray:
    """Public records of one kind."""
    cells = {
        "narrow": numbers.normal(19, 1, rows),
        "skew": numbers.lognormal(2.2, 0.8, rows),
        "two": np.where(numbers.random(rows) < 0.5, 6, 56) + numbers.normal(0, 1, rows),
        "flat": numbers.uniform(0, CELLS, rows),
    }[kind]
    return cells.clip(0, CELLS - 1).astype(int)


@functools.cache
def runs(more: float = 0.0) -> Traces:
    """Exact expected losses, and something more, on twelve public databases of four kinds."""
    numbers, rows = np.random.default_rng(0), []
    for kind in ("narrow", "skew", "two", "flat"):
        for n in (8, 60, 900):
            records = drawn(kind, n, numbers)
            median = float(np.sort(records)[n // 2])
            facts = {each.name: float(each.value(records)) for each in FACTS}
            for total in (Fraction(1, 20), Fraction(1, 2)):
                for epsilon in (total, total * Fraction(9, 10)):
                    for option, law in LAWS.items():
                        loss = more + sum(chance * abs(cell - median) for cell, chance in law(records, epsilon).items())
                        run = {"option": option, "epsilon": float(epsilon), "repetition": 0, "loss": loss}
                        rows.append(
                            {"database": f"{kind} {n}", "group": kind, **run, "seconds": 0, "error": "", **facts}
                        )
    return Traces.from_rows(rows, [each.name for each in FACTS])


def off(records, answer):
    """How far from the median."""
    return abs(answer - float(np.sort(records)[len(records) // 2]))


def maker(**given) -> AdaptiveAlgorithm:
    """Three medians and two facts, of which a tenth of epsilon pays; not trained."""
    # The forest that is built in, with fewer trees.
    forest = ExtraTreesRegressor(12, min_samples_leaf=2, max_features=0.7, random_state=0)
    return AdaptiveAlgorithm(OPTIONS, FACTS, off, share=0.1, learner=forest, **given)


@functools.cache
def fallen(more: float = 0.0) -> AdaptiveAlgorithm:
    """Trained on those, and warned."""
    with pytest.warns(UserWarning, match="So rank is always taken, and nothing is measured"):
        return maker().learn(runs(more))


def test_a_learned_choice_that_did_worse_is_not_used() -> None:
    """Held out it loses more than the best fixed option does, which is therefore taken everywhere."""
    own = fallen()
    regret = own.trained.regret

    assert regret.mean_added("learned") > 1.1 * regret.mean_added("always rank")
    assert "rank" == own.trained.always
    records = np.random.default_rng(1)
    for kind in ("narrow", "skew", "two", "flat"):
        assert "rank" == own.choose(drawn(kind, 60, records), 0.1).option.name


def test_the_ratio_of_the_paper_is_kept_where_no_loss_vanishes() -> None:
    """With two cells more to every loss the least is never near 0, and nothing is added."""
    regret = fallen(2.0).trained.regret
    means = runs(2.0).means(list(LAWS))

    assert 0 == regret.added_loss < fallen().trained.regret.added_loss
    for row in regret.rows:
        losses = means[row["database"], row["epsilon"]]
        assert row["policies"]["always block"] == losses[1] / losses.min()
    assert regret.mean("learned") > 1.01 * regret.mean("always rank")
    assert "ratios" not in str(fallen(2.0).trained.held_out()) + str(regret)
    assert "Ratios are of losses plus" in str(fallen().trained.regret)


def test_nothing_is_measured_and_the_option_gets_all() -> None:
    """A choice costs nothing; an answer is one spend, all of it the option's."""
    with dps.budget(epsilon=1) as book:
        choice = fallen().choose([19] * 60, 0.5)
        assert (0, 0) == (book.totals.epsilon, choice.spent)
        answer = fallen().answer([19] * 60, 0.5)

        assert (Fraction(1, 2), 1) == (book.totals.epsilon, len(book.events))
    assert (Fraction(1, 2), ()) == (answer.choice.remaining, answer.choice.measured)


def test_the_explanation_says_both_figures_and_why() -> None:
    """Learned beside best fixed, as a ratio and as what was lost more."""
    own, text = fallen(), fallen().choose([19] * 60, 0.5).explain()
    regret = own.trained.regret

    assert "Choosing did worse than always rank" in text
    assert f"choosing lost {regret.mean('learned'):.4g} times the least loss" in text
    assert (
        f"{regret.mean_added('learned'):.4g} more than it, always rank {regret.mean('always rank'):.4g} times" in text
    )
    assert f"and {regret.mean_added('always rank'):.4g} more." in text
    assert "Choosing is not worth its price here: always use rank." == own.trained.held_out().summary
    assert f"ratios, which decide, are of losses plus {regret.added_loss:.4g}" in text
    assert "trained: always 'rank'" in repr(own)
    assert "added" in str(regret).splitlines()[0]


def test_whoever_wants_what_was_learned_says_so() -> None:
    """With fall_back="never" facts are paid for, and the explanation still prints the better figure."""
    own = maker(fall_back="never").learn(runs())
    choice = own.choose([19] * 60, 0.5)

    assert own.trained.always is None
    assert Fraction(1, 20) == choice.spent
    assert "always rank" in choice.explain()
    with pytest.raises(ValueError, match="fall_back is one of best-fixed, never"):
        maker(fall_back="always")


def test_choosing_that_pays_is_kept() -> None:
    """Two options, each best on its side of a public fact: the learned choice has no rival."""
    side = [Metafeature("rows", len, public=True, scale="log")]
    both = [Option("few", lambda x, _: len(x)), Option("many", lambda x, _: 40 - len(x))]
    public = {str(n): [1] * n for n in (2, 3, 4, 35, 36, 37)}
    own = AdaptiveAlgorithm(both, side, lambda _, lost: lost, learner="regret-tree").train(public, [1], 1, jobs=1)

    assert own.trained.always is None
    assert ["few", "many"] == [own.choose([1] * n, 1).option.name for n in (3, 36)]
    assert "choosing lost" in own.choose([1] * 3, 1).explain()
    assert own.trained.held_out().summary.startswith("Choosing is worth its price here: always using")


def test_the_law_of_an_answer_is_that_of_the_option() -> None:
    """All of epsilon, and no more: the auditor sees no release beside it."""
    universe = dps.audit.multisets([3, 60], 3)
    law = answer_pmf(fallen(), [3, 3, 60], Fraction(1, 2), LAWS, (0, 1))

    assert {"rank"} == {option for option, _ in law}
    loss = dps.audit.privacy_loss_of_pmf(
        lambda x: answer_pmf(fallen(), x, Fraction(1, 2), LAWS, (0, 1)), universe, epsilon=Fraction(1, 2)
    )
    assert loss.holds, str(loss)

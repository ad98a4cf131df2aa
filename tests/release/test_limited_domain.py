"""Names above a threshold."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.kernel.limited_domain import domain_threshold
from dpselect.mechanisms.ordered_pmf import list_chance
from dpselect.release.limited_domain import LimitedDomain, above_threshold_of, limited_domain
from dpselect.release.open_session import session_factory_of
from dpselect.release.unknown_domain import unknown_domain_of
from dpselect.views.stored_events import stored_names

PERSON = dps.mechanisms.Bound(1, "person")
ROWS = {"who": [*range(200), *range(150), 0, None], "what": ["tea"] * 200 + ["milk"] * 150 + ["ann's", "rum"]}
ASKED = {"person": "who", "item": "what"}


def rules(k: int, kept: int, beyond: int) -> LimitedDomain:
    """A threshold that is so far beyond one person's move."""
    made = limited_domain(k, kept, dps.Guarantee(1, "person", Fraction(1, 2)), PERSON)
    return LimitedDomain(k, kept, made.height - made_beyond(made) + beyond, made.rate, made.guarantee)


def made_beyond(made: LimitedDomain) -> int:
    """How far the threshold is above the next name, without what pays for one person's move."""
    return domain_threshold(made.kept, made.guarantee.epsilon, made.guarantee.delta, made.rate)


def law(counts: tuple[int, ...], made: LimitedDomain, base: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The chance of every list of names, exactly; e^rate is the base."""
    positions, ticks = above_threshold_of(np.array(counts), made)
    weights = [base ** int(tick) for tick in ticks]
    chances: dict[tuple[int, ...], Fraction] = {}
    for order in itertools.permutations(range(ticks.size), min(made.k, ticks.size)):
        losers = tuple(sorted(weight for place, weight in enumerate(weights) if place not in order))
        cut = order[: order.index(positions.size)] if positions.size in order else order
        names = tuple(positions[list(cut)].tolist())
        chances[names] = chances.get(names, Fraction(0)) + list_chance(tuple(weights[r] for r in order), losers)
    assert 1 == sum(chances.values())
    return chances


def divergence(one, other, factor: Fraction) -> Fraction:
    """The least delta at which one law is covered by the other."""
    return sum(max(Fraction(0), chance - factor * other.get(names, 0)) for names, chance in one.items())


def worst(pairs: int, seed: int) -> float:
    """The largest divergence over its bound, of random tables over five names, in both directions."""
    pick, largest = random.Random(seed), 0.0
    for _ in range(pairs):
        k = pick.choice([1, 2])
        kept, base, beyond = pick.randint(k, 3), Fraction(pick.choice([12, 15, 20]), 10), pick.choice([0, 1, 2, 3])
        counts = tuple(pick.choice([0, 0, 1, 2, 3, 4]) for _ in range(5))
        more = tuple(count + pick.choice([0, 1]) for count in counts)
        made, factor = rules(k, kept, beyond), base**k
        bound = (1 + factor) * kept / base**beyond / 2
        here, there = law(counts, made, base), law(more, made, base)
        for one, other in ((here, there), (there, here)):
            loss = divergence(one, other, factor)
            assert loss <= bound, (counts, more, k, kept, base, beyond)
            largest = max(largest, float(loss / bound))
    return largest


def test_no_list_is_told_apart_by_more_than_delta() -> None:
    """Hockey-stick divergence over all lists, in fractions, absent names and all."""
    assert worst(60, 1) > 0.1


@pytest.mark.slow
def test_no_list_of_many_more_is() -> None:
    """A thousand directions."""
    assert worst(500, 9) > 0.3


def test_a_name_of_one_side_is_no_nearer_to_the_wall_than_one_person() -> None:
    """Every table over four names, and every person: what only one side keeps is at least h below."""
    made = rules(1, 2, 5)
    for counts in itertools.product(range(3), repeat=4):
        for person in itertools.product((0, 1), repeat=4):
            tables = [np.array(counts), np.array(counts) + person]
            sides = [above_threshold_of(table, made) for table in tables]
            for (one, ticks), (other, _) in (sides, sides[::-1]):
                for place, name in enumerate(one.tolist()):
                    assert name in other.tolist() or ticks[-1] - ticks[place] >= 5


def test_ties_are_broken_by_the_public_order_and_nobody_s_names_are_no_candidates() -> None:
    """Best first; the threshold is above the next one, or above zero."""
    made = rules(1, 2, 5)

    positions, ticks = above_threshold_of(np.array([0, 3, 1, 3, 3]), made)
    assert ([1, 3], [3, 3, 9]) == (positions.tolist(), ticks.tolist())
    positions, ticks = above_threshold_of(np.array([0, 0, 1]), made)
    assert ([2], [1, 6]) == (positions.tolist(), ticks.tolist())
    positions, ticks = above_threshold_of(np.array([0, 0]), made)
    assert ([], [6]) == (positions.tolist(), ticks.tolist())


def test_the_height_pays_for_delta() -> None:
    """One more than what hides, at the rate of the list."""
    made = limited_domain(5, 100, dps.Guarantee(1, "person", 1e-6), PERSON)

    assert (97, Fraction(1, 5)) == (made.height, made.rate)
    assert 382 == limited_domain(20, 100, dps.Guarantee(1, "person", 1e-6), PERSON).height


def test_frequent_names_come_before_the_wall_and_rare_ones_do_not(tmp_path) -> None:
    """In order; epsilon and delta of persons are recorded, once."""
    ledger = dps.Ledger.open(tmp_path / "people.ledger", epsilon=50, delta=1e-5, neighbours="person")
    release = dps.most_common(ROWS, 3, epsilon=20, **ASKED, delta=1e-6, kept=10, ledger=ledger)

    assert ("tea", "milk") == release.value
    assert dps.Guarantee(20, "person", 1e-6) == release.guarantee
    (event,) = ledger.events
    assert (20, 1e-6, "person", 1) == (event.epsilon, float(event.delta), event.neighbours, event.count)
    assert release.mechanism == event.mechanism == "permute-and-flip before a wall, kept=10"
    assert () == dps.most_common({"who": [], "what": []}, 2, epsilon=1, **ASKED, delta=1e-6, kept=2).value


@pytest.mark.parametrize("kind", ["memory", "parquet", "csv"])
def test_an_engine_counts_and_fetches_the_most_frequent_names_alone(kind: str, tmp_path) -> None:
    """By rank, with their numbers of different persons; rows that name nobody or nothing are left out."""
    ibis = pytest.importorskip("ibis")
    import pyarrow as pa
    from pyarrow import csv, parquet

    rows = pa.table({"who": ROWS["who"] + [3, 3, 3], "what": [*ROWS["what"], "milk", None, ""]})
    parquet.write_table(rows, tmp_path / "events.parquet")
    csv.write_csv(rows, tmp_path / "events.csv")
    table = ibis.memtable(rows) if kind == "memory" else dps.data.Warehouse.open(tmp_path / f"events.{kind}")

    counts, names, metadata = stored_names(table, "who", "what", 3)
    assert ([200, 150, 1], ["tea", "milk", "ann's"]) == (counts.tolist(), names)
    assert {"person": "who", "item": "what"}.items() <= metadata.items()
    table = ibis.memtable(rows) if kind == "memory" else dps.data.Warehouse.open(tmp_path / f"events.{kind}")
    release = dps.most_common(table, 3, epsilon=20, **ASKED, delta=1e-6, kept=10)
    assert ("tea", "milk") == release.value


def released(people, delta: float) -> dict[tuple, float]:
    """The chance of every list of two of three, by the code itself; a person is a set of names."""
    rows = [(who, what) for who, held in enumerate(people) for what in held]
    columns = {"who": [who for who, _ in rows], "what": [what for _, what in rows]}
    chances: dict[tuple, float] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        replay = ScriptedNoise(waiting.pop())
        session_factory = session_factory_of(lambda replay=replay: replay)
        told = unknown_domain_of(columns, 2, 2.0, delta, "who", "what", 3, None, session_factory=session_factory).value
        for at in range(len(replay.script), len(replay.taken)):
            waiting += [(*replay.taken[:at], other) for other in range(1, replay.ways[at])]
        chances[told] = chances.get(told, 0.0) + math.exp(replay.log_chance)
    assert math.isclose(1, sum(chances.values()))
    return chances


@pytest.mark.parametrize("delta", [0.01, 0.3])
def test_no_person_is_told_apart_by_more_than_epsilon_and_delta(delta: float) -> None:
    """From rows to lists, with every person who may join."""
    sets = [held for size in range(1, 5) for held in itertools.combinations("abcd", size)]
    for people in ([], [sets[0]], [sets[1], sets[6], sets[6]], [sets[-1], sets[-1], sets[5]]):
        before = released(people, delta)
        for person in sets[::2]:
            after = released([*people, person], delta)
            for one, other in ((before, after), (after, before)):
                loss = sum(max(0.0, chance - math.exp(2) * other.get(told, 0.0)) for told, chance in one.items())
                assert loss <= delta


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"kept": 1}, ValueError, "kept must be at least k, which is 2"),
        ({"kept": 0}, ValueError, "kept must be an integer"),
        ({"delta": 0}, dps.PrivacyError, "without a delta"),
        ({"delta": 1}, ValueError, "less than 1"),
        ({"k": 0}, ValueError, "k must be an integer"),
        ({"epsilon": 1e-13}, ValueError, "epsilon is too small"),
        ({"items_per_person": 2}, dps.PrivacyError, "one of the two"),
        ({"domain": ["tea", "milk"]}, ValueError, "public list needs no delta"),
        ({"item": "name"}, ValueError, "no column 'name'"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(changed, error, message) -> None:
    """In one sentence."""
    spent = []

    class Book:
        def spend(self, *args, **_) -> None:
            spent.append(args)

    asked = {"k": 2, "epsilon": 1, **ASKED, "delta": 1e-6, "kept": 10, **changed}
    with pytest.raises(error, match=message):
        dps.most_common(ROWS, ledger=Book(), **asked)
    assert [] == spent


@pytest.mark.parametrize("cell", [None, "", [], float("nan"), b"x", 10**400, object(), "\ud800"])
@pytest.mark.parametrize("more", [{"kept": 10}, {"items_per_person": 2}], ids=["wall", "keys"])
@pytest.mark.parametrize("column", ["who", "what"])
def test_no_cell_decides_whether_there_is_an_answer(column: str, cell, more) -> None:
    """Names of any kind, and of none."""
    columns = {name: [*cells, cell if name == column else cells[0]] for name, cells in ROWS.items()}

    assert ("tea", "milk") == dps.most_common(columns, 2, epsilon=40, **ASKED, delta=1e-6, **more).value

"""Draws by the very code that releases: its exact law, its coins, and the order of spend and draw.

``privacy_loss`` computes what a mechanism should do. Here the release itself runs, with a sampler that takes every
choice in turn and knows how likely it was, so that a wrong share of epsilon shows.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.privacy_loss import PrivacyLoss, privacy_loss_of_pmf
from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.audit.universe import Universe, multisets
from dpselect.kernel import bernoulli_exp
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.samplers import group_draws as groups
from dpselect.ledger.recording import RecordingAccountant, Spend
from dpselect.mechanisms import mechanism as named
from dpselect.release import select as release
from dpselect.release.above_threshold import stream_of
from dpselect.release.open_session import SessionFactory, session_factory_of
from dpselect.release.quantiles import release_of as quantiles_of
from dpselect.release.threshold_rules import threshold_rules
from dpselect.scores.scores import Scores
from dpselect.views.grid import EvenGrid

# The total epsilon of every release here: large enough that a share too many is seen.
EPSILON = Fraction(2)
_ROUNDING = 1e-9
# What a check returns: how many things were compared, and a counterexample in words or "".
Finding = tuple[int, str]


@contextmanager
def _record_spends(replay: ScriptedNoise) -> Iterator[RecordingAccountant]:
    """Yield a budget that allows everything.

    Raises:
        ValueError: something was drawn before a spend, or the spends are not the whole epsilon.
    """
    early: list[bool] = []

    def pay(_: Spend) -> int:
        early.append(replay.asked)
        return 0

    accountant = RecordingAccountant(pay=pay)
    yield accountant
    spent = sum(each.count * each.guarantee.epsilon for each in accountant.spends)
    if any(early) or spent != EPSILON:
        raise InputError(f"{spent} of {EPSILON} was spent{', after the first draw' if any(early) else ''}.")


def pmf_of_release(run: Callable[[SessionFactory, RecordingAccountant], Hashable]) -> dict[Hashable, float]:
    """Return the exact distribution of what ``run`` releases in a session, over every path of choices.

    Raises:
        ValueError: something was drawn before the spend, or the spend is not the whole epsilon.
    """
    pmf: dict[Hashable, float] = {}

    def once(replay: ScriptedNoise) -> None:
        with _record_spends(replay) as accountant:
            outcome = run(session_factory_of(lambda: replay), accountant)
        pmf[outcome] = pmf.get(outcome, 0.0) + math.exp(replay.log_chance)

    for _ in transcripts(once):
        pass
    return pmf


def lists_of_two(name: str, method: str | None = None) -> Finding:
    """Check ordered pairs of three counts, released by ``top_k`` itself."""
    mechanism = named(name)

    def pmf(records: NDArray[Any]) -> dict[Hashable, float]:
        scores = Scores(np.array([int((records == kind).sum()) for kind in range(3)]), 1, range_bound=1)
        return pmf_of_release(
            lambda session_factory, book: (
                release.release_of(scores, 2, EPSILON, mechanism, book, session_factory, method=method).value
            )
        )

    return _verdict(pmf, multisets(range(3), 4))


def three_percentiles() -> Finding:
    """Check uneven shares over a small grid of two sub-cells per value, released by ``quantiles`` itself."""
    shares, grid = [Fraction(1, 10), Fraction(1, 2), Fraction(3, 4)], EvenGrid(0, 1, 3)

    def pmf(records: NDArray[Any]) -> dict[Hashable, float]:
        return pmf_of_release(
            lambda session_factory, book: quantiles_of(records, shares, grid, EPSILON, book, 2, session_factory).value
        )

    return _verdict(pmf, multisets(range(3), 3))


def threshold_streams(range_bound: int) -> Finding:
    """Check every transcript of three questions at two levels, asked of the stream itself, and a clear one first."""
    rules = threshold_rules(
        EPSILON,
        positives=1,
        sensitivity=1,
        kind="integer",
        range_bound=range_bound,
        neighbours="add-remove",
        levels=[(2, Fraction(1, 2))],
        share=None,
    )

    def asked(values: tuple[int, ...], replay: ScriptedNoise) -> None:
        with (
            _record_spends(replay) as accountant,
            stream_of(rules, accountant, session_factory_of(lambda: replay)) as stream,
        ):
            for value in values:
                if not stream.has_ended:
                    stream.ask(value, 0)

    pairs, values = 0, (2, 2, -9)
    for moves in itertools.product((0, 1) if range_bound == 1 else (-1, 0, 1), repeat=3):
        others = tuple(value + move for value, move in zip(values, moves, strict=True))
        for script, chance in transcripts(partial(asked, values)):
            loss, pairs = abs(chance - log_chance_of(partial(asked, others), script)), pairs + 1
            if loss > float(EPSILON) + _ROUNDING:
                return pairs, f"loss {loss:.4g} at epsilon {EPSILON} between values {values} and {others}"
    return pairs, ""


def streams_differ() -> Finding:
    """Check that no two draws see the same bytes."""
    streams = [bernoulli_exp.new_entropy()(32) for _ in range(64)]
    return len(streams), "" if len(set(streams)) == len(streams) else "two streams of random bytes are the same."


def undecided_coins() -> Finding:
    """Check coins whose first bits do not decide, against exact fractions of all their bits."""
    gaps, rate = np.arange(3000) % 40, Fraction(1, 7)
    # Multiples of 2^32 over the golden ratio are spread evenly; there is nothing random here.
    prefixes = (np.arange(gaps.size, dtype=np.uint64) * np.uint64(2654435769) % np.uint64(2**32)).astype(np.uint32)
    limits = [
        bernoulli_exp.exponential_between(gap * rate, 60)[0] if gap else Fraction(1)
        for gap in range(int(gaps.max()) + 1)
    ]
    for guard in (bernoulli_exp.GUARD, 0.3):
        answers = iter([prefixes.tobytes()])
        # All bits after the prefix are 0.
        shown = set(bernoulli_exp.flip(gaps, rate, partial(_then_zeros, answers), guard).tolist())
        for coin, (gap, prefix) in enumerate(zip(gaps.tolist(), prefixes.tolist(), strict=True)):
            if (coin in shown) != (Fraction(prefix, 2**32) < limits[gap]):
                return gaps.size, f"a coin of gap {gap} with first bits {prefix} falls on the wrong side."
    return 2 * gaps.size, ""


def groups_peeled() -> Finding:
    """Check that grouped peeling names every ordered triple of candidates of two groups equally often, given groups."""
    ticks, counts = np.array([0, 0]), np.array([2, 2])
    seen: Counter[tuple[tuple[int, int], ...]] = Counter()
    for first, second, third in itertools.product(range(4), range(3), range(2)):
        # An ordinal among 4, 3 and 2 that remain is read from the first bits of a byte.
        drawn = iter((first << 6, second << 6, third << 7))
        winners = groups.peel(ticks, counts, 3, Fraction(1), lambda *_: 0, partial(partial, _one_byte, drawn))
        seen[tuple(winners)] += 1
    everyone = list(itertools.permutations(itertools.product(range(2), range(2)), 3))
    for triple in everyone:
        if seen[triple] != 1:
            return len(everyone), f"{triple} is named by {seen[triple]} of {len(everyone)} equally likely draws, not 1."
    return len(everyone), ""


def _then_zeros(answers: Iterator[bytes], count: int) -> bytes:
    return next(answers, bytes(count))


def _one_byte(drawn: Iterator[int], _: int) -> bytes:
    return bytes([next(drawn)])


def _verdict(pmf: Callable[[Any], dict[Hashable, float]], universe: Universe) -> Finding:
    try:
        loss: PrivacyLoss = privacy_loss_of_pmf(pmf, universe, epsilon=EPSILON)
    except (ValueError, PrivacyError) as error:
        return len(universe), str(error)
    return loss.pairs, "" if loss.holds else f"loss {loss.worst:.4g} at epsilon {EPSILON} {loss.attained}"

"""A claim about a score that a reviewer can change: on a universe so small that every database is tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect import utilities
from dpselect.audit import Admissibility, PrivacyLoss, Universe, admissible, multisets, privacy_loss
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.neighbours import Neighbours
from dpselect.mechanisms.registry import MECHANISMS, require_mechanism
from dpselect.scores import sensitivity
from dpselect.scores.scores import Scores

COUNTS, PRINTED, CORRECTED = "counts", "printed", "corrected"
SUBSTITUTION = Neighbours.SUBSTITUTION.value
_UNIVERSE = """universe = dps.audit.multisets(candidates, {rows}{relation})"""
_COUNTS = """def utility(records):
    counts = [int((records == name).sum()) for name in candidates]
    changes = [max(counts) - count for count in counts]
    return dps.Scores(
        counts,
        sensitivity={sensitivity},
        candidates=candidates,
        neighbours="{neighbours}",
        range_bound={range_bound},
        distance=changes,
        kind="integer",
    )"""
_PRINTED_CODE = """def utility(records):
    counts = [int((records == name).sum()) for name in candidates]
    winner = counts.index(max(counts))
    lead = min(counts[winner] - count for place, count in enumerate(counts) if place != winner)
    safe = dps.sensitivity.local(lambda steps: float(steps >= lead), ceiling=1.0)
    won = [int(place == winner) for place in range(len(candidates))]
    return dps.Scores(won, safe, candidates=candidates, kind="integer", zero="worst")"""
_CORRECTED_CODE = """def utility(records):
    return dps.utilities.majority([int((records == name).sum()) for name in candidates], candidates)"""


@dataclass(frozen=True)
class Claim:
    """A claim about one score.

    Attributes:
        candidates: public names.
        rows: how many rows a database has: at most, or exactly where rows are replaced.
        score: ``COUNTS``, or the 0/1 score of the winner: ``PRINTED`` or ``CORRECTED``.
        sensitivity: how far one neighbour is claimed to move a count.
        range_bound: 1 where all counts are claimed to move the same way, else 2.
        neighbours: ``"add-remove"`` or ``"substitution"``.
    """

    candidates: tuple[str, ...]
    rows: int
    score: str
    sensitivity: Fraction
    range_bound: int
    neighbours: str

    @property
    def universe(self) -> Universe:
        """Return every database."""
        return multisets(self.candidates, self.rows, self.neighbours)

    def scores(self, records: Any) -> Scores:
        """Return the scores on one database, with what is claimed of them."""
        counts = [int((records == name).sum()) for name in self.candidates]
        if self.score == CORRECTED:
            return utilities.majority(counts, self.candidates)
        if self.score == PRINTED:
            return self._printed_scores(counts)
        return Scores(
            counts,
            self.sensitivity,
            self.candidates,
            self.neighbours,
            self.range_bound,
            [max(counts) - count for count in counts],
            kind="integer",
        )

    def _printed_scores(self, counts: Sequence[int]) -> Scores:
        """Return the 0/1 score of the winner, which is said to be safe for as many steps as it leads by."""
        winner = counts.index(max(counts))
        lead = min(counts[winner] - count for place, count in enumerate(counts) if place != winner)
        safe = sensitivity.local(lambda steps: float(steps >= lead), ceiling=1.0)
        won = np.arange(len(counts)) == winner
        return Scores(won.astype(np.int64), safe, self.candidates, zero="worst")

    def python(self) -> str:
        """Return statements that make ``candidates``, ``utility`` and ``universe``."""
        relation = "" if self.neighbours != SUBSTITUTION else f', "{SUBSTITUTION}"'
        named = {"sensitivity": _number(self.sensitivity), "neighbours": self.neighbours}
        text = {COUNTS: _COUNTS, PRINTED: _PRINTED_CODE, CORRECTED: _CORRECTED_CODE}[self.score]
        body = text.format(range_bound=self.range_bound, **named) if self.score == COUNTS else text
        universe = _UNIVERSE.format(rows=self.rows, relation=relation)
        return f"import dpselect as dps\n\ncandidates = {list(self.candidates)!r}\n\n\n{body}\n\n\n{universe}"


@dataclass(frozen=True)
class Verdict:
    """The verdict of brute force on a claim.

    Attributes:
        loss: of the mechanism.
        first, second: the scores on the two databases that attain the worst.
        place: of the candidate whose chances differ most between them.
        words: the two databases.
        stated: of the sensitivity.
        spread: of the range bound: why it fails, in words, or ``""``.
        databases: how many there are.
    """

    loss: PrivacyLoss
    first: Scores
    second: Scores
    place: int
    words: tuple[str, str]
    stated: Admissibility
    spread: str
    databases: int

    @property
    def holds(self) -> bool:
        """Return whether nothing speaks against the claim."""
        return self.loss.holds and self.stated.admissible and not self.spread


@lru_cache(maxsize=64)
def judge_claim(claim: Claim, mechanism: str, epsilon: Fraction) -> Verdict:
    """Return what is found on every pair of neighbours.

    Raises:
        PrivacyError, ValueError: the mechanism does not apply to such scores.
    """
    universe = claim.universe
    loss = privacy_loss(mechanism, claim.scores, universe, epsilon=epsilon)
    if loss.pair is None:
        raise InputError("No two databases are neighbours: allow more rows.")
    first, second = loss.pair
    here, there = claim.scores(universe[first]), claim.scores(universe[second])
    drawn = require_mechanism(mechanism)
    with np.errstate(invalid="ignore"):
        moved = np.abs(drawn.log_pmf(here, epsilon) - drawn.log_pmf(there, epsilon))
    words = universe.words(first), universe.words(second)
    # An outcome that is impossible on both sides tells nothing.
    place = int(np.nanargmax(moved))
    return Verdict(loss, here, there, place, words, _admissibility(claim), too_wide(claim), len(universe))


@lru_cache(maxsize=16)
def losses(claim: Claim, epsilon: Fraction) -> tuple[tuple[str, PrivacyLoss], ...]:
    """Return the worst loss of every mechanism that applies."""
    found = []
    for name in MECHANISMS:
        try:
            found.append((name, judge_claim(claim, name, epsilon).loss))
        except (PrivacyError, ValueError):
            continue
    return tuple(found)


@lru_cache(maxsize=16)
def _admissibility(claim: Claim) -> Admissibility:
    return admissible(claim.scores, claim.universe)


@lru_cache(maxsize=16)
def too_wide(claim: Claim) -> str:
    """Return where one neighbour spreads the changes of scores wider than the range bound allows, or ``""``.

    The range of a step is its largest change less its smallest: at most the range bound times the sensitivity.
    """
    universe = claim.universe
    scores = [claim.scores(each) for each in universe]
    values = np.array([each.values for each in scores], dtype=np.float64)
    pairs = universe.pairs()
    changes = values[pairs[:, 1]] - values[pairs[:, 0]]
    ranges = np.ptp(changes, axis=1)
    first = scores[0]
    allowed = float(first.range_bound * first.sensitivity.ceiling)
    worst = int(ranges.argmax())
    if ranges[worst] <= allowed:
        return ""
    one, other = (universe.words(int(each)) for each in pairs[worst])
    up, down = int(changes[worst].argmax()), int(changes[worst].argmin())
    return (
        f"From {one} to {other} the score of {first.candidates[up]} changes by {changes[worst, up]:+g} and that of "
        f"{first.candidates[down]} by {changes[worst, down]:+g}: a range of {ranges[worst]:g}, where {allowed:g} is "
        "claimed (range bound times sensitivity)."
    )


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value)!r}"

"""A stream of questions "is this above the threshold?", of which only the answers above cost anything.

It was paid for as a whole. What a question may cost is taken before its coins and given back when the answer is
cheaper, so that nothing that goes wrong leaves more than is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from threading import RLock
from typing import Any, NoReturn

from dpselect.kernel.errors import InputTypeError, PrivacyError
from dpselect.release.noise_source import NoisyThreshold
from dpselect.release.threshold_bound import ThresholdBound
from dpselect.release.threshold_rules import ThresholdRules


@dataclass(frozen=True)
class ThresholdAnswer:
    """The answer to one question, which may be published; as a condition it is true if the answer is above.

    Attributes:
        above: whether the noisy value reached the noisy threshold.
        level: which level of the stream said so, 0 the cheapest; ``None`` below.
        gap: how far above the noisy value was, exact, in the units of values; ``None`` below. Its own noise is that
            of the question less that of the threshold.
        paid: what the answer took of the epsilon of the stream; 0 below.
    """

    above: bool
    level: int | None
    gap: int | Fraction | None
    paid: Fraction

    def __bool__(self) -> bool:
        return self.above

    def __str__(self) -> str:
        return "above" if self.above else "below"


_BELOW = ThresholdAnswer(above=False, level=None, gap=None, paid=Fraction(0))


class SparseVector:
    """Questions against a secretly raised threshold, until the answers above have used up what was paid.

    It cannot be copied, pickled or used by a forked process, and several threads ask one after the other. Once it has
    ended it answers nothing more: another one is another spend. As a context manager it ends with its block.
    """

    __slots__ = ("_bar", "_busy", "_left", "_lock", "_require_open", "_rules", "_whenever_ended")

    def __init__(self, rules: ThresholdRules, bar: NoisyThreshold, require_open: Callable[[], None]) -> None:
        self._rules = rules
        self._bar: NoisyThreshold | None = bar
        self._busy, self._left, self._lock = False, rules.budget, RLock()
        self._require_open, self._whenever_ended = require_open, list[Callable[[], None]]()

    @property
    def rules(self) -> ThresholdRules:
        """Return everything that is public about it."""
        return self._rules

    @property
    def remaining_epsilon(self) -> Fraction:
        """Return the epsilon that is left for answers above: public, as the answers are."""
        return self._left

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more will be answered."""
        return self._bar is None

    def ask(self, value: Any, threshold: Any = None) -> ThresholdAnswer:
        """Answer whether a value is above the threshold.

        Args:
            value: private: of a query that one neighbour moves by at most the sensitivity of the stream. Which query
                comes next may depend on public facts and on earlier answers, and on nothing else.
            threshold: public; that of the stream unless it is passed.

        Raises:
            PrivacyError: the stream has ended, or no threshold is known; nothing was answered or used up.
            TypeError, ValueError: not a number of the public kind; nothing was answered or used up.
        """
        rules = self.rules
        line = rules.line if threshold is None else rules.threshold_ticks(threshold)
        if line is None:
            raise PrivacyError("The threshold is public and has to be named: pass threshold=.")
        distance = rules.value_ticks(value) - line
        distance = rules.value_ticks(value) - line
        # Before the lock too: in a forked process it may be taken for good.
        self._open_bar()
        with self._lock:
            # The lock lets this thread in again: a signal or collected garbage may ask in the midst of a question.
            if self._busy:
                raise PrivacyError("Another question of this stream is under way: ask when it has been answered.")
            self._busy = True
            try:
                return self._charge_answer(self._open_bar(), distance)
            finally:
                if self._left < rules.levels[-1].price:
                    self.end()
                self._busy = False

    def _charge_answer(self, bar: NoisyThreshold, distance: int) -> ThresholdAnswer:
        """Return the answer by the bar, and take what it costs."""
        full, answer = self.rules.levels[-1].price, _BELOW
        # The highest price is paid before the first coin; whatever stops this question leaves it paid.
        self._left -= full
        for number, level in enumerate(self.rules.levels):
            height = bar.margin(distance - level.margin, level.rate)
            if height is not None:
                answer = ThresholdAnswer(True, number, self.rules.in_units(height + level.margin), level.price)
                break
        self._left += full - answer.paid
        return answer

    def error_bound(self, questions: int) -> ThresholdBound:
        """Return how far from the threshold answers are right: as :func:`dpselect.accuracy.threshold_bound`."""
        return ThresholdBound(self.rules, questions)

    def end(self) -> None:
        """Answer nothing more, and forget the secret."""
        with self._lock:
            self._bar = None
            while self._whenever_ended:
                self._whenever_ended.pop()()

    def on_end(self, close: Callable[[], None]) -> None:
        """Call this once when the stream ends."""
        self._whenever_ended.append(close)

    def _open_bar(self) -> NoisyThreshold:
        if self._bar is None:
            raise PrivacyError(
                "This stream has ended and answers nothing more: ask further questions of a new one, which is a spend "
                "of its own."
            )
        self._require_open()
        return self._bar

    def __enter__(self) -> SparseVector:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __repr__(self) -> str:
        state = "ended" if self.has_ended else f"remaining={self.remaining_epsilon}"
        return f"SparseVector({self.rules.guarantee}, {state})"

    def __reduce__(self) -> NoReturn:
        raise InputTypeError("A stream is never copied: ask it where it was opened.")

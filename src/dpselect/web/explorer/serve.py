"""What a server does beside answering."""

from __future__ import annotations

from threading import Thread


def warmed() -> Thread:
    """Draw one chart in the background: the first one loads what all others need, and takes most of a second."""
    thread = Thread(target=_drawn, daemon=True)
    thread.start()
    return thread


def _drawn() -> None:
    from dpselect.analysis.charts.law import law_chart
    from dpselect.scores.scores import Scores

    law_chart(Scores([1, 0], sensitivity=1, kind="integer"), 1).svg()

"""Tasks of a server beside answering."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from time import sleep

from dpselect.web.explorer.explorer_page import Page

# Seconds that the list of pages has for itself: a program that opens it at once does not wait for what it needs not.
_FIRST = 0.5


def warm_up(pages: Sequence[Page]) -> Thread:
    """Load in the background what no list of pages needs: what draws a chart first, then each page.

    The first chart loads what all others need, which takes most of a second.
    """
    thread = Thread(target=_load, args=(pages,), daemon=True)
    thread.start()
    return thread


def _load(pages: Sequence[Page]) -> None:
    sleep(_FIRST)
    from dpselect.analysis.charts.pmf_chart import pmf_chart
    from dpselect.scores.scores import Scores

    pmf_chart(Scores([1, 0], sensitivity=1, kind="integer"), epsilon=1).svg()
    for page in pages:
        _ = page.content

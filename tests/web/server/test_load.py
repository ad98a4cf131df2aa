"""The benchmark of the server under load, small: budgets, rows and answers are exact, and its checks can fail."""

from __future__ import annotations

import signal
import time

import pytest

from research.comparisons.serving import Crowd, killed
from research.comparisons.serving_check import Asked, require_exact
from research.comparisons.serving_office import COMMAND, Reply
from tests.web.server.loaded import Office

# Of a server after its first reply, in seconds: so short that some still wait for theirs.
LIFE = (0.05, 0.4)


def test_many_ask_while_the_server_is_killed(tmp_path) -> None:
    """Three analysts, 48 requests, three kills: what fits is answered once, exactly, and the rest is refused."""
    office = Office(tmp_path, 3, share=15, allowance=43)
    try:
        facts = killed(office, 16, 3, life=LIFE)
    finally:
        office.close()

    assert (43, 5) == (facts["answered, and paid for"], facts["refused, budget used up"])


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("stored after sending", "answered twice differently"),
        ("drawn again after sending", "answered twice differently"),
        ("paid twice", "a request was paid for twice"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, fault, found) -> None:
    """The same checks fail where a server draws again, stores too late, or pays twice."""
    office = Office(tmp_path, 2, share=50, allowance=100)
    try:
        with pytest.raises(AssertionError, match=found):
            killed(office, 6, 1, COMMAND, f"fault: {fault}", life=LIFE)
    finally:
        office.close()


def test_checks_of_replies(tmp_path) -> None:
    """An answer that no row has paid for, or another analyst's row, is found; so is a refusal of what fits."""
    office = Office(tmp_path, 2, share=5, allowance=10)
    office.start()
    try:
        crowd = Crowd(office, 3)
        with crowd.asking():
            pass
    finally:
        office.close()
    good, first = crowd.seen, crowd.seen[0]
    assert {"answered": 6, "refused": 0} == require_exact(office, good, good)
    other = next(each for each in good if each.who != first.who)

    def changed(reply: Reply, who: str = first.who) -> list[Asked]:
        return [Asked(who, first.key, reply), *good[1:]]

    for wrong, message in (
        (changed(Reply(200, first.reply.body.replace(b'"ledger_row": ', b'"ledger_row": 9'))), "without a row of its"),
        (changed(other.reply), "by another analyst"),
        (changed(Reply(403, b'{"request": "x"}')), "not one to one"),
        (changed(Reply(403, first.reply.body)), "was refused and paid for"),
        (changed(Reply(424, b"{}")), "ended otherwise"),
        (good[1:], "not one to one"),
    ):
        with pytest.raises(AssertionError, match=message):
            require_exact(office, wrong, [])
    with pytest.raises(AssertionError, match="although its price was left"):
        require_exact(office, [*good, Asked(first.who, "more", Reply(403, b'{"request": "x"}'))], [])


def test_a_stop_under_load_loses_nothing(tmp_path) -> None:
    """SIGTERM while answers are drawn: the server ends in order, and the next one has answers to all, paid for once."""
    office = Office(tmp_path, 4, share=20, allowance=80)
    office.start()
    try:
        crowd = Crowd(office, 10, repeats=0.2)
        with crowd.asking():
            for _ in range(2):
                time.sleep(0.2)
                assert office.end(signal.SIGTERM) in (0, -signal.SIGTERM)
                office.start()
        last = Crowd(office, 10)
        with last.asking():
            pass
    finally:
        office.close()

    assert {"answered": 40, "refused": 0} == require_exact(office, last.seen, crowd.seen)
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert "is tried again later" not in log
    assert " 500 " not in log

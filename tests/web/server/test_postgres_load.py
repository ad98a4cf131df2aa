"""Over HTTP with PostgreSQL: the server is killed and the database restarted while many ask; two servers race."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="PostgreSQL needs the extra warehouse")

from research.comparisons.serving import Crowd
from research.comparisons.serving_check import require_exact
from tests.warehouse.engines import Server
from tests.web.server.empty_database import empty_database
from tests.web.server.loaded import Office


@pytest.fixture
def office_of(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Office]]:
    """What makes an office that keeps everything in an empty database."""
    offices: list[Office] = []
    with empty_database(running, tmp_path, monkeypatch) as url:

        def made(analysts: int, share: int, allowance: int) -> Office:
            offices.append(Office(tmp_path, analysts, share, allowance, database=url, ledgers=url))
            return offices[-1]

        yield made
        for each in offices:
            each.close()


def test_kills_and_restarts_of_the_database(office_of, running) -> None:
    """The server is killed twice, and the database ends at once and in order: every request is answered once."""
    office = office_of(3, 30, 70)
    office.start()
    crowd = Crowd(office, 30, repeats=0.2)
    with crowd.asking():
        for way in ("immediate", "fast"):
            time.sleep(0.7)
            office.end()
            office.start()
            time.sleep(0.7)
            running.control("-m", way, "stop")
            time.sleep(0.2)
            running.start()
    last = Crowd(office, 30)
    with last.asking():
        pass
    office.end()

    assert {"answered": 70, "refused": 20} == require_exact(office, last.seen, crowd.seen)
    assert crowd.lost, "no kill was felt"


def test_two_servers_race_for_one_budget(office_of) -> None:
    """The same requests are sent to both at once: one row and one answer each, and 40 of 60 fit."""
    one = office_of(3, 20, 40)
    other = copy.copy(one)
    one.start()
    other.start()
    try:
        crowds = [Crowd(each, 20) for each in (one, other)]
        with crowds[0].asking(), crowds[1].asking():
            pass
    finally:
        other.close()

    assert {"answered": 40, "refused": 20} == require_exact(one, crowds[0].seen, crowds[1].seen)
    assert 60 == len(crowds[0].seen) == len(crowds[1].seen)
    assert not crowds[0].unable + crowds[1].unable

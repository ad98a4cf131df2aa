"""Fixtures of the engines, one of each a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.warehouse.engines import Server, postgres_server, spark_session

pytest.importorskip("ibis", reason='Warehouses need Ibis: python -m pip install "dpselect[warehouse]"')


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session."""
    with spark_session() as session:
        yield session


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let every fit from here on draw the same entropy."""
    from dpselect.learn.base import PrivateTrees
    from dpselect.release.opened import door_to
    from dpselect.release.outcomes import Coins

    def again() -> Coins:
        generator = np.random.Generator(np.random.Philox(20261121))
        return Coins(lambda: generator.bytes)

    return lambda: monkeypatch.setattr(PrivateTrees, "_door", staticmethod(door_to(again)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the engines' own libraries deprecate, and the sockets that Spark leaves open, are not ours."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))

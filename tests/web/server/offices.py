"""Servers that tests ask: one for a module, with budgets that no test uses up; one of its own for who looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

# Budgets a thousand times as large, so that what one test spends is nothing to another.
LARGE = CONFIG
for _small, _large in (
    ("budget = {epsilon = 20}", "budget = {epsilon = 20000}"),
    ("allowance = 10", "allowance = 10000"),
    ("{ann = 6, bob = 8}", "{ann = 6000, bob = 8000}"),
    ("{epsilon = 10, delta = 1e-6", "{epsilon = 10000, delta = 1e-6"),
    ("{bob = 4}", "{bob = 4000}"),
    ("budget = {epsilon = 4}", "budget = {epsilon = 4000}"),
    ("{ann = 4}", "{ann = 4000}"),
):
    assert _small in LARGE
    LARGE = LARGE.replace(_small, _large)


def _running(folder: Path, config: str) -> Iterator[Office]:
    folder.mkdir()
    office = Office(folder, config)
    office.start()
    yield office
    office.kill()


@pytest.fixture(scope="module")
def shared_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A server that runs for the tests of a module."""
    yield from _running(tmp_path_factory.mktemp("shared") / "office", LARGE)


@pytest.fixture
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Office]:
    """The server of the module; of a test with the mark ``own_server`` one that only it asks, with small budgets."""
    if request.node.get_closest_marker("own_server") is None:
        yield request.getfixturevalue("shared_office")
    else:
        yield from _running(tmp_path / "office", CONFIG)

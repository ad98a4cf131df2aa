"""A house with two small tables and a graph, all made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from dpselect.web.server.settings import Settings, read_settings
from dpselect.web.server.state import ServerState
from tests.warehouse.engines import Server, durable_postgres

CONFIG = """
[server]
port = 0

[limits]
requests_per_minute = 100000

[datasets.survey]
source = "people.csv"
about = "Made-up people."
budget = {epsilon = 20}
allowance = 10
shares = {ann = 6, bob = 8}
columns.age = {lower = 0, upper = 100, step = 1}
columns.job = ["clerk", "nurse", "smith"]

[datasets.visits]
source = "visits.csv"
person = "who"
rows_per_person = 2
budget = {epsilon = 10, delta = 1e-6, rule = "rho"}
shares = {bob = 4}
columns.ward = ["east", "west"]
columns.hours = {lower = -1, upper = 2, step = 0.5}

[datasets.friends]
graph = "friends.csv"
nodes = 40
max_degree = 35
budget = {epsilon = 4}
shares = {ann = 4}
"""


def write(folder: Path, config: str = CONFIG) -> Path:
    """Write made-up tables and the settings; return the file of settings."""
    jobs = ("nurse", "nurse", "nurse", "smith")
    people = "".join(f"{20 + place % 60},{jobs[place % 4]}\n" for place in range(400))
    (folder / "people.csv").write_text("age,job\n" + people, encoding="utf-8")
    visits = "".join(f"p{place % 50},{'east' if place % 3 else 'west'},{place % 7 / 2 - 1}\n" for place in range(200))
    (folder / "visits.csv").write_text("who,ward,hours\n" + visits, encoding="utf-8")
    friends = "".join(f"0,{place}\n" for place in range(1, 31))
    (folder / "friends.csv").write_text(f"source,target\n{friends}1,2\n", encoding="utf-8")
    path = folder / "config.toml"
    path.write_text(config, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    """A server of PostgreSQL on loopback; each test has a database of its own, and leaves the server running."""
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra warehouse")
    with durable_postgres() as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of the made-up house."""
    return read_settings(write(tmp_path))


@pytest.fixture
def server_state(settings: Settings) -> Iterator[ServerState]:
    """Everything open, with a curator and two analysts."""
    opened = ServerState.open(settings)
    opened.people.add("carla", "curator", "test")
    opened.people.add("ann", "analyst", "test")
    opened.people.add("bob", "analyst", "test")
    yield opened
    opened.close()

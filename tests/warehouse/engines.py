"""The engines of these tests: DuckDB embedded, a real PostgreSQL and a real Spark on this machine.

An engine that is absent skips its tests with the reason; with DPSELECT_ENGINES=required, as on the build machine, it
fails them.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REQUIRED = os.environ.get("DPSELECT_ENGINES") == "required"
SQL_TYPES = {"int64": "bigint", "float64": "double precision", "bool": "boolean", "object": "text"}


def absent(reason: str) -> None:
    """Skip, or fail where engines are required."""
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


class Server:
    """A PostgreSQL that was started here."""

    def __init__(self, programs: Path, folder: Path, port: int) -> None:
        self.programs, self.folder, self.port = programs, folder, port
        self.options = ""
        self.url = f"postgres://keeper:hidden@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Start it, or start it again."""
        self.control("-l", str(self.folder / "log"), "-o", self.options, "start")

    def control(self, *words: str) -> None:
        """Run pg_ctl as the owner of the data."""
        command = [str(self.programs / "pg_ctl"), "-D", str(self.folder / "data"), "-w", *words]
        subprocess.run([*_as_owner(), *command], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def run(self, *statements: str) -> None:
        """Run statements."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def put(self, name: str, columns: dict[str, np.ndarray]) -> None:
        """Make a table of plain columns; None and NaN stay what they are."""
        import psycopg

        kinds = ", ".join(f"{column} {SQL_TYPES[values.dtype.name]}" for column, values in columns.items())
        with psycopg.connect(self.url, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {name}")
            cursor.execute(f"CREATE TABLE {name} ({kinds})")
            with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in zip(*(values.tolist() for values in columns.values()), strict=True):
                    copy.write_row(row)


@contextmanager
def postgres_server(disk: str | None = None, *, syncs: bool = False) -> Iterator[Server]:
    """A server on a free loopback port, owned by an ordinary user, gone afterwards.

    Args:
        disk: the folder to keep it in; ``None`` for that of temporary files.
        syncs: whether it waits for its disk.
    """
    programs = _programs()
    if programs is None:
        absent("PostgreSQL 15 is not installed: apt-get install postgresql-15")
    with tempfile.TemporaryDirectory(prefix="dpselect-postgres-", dir=disk, ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if os.getuid() == 0:
            import pwd

            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        secret = folder / "secret"
        secret.write_text("hidden")
        secret.chmod(0o644)
        make = [str(programs / "initdb"), "-D", str(folder / "data"), "-U", "keeper", "-A", "scram-sha-256", "-N"]
        subprocess.run(
            [*_as_owner(), *make, f"--pwfile={secret}", "-E", "UTF8"], check=True, stdout=subprocess.DEVNULL, cwd=folder
        )
        server = Server(programs, folder, port)
        server.options = f"-p {port} -k {folder} -h 127.0.0.1{'' if syncs else ' -F'}"
        server.start()
        try:
            yield server
        finally:
            server.control("-m", "immediate", "stop")


@contextmanager
def durable_postgres() -> Iterator[Server]:
    """A server that syncs, in memory where there is room, so that no disk is measured."""
    memory = Path("/dev/shm")
    room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30
    with postgres_server(str(memory) if room else None, syncs=True) as server:
        yield server


def _as_owner() -> list[str]:
    # PostgreSQL refuses to run as root.
    return ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def _programs() -> Path | None:
    known = [Path(path) for path in sorted(Path("/").glob("usr/lib/postgresql/*/bin"), reverse=True)]
    found = shutil.which("initdb")
    known += [Path(found).parent] if found else []
    return next((path for path in known if (path / "initdb").exists()), None)


@contextmanager
def spark_session() -> Iterator[Any]:
    """One small Spark: its tables in a temporary folder, no progress bars."""
    if shutil.which("java") is None:
        absent("Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        absent('Spark is not installed: python -m pip install ".[spark]"')
    with tempfile.TemporaryDirectory(prefix="dpselect-spark-", ignore_cleanup_errors=True) as folder:
        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g")
        settings = {
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": folder,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        try:
            yield session
        finally:
            session.stop()


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


FIXTURES = ("postgres", "spark")

"""The data engineer's session with PostgreSQL, as tests/roles has those of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.roles import folders, session
from tests.warehouse.engines import Server


def test_a_data_engineer_reads_postgres(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a role that may read and nothing else; no password is shown."""
    monkeypatch.chdir(tmp_path)
    folders.of_data_engineer(tmp_path)
    postgres.put("people", folders.people())
    postgres.run(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'hidden'",
        "GRANT SELECT ON people TO reader",
    )
    secret = postgres.url.replace("keeper", "reader")
    url = secret.replace(":hidden@", "@")
    monkeypatch.setenv("PGPASSWORD", "hidden")
    described = (tmp_path / "people.toml").read_text(encoding="utf-8")
    described = described.replace('"part-*.parquet"\nin_place = true', f'"{url}"\ntable = "people"')
    (tmp_path / "postgres.toml").write_text(described, encoding="utf-8")
    try:
        played = session.play(
            Path(session.__file__).parent / "postgres.txt",
            url=url,
            secret=secret,
            wrong="postgres://reader@127.0.0.1:1/postgres",
        )
    finally:
        postgres.run("DROP OWNED BY reader", "DROP ROLE reader")
    assert played >= 8

"""The files that an institution copies: each name, path and option in them exists, and what they promise they do."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dpselect.cli import click_commands
from dpselect.web.server import serve
from dpselect.web.server.settings import Settings, read_settings
from tests.web.server.conftest import write
from tests.web.server.served import Office

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "deploy.md"
FILES = ROOT / "docs" / "deploy"
PROGRAM = "/opt/dpselect/bin/dpselect"


def composed() -> dict[str, Any]:
    """Return the file of Compose."""
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the file of Compose: python -m pip install pyyaml")
    content = yaml.safe_load((FILES / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def unit() -> dict[str, dict[str, list[str]]]:
    """Return the unit: settings may stand several times."""
    sections: dict[str, dict[str, list[str]]] = {}
    for line in (FILES / "dpselect.service").read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\[(\w+)\]", line):
            section = sections.setdefault(found[1], {})
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, line
            section.setdefault(name, []).append(value)
    return sections


def dockerfile() -> dict[str, list[str]]:
    """Return the arguments of each instruction."""
    result: dict[str, list[str]] = {}
    for line in (FILES / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            result.setdefault(name, []).append(rest)
    return result


def is_ours(words: Sequence[str]) -> bool:
    """Return whether the command takes these words; it is not run."""
    verb = click_commands.root().import_command(words[0])
    with verb.make_context(words[0], [*words[1:]], resilient_parsing=False) as context:
        return context.params["config"] == "/etc/dpselect/office.toml"


def test_every_command_is_one() -> None:
    """In the unit, in the file of Compose, and on the page."""
    assert is_ours(composed()["services"]["dpselect"]["command"])
    program, *words = shlex.split(unit()["Service"]["ExecStart"][0])
    assert program == PROGRAM
    assert is_ours(words)
    shown = re.findall(rf"^(?:docker|runuser).* {PROGRAM} (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert 2 == len(shown)
    assert all(is_ours(shlex.split(each)) for each in shown)
    assert [f'["{PROGRAM}"]'] == dockerfile()["ENTRYPOINT"]


def test_every_file_is_there_and_shown() -> None:
    """The page shows each file of the folder whole, and the file of Compose mounts what is there or is described."""
    page = PAGE.read_text(encoding="utf-8")
    names = sorted(path.name for path in FILES.iterdir())
    assert names == sorted(re.findall(r"```\{literalinclude\} deploy/(\S+)", page))
    assert names == ["Dockerfile", "compose.yaml", "dpselect.service", "nginx.conf", "office.toml"]
    content = composed()
    build = content["services"]["dpselect"]["build"]
    assert (FILES / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()
    mounted = [each.split(":")[0] for name in ("dpselect", "proxy") for each in content["services"][name]["volumes"]]
    assert mounted == ["./office.toml", "./rows", "./nginx.conf"]
    for secret in content["secrets"].values():
        assert Path(secret["file"]).name in page


def test_every_extra_is_one() -> None:
    """Of those that are installed in the image and on the page."""
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for text in (" ".join(dockerfile()["RUN"]), PAGE.read_text(encoding="utf-8")):
        found = re.search(r"\[([a-z,]+)\]\"", text)
        assert found is not None
        assert {"web", "warehouse"} <= {*found[1].split(",")}
        for extra in found[1].split(","):
            assert re.search(rf"^{extra} = ", extras, re.MULTILINE), extra


def test_the_image_is_of_a_python_that_is_admitted() -> None:
    """It ends without root, and writes nowhere but in its temporary folder."""
    assert {"python:3.11-slim"} == {each.split()[0] for each in dockerfile()["FROM"]}
    assert 'requires-python = ">=3.11,' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert ["10001:10001"] == dockerfile()["USER"]


def test_the_settings_of_the_containers_are_settings() -> None:
    """They are read; the server listens where the proxy and the health check ask, under the names that those use."""
    settings = read_settings(FILES / "office.toml")
    content, site = composed(), (FILES / "nginx.conf").read_text(encoding="utf-8")
    server, proxy = content["services"]["dpselect"], content["services"]["proxy"]

    assert f"server dpselect:{settings.server.port};" in site
    assert f'"http://127.0.0.1:{settings.server.port}/health"' in server["healthcheck"]["test"][-1]
    names = serve.hosts_of(settings, settings.server.port)
    assert {f"127.0.0.1:{settings.server.port}", "dp.example.org"} <= names
    assert "server_name dp.example.org;" in site
    # Everything that is written is in the database, whose user and name are those that are made.
    made = content["services"]["database"]["environment"]
    address = f"postgresql://{made['POSTGRES_USER']}@database/{made['POSTGRES_DB']}"
    assert (address, address) == (settings.server.database, settings.server.ledgers)
    assert {*content["services"]} >= {"dpselect", "database", "proxy"}
    assert settings.datasets["people"].description.address == "/srv/rows/people.parquet"
    # Secrets stand where each program looks for them.
    assert server["environment"]["PGPASSFILE"] == f"/run/secrets/{server['secrets'][0]}"
    assert made["POSTGRES_PASSWORD_FILE"] == f"/run/secrets/{content['services']['database']['secrets'][0]}"
    assert all(f"/run/secrets/{name};" in site for name in proxy["secrets"])


def test_the_containers_may_do_little() -> None:
    """Read-only roots, no new privileges, no capabilities for the server; only the proxy is seen from outside."""
    content = composed()
    for name, service in content["services"].items():
        assert service["read_only"] is True, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["cap_drop"] == ["ALL"], name
        assert (name == "proxy") == ("ports" in service), name
        assert not any("PASSWORD" in key and not key.endswith("_FILE") for key in service.get("environment", {})), name
    server = content["services"]["dpselect"]
    assert "cap_add" not in server
    assert all(content["networks"][network]["internal"] for network in server["networks"])
    assert all(each.endswith(":ro") for each in server["volumes"])
    # Loops over graphs are compiled into a folder that can be written.
    cache = re.search(r"NUMBA_CACHE_DIR=(\S+)", dockerfile()["ENV"][0])
    assert cache is not None
    assert server["tmpfs"][0].startswith(f"{cache[1]}:")


def test_both_leave_time_to_stop() -> None:
    """More than the server takes for what is being answered."""
    grace = int(composed()["services"]["dpselect"]["stop_grace_period"].removesuffix("s"))
    assert grace >= serve._GRACE + 15
    service = unit()["Service"]
    assert int(service["TimeoutStopSec"][0]) >= serve._GRACE + 15
    assert ["SIGTERM"] == service["KillSignal"]


def test_the_signal_of_both_ends_a_server_in_order(tmp_path) -> None:
    """SIGTERM, by which a status other than 0 would be a failure that is started again."""
    office = Office(tmp_path)
    office.start()
    try:
        assert 0 == office.stop()
    finally:
        office.process.kill()


def test_the_settings_on_the_page_are_settings(tmp_path) -> None:
    """What the page tells users of systemd to write, with a dataset below it."""
    found = re.search(r"```toml\n(# office.toml\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    dataset = "[datasets.a]\nsource = 'people.csv'\nbudget = {epsilon = 1}\ncolumns.age = {lower = 0, upper = 9}\n"
    settings: Settings = read_settings(write(tmp_path, found[1] + dataset))
    state = Path("/var/lib") / unit()["Service"]["StateDirectory"][0]
    assert Path(settings.server.database).parent == state
    assert Path(settings.server.ledgers).parent == state
    assert "dp.example.org" in serve.hosts_of(settings, 8440)


def test_the_unit_may_do_little() -> None:
    """Nothing of the machine can be written but its own folders, passwords are credentials, memory is limited."""
    service = unit()["Service"]
    wanted = {
        "User": "dpselect", "ProtectSystem": "strict", "NoNewPrivileges": "true", "Restart": "on-failure",
        "MemoryMax": "2G", "UMask": "0077", "CapabilityBoundingSet": "", "PrivateTmp": "true", "ProtectHome": "true",
    }  # fmt: skip
    assert wanted == {name: service[name][0] for name in wanted}
    assert ["pgpass:/etc/dpselect/pgpass"] == service["LoadCredential"]
    # libpq takes a file of passwords from nobody but its owner.
    copied = "%t/" + service["RuntimeDirectory"][0] + "/pgpass"
    assert [f"/usr/bin/install -m 0600 %d/pgpass {copied}"] == service["ExecStartPre"]
    assert f"PGPASSFILE={copied}" in service["Environment"]


def test_systemd_takes_the_unit(tmp_path) -> None:
    """Every setting is known to systemd, and its own rating of the exposure is what the page says."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed: apt-get install systemd")
    # The program is not on this machine: its path is replaced, and nothing else.
    text = (FILES / "dpselect.service").read_text(encoding="utf-8").replace(PROGRAM, "/bin/true")
    path = tmp_path / "dpselect.service"
    path.write_text(text, encoding="utf-8")
    said = subprocess.run([program, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False)
    lines = [line for line in said.stderr.splitlines() if "dpselect.service" in line]
    assert (0, []) == (said.returncode, lines)
    rated = subprocess.run(
        [program, "security", "--offline=true", str(path)], capture_output=True, text=True, check=False
    )
    found = re.search(r"Overall exposure level for dpselect.service: (\d+\.\d)", rated.stdout)
    if found is None:
        pytest.skip("this systemd rates no units without running them")
    assert float(found[1]) <= 1.5

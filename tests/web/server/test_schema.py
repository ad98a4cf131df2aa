"""The whole schema against a running server: no failure inside, and every reply is one that the schema describes.

Without schemathesis these tests are skipped with the reason; with DPSELECT_SCHEMA=required, as on the build machine,
they fail.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from tests.web.server.served import Office

# A bound, so that a request that hangs ends: every case of an address takes a third of it on a quiet machine.
SECONDS = 180
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "response_headers_conformance,negative_data_rejection,ignored_auth,missing_required_header,unsupported_method"
)
# A request that breaks the schema is refused for whatever is found first: also for its length.
REFUSED = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
# Names that a tool makes up are never found.
NAMED = {"column": ["age", "job"], "by": ["job", None], "epsilon": [0.01, "0.02"], "k": [1, 2]}
NAMED |= {"candidate": ["job"], "of": ["age", None], "target": ["job", "age"], "features": [None]}
CASES = ["--phases", "coverage", "--max-time", SECONDS]
CHANCE = ["--phases", "fuzzing", "--max-time", 20]
OTHERS = ["--exclude-path-regex", "release|plan"]
# One body serves both addresses: one of them is sent every body that breaks it.
BODIES = ["--include-path-regex", "/plan$"]
QUESTIONS = ["--mode", "positive", "--include-path-regex", "release|plan"]


@pytest.fixture
def office(tmp_path):
    """A running server."""
    if importlib.util.find_spec("schemathesis") is None:
        reason = 'no schemathesis: python -m pip install ".[schema]"'
        if os.environ.get("DPSELECT_SCHEMA") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    running = Office(tmp_path)
    running.start()
    yield running
    running.kill()


def _named(schema):
    """Return the schema with names that are there."""
    for operation in (operation for methods in schema["paths"].values() for operation in methods.values()):
        for parameter in operation.get("parameters", []):
            if (parameter["in"], parameter["name"]) == ("path", "name"):
                parameter["schema"] = {"enum": ["survey"]}
    for model in schema["components"]["schemas"].values():
        if "query" in (properties := model.get("properties", {})):
            properties.update({name: {"enum": NAMED[name]} for name in NAMED.keys() & properties.keys()})
    return schema


@pytest.mark.parametrize(
    "who, addresses, phase, only",
    [
        ("ann", 21, CASES, OTHERS),
        ("carla", 21, CASES, OTHERS),
        ("ann", 2, CASES, BODIES),
        ("carla", 21, CHANCE, OTHERS),
        ("ann", 3, CHANCE, QUESTIONS),
    ],
)
def test_the_server_is_as_its_schema_says(office, tmp_path, who, addresses, phase, only) -> None:
    """Whatever an analyst or a curator sends: no status 500, and no status, type or form but those described."""
    path = tmp_path / "openapi.json"
    schema = office.send(who, "GET", "/openapi.json").json
    path.write_text(json.dumps(_named(schema) if only is QUESTIONS else schema), encoding="utf-8")
    settings = f"[checks]\nnegative_data_rejection.expected-statuses = {[str(status) for status in REFUSED]}\n"
    (tmp_path / "schemathesis.toml").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "run", path, "--url", f"http://127.0.0.1:{office.port}"]
    bounds = [*phase, "--max-examples", 25, "--checks", CHECKS]
    # Other programs may be at work on this machine: a late reply is a reply.
    bounds += ["--request-timeout", 60]
    token = ["-H", f"Authorization: Bearer {office.tokens[who]}", "--generation-database", "none", "--no-color"]
    done = subprocess.run(
        [str(each) for each in [*command, *bounds, *token, *only]],
        capture_output=True, text=True, timeout=5 * SECONDS, cwd=tmp_path, check=False,
    )  # fmt: skip

    # A body that is too long would push out of sight what is wrong with it.
    said = "\n".join(line[:300] for line in done.stdout.splitlines())
    assert done.returncode == 0, said[-6000:] + done.stderr[-2000:]
    assert f"Selected: {addresses}/24" in done.stdout, done.stdout[-2000:]
    assert phase is CHANCE or f"Tested: {addresses}" in done.stdout, done.stdout[-2000:]
    log = office.log()
    assert "Traceback" not in log
    assert " 500 " not in log
    # Not only refusals were checked.
    assert only is not QUESTIONS or "/release' 200 " in log

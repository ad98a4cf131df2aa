"""A running server that is registered with a provider."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from tests.web.server.conftest import CONFIG
from tests.web.server.openid.provider import SECRET, Provider
from tests.web.server.served import Office


def registered(folder: Path, provider: Provider) -> Office:
    """Start a server in a folder; browsers call it localhost."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    told = provider.settings(address=f"http://localhost:{port}", secret_file="secret")
    (folder / "secret").write_text(f"{SECRET}\n", encoding="ascii")
    roles = 'roles = {claim = "groups", curator = ["keeping"], analyst = ["asking"]}'
    lines = [f"{name} = {json.dumps(value)}" for name, value in told.items() if name != "roles"]
    config = CONFIG.replace("port = 0", f"port = {port}") + "\n[openid]\n" + "\n".join([*lines, roles])
    running = Office(folder, config)
    running.start()
    return running

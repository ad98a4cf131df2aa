"""A provider, and the door of a server that is registered with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("jwt", reason="OpenID Connect needs the extra web")

from dpselect.web.server.openid.authenticator import Authenticator
from dpselect.web.server.openid.registration import Registration
from tests.web.server.openid.provider import SECRET, Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A running provider."""
    running = Provider()
    yield running
    running.close()


@pytest.fixture
def authenticator_of(server_state, provider, monkeypatch) -> Callable[..., Authenticator]:
    """Makes doors of the house, registered with the provider."""

    def made(**settings: Any) -> Authenticator:
        monkeypatch.setenv("OFFICE_SECRET", SECRET)
        told = provider.settings(secret_variable="OFFICE_SECRET") | settings
        return Authenticator.of(Registration.model_validate(told), server_state.database, server_state.people)

    return made


@pytest.fixture
def authenticator(authenticator_of) -> Authenticator:
    """A door of the house."""
    return authenticator_of()

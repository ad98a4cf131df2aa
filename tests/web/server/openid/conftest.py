"""A provider, and the door of a server that is registered with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("jwt", reason="OpenID Connect needs the extra web")

from dpselect.web.server.openid.door import Door
from dpselect.web.server.openid.registration import Registration
from tests.web.server.openid.provider import SECRET, Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A running provider."""
    running = Provider()
    yield running
    running.close()


@pytest.fixture
def door_of(house, provider, monkeypatch) -> Callable[..., Door]:
    """Makes doors of the house, registered with the provider."""

    def made(**settings: Any) -> Door:
        monkeypatch.setenv("OFFICE_SECRET", SECRET)
        told = provider.settings(secret_variable="OFFICE_SECRET") | settings
        return Door.of(Registration.model_validate(told), house.database, house.people)

    return made


@pytest.fixture
def door(door_of) -> Door:
    """A door of the house."""
    return door_of()

"""What the settings say of a provider is checked in sentences, and the secret is not among it."""

from __future__ import annotations

import pytest

from dpselect.web.server.openid.secret import Secret
from dpselect.web.server.settings import SettingsError, read_settings
from tests.web.server.conftest import CONFIG, write

GOOD = """
[openid]
issuer = "https://id.example.org/realms/office"
address = "http://localhost:8440"
client = "dpselect"
secret_file = "secret"
audience = "https://dp.example.org"
user = "preferred_username"
roles = {claim = "groups", curator = ["keeping"], analyst = ["asking"]}
"""


def test_good_settings_are_taken(tmp_path) -> None:
    """The file of the secret stands beside that of the settings, and where a log in returns follows."""
    told = read_settings(write(tmp_path, CONFIG + GOOD)).openid
    (tmp_path / "secret").write_text("a-made-up-secret\n", encoding="ascii")

    assert "http://localhost:8440/login/openid/callback" == told.callback
    secret = Secret.of(told)
    assert "a-made-up-secret" == secret.value
    assert "made-up" not in repr(secret)


def test_this_server_has_the_address(tmp_path) -> None:
    """A name that it does not answer to would end every log in."""
    config = CONFIG.replace("port = 0", 'port = 0\nhosts = ["dp.example.org"]') + GOOD.replace(
        "http://localhost:8440", "https://dp.example.org/"
    )
    assert "https://dp.example.org/login/openid/callback" == read_settings(write(tmp_path, config)).openid.callback


@pytest.mark.parametrize(
    "before, after, said",
    [
        ('issuer = "https://id', 'issuer = "http://id', "openid.issuer: it must begin with https://"),
        ("https://id.example", "https://me:pw@id.example", "openid.issuer: an address is like"),
        ("realms/office", "realms?x=1", "openid.issuer: an address is like"),
        ("http://localhost:8440", "https://dp.example.com", "openid: address is not a name of this server"),
        ("http://localhost:8440", "https://dp.example.com/x", "openid.address: this server has no path"),
        ('client = "dpselect"\n', "", "openid.client is missing"),
        ('user = "preferred_username"\n', "", "openid.user is missing"),
        ('secret_file = "secret"', 'secret = "s3cr3t"', "openid.secret is not a setting"),
        ('secret_file = "secret"', 'secret_file = "a"\nsecret_variable = "B"', "openid: name secret_file or"),
        ('secret_file = "secret"', 'secret_variable = "$B"', "openid.secret_variable"),
        (', analyst = ["asking"]', ', analyst = ["keeping"]', "openid.roles: a group is of one role"),
        (', curator = ["keeping"], analyst = ["asking"]', "", "openid.roles: list the groups"),
        ('client = "dpselect"', 'client = "dpselect"\nscopes = ["profile"]', "openid.scopes: scopes must hold openid"),
        ('client = "dpselect"', 'client = "dpselect"\nhosts = ["https://x"]', "openid.hosts: a host is like"),
        ('client = "dpselect"', 'client = "dpselect"\nhours = 0', "openid.hours: "),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path, before, after, said) -> None:
    """It names its place, and a secret that was put there is not quoted."""
    assert before in GOOD
    with pytest.raises(SettingsError) as refused:
        read_settings(write(tmp_path, CONFIG + GOOD.replace(before, after, 1)))
    (sentence,) = refused.value.mistakes

    assert sentence.startswith(said), sentence
    assert "s3cr3t" not in str(refused.value)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"  \n", b"two words", "gehe\u00efm".encode(), b"one\ntwo"])
def test_a_file_that_holds_no_secret_is_refused(tmp_path, content) -> None:
    """Before the server starts, and unquoted."""
    told = read_settings(write(tmp_path, CONFIG + GOOD)).openid
    with pytest.raises(OSError, match="cannot be read"):
        Secret.of(told)
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises((ValueError, OSError)) as refused:
        Secret.of(told)
    assert "words" not in str(refused.value)


def test_a_variable_that_is_not_set_is_refused(tmp_path, monkeypatch) -> None:
    """It is named, and its value never is."""
    config = CONFIG + GOOD.replace('secret_file = "secret"', 'secret_variable = "OFFICE_SECRET"')
    told = read_settings(write(tmp_path, config)).openid
    monkeypatch.delenv("OFFICE_SECRET", raising=False)
    with pytest.raises(ValueError, match="OFFICE_SECRET"):
        Secret.of(told)
    monkeypatch.setenv("OFFICE_SECRET", "it-is-there")
    assert "it-is-there" == Secret.of(told).value

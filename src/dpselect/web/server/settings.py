"""The settings of a server: one file, checked whole before anything is opened."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from dpselect.dataset import Dataset
from dpselect.kernel.errors import DPSelectError
from dpselect.sources.locators import is_url
from dpselect.web.server.facts import DatasetFacts, Facts, Name
from dpselect.web.server.openid.registration import Registration

_Port = Annotated[int, Field(ge=0, le=65535)]
# What tells the kinds of a column apart inside pydantic: no reader wrote it.
_TAGS = ("numbers", "values")
# What a server says beside the description of a dataset, and what of descriptions it does not read yet.
_BESIDE = ("dataset", "allowance", "shares", "about")
_UNSERVED = ("missing", "sheet", "order", "weight")


class Listening(Facts):
    """Where the server listens, and where it keeps what it must not forget.

    Attributes:
        host, port: of the socket; a proxy in front of it does TLS.
        hosts: further names that a request may call this server, such as that of the proxy.
        database: a file for one server, or ``postgresql://user@host/database`` for several.
        ledgers: the folder of the ledgers, one per dataset, or such a URL.
    """

    host: str = "127.0.0.1"
    port: _Port = 8440
    hosts: tuple[str, ...] = ()
    database: str = "server.db"
    ledgers: str = "ledgers"


class Limits(Facts):
    """What one visitor may ask of the machine.

    Attributes:
        body_bytes: how long a request may be.
        body_seconds: how long it may take to arrive, and how long a reply may wait to be read.
        head_seconds: how long a connection may take to begin, and the headers of a request to arrive.
        connections: how many may be open; those beyond are closed at once.
        requests_per_minute: of one token.
        seconds: how long a reply waits for an answer; afterwards the request is asked for by its number.
        candidates: how many public values one question may have.
        waiting: how many requests of one analyst may be unanswered.
        workers: how many requests are answered at once; as many queries of streams, beside them.
        long_workers: how many more that take long, such as trees: short ones do not wait for them.
        streams: how many streams of one analyst may be open.
        stream_queries: how many queries one stream answers.
        stream_idle: a stream ends after so many seconds without a query.
    """

    body_bytes: Annotated[int, Field(ge=256, le=10**8)] = 65536
    body_seconds: Annotated[float, Field(gt=0, le=600)] = 10.0
    head_seconds: Annotated[float, Field(gt=0, le=600)] = 10.0
    connections: Annotated[int, Field(ge=8, le=10**5)] = 500
    requests_per_minute: Annotated[int, Field(ge=1)] = 600
    seconds: Annotated[float, Field(gt=0, le=600)] = 10.0
    candidates: Annotated[int, Field(ge=2, le=10**7)] = 10**5
    waiting: Annotated[int, Field(ge=1)] = 20
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    long_workers: Annotated[int, Field(ge=1, le=64)] = 1
    streams: Annotated[int, Field(ge=0)] = 5
    stream_queries: Annotated[int, Field(ge=1, le=10**6)] = 10_000
    stream_idle: Annotated[float, Field(gt=0)] = 43200.0


class Settings(Facts):
    """Everything that a server is told.

    Attributes:
        server: where it listens.
        limits: of size, time and rate.
        openid: how users of an OpenID provider come in, if they do.
        datasets: by their names.
    """

    server: Listening = Listening()
    limits: Limits = Limits()
    openid: Registration | None = None
    datasets: Annotated[dict[Name, DatasetFacts], Field(min_length=1)]

    @field_validator("openid")
    @classmethod
    def _answers_there(cls, value: Registration | None, info: ValidationInfo) -> Registration | None:
        server = info.data.get("server")
        if value is not None and server is not None:
            names = {urlsplit(f"//{each}").hostname for each in (server.host, *server.hosts)}
            asked = urlsplit(value.address).hostname
            if asked not in names and not (asked == "localhost" and "127.0.0.1" in names):
                raise ValueError("address is not a name of this server: add its host to server.hosts.")
        return value

    def ledger_address(self, name: str) -> str:
        """Return the address of the ledger of a dataset."""
        own = self.datasets[name].ledger
        if own is not None:
            return own
        folder = self.server.ledgers
        if is_url(folder):
            return f"{folder}{'&' if '?' in folder else '?'}ledger={name}"
        return str(Path(folder) / f"{name}.ledger")


class SettingsError(DPSelectError, ValueError):
    """The file of settings has mistakes: one sentence for each.

    Attributes:
        mistakes: the sentences.
    """

    def __init__(self, path: str | Path, mistakes: list[str]) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join([f"{path} cannot be used:", *mistakes]))


def read_settings(path: str | Path) -> Settings:
    """Return the settings of a TOML file; its relative paths begin at its folder.

    Raises:
        FileNotFoundError: there is no such file.
        SettingsError: it has mistakes.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {path}: write one with dpselect serve --init.")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise SettingsError(path, ["It is not text in UTF-8."]) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(path, [f"It is not TOML: {error}."]) from None
    return settings_of(content, file.resolve().parent, path)


def settings_of(content: Mapping[str, Any], folder: Path, path: str | Path = "The settings") -> Settings:
    """Return checked settings; relative paths begin at the folder.

    Raises:
        SettingsError: they have mistakes.
    """
    try:
        return Settings.model_validate(_rooted(_with_descriptions(content, folder), folder))
    except ValidationError as error:
        raise SettingsError(path, [*_sentences(error)]) from None
    except ValueError as error:
        raise SettingsError(path, [str(error)]) from None


def _with_descriptions(content: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return the content with the facts of every dataset that names its description in their place."""
    datasets = content.get("datasets")
    if not isinstance(datasets, dict):
        return content
    result = {
        name: _described(name, each, folder) if isinstance(each, dict) and "dataset" in each else each
        for name, each in datasets.items()
    }
    return {**content, "datasets": result}


def _described(name: str, said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the facts of a description and what a server says beside them.

    Raises:
        ValueError: the description cannot be used, or says what is not served; or the server says more.
    """
    stray = next((key for key in said if key not in _BESIDE), None)
    if stray is not None:
        raise ValueError(f"datasets.{name}.{stray} belongs into the description: write it there.")
    if not isinstance(said["dataset"], str):
        raise ValueError(f"datasets.{name}.dataset: name the file of a description, in quotes.")
    try:
        dataset = Dataset.load(folder / said["dataset"])
    except (OSError, ValueError) as error:
        raise ValueError(f"datasets.{name}: {error}") from None
    facts = {**dataset.facts, dataset.noun: dataset.address}
    missing = next((key for key in _UNSERVED if key in facts), None)
    if missing is not None:
        raise ValueError(
            f"datasets.{name}: a server does not take {missing} yet: serve a table or a view that needs none."
        )
    budget = facts.get("budget", {})
    if "ledger" in budget:
        ledger = budget.pop("ledger")
        facts["ledger"] = ledger if is_url(ledger) else str(dataset.folder / ledger)
    return facts | {key: value for key, value in said.items() if key != "dataset"}


def _rooted(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the content with paths that do not depend on the working folder; other values stay as they are."""
    result = dict(content)
    server = result.get("server", {})
    if isinstance(server, dict):
        defaults = {"database": Listening().database, "ledgers": Listening().ledgers}
        result["server"] = defaults | server
        _root(result["server"], ("database", "ledgers"), folder)
    if isinstance(result.get("openid"), dict):
        result["openid"] = dict(result["openid"])
        _root(result["openid"], ("secret_file",), folder)
    datasets = result.get("datasets")
    if isinstance(datasets, dict):
        result["datasets"] = {name: dict(each) if isinstance(each, dict) else each for name, each in datasets.items()}
        for each in result["datasets"].values():
            if isinstance(each, dict):
                _root(each, ("source", "graph", "ledger"), folder)
    return result


def _root(table: dict[str, Any], names: tuple[str, ...], folder: Path) -> None:
    for name in names:
        value = table.get(name)
        if isinstance(value, str) and value and not is_url(value):
            table[name] = str(folder / value)


def _sentences(error: ValidationError) -> Iterator[str]:
    for mistake in error.errors(include_url=False):
        place = ".".join(str(each) for each in mistake["loc"] if each not in _TAGS) or "datasets"
        message = str(mistake["msg"]).removeprefix("Value error, ").rstrip(".")
        if mistake["type"] == "missing":
            yield f"{place} is missing: add it."
        elif mistake["type"] == "extra_forbidden":
            yield f"{place} is not a setting: remove it, or check its spelling."
        elif mistake["type"] == "string_pattern_mismatch":
            yield f"{place}: a name has at most 63 of a-z, 0-9, - and _, and begins with a letter or a digit."
        else:
            yield f"{place}: {message[:1].lower()}{message[1:]}."

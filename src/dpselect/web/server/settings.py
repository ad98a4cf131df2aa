"""The settings of a server: one file, checked whole before anything is opened."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from dpselect.dataset import Dataset, DatasetError
from dpselect.kernel.errors import DPSelectError, InputError, MissingFileError
from dpselect.sources.urls import is_url
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.settings_parts import Amount, Name, Place, SettingsPart

_Port = Annotated[int, Field(ge=0, le=65535)]


class ListenSettings(SettingsPart):
    """The address of the server, and the places of its files.

    Attributes:
        host, port: of the socket; a proxy in front of it does TLS.
        hosts: further names that a request may call this server, such as that of the proxy.
        database: a file for one server, or ``postgresql://user@host/database`` for several.
        ledgers: the folder of the ledgers, one per dataset, or such a URL.
        queries: a file of Python with queries of the curator's own, which are served too. It is run at the start.
    """

    host: str = "127.0.0.1"
    port: _Port = 8440
    hosts: tuple[str, ...] = ()
    database: Place = "server.db"
    ledgers: Place = "ledgers"
    queries: Place | None = None


class RequestLimits(SettingsPart):
    """Limits on the load that one user may cause.

    Attributes:
        body_bytes: how long a request may be.
        body_seconds: how long it may take to arrive, and how long a reply may wait to be read.
        head_seconds: how long a connection may take to begin, and the headers of a request to arrive.
        connections: how many may be open; those beyond are closed at once.
        requests_per_minute: of one token.
        seconds: how long a reply waits for an answer; afterwards the request is asked for by its number.
        candidates: how many public values one question may have.
        waiting: how many requests of one analyst may be unanswered.
        workers: how many requests and queries of streams are answered at once.
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


class DatasetSettings(SettingsPart):
    """Settings of one dataset: its description, and who may spend how much of its budget.

    Attributes:
        description: what is public; ``dataset = "survey.toml"`` names its file, or its keys are written here.
        allowance: how much of its budget is released at first; all of it unless this is said.
        shares: how much of it each analyst may spend at first. Nobody else sees the dataset.
    """

    description: Dataset
    allowance: Amount | None = None
    shares: dict[Name, Amount] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _read_description(cls, said: Any, info: ValidationInfo) -> Any:
        if not isinstance(said, Mapping):
            raise InputError("this is a table: write [datasets.NAME], and dataset = ... below it.")
        folder = Path() if info.context is None else info.context
        beside = {key: said[key] for key in ("allowance", "shares") if key in said}
        facts = {key: value for key, value in said.items() if key not in beside}
        if "dataset" not in facts:
            return beside | {"description": Dataset.parse(facts, folder)}
        stray = next((key for key in facts if key != "dataset"), None)
        if stray is not None:
            raise DatasetError((stray,), "this belongs into the description: write it there.")
        if not isinstance(facts["dataset"], str):
            raise DatasetError(("dataset",), "name the file of a description, in quotes.")
        try:
            return beside | {"description": Dataset.load(folder / facts["dataset"])}
        except (OSError, ValueError) as error:
            # It names its file and line.
            raise InputError(str(error)) from None

    @model_validator(mode="after")
    def _check_allowance(self) -> DatasetSettings:
        if self.first_allowance > self.description.terms().epsilon:
            raise InputError("allowance is above the budget: it may be raised up to that and no further.")
        return self

    @property
    def first_allowance(self) -> Fraction:
        """Return how much is released at first."""
        return self.description.terms().epsilon if self.allowance is None else self.allowance


class Settings(SettingsPart):
    """Everything that a server is told.

    Attributes:
        server: where it listens.
        limits: of size, time and rate.
        openid: how users of an OpenID provider come in, if they do.
        datasets: by their names.
    """

    # A default is checked as what is said is: its paths begin at the folder, too.
    server: ListenSettings = Field(default_factory=dict)  # type: ignore[assignment]
    limits: RequestLimits = RequestLimits()
    openid: Registration | None = None
    datasets: Annotated[dict[Name, DatasetSettings], Field(min_length=1)]

    @field_validator("openid")
    @classmethod
    def _answers_there(cls, value: Registration | None, info: ValidationInfo) -> Registration | None:
        server = info.data.get("server")
        if value is not None and server is not None:
            names = {urlsplit(f"//{each}").hostname for each in (server.host, *server.hosts)}
            asked = urlsplit(value.address).hostname
            if asked not in names and not (asked == "localhost" and "127.0.0.1" in names):
                raise InputError("address is not a name of this server: add its host to server.hosts.")
        return value

    def ledger_address(self, name: str) -> str:
        """Return the address of the ledger of a dataset that names none."""
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
        raise MissingFileError(f"The file {path} does not exist: write one with dpselect serve --init.")
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
        return Settings.model_validate(content, context=folder)
    except ValidationError as error:
        raise SettingsError(path, [*_sentences(error)]) from None


def _sentences(error: ValidationError) -> Iterator[str]:
    for mistake in error.errors(include_url=False):
        refused = mistake.get("ctx", {}).get("error")
        key = refused.key if isinstance(refused, DatasetError) else ()
        place = ".".join(str(each) for each in (*mistake["loc"], *key))
        message = refused.reason if isinstance(refused, DatasetError) else str(mistake["msg"])
        message = message.removeprefix("Value error, ").rstrip(".")
        if mistake["type"] == "missing":
            yield f"{place} is missing: add it."
        elif mistake["type"] == "extra_forbidden":
            yield f"{place} is not a setting: remove it, or check its spelling."
        elif mistake["type"] == "string_pattern_mismatch":
            yield f"{place}: a name has at most 63 of a-z, 0-9, - and _, and begins with a letter or a digit."
        else:
            yield f"{place}: {message[:1].lower()}{message[1:]}."

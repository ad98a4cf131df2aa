"""The office of the load test, with a server that is forked: it is up at once, and killed as any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from dpselect.web.server.database import Database
from dpselect.web.server.settings import read_settings
from dpselect.web.server.users import Users
from research.comparisons import serving_office
from tests.web.server.forked import Forked
from tests.web.server.served import PROGRAM


class Office(serving_office.Office):
    """An office whose server is the program of the other tests; it may end, or err, at a point that is named."""

    def new_token(self, name: str) -> str:
        """Make a token of an analyst, as the command does."""
        database = Database(read_settings(self.config).server.database)
        people = Users(database)
        people.add(name, "analyst", "test")
        made = people.new_token(name, 1, "test")
        database.close()
        return made.secret

    def new_process(self, command: Sequence[str], log: IO[bytes]) -> Forked:
        """Fork the server; of the command only what follows the settings counts."""
        settings = str(self.config)
        point = [*command[command.index(settings) + 1 :], "nowhere"][0]
        return Forked(PROGRAM, [settings, point], log.fileno())

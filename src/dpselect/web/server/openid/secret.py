"""The secret that this server shows to its OpenID provider: it stands in a file or in the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from dpselect.kernel.errors import FileError, InputError
from dpselect.web.server.openid.registration import Registration

_SECRET = re.compile(r"[!-~]{1,1024}")


@dataclass(frozen=True)
class Secret:
    """A secret that nothing shows.

    Attributes:
        value: the secret, or ``None`` where there is none.
    """

    value: str | None = field(repr=False)

    @classmethod
    def of(cls, registration: Registration) -> Secret:
        """Return the secret that the settings lead to.

        Raises:
            OSError, ValueError: it is not there, or is not a secret; it is not quoted.
        """
        if registration.secret_variable is not None:
            where = f"the environment variable {registration.secret_variable}"
            value = os.environ.get(registration.secret_variable)
            if value is None:
                raise InputError(f"openid: {where} does not exist, which should hold the client's secret: set it.")
        elif registration.secret_file is not None:
            where = f"the file {registration.secret_file}"
            try:
                value = Path(registration.secret_file).read_text(encoding="ascii")
            except (OSError, UnicodeDecodeError):
                raise FileError(f"openid: {where} with the client's secret cannot be read: check its path.") from None
        else:
            return cls(None)
        if not _SECRET.fullmatch(value.strip()):
            raise InputError(f"openid: {where} does not hold a client's secret: put it there, on one line.")
        return cls(value.strip())

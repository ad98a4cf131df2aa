"""Everything about OpenID Connect that a server needs: who a token is of, and who comes back from a log in."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from dpselect.web.server.database import Database
from dpselect.web.server.openid.accounts import Accounts
from dpselect.web.server.openid.login import LogIn, PendingLogin
from dpselect.web.server.openid.login_errors import LoginError, ProviderUnreachableError
from dpselect.web.server.openid.provider import Provider
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.openid.replies import ProviderError
from dpselect.web.server.openid.secret import Secret
from dpselect.web.server.openid.verifier import UntrustedTokenError, Verifier
from dpselect.web.server.users import User, Users

_log = logging.getLogger("dpselect.server")
# How many requests may wait for the provider at once.
AT_ONCE = 4
_TOKEN = "This token of the OpenID provider is not accepted: get a new one that is made for this server."
_LOGIN = "This log in did not come to an end in the browser in which it was begun: log in again."
_LATER = "The OpenID provider cannot be asked now: try again later, or use a token of this server."


@dataclass(frozen=True)
class Authenticator:
    """An authenticator of users of a provider.

    Attributes:
        registration: of this server.
        verifier: of tokens.
        login: of browsers.
        accounts: and whose they are.
    """

    registration: Registration
    verifier: Verifier
    login: LogIn
    accounts: Accounts

    @classmethod
    def of(cls, registration: Registration, database: Database, people: Users) -> Authenticator:
        """Return the authenticator of a registration; the provider is asked when somebody logs in.

        Raises:
            OSError, ValueError: the client's secret is not where the settings say.
        """
        secret, provider = Secret.of(registration), Provider(registration)
        verifier = Verifier(registration, provider)
        login = LogIn(registration, secret, provider, verifier)
        return cls(registration, verifier, login, Accounts(database, people, registration))

    def user_of(self, token: str) -> User:
        """Return the user of a token that a program sends.

        Raises:
            LoginError, NoRoleError, ProviderUnreachableError: the log in is refused.
        """
        try:
            return self.accounts.user_of(self.verifier.of_program(token))
        except UntrustedTokenError as error:
            _log.info("A token of the OpenID provider was refused: %s.", error)
            raise LoginError(_TOKEN) from None
        except ProviderError as error:
            raise _unreachable(error) from None

    def begin(self, back: str) -> PendingLogin:
        """Return where a browser is led to log in, and what it keeps.

        Raises:
            ProviderUnreachableError: the provider does not answer.
        """
        try:
            return self.login.begin(back)
        except ProviderError as error:
            raise _unreachable(error) from None

    def finish(self, returned: Sequence[tuple[str, str]], cookie: str | None) -> tuple[User, str]:
        """Return the user who comes back from the provider, and where to lead the browser.

        Raises:
            LoginError, NoRoleError, ProviderUnreachableError: it is not the log in of this browser.
        """
        try:
            claims, back = self.login.finish(returned, cookie)
            return self.accounts.user_of(claims), back
        except UntrustedTokenError as error:
            _log.info("A log in by the OpenID provider was refused: %s.", error)
            raise LoginError(_LOGIN) from None
        except ProviderError as error:
            raise _unreachable(error) from None


def _unreachable(error: ProviderError) -> ProviderUnreachableError:
    _log.warning("The OpenID provider could not be used: %s.", error)
    return ProviderUnreachableError(_LATER)


def looks_signed(secret: str) -> bool:
    """Return whether a secret may be a token of a provider: those of this server have no dots.

    >>> looks_signed("header.claims.signature"), looks_signed("a-token-of-this-server")
    (True, False)
    """
    return secret.count(".") == 2

"""Reasons why an OpenID provider's word does not let somebody in, in a sentence that quotes nothing of a token."""

from __future__ import annotations

from dpselect.web.server.errors import RefusalError


class LoginError(RefusalError):
    """The token or the log in is not accepted. Why stands in the server's own log."""

    status = 401


class NoRoleError(RefusalError):
    """The provider's word is right, and this server has no place for the user."""

    # Not 403, by which programs know that a budget does not allow something.
    status = 401


class ProviderUnreachableError(RefusalError):
    """The provider gives no answer that can be used, so nobody is let in by it."""

    status = 503

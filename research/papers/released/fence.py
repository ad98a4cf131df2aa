"""What is not private computes and measures, and states so first."""

from __future__ import annotations

from dpselect.kernel.errors import PrivacyError


def fenced(unsound: str | None, instead: str) -> None:
    """Refuse what is not private unless it is asked for by that name.

    Args:
        unsound: ``"reproduction"``.
        instead: what to use otherwise.

    Raises:
        PrivacyError: anything else.
    """
    if unsound != "reproduction":
        raise PrivacyError(
            f'This is not private as published: pass unsound="reproduction" to compute with it, or use {instead}.'
        )

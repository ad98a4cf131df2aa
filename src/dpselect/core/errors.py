"""The one error of our own: a privacy claim that would be false."""


class PrivacyError(Exception):
    """A privacy claim would be false: a public fact is missing or a sensitivity has no bound.

    The message says which public fact to pass. Plain bad input raises ``ValueError`` or ``TypeError``.
    """

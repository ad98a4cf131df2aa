"""The two errors of our own: a privacy claim that would be false, and a budget that does not reach."""


class PrivacyError(Exception):
    """A privacy claim would be false: a public fact is missing or a sensitivity has no bound.

    The message says which public fact to pass. Plain bad input raises ``ValueError`` or ``TypeError``.
    """


class BudgetError(Exception):
    """The budget does not allow a release: nothing was spent and nothing was drawn.

    The message says what was asked, what is left and what would fit.
    """

"""Refusals, each in a sentence that follows from public facts alone."""

from __future__ import annotations

from dpselect.kernel.errors import DPSelectError


class RefusalError(DPSelectError):
    """It is not done, and nothing was spent; the message says why, and may be sent to the analyst."""

    status = 403
    # The error of the library that it is, where its status does not say so.
    error: str | None = None


class NotFoundError(RefusalError):
    """Something that does not exist, or not for this user: which of the two is never said."""

    status = 404


class ConflictError(RefusalError):
    """Something else was asked before in the same name."""

    status = 409


class InvalidQueryError(RefusalError):
    """The refusal of a request that is not a question about this dataset.

    Attributes:
        field: whose value is to blame; empty for the whole.
        sentence: without the field.
    """

    status = 422

    def __init__(self, words: str, field: str = "", sentence: str = "") -> None:
        self.field, self.sentence = field, sentence or words
        super().__init__(words)

    @classmethod
    def of(cls, error: Exception) -> InvalidQueryError:
        """Return the refusal that an error of a query is."""
        return cls(str(error), getattr(error, "field", ""), getattr(error, "sentence", ""))


class TooManyRequestsError(RefusalError):
    """Too much is asked for at once."""

    status = 429


class UnprotectedError(InvalidQueryError):
    """It would claim more than holds: a public fact is missing, or nothing bounds what one step changes."""

    error = "PrivacyError"

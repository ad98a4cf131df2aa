"""What can be asked: one file per question, each with its price, what it may read, and what is refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from dpselect.web.server.questions.counts import Counts
from dpselect.web.server.questions.median import Median
from dpselect.web.server.questions.most_common import MostCommon
from dpselect.web.server.questions.percentiles import Percentiles
from dpselect.web.server.questions.quantiles import Quantiles
from dpselect.web.server.questions.question import Question
from dpselect.web.server.questions.select import Select
from dpselect.web.server.questions.top_k import TopK
from dpselect.web.server.questions.train import Train

AnyQuestion = Annotated[
    Median | Quantiles | Percentiles | Counts | MostCommon | Select | Train | TopK, Field(discriminator="question")
]
_ADAPTER: TypeAdapter[AnyQuestion] = TypeAdapter(AnyQuestion)

__all__ = ["AnyQuestion", "Question", "canonical", "question_of"]


def canonical(question: Question) -> str:
    """Return a question as text that is the same for all ways to write it."""
    return question.model_dump_json()


def question_of(text: str) -> Question:
    """Return the question of a text that :func:`canonical` wrote."""
    return _ADAPTER.validate_json(text)

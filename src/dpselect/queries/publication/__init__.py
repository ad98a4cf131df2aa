"""Publications: a plan of queries under one total, paid for once and answered once, however often it is begun."""

from dpselect.queries.publication.answers import PublicationAnswers
from dpselect.queries.publication.publication import Publication, PublicationError, PublicationTotal
from dpselect.queries.publication.publish import PublicationPlan, plan_publication, publish, require_ledger

__all__ = [
    "Publication",
    "PublicationAnswers",
    "PublicationError",
    "PublicationPlan",
    "PublicationTotal",
    "plan_publication",
    "publish",
    "require_ledger",
]

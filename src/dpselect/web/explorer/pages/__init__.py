"""The explorer's pages, in the order of their list; each is a file here."""

from dpselect.web.explorer.page import Page
from dpselect.web.explorer.pages.audit import PAGE as AUDIT
from dpselect.web.explorer.pages.candidates import PAGE as CANDIDATES
from dpselect.web.explorer.pages.distance import PAGE as DISTANCE
from dpselect.web.explorer.pages.mechanisms import PAGE as MECHANISMS
from dpselect.web.explorer.pages.most_common import PAGE as MOST_COMMON
from dpselect.web.explorer.pages.objectives import PAGE as OBJECTIVES
from dpselect.web.explorer.pages.percentile import PAGE as PERCENTILE
from dpselect.web.explorer.pages.planner import PAGE as PLANNER
from dpselect.web.explorer.pages.top_k import PAGE as TOP_K
from dpselect.web.explorer.pages.tree import PAGE as TREE

PAGES: tuple[Page, ...] = (
    CANDIDATES,
    MOST_COMMON,
    PERCENTILE,
    TOP_K,
    TREE,
    OBJECTIVES,
    MECHANISMS,
    DISTANCE,
    PLANNER,
    AUDIT,
)

"""The explorer's pages, in the order of their list; each is a file here, which is imported when it is first opened."""

from dpselect.web.explorer.explorer_page import Page

PAGES: tuple[Page, ...] = (
    Page(
        "candidates",
        "Choose among candidates",
        "How likely is each candidate to be named, and what does one person change?",
    ),
    Page(
        "most-common",
        "Most common",
        "Which items do most persons have, how likely is each to be named, and what does one person change?",
        about="table",
    ),
    Page(
        "best-groups",
        "Best groups by a formula",
        "Which group has the best average, rate or formula, and how far does one row move its score?",
        about="table",
    ),
    Page(
        "percentile",
        "Percentile",
        "How far from the true median or percentile may an answer lie, and what does one person change?",
        about="numbers",
    ),
    Page(
        "top-k",
        "Top k of a graph",
        "Who is named first, what does one edge change, and which metric finds those who connect others?",
        about="graph",
    ),
    Page(
        "tree",
        "Tree",
        "What does a private tree ask first, and how sure are its labels?",
        about="table",
    ),
    Page(
        "objectives",
        "Several objectives",
        "Two measures say different things: which candidates are named by the Pareto front, and which by weights?",
    ),
    Page(
        "mechanisms",
        "Compare mechanisms",
        "How wrong is each mechanism, and how often right, as epsilon grows?",
    ),
    Page(
        "distance",
        "Sensitivity by distance",
        "How far could one neighbour move each score, here and further away, and what does dampening make of it?",
    ),
    Page(
        "planner",
        "Plan several releases",
        "What do several releases cost together, how wrong may each be, and what is left of the budget?",
    ),
    Page(
        "audit",
        "Check a claim",
        "Does a mechanism keep its epsilon with this sensitivity, on every database of a small universe?",
    ),
)

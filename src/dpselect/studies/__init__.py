"""Measured evidence: the papers' tables and figures, comparisons with peers, and what runs them."""

from dpselect.kernel.budget import costs_nothing

# Studies release from public and made-up data, at every epsilon that a paper prints.
costs_nothing.set(True)

"""Measured evidence: the papers' tables and figures, comparisons with peers, and what runs them."""

from dpselect.kernel.budget import session

# Studies release from public and made-up data, at every epsilon that a paper prints: they cost nobody anything.
if session.get() is None:
    session.set(None)

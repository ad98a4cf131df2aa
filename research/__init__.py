"""Measured evidence: the papers' tables and figures, comparisons with peers, and what runs them."""

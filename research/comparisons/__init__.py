"""Comparisons with other libraries, and how fast and how accurate dpselect is: one program per question."""

from research.public_data import declare_public

declare_public()

"""Comparisons with other libraries, and how fast and how accurate dpselect is: one program per question."""

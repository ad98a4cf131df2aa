"""Exact figures on public data: accuracy, comparisons, recommendations. Nothing private, nothing trusted."""

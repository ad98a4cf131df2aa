"""Runs that can be resumed, verdicts and reports."""

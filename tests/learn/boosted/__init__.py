"""Boosting, part by part."""

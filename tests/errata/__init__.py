"""Counterexamples of docs/errata.md that belong to no single part of the library."""

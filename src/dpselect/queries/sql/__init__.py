"""SQL as another way to write a query: text becomes one of the frozen queries, and nothing of it reaches an engine.

Pages of help read :mod:`dpselect.queries.sql.kinds` alone, so nothing else is imported here.
"""

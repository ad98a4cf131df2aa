"""Pages: the explorer of exact laws, for public and made-up data."""

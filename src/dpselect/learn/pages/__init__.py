"""Pages of released models: HTML files that need nothing else, for a browser or for paper."""

"""The score of every candidate, how far one neighbour can move it, and how several scores combine."""

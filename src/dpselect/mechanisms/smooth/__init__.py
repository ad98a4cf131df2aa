"""Noise whose scale follows a smooth bound of the local sensitivity."""

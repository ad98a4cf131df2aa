"""The mathematics: sees numbers, never data."""

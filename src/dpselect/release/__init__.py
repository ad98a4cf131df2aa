"""Everything that returns private output."""

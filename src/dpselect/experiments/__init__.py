"""The papers' tables and figures, one file each, run by one small engine."""

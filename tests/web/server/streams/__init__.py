"""Tests of streams over HTTP."""

"""Streams of questions against a threshold: paid for once, asked one after the other, each answered once."""

"""The version of the library, for what records which code made a result."""

VERSION = "0.2.0"

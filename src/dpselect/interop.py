"""Measurements for other libraries."""

from dpselect.release.opendp import to_opendp as to_opendp

__all__ = ["to_opendp"]

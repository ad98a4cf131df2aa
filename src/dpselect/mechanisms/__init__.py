"""The mechanisms, by published name."""

from dpselect.mechanisms.named import EVERY_MECHANISM, default_mechanism, mechanism, require_mechanism

__all__ = ["EVERY_MECHANISM", "default_mechanism", "mechanism", "require_mechanism"]

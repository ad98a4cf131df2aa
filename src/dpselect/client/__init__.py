"""Ask a dpselect server: the questions of the library, paid for and answered where the rows are."""

from dpselect.client.answer import Plan, ServedRelease
from dpselect.client.dataset import ServedDataset
from dpselect.client.server import Offer, Server, connect
from dpselect.client.stream import ServedStream

__all__ = ["Offer", "Plan", "ServedDataset", "ServedRelease", "ServedStream", "Server", "connect"]

"""Ask a dpselect server: the queries of the library, paid for and answered where the rows are."""

from dpselect.client.dataset import RemoteDataset
from dpselect.client.server import Offer, Server, connect
from dpselect.client.stream import ServedStream

__all__ = ["Offer", "RemoteDataset", "ServedStream", "Server", "connect"]

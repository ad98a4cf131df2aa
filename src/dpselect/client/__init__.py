"""Ask a dpselect server: the queries of the library, paid for and answered where the rows are."""

from dpselect.client.dataset import RemoteDataset
from dpselect.client.server import DatasetEntry, Server, connect
from dpselect.client.stream import ServedStream

__all__ = ["DatasetEntry", "RemoteDataset", "ServedStream", "Server", "connect"]

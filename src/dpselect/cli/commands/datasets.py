"""dpselect datasets: which datasets a server has for you. In a clone it lists the research data, too."""

from dpselect.cli.served.datasets import VERB

__all__ = ["VERB"]

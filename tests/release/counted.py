"""Coins whose number of runs is public, so that tests know how often something runs."""

from __future__ import annotations

from dpselect.kernel.run_count import RunCount
from dpselect.release.system_noise import SystemNoise


class Counted(SystemNoise):
    """Exact coins, and always this many runs."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def runs(self, _: RunCount) -> int:
        """As many as were asked for."""
        return self.count

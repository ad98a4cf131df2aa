"""Time of effective scores on Enron once ego betweenness is known, and time to import and to print help.

    DPSELECT_DATA=... python -m research.comparisons.effective

Processor seconds, least of 5.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import dpselect as dps
from dpselect import datasets


def least(call: object, repeats: int = 5) -> float:
    """Return the least processor time of several calls, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def command(*arguments: str) -> float:
    """Return the least processor time of a command run in its own process."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    """Print the table."""
    scores = dps.utilities.ego_betweenness(datasets.graph("enron"), max_degree=1383, sensitivity="degree")
    for name in ("shifted-local-dampening", "local-dampening", "permute-and-flip"):
        mechanism = dps.mechanism(name)
        print(f"effective, {name:<24} Enron: {1e3 * least(lambda m=mechanism: m.effective(scores)):7.2f} ms")
    empty = command("-c", "pass")
    print(f"python -c pass: {empty:.3f} s")
    print(f"import dpselect: {command('-c', 'import dpselect'):.3f} s, interpreter included")
    print(f"dpselect --help: {command('-m', 'dpselect', '--help'):.3f} s, interpreter included")


if __name__ == "__main__":
    main()

"""OpenDP's MST and AIM on the tables that ``synthesis --tables FOLDER`` wrote, at the same rho.

It wants mbi and jax, so this file imports nothing of this project and runs in an environment of its own:

    python -m venv PEERS && PEERS/bin/pip install "opendp[polars,mbi]" pandas
    PEERS/bin/python research/comparisons/synthesis_peers.py FOLDER

One process per cell, so that compiling is counted where it happens; a cell that is there is not made again.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

CAP, ATTEMPTS = 300, 6


def synthesize(folder: Path, name: str, method: str, place: int) -> None:
    """Write the synthetic codes, the processor time, or what it failed with."""
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    with np.load(folder / f"{name}.npz") as stored:
        rho, sizes = float(stored["rhos"][place]), stored["sizes"].tolist()
        frame = pl.LazyFrame({f"c{column}": codes for column, codes in enumerate(stored["codes"])})
    out = folder / f"{name}.{method}.{place}.npz"
    start, words = time.process_time(), ""
    for attempt in range(ATTEMPTS):
        # Some budgets are refused half way, as floats add up to more than they are: the next ones are a little less.
        try:
            made = run(frame, rho * (1 - attempt * 1e-6), sizes, method)
        except Exception as error:
            words = " ".join(str(error).split())[-100:]
            continue
        np.savez_compressed(out, codes=made, seconds=time.process_time() - start, refused=attempt)
        return
    np.savez_compressed(out, failed=f"failed {ATTEMPTS} times: {words}", seconds=time.process_time() - start)


def run(frame: object, rho: float, sizes: list[int], method: str) -> np.ndarray:
    """Return synthetic codes, shape (columns, rows)."""
    import opendp.prelude as dp

    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=rho),
        split_evenly_over=1,
    )
    keys = {f"c{column}": [*range(size)] for column, size in enumerate(sizes)}
    algorithm = {"mst": dp.mbi.MST, "aim": dp.mbi.AIM}[method]()
    table = context.query().contingency_table(keys=keys, algorithm=algorithm).release()
    made = table.synthesize()
    return np.stack([made[f"c{column}"].to_numpy() for column in range(len(sizes))])


def main() -> None:
    """Run every cell in a process of its own, within a time."""
    if len(sys.argv) == 5:
        resource.setrlimit(resource.RLIMIT_CPU, (CAP, CAP))
        synthesize(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    folder = Path(sys.argv[1])
    names = sorted(path.stem for path in folder.glob("*.npz") if "." not in path.stem)
    for method in ("mst", "aim"):
        for place in (1, 2, 0):
            for name in names:
                out = folder / f"{name}.{method}.{place}.npz"
                if out.exists():
                    continue
                words = [sys.executable, __file__, str(folder), name, method, str(place)]
                subprocess.run(words, check=False)
                if not out.exists():
                    np.savez_compressed(out, failed=f"stopped after {CAP} processor seconds", seconds=CAP)


if __name__ == "__main__":
    main()

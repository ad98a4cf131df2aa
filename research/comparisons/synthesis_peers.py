"""MST and AIM of OpenDP and of smartnoise-synth, on the tables that ``synthesis --tables FOLDER`` wrote.

They want mbi and jax, so this file imports nothing of this project. It runs in an environment of their own, or in one
for each: what is not installed is skipped, and said so.

    python -m venv PEERS && PEERS/bin/pip install "opendp[polars,mbi]" pandas
    python -m venv OTHER && OTHER/bin/pip install smartnoise-synth
    PEERS/bin/python research/comparisons/synthesis_peers.py FOLDER
    OTHER/bin/python research/comparisons/synthesis_peers.py FOLDER

Each cell (a table, a method, an epsilon) has a process of its own. Its first synthesis is cold: it compiles. The
others are warm. Importing is not counted. A cell that is there is not made again.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[Any]
ATTEMPTS = 6
METHODS = {"opendp-mst": "opendp", "smartnoise-mst": "snsynth", "opendp-aim": "opendp", "smartnoise-aim": "snsynth"}


def opendp(stored: Any, place: int, method: str) -> Callable[[], Callable[[str], Codes]]:
    """Return a synthesis by OpenDP, which returns what draws rows."""
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    sizes = stored["sizes"].tolist()
    rho = float(stored["rhos"][place])
    rhos = [rho] if method == "aim" else accepted(rho, len(sizes) - 1)
    if not rhos:
        sys.exit("refuses this budget, and 200 that are a little smaller")
    frame = pl.LazyFrame({f"c{column}": codes for column, codes in enumerate(stored["codes"])})
    keys = {f"c{column}": [*range(size)] for column, size in enumerate(sizes)}

    def release(rho: float) -> Any:
        context = dp.Context.compositor(
            data=frame,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(rho=rho),
            split_evenly_over=1,
        )
        algorithm = {"mst": dp.mbi.MST, "aim": dp.mbi.AIM}[method]()
        return context.query().contingency_table(keys=keys, algorithm=algorithm).release()

    def synthesis() -> Callable[[str], Codes]:
        while True:
            try:
                table = release(rhos[0])
                break
            except dp.OpenDPException as error:
                # A refusal counts among the seconds of the first synthesis.
                del rhos[0]
                if "insufficient budget" not in str(error) or not rhos:
                    raise

        def rows(draw: str) -> Codes:
            made = table.synthesize(method=draw)
            # What is in no key comes back as missing: it counts as the first code.
            return np.nan_to_num(np.stack([made[name].to_numpy() for name in keys]).astype(float)).astype(np.int64)

        return rows

    return synthesis


def accepted(rho: float, pairs: int) -> list[float]:
    """Return budgets, less by steps of a millionth, of which OpenDP's MST divides the choices into parts that fit.

    Its own map adds the parts up, rounded upwards; of other budgets it refuses the choices after columns are paid, and
    of some of these too.
    """
    import opendp.prelude as dp

    def below(value: float) -> float:
        return float(np.nextafter(value, -np.inf))

    def fits(less: float) -> bool:
        pair = below(below(less - less * 0.5))
        choice = below(below(pair - pair * 0.9))
        parts = [below(choice / pairs)] * pairs
        whole = dp.c.make_adaptive_composition(domain, metric, dp.zero_concentrated_divergence(), 1, parts)
        return bool(whole.map(1) <= choice)

    domain, metric = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return [less for less in (rho * (1 - step * 1e-6) for step in range(200)) if fits(less)][:ATTEMPTS]


def smartnoise(stored: Any, place: int, method: str) -> Callable[[], Callable[[str], Codes]]:
    """Return a synthesis by smartnoise-synth, which returns what draws rows; it takes the number of rows as public."""
    import pandas as pd
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer
    from snsynth.transform.table import TableTransformer

    frame = pd.DataFrame({f"c{column}": codes for column, codes in enumerate(stored["codes"])})
    epsilon, delta = float(stored["epsilons"][place]), float(stored["delta"])

    def synthesis() -> Callable[[str], Codes]:
        # Labels are those of the rows: codes that no row has are not in its domain.
        labels = TableTransformer([LabelTransformer(nullable=False) for _ in frame.columns])
        made = Synthesizer.create(method, epsilon=epsilon, delta=delta)
        made.fit(frame, transformer=labels)
        model = made.synthesizer

        def rows(draw: str) -> Codes:
            made.synthesizer = _Drawing(model, draw)
            return made.sample(len(frame))[[*frame.columns]].to_numpy().T.astype(np.int64)

        return rows

    return synthesis


class _Drawing:
    """A model of mbi that draws rows in one of its ways."""

    def __init__(self, model: Any, draw: str) -> None:
        self._model, self._draw = model, draw

    def synthetic_data(self, rows: int) -> Any:
        """Return rows."""
        return self._model.synthetic_data(rows, self._draw)


def cell(folder: Path, name: str, method: str, place: int, repeats: int) -> None:
    """Write the rows of every synthesis and its processor seconds, after each of them."""
    library, algorithm = method.split("-")
    with np.load(folder / f"{name}.npz") as stored:
        made = {"opendp": opendp, "smartnoise": smartnoise}[library](stored, place, algorithm)
    held: dict[str, Any] = {}
    for turn in range(repeats):
        start = time.process_time()
        draw = made()
        held[f"sample{turn}"] = draw("sample")
        held[f"seconds{turn}"] = time.process_time() - start
        held[f"round{turn}"] = draw("round")
        np.savez_compressed(folder / f"{name}.{method}.{place}.npz", **held)


def main() -> None:
    """Run every cell in a process of its own, within a time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", nargs="+", choices=[*METHODS], default=[*METHODS])
    parser.add_argument("--only", nargs="+", help="names of tables")
    parser.add_argument("--places", nargs="+", type=int, default=[1, 0, 2], help="which of the epsilons")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cap", type=int, default=300, help="processor seconds of a cell")
    parser.add_argument("--cell", action="store_true", help="run one cell in this process")
    asked = parser.parse_args()
    if asked.cell:
        resource.setrlimit(resource.RLIMIT_CPU, (asked.cap, asked.cap))
        cell(asked.folder, asked.only[0], asked.methods[0], asked.places[0], asked.repeats)
        return
    names = asked.only or sorted(path.stem for path in asked.folder.glob("*.npz") if "." not in path.stem)
    for method in asked.methods:
        if importlib.util.find_spec(METHODS[method]) is None or importlib.util.find_spec("mbi") is None:
            print(f"{method}: {METHODS[method]} or mbi is not installed here: skipped", flush=True)
            continue
        for place in asked.places:
            for name in names:
                out = asked.folder / f"{name}.{method}.{place}.npz"
                if out.exists():
                    continue
                words = ["--methods", method, "--only", name, "--places", str(place), "--repeats", str(asked.repeats)]
                start = time.perf_counter()
                command = [sys.executable, __file__, str(asked.folder), *words, "--cap", str(asked.cap), "--cell"]
                done = subprocess.run(command, check=False, capture_output=True, text=True)
                if done.returncode and not out.exists():
                    why = " ".join(done.stderr.split()[-20:])
                    reason = f"stopped after {asked.cap} processor seconds" if done.returncode < 0 else why
                    np.savez_compressed(out, failed=reason)
                print(f"{method} {name} {place}: {done.returncode}, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()

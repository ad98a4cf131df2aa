"""The engine: cells to results, picked up again after a kill, whatever state the files are in."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import inspect
import json
import math
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpselect.kernel.errors import FileError
from research.engine import journal
from research.engine import runs as engine
from research.engine.experiment import FULL, PAPER, QUICK, Effort, Point, Results, Unmeasured, repeated
from research.engine.journal import Journal, Measured
from research.papers import chosen
from tests.research import tiny_experiment
from tests.research.tiny_experiment import EXPERIMENT


@pytest.fixture(autouse=True)
def _nothing_measured():
    tiny_experiment.MEASURED.clear()


def run(folder, experiment=EXPERIMENT, effort=QUICK, jobs=1):
    """Return the outcome of one experiment."""
    (outcome,) = engine.run([experiment], effort, folder, jobs=jobs, show=False)
    return outcome


def journal_of(folder):
    """Return the journal that the engine uses for the tiny experiment."""
    cells = [engine.key_of(cell) for cell in EXPERIMENT.grid(QUICK)]
    return Journal(folder / "quick", "tiny", engine.fingerprint(EXPERIMENT, QUICK, cells))


def test_every_cell_is_measured_and_kept_as_parquet(tmp_path):
    """A run measures the cells whose data are there, names the others, and leaves one parquet file."""
    import pyarrow.parquet

    outcome = run(tmp_path)

    assert [2.0, 4.0, 6.0] == [p.value for p in outcome.results.line("doubles <&>", "twice")]
    assert ("no such dataset",) == outcome.skipped
    assert ["tiny.parquet"] == [each.name for each in (tmp_path / "quick").iterdir()]
    assert 6 == pyarrow.parquet.read_table(tmp_path / "quick" / "tiny.parquet").num_rows


def test_a_complete_experiment_is_not_measured_again(tmp_path):
    """The second run reads what the first one wrote."""
    first = run(tmp_path)
    tiny_experiment.MEASURED.clear()

    second = run(tmp_path)

    assert [] == tiny_experiment.MEASURED
    assert first.results.points == second.results.points


def test_after_a_kill_only_the_missing_cells_are_measured(tmp_path):
    """Cells on the disk are kept; a line torn by the kill is dropped, and its cell measured again."""
    kept = journal_of(tmp_path)
    kept.append(Measured(engine.key_of({"x": 1.0}), (Point("doubles <&>", "twice", 1.0, 77.0),), 1.0))
    kept.append(Measured(engine.key_of({"x": 2.0}), (Point("doubles <&>", "twice", 2.0, 78.0),), 1.0))
    whole = kept.lines.read_bytes()
    kept.lines.write_bytes(whole[:-20])

    outcome = run(tmp_path)

    assert [2.0, 3.0] == tiny_experiment.MEASURED
    assert [77.0, 4.0, 6.0] == [p.value for p in outcome.results.line("doubles <&>", "twice")]
    assert any("unreadable" in note for note in outcome.notes)


PROGRAM = """
import sys
from pathlib import Path
from tests.research import tiny_experiment
from research.engine import runs as engine
from research.engine.experiment import QUICK
list(engine.run([tiny_experiment.EXPERIMENT], QUICK, Path(sys.argv[1]), jobs=1, show=False))
"""


def test_a_killed_process_loses_only_the_cell_under_way(tmp_path):
    """SIGKILL at the third cell: the next run measures that one alone."""
    paths = [str(Path(__file__).parents[2]), *sys.path]
    died = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TROUBLE": "kill"},
        check=False,
    )
    assert -signal.SIGKILL == died.returncode

    outcome = run(tmp_path)

    assert [3.0] == tiny_experiment.MEASURED
    assert [2.0, 4.0, 6.0] == [p.value for p in outcome.results.line("doubles <&>", "twice")]


WITH_WORKERS = """
import sys
import time
from dataclasses import replace
from pathlib import Path
from tests.research import tiny_experiment
from research.engine import runs as engine
from research.engine.experiment import QUICK

slow = replace(tiny_experiment.EXPERIMENT, measure=tiny_experiment.linger)
list(engine.run([slow], QUICK, Path(sys.argv[1]), jobs=2, show=False))
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_process_that_was_stopped(tmp_path, stop):
    """No worker goes on for nobody, and nobody waits for a worker."""
    lingering = tmp_path / "lingering"
    lingering.mkdir()
    paths = [str(Path(__file__).parents[2]), *sys.path]
    program = subprocess.Popen(
        [sys.executable, "-c", WITH_WORKERS, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "LINGERING": str(lingering)},
    )
    wait_until(lambda: len(list(lingering.iterdir())) == 2)
    workers = [int(each.name) for each in lingering.iterdir()]

    program.send_signal(stop)
    program.wait(timeout=30)

    wait_until(lambda: not any(is_alive(worker) for worker in workers))


def wait_until(true, seconds=30.0):
    """Wait for something that another process does; fail when it never does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(process):
    """Whether a process runs; a zombie, which nobody has collected yet, does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_killed_worker_is_said_in_one_sentence(tmp_path, monkeypatch):
    """The pool breaks; what is finished is kept, and the message says what to do."""
    monkeypatch.setenv("TROUBLE", "kill")
    with pytest.raises(OSError, match="ended from outside"):
        run(tmp_path, jobs=2)
    monkeypatch.delenv("TROUBLE")

    assert 3 == len(run(tmp_path).results.line("doubles <&>", "twice"))


def test_a_changed_line_is_not_believed(tmp_path):
    """A line whose checksum fails is measured again."""
    kept = journal_of(tmp_path)
    kept.append(Measured(engine.key_of({"x": 1.0}), (Point("doubles <&>", "twice", 1.0, 77.0),), 1.0))
    kept.lines.write_bytes(kept.lines.read_bytes().replace(b"77.0", b"78.0"))

    assert 2.0 == run(tmp_path).results.at("doubles <&>", "twice", 1).value


@pytest.mark.parametrize("spoilt", [b"", b"PAR1 but no more", b"\x00" * 500])
def test_a_corrupt_result_file_is_computed_again(tmp_path, spoilt):
    """Whatever stands in the parquet file: it is dropped with a note."""
    run(tmp_path)
    (tmp_path / "quick" / "tiny.parquet").write_bytes(spoilt)
    tiny_experiment.MEASURED.clear()

    outcome = run(tmp_path)

    assert [1.0, 2.0, 3.0] == tiny_experiment.MEASURED
    assert ("tiny.parquet cannot be read and is computed again.",) == outcome.notes


@pytest.mark.parametrize("change", [{"target": 0.5}, {"most": 1}, {"least": 4}, {"name": "other"}])
def test_results_of_other_settings_are_not_used(tmp_path, change):
    """Another effort, other cells or other code give another fingerprint."""
    run(tmp_path)
    other = replace(QUICK, **change)
    (tmp_path / "quick").rename(tmp_path / other.name)
    tiny_experiment.MEASURED.clear()

    outcome = run(tmp_path, effort=other)

    assert [1.0, 2.0, 3.0] == tiny_experiment.MEASURED
    assert ("tiny.parquet is of other settings and is computed again.",) == outcome.notes


@pytest.mark.parametrize(
    ("module", "old", "new", "counts"),
    [
        ("engine", "def key_of", "def key_off", False),
        ("markers", "families: int = 150", "families: int = 151", True),
        pytest.param(
            "smooth_private_selection_figure_1",
            "least=min(most, 40)",
            "least=min(most, 41)",
            True,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "smooth_private_selection_figure_1", 'ours = ", ".join', 'ours = "; ".join', False, marks=pytest.mark.slow
        ),
        ("smooth_private_selection_figure_2", "GAMMAS = (2, 4, 6, 10)", "GAMMAS = (2, 4)", True),
        ("smooth_private_selection_figure_2", "won == 4", "won == 6", False),
        (
            "smooth_private_selection_figure_2",
            "        except ValueError:",
            "        except ValueError:  # no noise",
            False,
        ),
    ],
)
def test_only_the_code_that_measures_counts(module, old, new, counts, monkeypatch):
    """Wherever it stands; not the engine's, not what judges, and no comment."""
    (figure,) = chosen(["smooth_private_selection_figure_2"])
    before, source = engine.fingerprint(figure, QUICK, []), inspect.getsource

    def edited(each):
        text = source(each)
        if each.__name__.endswith("." + module):
            assert old in text
            text = text.replace(old, new)
        return text

    monkeypatch.setattr(inspect, "getsource", edited)

    assert counts == (before != engine.fingerprint(figure, QUICK, []))


def test_one_failing_cell_does_not_cost_the_others(tmp_path, monkeypatch):
    """The failure is noted without false hope, the others are kept, and the next run tries the failed cell only."""
    monkeypatch.setenv("TROUBLE", "fail")
    outcome = run(tmp_path)

    assert [2.0, 6.0] == [p.value for p in outcome.results.line("doubles <&>", "twice")]
    assert (
        'The cell {"x": 2.0} failed (ZeroDivisionError: two): this is a fault of the experiment, please report it with '
        "this line.",
    ) == outcome.notes
    assert 1 == outcome.failed
    tiny_experiment.MEASURED.clear()
    monkeypatch.delenv("TROUBLE")
    run(tmp_path)
    assert [2.0] == tiny_experiment.MEASURED


def test_what_helps_is_said_where_the_machine_was_at_fault(tmp_path):
    """Want of memory and errors of the system may be gone the next time."""
    outcome = run(tmp_path, replace(EXPERIMENT, measure=tiny_experiment.want))

    memory, cable, _ = outcome.notes
    assert memory.endswith("9 GiB): run the same command again with --jobs 1, or where there is more memory.")
    assert cable.endswith("(OSError: the cable is loose): correct that and run the same command again.")
    assert 3 == outcome.failed


READS = replace(EXPERIMENT, grid=tiny_experiment.data_grid, measure=tiny_experiment.read)


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """Return a function that writes the dataset and, unless told otherwise, a manifest that describes it."""
    place = tmp_path / "data"
    place.mkdir()
    monkeypatch.setenv("DPSELECT_DATA", str(place))

    def written(content, describe=True):
        if isinstance(content, list):
            np.save(place / "steps.npy", np.array(content))
        else:
            (place / "steps.npy").write_bytes(content)
        if describe:
            mark = hashlib.sha256((place / "steps.npy").read_bytes()).hexdigest()
            sha256 = f'sha256 = "{mark}"\n' if describe is True else ""
            (place / "manifest.toml").write_text(f'[datasets.steps]\nfile = "steps.npy"\n{sha256}')
        return place / "steps.npy"

    return written


def values(outcome):
    """Return what the tiny experiment found, in order of x."""
    return [p.value for p in outcome.results.line("doubles <&>", "twice")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_not_the_manifests_is_not_measured(tmp_path, steps, jobs):
    """The verdicts of wrong data never come to stay: the cells fail in one note, and the right file is measured."""
    right = [1, 2]
    steps(right)
    path = steps([7, 8, 9], describe=False)

    wrong = run(tmp_path, READS, jobs=jobs)
    assert [0.0] == values(wrong)
    assert 2 == wrong.failed
    (note,) = wrong.notes
    assert f"lack of their data: {path} is not the file that manifest.toml describes: put the right file" in note
    assert "again" not in note
    steps(right, describe=False)
    assert [0.0, 3.0, 3.0] == values(run(tmp_path, READS))


@pytest.mark.parametrize("describe", [True, "without sha256"])
@pytest.mark.parametrize("complete", [True, False])
def test_results_of_other_data_are_computed_again(tmp_path, steps, describe, complete, monkeypatch):
    """Cells know the sha256 of their data, in lines and in the table; cells without data stay."""
    steps([1, 2], describe)
    if complete:
        run(tmp_path, READS)
    else:
        interrupted(tmp_path, READS, monkeypatch)
    steps([10, 20, 30], describe)
    tiny_experiment.MEASURED.clear()

    outcome = run(tmp_path, READS)

    assert [0.0, 60.0, 60.0] == values(outcome)
    assert [2.0, 3.0] == tiny_experiment.MEASURED
    assert (f"{2 if complete else 1} cell(s) of tiny are of other data and are computed again.",) == outcome.notes
    tiny_experiment.MEASURED.clear()
    assert [0.0, 60.0, 60.0] == values(run(tmp_path, READS))
    assert [] == tiny_experiment.MEASURED


def interrupted(folder, experiment, monkeypatch):
    """Run until the third cell."""
    monkeypatch.setenv("TROUBLE", "interrupt")
    with pytest.raises(KeyboardInterrupt):
        run(folder, experiment)
    monkeypatch.delenv("TROUBLE")


def test_results_that_name_no_data_are_believed(tmp_path, steps):
    """Results of a version that did not write down the sha256 stay valid, in lines and in the table."""
    import pyarrow.parquet

    steps([1, 2])
    run(tmp_path, READS)
    path = tmp_path / "quick" / "tiny.parquet"
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(path).drop_columns(["data"]), path)
    steps([10, 20, 30])
    tiny_experiment.MEASURED.clear()

    assert [0.0, 3.0, 3.0] == values(run(tmp_path, READS))
    assert [] == tiny_experiment.MEASURED


def test_a_slip_in_the_data_folder_costs_no_results(tmp_path, steps, monkeypatch):
    """An experiment of which nothing can be measured leaves its finished cells on the disk."""
    only = replace(READS, grid=lambda effort: tiny_experiment.data_grid(effort)[1:])
    steps([1, 2])
    interrupted(tmp_path, only, monkeypatch)
    right = os.environ["DPSELECT_DATA"]
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path / "mistyped"))
    assert () == run(tmp_path, only).notes
    monkeypatch.setenv("DPSELECT_DATA", right)
    tiny_experiment.MEASURED.clear()

    assert [3.0, 3.0] == values(run(tmp_path, only))
    assert [3.0] == tiny_experiment.MEASURED


@pytest.mark.parametrize("complete", [True, False])
def test_a_forgotten_folder_costs_no_results(tmp_path, steps, monkeypatch, complete):
    """Cells whose data are not here today stay on the disk, though the experiment is finished without them."""
    steps([1, 2])
    if complete:
        run(tmp_path, READS)
    else:
        interrupted(tmp_path, READS, monkeypatch)
    right = os.environ["DPSELECT_DATA"]
    monkeypatch.delenv("DPSELECT_DATA")
    assert [0.0] == values(run(tmp_path, READS))
    monkeypatch.setenv("DPSELECT_DATA", right)
    tiny_experiment.MEASURED.clear()

    assert [0.0, 3.0, 3.0] == values(run(tmp_path, READS))
    assert ([] if complete else [3.0]) == tiny_experiment.MEASURED


def test_a_table_completed_without_a_folder_keeps_what_was_measured_with_it(tmp_path, steps, monkeypatch):
    """A cell without data was left, and is measured while the folder is away."""
    steps([1, 2])
    interrupted(tmp_path, READS, monkeypatch)
    lines = tmp_path / "quick" / "tiny.jsonl"
    lines.write_text("".join(lines.read_text().splitlines(keepends=True)[1:]))
    right = os.environ["DPSELECT_DATA"]
    monkeypatch.delenv("DPSELECT_DATA")
    assert [0.0] == values(run(tmp_path, READS))
    assert not lines.exists()
    monkeypatch.setenv("DPSELECT_DATA", right)
    tiny_experiment.MEASURED.clear()

    assert [0.0, 3.0, 3.0] == values(run(tmp_path, READS))
    assert [3.0] == tiny_experiment.MEASURED


def test_a_damaged_file_without_sha256_is_named(tmp_path, steps):
    """The reader's own advice, to load it unsafely, is not passed on."""
    path = steps(b"no array", "without sha256")

    outcome = run(tmp_path, READS)

    assert 2 == outcome.failed
    assert all(
        f"put a whole copy of {path} there if it is damaged" in note and "unsafe" not in note for note in outcome.notes
    )


def test_a_cell_that_may_read_any_file_waits_for_all(tmp_path, steps, monkeypatch):
    """Those that name no dataset, of an experiment that reads data: here its losses."""
    monkeypatch.setattr("dpselect.datasets.repository", lambda: None)
    steps([1, 2])
    path = steps([7, 8, 9], describe=False)

    (outcome,) = engine.run(chosen(["local_dampening_figure_17"]), QUICK, tmp_path, jobs=1, show=False)

    (note,) = outcome.notes
    assert f"{path} is not the file that manifest.toml describes" in note


def test_processes_give_the_same_results(tmp_path):
    """Simulation does not depend on which process measures a cell."""
    alone, together = run(tmp_path / "a"), run(tmp_path / "b", jobs=2)

    assert alone.results.points == together.results.points


def test_a_full_disk_is_said_and_keeps_what_is_finished(tmp_path, monkeypatch):
    """The third cell finds no room: one sentence says what to do, and the next run begins with it."""
    write, written = journal.write, []

    def full(file, content):
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(content)
        write(file, content)

    monkeypatch.setattr(journal, "write", full)
    with pytest.raises(OSError, match=r"is full: free some space, or name another folder with --out"):
        run(tmp_path)
    monkeypatch.setattr(journal, "write", write)
    tiny_experiment.MEASURED.clear()

    assert 3 == len(run(tmp_path).results.line("doubles <&>", "twice"))
    assert [3.0] == tiny_experiment.MEASURED


def test_other_errors_of_the_disk_say_what_to_do(tmp_path, monkeypatch):
    """The folder, the system's reason, and another folder as the way out."""

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(journal, "write", refuse)
    told = rf"{tmp_path / 'quick'} cannot be used \(Permission denied\): make it writable, or name another .* --out\.$"
    with pytest.raises(FileError, match=told):
        run(tmp_path)


def test_a_line_file_that_cannot_be_read_says_what_to_do(tmp_path):
    """Nothing is computed before."""
    journal_of(tmp_path).lines.mkdir(parents=True)
    with pytest.raises(FileError, match=r"quick cannot be used \(Is a directory\).*--out"):
        run(tmp_path)
    assert [] == tiny_experiment.MEASURED


@pytest.mark.parametrize(("size", "expected"), [((0, 0), 80), ((24, 0), 80), ((0, 57), 80), ((24, 57), 56)])
def test_the_bar_is_drawn_in_a_terminal_of_no_size(monkeypatch, size, expected):
    """A size of 0 means that nobody set it; within other widths the bar stays."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    with os.fdopen(other, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        bar = engine._Bar(3, True)
        bar.advance("tiny")
        bar.close()
        print("the end", file=terminal, flush=True)
        # What is written arrives in pieces.
        drawn = ""
        while "the end" not in drawn:
            drawn += os.read(main, 10_000).decode()
    os.close(main)

    assert "tiny" in drawn
    assert expected == max(len(line.strip("\r\n")) for line in drawn.split("\r"))


def test_seeds_depend_on_the_experiment_and_the_cell():
    """The same cell is simulated alike, another one is not."""
    draws = [engine.generator(name, key).random() for name, key in (("a", "1"), ("a", "1"), ("a", "2"), ("b", "1"))]

    assert draws[0] == draws[1]
    assert 3 == len(set(draws))


def test_repetitions_stop_at_the_standard_error():
    """A steady draw stops early, a noisy one goes on until the target, and the paper's count is kept to."""
    rng = np.random.default_rng(1)
    noisy = [float(value) for value in rng.normal(size=20_000)]

    assert FULL.least == repeated(lambda _: 1.0, FULL, paper=50).runs
    assert 4 == repeated(lambda _: 1.0, FULL, paper=50, least=4).runs
    many = repeated(noisy.__getitem__, Effort("full", 0.05, 10_000), paper=50)
    assert many.error <= 0.05
    assert 300 < many.runs < 600
    assert 7 == repeated(noisy.__getitem__, PAPER, paper=7).runs
    assert math.isnan(repeated(lambda _: 1.0, PAPER, paper=1).error)
    assert QUICK.most == repeated(noisy.__getitem__, QUICK, paper=50).runs
    assert 2500 == FULL.runs(paper=500)
    assert 500 == PAPER.runs(paper=500)


def test_what_was_not_measured_is_said():
    """A missing number is no zero."""
    with pytest.raises(Unmeasured):
        Results([]).at("a", "b", 1)
    with pytest.raises(Unmeasured):
        Results([]).line("a", "b")


def test_lines_are_json_with_a_checksum(tmp_path):
    """The file of finished cells can be read by others."""
    kept = journal_of(tmp_path)
    kept.append(Measured("k", (Point("p", "s", 1.0, 2.0),), 0.5))
    _, _, text = kept.lines.read_text().partition(" ")

    assert {"panel": "p", "series": "s", "x": 1.0, "value": 2.0, "error": 0.0, "runs": 0} == json.loads(text)["points"][
        0
    ]

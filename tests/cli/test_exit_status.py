"""How commands end: one sentence, a status that says whether something was paid, and nothing that was paid is lost."""

from __future__ import annotations

import errno
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.queries import LocalDataset, Quantiles, SyntheticRows
from dpselect.sources.output import Output
from tests.cli import inputs
from tests.cli.inputs import CHOOSE, PERCENTILE, TRAIN

SOURCE = Path(__file__).parents[2] / "src"
LEDGER = ["--ledger", "people.ledger"]
BOOK = ["--ledger", "book"]
# Of a library that is missing: its name, and an extra.
MISSING = '{} is not installed: python -m pip install ".[{}]"'
pytestmark = pytest.mark.usefixtures("folder")


def spends() -> int:
    """Return how often the ledger was spent from."""
    return dps.Ledger.read("people.ledger").totals.spends


def redirected(words: list[str], stdout: str) -> subprocess.CompletedProcess:
    """Run a command, or Python with ``-c``, with another standard output."""
    words = words if words[0] == "-c" else ["-m", "dpselect", *words]
    return subprocess.run(
        ["bash", "-c", f"{shlex.join([sys.executable, *words])} {stdout}"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        timeout=120,
        check=False,
    )


def test_a_full_disk_after_the_spend_prints_the_model_whole(monkeypatch, capsys) -> None:
    """The old model stays, and what was printed is a model."""
    old = Path("model.json").read_bytes()

    def fails(self: Output, *_: object) -> None:
        raise OSError(f"The disk of {self} is full: free some space.")

    monkeypatch.setattr(Output, "put", fails)
    assert 1 == main([*TRAIN, *LEDGER, "--out", "model.json", "--overwrite"])
    printed = capsys.readouterr()

    assert "could not be saved, so it is printed above, whole: keep it. The disk of " in printed.err
    assert 1 == printed.err.count("\n")
    Path("again.json").write_text(printed.out)
    assert 0 < len(dps.learn.load("again.json").trees_)
    assert old == Path("model.json").read_bytes()
    assert 1 == spends()


def test_a_full_disk_after_the_spend_prints_the_counts_whole(monkeypatch, capsys) -> None:
    """Why the algorithm was chosen, and all estimated counts."""
    monkeypatch.setattr(Output, "put", lambda *_: (_ for _ in ()).throw(OSError("The disk is full.")))
    assert 1 == main([*CHOOSE, *LEDGER, "--out", "new.npy"])
    printed = capsys.readouterr().out

    assert "<- chosen" in printed
    assert 32 == len(json.loads(printed.splitlines()[-1]))
    assert 1 == spends()


def test_an_interrupt_while_saving_prints_the_model_whole(monkeypatch, capsys) -> None:
    """It was paid for."""
    monkeypatch.setattr(Output, "put", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert 1 == main([*TRAIN, "--out", "new.json"])
    printed = capsys.readouterr()

    assert "DPTreeClassifier" == json.loads(printed.out)["model"]
    assert "Stopped while the answer was being written" in printed.err


def test_a_picture_that_fails_does_not_cost_the_model(monkeypatch, capsys) -> None:
    """The model is saved before, and printed too."""
    monkeypatch.setattr(Output, "draw", lambda *_: (_ for _ in ()).throw(OSError("The disk is full.")))
    put = Output.put
    monkeypatch.setattr(Output, "put", lambda self, content: Path(str(self)).write_bytes(content))
    assert 1 == main([*TRAIN, "--out", "new.json", "--picture", "new.svg"])
    assert put is not Output.put

    assert 0 < len(dps.learn.load("new.json").trees_)
    assert "could not be saved" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[*TRAIN, "--out", "new.json"], [*CHOOSE, "--out", "new.npy"]])
def test_a_disk_that_is_full_before_is_found_before_the_spend(command, monkeypatch, capsys) -> None:
    """The room is held first."""
    hold = Output.hold

    def full(self: Output, size: int) -> None:
        raise OSError(errno.ENOSPC, "raw words") if size > 10**5 else None
        hold(self, size)

    monkeypatch.setattr(Output, "hold", full)
    before = inputs.state(Path())
    assert 2 == main([*command, *LEDGER])
    assert "The disk of new" in capsys.readouterr().err
    assert before == inputs.state(Path())


def test_a_small_limit_of_the_system_spends_nothing(folder: Path) -> None:
    """Files of 64 KiB at most: the room cannot be held."""
    command = [*TRAIN, *LEDGER, "--out", "new.json"]
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))"
    limited = f"{limit}; from dpselect.cli import main; raise SystemExit(main({command}))"
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=False, cwd=folder)

    assert 2 == done.returncode, done.stderr
    assert "The disk of new.json is full" in done.stderr
    assert 0 == spends()
    assert not Path("new.json").exists()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_every_console_prints_every_name(encoding: str, monkeypatch) -> None:
    """What the console lacks is written as an escape; nothing fails after the spend."""
    Path("names.txt").write_text("Łukasz\nŻ\n", encoding="utf-8")
    Path("edges.csv").write_text("source,target\nŁukasz,Ż\n", encoding="utf-8")
    words = ["top-k", "edges.csv", "degree", "--nodes", "names.txt", "--k", "2", "--epsilon", "1", *BOOK]
    create = ["budget", "create", "book", "--epsilon", "9", "--dataset", "café", "--neighbours", "edge"]
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding=encoding))
    assert 0 == main(create)
    assert 0 == main(words)

    assert ("caf\\xe9" if encoding == "ascii" else "café").encode(encoding) in printed.getvalue()
    assert ("Łukasz" if encoding == "utf-8" else "\\u0141ukasz").encode(encoding) in printed.getvalue()
    assert ("café", 1) == (dps.Ledger.read("book").terms.dataset, dps.Ledger.read("book").totals.spends)


def test_bytes_that_are_no_text_work_in_names(capsys) -> None:
    """Of models, labels, ledgers, data and notes; where they cannot, they are refused in one sentence."""
    odd = os.fsdecode(b"\xff\xfe")
    assert 0 == main(["budget", "create", f"{odd}.ledger", "--epsilon", "9", "--dataset", odd])
    book = ["--ledger", f"{odd}.ledger"]
    assert 0 == main(["budget", "spend", f"{odd}.ledger", "--epsilon", "1", "--note", odd, "--mechanism", odd])
    assert 0 == main([*TRAIN, *book, "--out", f"{odd}.json"])
    assert 0 == main(["predict", f"{odd}.json", "people.csv", "--out", f"{odd}.out"])
    assert 0 == main(["budget", "show", f"{odd}.ledger"])
    assert 2 == main(["train", f"{odd}.toml", *TRAIN[2:], "--out", "x.json"])
    assert 2 == main(["train", "people.toml", odd, *TRAIN[3:], "--out", "x.json"])
    assert "codec" not in capsys.readouterr().err


@pytest.mark.parametrize("paid", [False, True])
@pytest.mark.parametrize(
    "error, status, words",
    [
        (KeyboardInterrupt(), 130, "Stopped."),
        (RecursionError("raw words"), 2, "nested too deeply"),
        (MemoryError("raw words"), 2, "more than fits into memory"),
        (OverflowError("raw words"), 2, "more than fits into memory"),
        (UnicodeDecodeError("utf-8", b"raw words", 0, 1, "raw words"), 2, "not UTF-8"),
        (FileNotFoundError(errno.ENOENT, "raw words", "some.csv"), 2, "The file some.csv does not exist: check"),
        (OSError(errno.ENOSPC, "raw words"), 2, "The disk is full"),
        (OSError(errno.EIO, "raw words", "some.csv"), 2, "some.csv cannot be used"),
        (PermissionError(errno.EACCES, "raw words", b"some.csv"), 2, "some.csv may not be read or written"),
        (ModuleNotFoundError("raw words", name="pandas"), 2, MISSING.format("pandas", "all")),
        (ModuleNotFoundError("raw words", name="sklearn.tree"), 2, MISSING.format("scikit-learn", "learn")),
        (ModuleNotFoundError("raw words", name="narwhals"), 2, MISSING.format("narwhals", "learn")),
        (ModuleNotFoundError("raw words"), 2, MISSING.format("A library", "all")),
        (ValueError("raw words"), 70, "a defect of dpselect (ValueError in "),
        (AttributeError("raw words"), 70, "a defect of dpselect (AttributeError in "),
        (KeyError("raw words"), 70, "please report it"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whatever_fails_is_one_sentence(error, status: int, words: str, paid: bool, monkeypatch, capsys) -> None:
    """Without a word that another library chose; status 1 after a spend, unless it was stopped."""

    release = Quantiles.release

    def fails(self: Quantiles, data: object, accountant: object) -> object:
        if paid or isinstance(data, SyntheticRows):
            planned = release(self, data, accountant)
        if isinstance(data, SyntheticRows):
            return planned
        raise error

    monkeypatch.setattr(Quantiles, "release", fails)
    ended = main(["quantiles", *PERCENTILE, "--epsilon", "1", *LEDGER])
    printed = capsys.readouterr()

    assert ended == (status if not paid or status == 130 else 1)
    assert words in printed.err
    assert "raw" not in printed.err
    assert ("stays spent" in printed.err) == paid
    assert 1 == printed.err.count("\n")
    assert "" == printed.out
    assert int(paid) == spends()


def test_an_interrupt_that_a_library_hides_is_noticed(monkeypatch, capsys) -> None:
    """NumPy, for one, takes it for a broken installation."""

    def loads(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("raw words") from None

    monkeypatch.setattr(LocalDataset, "ask", loads)
    # Programs that a shell starts in the background ignore interrupts, and so would the tests.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert 130 == main(["quantiles", *PERCENTILE, "--epsilon", "1"])
        assert signal.default_int_handler is signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "dpselect quantiles: Stopped.\n" == capsys.readouterr().err


def test_a_traceback_is_there_for_who_asks(monkeypatch, capsys) -> None:
    """An environment variable, because a traceback may quote private values."""
    monkeypatch.setattr(LocalDataset, "ask", lambda *_, **__: {}["nothing"])
    assert 70 == main(["quantiles", *PERCENTILE, "--epsilon", "1"])
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setenv("DPSELECT_TRACEBACK", "1")
    assert 70 == main(["quantiles", *PERCENTILE, "--epsilon", "1"])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("stdout", ["> /dev/full", ">&-", pytest.param("1< /dev/null", marks=pytest.mark.slow)])
def test_an_answer_that_standard_output_does_not_take_is_on_standard_error(stdout: str) -> None:
    """A full disk behind standard output, a closed one, one that is not for writing: the answer is whole."""
    done = redirected(["quantiles", *PERCENTILE, "--epsilon", "1", *LEDGER, "--json"], stdout)

    assert 1 == done.returncode
    *answer, words = done.stderr.splitlines()
    assert 0 <= json.loads("\n".join(answer))["candidates"][0] <= 100
    assert words.startswith("dpselect quantiles: The answer was paid for and standard output could not be written")
    assert "stays spent" in words
    assert 1 == spends()


def test_a_model_that_can_be_saved_nowhere_is_on_standard_error(monkeypatch, capsys) -> None:
    """Neither its file nor standard output takes it."""
    monkeypatch.setattr(Output, "put", lambda *_: (_ for _ in ()).throw(OSError("The disk is full.")))
    monkeypatch.setattr(sys, "stdout", None)
    assert 1 == main([*TRAIN, *LEDGER, "--out", "new.json"])

    *answer, words = capsys.readouterr().err.splitlines()
    Path("again.json").write_text("\n".join(answer))
    assert 0 < len(dps.learn.load("again.json").trees_)
    assert "The disk is full." in words


def test_nothing_is_said_to_be_paid_where_nothing_was() -> None:
    """A list of mechanisms on a full disk."""
    done = redirected(["mechanisms"], "> /dev/full")
    assert (2, "dpselect mechanisms: The disk is full: free some space.\n") == (done.returncode, done.stderr)


def test_who_has_read_enough_is_no_error() -> None:
    """A pipe that is closed."""
    words = f"{sys.executable} -m dpselect mechanisms | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", words], capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)}
    )
    assert 0 == done.returncode
    assert b"" == done.stderr


@pytest.mark.parametrize("delays", [(0.4,), pytest.param((0.05, 0.3, 0.7, 1.5), marks=pytest.mark.slow)], ids=len)
def test_an_interrupt_at_any_time_is_one_sentence(delays: tuple[float, ...]) -> None:
    """Also while libraries are loaded; no file is half written and the ledger is whole."""
    # From here on the command has the signal; what Python does before and after is not its own.
    entry = (
        "import signal, sys, dpselect_command as command; on = signal.signal\n"
        "signal.signal = lambda *words: (on(*words), setattr(signal, 'signal', on), print('begun', flush=True))\n"
        "sys.exit(command.main())"
    )
    for delay in delays:
        started = subprocess.Popen(
            [sys.executable, "-c", entry, *TRAIN, "--model", "forest", *LEDGER, "--out", f"{delay}.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        assert "begun\n" == started.stdout.readline()
        time.sleep(delay)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
        assert started.returncode in (0, 130), said
        assert started.returncode == 0 or (said.startswith("dpselect") and said.count("\n") == 1), said
    assert dps.Ledger.read("people.ledger").verify()
    assert [] == [path for path in Path().glob(".*") if path.is_file()]


def test_an_interrupt_while_libraries_load_is_one_sentence(tmp_path: Path) -> None:
    """The entry point loads them inside its net."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from dpselect_command import main; sys.exit(main())", "demo"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCE}"},
    )
    assert 130 == done.returncode
    assert done.stderr in ("dpselect: Stopped.\n", "dpselect demo: Stopped.\n")


def test_counts_of_any_size_have_their_room_held(monkeypatch) -> None:
    """As much as they will need."""
    np.save("counts.npy", np.arange(2**18) % 3)
    sizes = []
    hold = Output.hold
    monkeypatch.setattr(Output, "hold", lambda self, size: sizes.append(size) or hold(self, size))
    main([*CHOOSE, "--out", "new.npy"])

    assert 8 * 2**18 < max(sizes)

"""Traces: a tidy table that survives a kill."""

import subprocess
import sys

import joblib
import numpy as np
import pytest

import dpselect as dps
from tests.adaptive.toy_options import NOISY, PUBLIC, ROWS, ZERO, adaptive, maker


def test_one_row_a_run(tmp_path) -> None:
    """Every option runs with all of each epsilon and with what the share leaves of it."""
    path = tmp_path / "traces.parquet"
    maker().train(PUBLIC, [1, 2], 3, groups={"five": "two"}, traces=path, jobs=1)
    table = adaptive.Traces.read(path)

    assert 4 * 2 * 3 * 4 == len(table)
    assert [0.95, 1.0, 1.9, 2.0] == table.epsilons.tolist()
    assert {"two": "two", "five": "two", "six hundred": "six hundred", "thousand": "thousand"} == table.groups
    assert {"rows": 600.0} == table.values()["six hundred"]
    assert ("rows",) == table.metafeatures


def test_what_is_there_is_not_run_again(tmp_path) -> None:
    """Half a file, as a killed process leaves it, is completed; a full one is read."""
    path, runs = tmp_path / "traces.parquet", []

    def counted(_, __):
        runs.append(1)
        return 0

    own = maker(options=[NOISY, adaptive.Option("counted", counted)])
    own.train(PUBLIC, [1], 2, traces=path, jobs=1)
    whole = adaptive.Traces.read(path)
    half = whole.where(np.arange(len(whole)) % 2 == 0)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        half.write(path)
    half.write(path, overwrite=True)
    before = len(runs)
    own.train(PUBLIC, [1], 2, traces=path, jobs=1)

    assert 16 == before
    assert before + 8 == len(runs)
    own.train(PUBLIC, [1], 2, traces=path, jobs=1)
    assert before + 8 == len(runs)


def test_what_was_run_before_an_interruption_is_kept(tmp_path) -> None:
    """An interruption writes what there is."""
    path, runs = tmp_path / "traces.parquet", []

    def interrupted(_, __):
        runs.append(1)
        if len(runs) > 6:
            raise KeyboardInterrupt
        return 0

    own = maker(options=[adaptive.Option("interrupted", interrupted), ZERO])
    with pytest.raises(KeyboardInterrupt):
        own.train(PUBLIC, [1], 2, traces=path, jobs=1)

    assert 0 < len(adaptive.Traces.read(path)) < 32


@pytest.mark.slow
def test_a_killed_process_goes_on_where_it_was(tmp_path) -> None:
    """The file is whole at any moment, and what it holds is not run again."""
    path = tmp_path / "traces.parquet"
    script = f"""
import sys
sys.path[:0] = {sys.path!r}
from dpselect.adaptive import traces
from tests.adaptive.toy_options import PUBLIC, ZERO, adaptive, maker
traces._SECONDS_BETWEEN_WRITES = 0.0
runs = []
def halting(_, __):
    runs.append(1)
    if len(runs) > 10:
        print("halted", flush=True)
        sys.stdin.readline()
    return 0
maker(options=[adaptive.Option("halting", halting), ZERO]).train(PUBLIC, [1], 5, traces={str(path)!r}, jobs=1)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as process:
        assert "halted\n" == process.stdout.readline()
        process.kill()
    before = len(adaptive.Traces.read(path))
    runs = []
    own = maker(options=[adaptive.Option("halting", lambda *_: runs.append(1) or 0), ZERO])
    own.train(PUBLIC, [1], 5, traces=path, jobs=1)

    assert 10 <= before < 80
    assert 80 == len(adaptive.Traces.read(path))
    assert 30 == len(runs)


def test_files_of_other_databases_are_refused(tmp_path) -> None:
    """Same names, other contents: the metafeatures tell."""
    path = tmp_path / "traces.parquet"
    maker().train(PUBLIC, [1], 1, traces=path, jobs=1)
    with pytest.raises(ValueError, match="recorded on another database 'two'"):
        maker().train({**PUBLIC, "two": [1] * 3}, [1], 1, traces=path, jobs=1)
    with pytest.raises(ValueError, match="with other metafeatures"):
        maker(metafeatures=[]).train(PUBLIC, [1], 1, traces=path, jobs=1)


def test_files_that_are_no_traces(tmp_path) -> None:
    """One sentence each."""
    with pytest.raises(FileNotFoundError, match="does not exist"):
        adaptive.Traces.read(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("no")
    with pytest.raises(ValueError, match="is not a parquet file"):
        adaptive.Traces.read(tmp_path / "text.parquet")


def test_learning_needs_the_traces_of_its_own_options() -> None:
    """Traces of other options or metafeatures teach nothing."""
    table = maker().train(PUBLIC, [1], 1, jobs=1).trained.traces
    with pytest.raises(ValueError, match="lack other"):
        maker(options=[NOISY, adaptive.Option("other", ZERO.answer)]).learn(table, [1])
    with pytest.raises(ValueError, match="hold the metafeatures rows"):
        maker(metafeatures=[adaptive.Metafeature("cells", len, public=True)]).learn(table, [1])
    with pytest.raises(ValueError, match=r"what a share of 0\.1 leaves of it"):
        maker(share=0.1).learn(table, [1])


def test_traces_teach_with_fewer_facts() -> None:
    """Whoever reads fewer metafeatures learns from the same runs."""
    table = maker().train(PUBLIC, [1], 1, jobs=1).trained.traces

    assert (0.95, 1.0) == maker(metafeatures=[]).learn(table).trained.epsilons
    assert (1.0,) == maker().learn(table).trained.epsilons


def test_public_runs_spend_nothing() -> None:
    """Training inside a budget leaves it alone."""

    def releases(_, epsilon):
        scores = dps.Scores([1, 0], sensitivity=1)
        return dps.select(scores, epsilon=epsilon, mechanism=dps.mechanism("exponential")).value

    with dps.budget(epsilon=1) as book:
        maker(options=[ZERO, adaptive.Option("releases", releases)]).train(PUBLIC, [1], 2, jobs=1)

        assert 0 == book.totals.epsilon


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_share_the_work(tmp_path, backend: str) -> None:
    """Two threads or processes fill the same table."""
    with joblib.parallel_config(backend=backend):
        table = maker().train(PUBLIC, [1], 2, traces=tmp_path / "t.parquet", jobs=2).trained.traces

    assert 32 == len(table)
    assert ROWS.name in table.metafeatures

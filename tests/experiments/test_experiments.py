"""Every experiment is complete, and one runs end to end from the command line."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import pytest
import tiny_experiment

from dpselect.cli import main
from dpselect.experiments import EVERY_EXPERIMENT, NOT_REPRODUCED, chosen, data
from dpselect.experiments.engine import fingerprint, key_of
from dpselect.experiments.experiment import EFFORTS


@pytest.mark.parametrize("experiment", EVERY_EXPERIMENT, ids=lambda each: each.name)
def test_every_experiment_is_described(experiment):
    """Its name is its file's, it has printed values or claims, words, cells, and a function others can import."""
    assert experiment.name == inspect.getmodule(experiment.grid).__name__.rpartition(".")[2]
    assert experiment.printed or experiment.claims
    assert experiment.title.endswith(".")
    assert experiment.method.endswith(".")
    assert experiment.tolerance_because or not experiment.printed or all(each.apart for each in experiment.printed)
    assert experiment.measure.__qualname__ == experiment.measure.__name__
    for effort in EFFORTS.values():
        cells = [key_of(cell) for cell in experiment.grid(effort)]
        assert 0 < len(cells) == len(set(cells))
        assert 32 == len(fingerprint(experiment, effort, cells))


def test_quick_runs_ask_for_no_more_cells():
    """The quick grid is no larger than the full one."""
    for experiment in EVERY_EXPERIMENT:
        quick, full = (len(experiment.grid(EFFORTS[name])) for name in ("quick", "full"))
        assert quick <= full


def test_printed_numbers_are_numbers_and_stand_once():
    """No place is printed twice."""
    for experiment in EVERY_EXPERIMENT:
        places = [(each.panel, each.series, each.x) for each in experiment.printed]
        assert len(places) == len(set(places))
        assert all(math.isfinite(each.value) for each in experiment.printed)


def test_names_are_unique_and_papers_known():
    """One name, one experiment; claims elsewhere carry a reason."""
    names = [each.name for each in EVERY_EXPERIMENT]

    assert len(names) == len(set(names))
    assert {"000", "001", "002", "003", "004"} >= {each.paper for each in (*EVERY_EXPERIMENT, *NOT_REPRODUCED)}
    assert all(each.because for each in NOT_REPRODUCED)


def test_names_are_chosen_exactly_by_beginning_or_by_paper():
    """figure_1 is not figure_10; a beginning takes several; a paper takes all of its own."""
    assert ["smooth_private_selection_figure_1"] == [
        each.name for each in chosen(["smooth_private_selection_figure_1"])
    ]
    assert {"002"} == {each.paper for each in chosen(["002"])}
    assert 2 == len(chosen(["smooth_private_selection_table"]))
    assert list(EVERY_EXPERIMENT) == chosen([])


def test_an_unknown_name_ends_with_the_list(capsys, tmp_path):
    """Status 2 and one sentence with every name; nothing is run."""
    assert 2 == main(["reproduce", "figure_99", "--out", str(tmp_path)])
    told = capsys.readouterr().err

    assert "There is no experiment 'figure_99': pass " in told
    assert all(each.name in told for each in EVERY_EXPERIMENT)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", [["--jobs", "0"], ["--quick", "--runs", "paper"]])
def test_bad_options_end_with_one_sentence(capsys, tmp_path, wrong):
    """Status 2, and nothing is run."""
    assert 2 == main(["reproduce", *wrong, "--out", str(tmp_path)])
    assert 1 == capsys.readouterr().err.count("\n")


def test_without_data_the_rest_runs_and_the_rest_is_named(capsys, tmp_path, monkeypatch):
    """No folder: what to put where is said, experiments without data run, and the others name their datasets."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    names = ["smooth_noisy_max_theorem_7_2", "smooth_noisy_max_table_3"]

    assert 0 == main(["reproduce", *names, "--quick", "--jobs", "1", "--out", str(tmp_path)])
    told = capsys.readouterr().out

    assert data.WHERE in told
    assert "Theorem 7.2: Of 3 printed claims 3 held" in told
    assert "skipped, not in the data folder: patent, hepth, income" in told
    page = (tmp_path / "report.html").read_text()
    assert "Nothing was measured: patent, hepth, income not in the data folder." in page
    assert page.count("<td class='not-comparable'>") == 9


def test_a_folder_without_files_holds_nothing(tmp_path, monkeypatch):
    """A manifest alone is no data."""
    (tmp_path / "manifest.toml").write_text('[datasets.enron]\nfile = "graphs/enron.parquet"\n')
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))

    assert frozenset() == data.available()


def test_an_interruption_says_how_to_go_on(capsys, tmp_path, monkeypatch):
    """Control-C ends with status 130 and one sentence."""
    monkeypatch.setattr(
        "dpselect.experiments.EVERY_EXPERIMENT", (replace(tiny_experiment.EXPERIMENT, measure=tiny_experiment.stop),)
    )

    assert 130 == main(["reproduce", "--quick", "--jobs", "1", "--out", str(tmp_path)])
    assert "Stopped: the same command goes on from here.\n" == capsys.readouterr().out


def test_experiments_are_listed(capsys):
    """--list names every experiment and runs none."""
    assert 0 == main(["reproduce", "--list"])
    assert len(EVERY_EXPERIMENT) == capsys.readouterr().out.count("\n")

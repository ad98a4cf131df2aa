"""Every experiment is complete, and one runs end to end from the command line."""

from __future__ import annotations

import errno
import inspect
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dpselect.cli import main
from research import papers
from research.engine import data, journal
from research.engine.experiment import EFFORTS, FULL
from research.engine.journal import Journal
from research.engine.report import Report, write
from research.engine.runs import fingerprint, key_of
from research.papers import EVERY_EXPERIMENT, NOT_REPRODUCED, chosen, whole_papers
from tests.contracts import complete
from tests.research import tiny_experiment


@pytest.mark.parametrize("experiment", EVERY_EXPERIMENT, ids=lambda each: each.name)
def test_every_experiment_is_described(experiment):
    """Its name is its file's, it has printed values or claims, words, cells, and a function others can import."""
    file = inspect.getmodule(experiment.grid).__name__.rpartition(".")[2]
    lacking = complete.of_experiment(file, experiment)
    assert not lacking, "\n".join(lacking)
    for effort in EFFORTS.values():
        cells = [key_of(cell) for cell in experiment.grid(effort)]
        assert 0 < len(cells) == len(set(cells))


@pytest.mark.parametrize(
    "experiment",
    # The code is read anew for every fingerprint.
    [
        pytest.param(each, id=each.name, marks=pytest.mark.slow if at % 6 else ())
        for at, each in enumerate(EVERY_EXPERIMENT)
    ],
)
def test_every_experiment_has_a_fingerprint(experiment):
    """Of its code and of its full grid."""
    assert 32 == len(fingerprint(experiment, FULL, [key_of(cell) for cell in experiment.grid(FULL)]))


def test_every_file_of_an_experiment_is_in_the_list() -> None:
    """A file alone is measured by nobody."""
    listed = [each.name for each in EVERY_EXPERIMENT]
    lacking = complete.unlisted(
        Path(papers.__file__).parent, listed, "_FILES in research/papers/__init__.py", "EXPERIMENT = "
    )
    assert not lacking, "\n".join(lacking)


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

    assert "The experiment 'figure_99' does not exist: pass " in told
    assert all(each.name in told for each in EVERY_EXPERIMENT)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", [["--jobs", "0"], ["--quick", "--runs", "paper"]])
def test_bad_options_end_with_one_sentence(capsys, tmp_path, wrong):
    """Status 2, and nothing is run."""
    assert 2 == main(["reproduce", *wrong, "--out", str(tmp_path)])
    assert 1 == capsys.readouterr().err.count("\n")


def _everything(folder, ending):
    """Return the text of all pages of that kind."""
    return "\n".join(path.read_text() for path in sorted(folder.glob(f"*.{ending}")))


@pytest.mark.usefixtures("no_data")
def test_without_data_the_rest_runs_and_the_rest_is_named(capsys, tmp_path):
    """No folder: what to put where is said, experiments without data run, and the others name their datasets."""
    names = ["smooth_noisy_max_theorem_7_2", "smooth_noisy_max_table_3"]

    assert 0 == main(["reproduce", *names, "--quick", "--jobs", "1", "--out", str(tmp_path)])
    told = capsys.readouterr().out

    assert data.WHERE in told
    assert "Chaves 2024, Theorem 7.2: Of 3 printed claims: " in told
    assert "skipped, not in the data folder: patent, hepth, income" in told
    page = _everything(tmp_path, "html")
    assert "Nothing was measured: patent, hepth, income not in the data folder." in page
    assert page.count('<td class="not-comparable">') == 9


@pytest.mark.usefixtures("no_data")
def test_a_folder_without_files_holds_nothing(tmp_path, monkeypatch):
    """A manifest alone is no data."""
    (tmp_path / "manifest.toml").write_text('[datasets.enron]\nfile = "graphs/enron.parquet"\n')
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))

    assert frozenset() == data.available()


@pytest.mark.usefixtures("no_data")
def test_an_interruption_says_how_to_go_on(capsys, tmp_path, monkeypatch):
    """Control-C ends with status 130 and one sentence, below what was said of the data."""
    monkeypatch.setattr(
        "research.papers.EVERY_EXPERIMENT", (replace(tiny_experiment.EXPERIMENT, measure=tiny_experiment.stop),)
    )

    assert 130 == main(["reproduce", "--quick", "--jobs", "1", "--out", str(tmp_path)])
    assert f"{data.WHERE}\nStopped: the same command goes on from here.\n" == capsys.readouterr().out


@pytest.fixture
def three(monkeypatch, no_data):  # noqa: ARG001
    """Let there be three small experiments, the second of which can be told what to do."""
    first = tiny_experiment.EXPERIMENT

    def told(measure):
        found = (first, replace(first, name="second", measure=measure), replace(first, name="third", paper="003"))
        monkeypatch.setattr("research.papers.EVERY_EXPERIMENT", found)

    return told


SMALL = ["reproduce", "--quick", "--jobs", "1", "--out"]


def test_each_sentence_is_printed_when_its_experiment_is_finished(capsys, tmp_path, three):
    """The data folder comes first, before anything is computed; then a line an experiment, at once."""
    seen = []

    def look(cell, effort, rng):
        seen.append(capsys.readouterr().out)
        return tiny_experiment.measure(cell, effort, rng)

    three(look)

    assert 0 == main([*SMALL, str(tmp_path)])
    assert seen[0].startswith(f"{data.WHERE}\nChaves 2024, Figure 0: Of 6 printed claims: ")
    assert 1 == seen[0].count("Figure 0: ")
    last = capsys.readouterr().out
    assert ["Chaves 2024", "Farias et al. 2024"] == re.findall(r"^(.*), Figure 0: ", last, re.MULTILINE)
    assert last.endswith(f"The report is {tmp_path / 'report.html'}.\n")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (KeyboardInterrupt(), 130, "Stopped: the same command goes on from here."),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "the same command again; finished cells are kept."),
    ],
)
def test_what_was_finished_is_reported_after_a_stop(capsys, tmp_path, three, monkeypatch, error, status, told):
    """The page shows the finished experiment, says that the others are not, and the reason still comes last."""
    three(tiny_experiment.measure)
    append = Journal.append

    def full(*_):
        raise error

    def stop(self, finished):
        with monkeypatch.context() as patch:
            if self.name == "second":
                patch.setattr(journal, "write", full)
            append(self, finished)

    monkeypatch.setattr(Journal, "append", stop)

    assert status == main([*SMALL, str(tmp_path)])
    out, err = capsys.readouterr()
    assert f"The report is {tmp_path / 'report.html'}. It shows what was finished." in out
    assert (out + err).strip().splitlines()[-1].endswith(told)
    page = _everything(tmp_path, "html")
    assert 1 == page.count('<p class="verdict">Of 6 printed claims')
    assert 2 == page.count('<p class="note">Not finished when the run was stopped: the same command goes on from here.')


def test_a_full_disk_is_said_even_where_no_report_fits(capsys, tmp_path, three, monkeypatch):
    """Whatever ended the run is said, not what the report met."""
    three(tiny_experiment.measure)
    write = journal.write

    def full(file, content):
        # From the second experiment on nothing fits, the report neither.
        if (tmp_path / "results" / "quick" / "tiny.parquet").exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, content)

    monkeypatch.setattr(journal, "write", full)

    assert 2 == main([*SMALL, str(tmp_path)])
    out, err = capsys.readouterr()
    assert f"dpselect reproduce: The disk that holds {tmp_path / 'results' / 'quick'} is full: free some space" in err
    assert "Chaves 2024, Figure 0: Of 6 printed claims" in out
    assert "The report is" not in out


def test_a_failed_cell_ends_with_status_1(capsys, tmp_path, three, monkeypatch):
    """The report is written all the same."""
    monkeypatch.setenv("TROUBLE", "fail")
    three(tiny_experiment.measure)

    assert 1 == main([*SMALL, str(tmp_path)])
    assert '    The cell {"x": 2.0} failed (ZeroDivisionError: two)' in capsys.readouterr().out
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "DPSELECT_DATA names {0}, which has no manifest.toml. Experiments without data run all the same."),
        ("data here", "{0}/manifest.toml cannot be read (Expected '=' after a key in a key/value pair"),
        (
            '[datasets.enron]\nfile = "e.csv"',
            "None of the files that the manifest lists is in {0}; experiments without",
        ),
    ],
)
@pytest.mark.usefixtures("no_data")
def test_a_wrong_data_folder_is_said_and_the_rest_runs(capsys, tmp_path, monkeypatch, content, told):
    """Mistyped, broken or empty: the folder is named first, and experiments without data run."""
    monkeypatch.setattr("research.papers.EVERY_EXPERIMENT", (tiny_experiment.EXPERIMENT,))
    place = tmp_path / "data"
    place.mkdir()
    if content is not None:
        (place / "manifest.toml").write_text(content)
    monkeypatch.setenv("DPSELECT_DATA", str(place))

    assert 0 == main([*SMALL, str(tmp_path / "out")])
    out = capsys.readouterr().out
    assert out.startswith(told.format(place))
    assert "Chaves 2024, Figure 0: Of 6 printed claims" in out


def test_a_file_that_stands_for_another_is_said_first(capsys, tmp_path, three, monkeypatch):
    """Whoever replaces a dataset of the repository by another file of that name reads of it before the verdicts."""
    three(tiny_experiment.measure)
    for name in ("mine", "ours"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.csv").write_text(name)
        (tmp_path / name / "manifest.toml").write_text('[datasets.steps]\nfile = "s.csv"\n')
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path / "mine"))
    monkeypatch.setattr("dpselect.datasets.repository", lambda: tmp_path / "ours")

    assert 0 == main([*SMALL, str(tmp_path / "out")])
    mine, ours = (tmp_path / name / "s.csv" for name in ("mine", "ours"))
    assert capsys.readouterr().out.startswith(f"steps is read from {mine}, which is another file than {ours}.\n")


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_folder_name_is_refused(capsys, tmp_path, three, monkeypatch, empty):
    """Else the current folder would be filled without a word."""
    three(tiny_experiment.measure)
    monkeypatch.chdir(tmp_path)

    assert 2 == main([*SMALL, empty])
    assert "dpselect reproduce: --out is empty or holds a NUL: name a folder.\n" == capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


def test_a_report_of_somebody_else_stays(capsys, tmp_path, three):
    """It is no page of ours, so it is not replaced by one."""
    three(tiny_experiment.measure)
    (tmp_path / "report.md").write_text("my thesis")

    assert 2 == main([*SMALL, str(tmp_path)])
    assert "was not written by dpselect reproduce, and stays" in capsys.readouterr().err
    assert "my thesis" == (tmp_path / "report.md").read_text()


def test_any_file_of_somebody_else_stays(capsys, tmp_path, three):
    """Before and after a run: whatever a report would write is looked at first, and none is taken away."""
    three(tiny_experiment.measure)
    assert 0 == main([*SMALL, str(tmp_path)])
    assert 0 == main([*SMALL, str(tmp_path)])
    for name in ("chaves-2024.md", "claims.csv", "pictures/tiny.svg", "farias-2021.html"):
        path = tmp_path / name
        ours = path.read_bytes() if path.exists() else None
        path.write_text("my thesis")
        capsys.readouterr()

        assert 2 == main([*SMALL, str(tmp_path)])
        assert f"{path} was not written by dpselect reproduce, and stays" in capsys.readouterr().err
        assert "my thesis" == path.read_text()
        path.unlink()
        if ours is not None:
            path.write_bytes(ours)


def test_a_folder_that_cannot_be_used_is_said_before_anything_runs(capsys, tmp_path, three):
    """One sentence with the folder, the reason and --out."""
    three(tiny_experiment.measure)
    tiny_experiment.MEASURED.clear()
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "below"

    assert 2 == main([*SMALL, str(out)])
    assert (
        f"dpselect reproduce: {out} cannot be used (Not a directory): make it writable, or name another folder with "
        "--out.\n"
    ) == capsys.readouterr().err
    assert [] == tiny_experiment.MEASURED


def test_claims_that_nothing_repeats_are_listed_for_the_papers_asked_for(tmp_path, three):
    """Those of a whole paper, or of the figures that were asked for: nobody who runs one figure reads of others."""
    three(tiny_experiment.measure)
    main([*SMALL, str(tmp_path), "tiny"])
    assert 0 == _everything(tmp_path, "md").count("| not repeated: ")


def test_claims_that_nothing_repeats_stand_beside_their_figure(tmp_path):
    """Where one figure of a paper is asked for, those of that figure."""
    assert {"000"} == whole_papers(chosen(["000"]))
    assert not whole_papers(chosen(["smooth_noisy_max_theorem_7_2"]))
    rows = [each for each in NOT_REPRODUCED if (each.paper, each.item) == ("000", "Figure 9")]

    write(Report([], rows, EFFORTS["quick"], 1.0), tmp_path)
    assert len(rows) == _everything(tmp_path, "md").count("| not repeated: ")


def test_every_paper_with_unrepeated_claims_has_experiments():
    """Else a whole run would leave them out."""
    assert {each.paper for each in EVERY_EXPERIMENT} >= {each.paper for each in NOT_REPRODUCED}


def test_the_help_says_what_happens_without_options(capsys):
    """The default effort, that a run goes on, and where data come from."""
    assert 0 == main(["reproduce", "--help"])
    told = " ".join(capsys.readouterr().out.split())

    assert (
        f"With neither --quick nor --runs, measurements are repeated until their standard error is {FULL.target}"
        in told
    )
    assert "stopped or killed goes on where it was: give the same command again" in told
    assert "DPSELECT_DATA" in told


def test_experiments_are_listed(capsys):
    """--list names every experiment and runs none."""
    assert 0 == main(["reproduce", "--list"])
    assert len(EVERY_EXPERIMENT) == capsys.readouterr().out.count("\n")

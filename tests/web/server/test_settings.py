"""The file of settings is checked whole, and every mistake in it is a sentence."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpselect.web.server.settings import SettingsError, read_settings
from tests.web.server.conftest import CONFIG, write


def mistakes(folder, config: str) -> list[str]:
    """Return the sentences about a file of settings."""
    with pytest.raises(SettingsError) as refused:
        read_settings(write(folder, config))
    assert str(refused.value).count("\n") == len(refused.value.mistakes)
    return refused.value.mistakes


def test_numbers_are_as_they_are_written(settings, tmp_path) -> None:
    """Epsilons and deltas are exact, and paths begin at the folder of the file."""
    visits = settings.datasets["visits"]

    assert (Fraction(1, 10**6), Fraction(10)) == (visits.description.terms().delta, visits.first_allowance)
    assert str(tmp_path / "people.csv") == settings.datasets["survey"].description.address
    assert str(tmp_path / "ledgers" / "survey.ledger") == settings.ledger_address("survey")
    assert ["add-remove", "person", "edge"] == [each.description.neighbours for each in settings.datasets.values()]


@pytest.mark.parametrize(
    "before, after, said",
    [
        ("allowance = 10", "allowance = 21", "datasets.survey: allowance is above the budget"),
        ("epsilon = 20", "epsilon = -1", "datasets.survey.budget.epsilon: epsilon must be positive"),
        ("epsilon = 20", 'epsilon = "much"', "datasets.survey.budget.epsilon: this must be a finite number"),
        ("upper = 100", "upper = -1", "datasets.survey.columns.age.lower: lower must be below upper"),
        ("step = 1", "step = 0.7", "datasets.survey.columns.age.step: step must be positive and divide the bounds"),
        ("step = 1", "width = 1", "datasets.survey.columns.age.width: this key does not exist"),
        ("lower = 0, ", "", "datasets.survey.columns.age: lower is missing"),
        ("port = 0", "port = 70000", "server.port: input should be less than"),
        ("datasets.survey]", 'datasets."../survey"]', "datasets.../survey"),
        ("delta = 1e-6, ", "", 'datasets.visits.budget.rule: rule="rho" needs a delta'),
        (
            'person = "who"',
            'person = "ward"',
            "datasets.visits.columns.ward: the column that tells persons",
        ),
        ("nodes = 40", "", "datasets.friends.graph: nodes are public, and those with edges are not"),
        ('graph = "friends.csv"', 'graph = "friends.csv"\nsource = "x.csv"', "datasets.friends: name a source"),
        ('person = "who"', "", "datasets.visits.rows_per_person: this goes with person"),
        ("[server]", "[server", "It is not TOML"),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path, before, after, said) -> None:
    """It names its place in the file."""
    (sentence,) = mistakes(tmp_path, CONFIG.replace(before, after, 1))

    assert sentence.startswith(said), sentence


def test_paths_that_are_not_said_begin_at_the_folder_too(tmp_path) -> None:
    """A file without [server] keeps its database and ledgers beside it."""
    server = read_settings(write(tmp_path, CONFIG.replace("[server]\nport = 0\n", ""))).server

    assert (str(tmp_path / "server.db"), str(tmp_path / "ledgers")) == (server.database, server.ledgers)


def test_all_mistakes_are_told_at_once(tmp_path) -> None:
    """A file is not corrected one mistake at a time."""
    config = CONFIG.replace("port = 0", "port = -1\ncolour = 1").replace("nodes = 40", "nodes = 'x'")

    assert 3 == len(mistakes(tmp_path, config))


def test_bytes_that_are_no_text_are_a_mistake(tmp_path) -> None:
    """In a sentence of ours, without the word of a codec."""
    (tmp_path / "server.toml").write_bytes(bytes(range(256)))
    with pytest.raises(SettingsError, match=r"It is not text in UTF-8\."):
        read_settings(tmp_path / "server.toml")


def test_no_datasets_are_a_mistake(tmp_path) -> None:
    """A server of nothing is not started."""
    assert mistakes(tmp_path, "[server]\n") == ["datasets is missing: add it."]


def test_settings_do_not_change(settings) -> None:
    """What was checked stays what it is."""
    with pytest.raises(ValueError):
        settings.server.port = 1

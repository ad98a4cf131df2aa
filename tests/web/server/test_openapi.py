"""A dataset of a server whose public facts stand in a file of their own, which a laptop reads too."""

from __future__ import annotations

import pytest

from dpselect.dataset import Dataset
from dpselect.kernel.guarantee import Guarantee
from dpselect.web.server.settings import SettingsError, read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import CONFIG, write

DESCRIBED = """\
source = "people.csv"
about = "Made-up people."
[columns]
age = {lower = 0, upper = 100, step = 1}
job = ["clerk", "nurse", "smith"]
[budget]
epsilon = 20
"""
BESIDE = """\
[datasets.survey]
dataset = "survey.toml"
allowance = 10
shares = {ann = 6, bob = 8}
"""
GRAPH = 'graph = "friends.csv"\nnodes = 40\nmax_degree = 35\nbudget = {epsilon = 4}\n'


def with_description(folder, text: str = DESCRIBED, beside: str = BESIDE):
    """The file of settings, with one dataset described elsewhere."""
    (folder / "survey.toml").write_text(text, encoding="utf-8")
    before, _, after = CONFIG.partition("[datasets.survey]")
    return write(folder, f"{before}{beside}\n[datasets.visits]{after.partition('[datasets.visits]')[2]}")


def test_a_description_says_what_the_settings_say(tmp_path, settings) -> None:
    """The same facts, to the last one; of a graph too."""
    path = with_description(tmp_path)
    assert settings == read_settings(path)

    (tmp_path / "friends.toml").write_text(GRAPH, encoding="utf-8")
    head, _, _ = path.read_text(encoding="utf-8").partition("[datasets.friends]")
    path.write_text(f'{head}[datasets.friends]\ndataset = "friends.toml"\nshares = {{ann = 4}}\n', encoding="utf-8")
    assert settings == read_settings(path)


def test_a_laptop_and_a_server_spend_from_one_ledger(tmp_path) -> None:
    """What one has spent is not left for the other."""
    path = with_description(tmp_path, DESCRIBED + 'ledger = "survey.ledger"\n')
    dataset = Dataset.load(tmp_path / "survey.toml")
    dataset.open_ledger().spend(Guarantee(3, dataset.neighbours), mechanism="external")
    server_state = ServerState.open(read_settings(path))
    try:
        account = server_state.datasets["survey"].account
        assert dataset.open_ledger().address == account.ledger.address
        assert 17 == account.ledger.remaining.epsilon
    finally:
        server_state.close()


@pytest.mark.parametrize(
    "text, beside, said",
    [
        (
            DESCRIBED.replace("lower = 0", "lower = ?"),
            BESIDE,
            "survey.toml, line 4: this is not filled in",
        ),
        (DESCRIBED.replace("[budget]", "[budgets]"), BESIDE, "survey.toml, line 6: budgets: this key does not exist"),
        (DESCRIBED.partition("[budget]")[0], BESIDE, "datasets.survey: no budget is described: add [budget]"),
        (DESCRIBED, BESIDE + 'where = "age = 1"\n', "datasets.survey.where: this belongs into the description"),
        (DESCRIBED, BESIDE.replace("survey.toml", "no.toml"), "no.toml does not exist: write one with dpselect"),
        (DESCRIBED, BESIDE.replace('"survey.toml"', "3"), "datasets.survey.dataset: name the file of a description"),
        (DESCRIBED, BESIDE.replace("= 10", "= 30"), "datasets.survey: allowance is above the budget"),
    ],
)
def test_a_mistake_in_a_description_is_a_sentence(tmp_path, text: str, beside: str, said: str) -> None:
    """With the line of the file that it stands in."""
    with pytest.raises(SettingsError) as refused:
        read_settings(with_description(tmp_path, text, beside))

    assert 1 == len(refused.value.mistakes)
    assert said in refused.value.mistakes[0]
    assert str(refused.value).startswith(f"{tmp_path / 'config.toml'} cannot be used:")

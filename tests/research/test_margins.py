"""Margins beside what they compete with: every way is judged on the same scores."""

import numpy as np

import dpselect as dps
from research.comparisons import margins


def test_each_way_has_a_line_and_margins_end_at_the_true_list(capsys) -> None:
    """Where local dampening does not."""
    steps = dps.sensitivity.element(lambda t: np.array([900.0, 5, 1, 1, 1]) + t, ceiling=1000.0, reach=2000)
    margins.compared("toy", dps.Scores([900.0, 500, 300, 10, 5], steps, neighbours="edge"), 1, 2)
    lines = capsys.readouterr().out.splitlines()

    assert ["permute-and-flip", "local-dampening-flip", "shifted-local-dampening-flip", "margin"] == [
        line.split()[1] for line in lines
    ]
    assert lines[3].endswith("1.00 / 1.00")
    assert not lines[1].endswith("1.00 / 1.00")

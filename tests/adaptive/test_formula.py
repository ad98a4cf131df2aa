"""Formulas: arithmetic only."""

import numpy as np
import pytest

from tests.adaptive.toy_options import adaptive


def test_arithmetic() -> None:
    """Formulas read names and follow the usual rules, on numbers and arrays alike."""
    formula = adaptive.Formula("a * uniformity ** 2 - max(1, -b) / 4")

    assert ("a", "b", "uniformity") == formula.names
    assert [17.5, 71.5] == formula({"a": 2, "b": -2, "uniformity": np.array([3, 6])}).tolist()


@pytest.mark.parametrize("text", ["__import__('os')", "a.b", "a if b else c", "[1]", "a and b", "1 +", "f(1)", "'x'"])
def test_nothing_else(text: str) -> None:
    """Whatever is no arithmetic is refused."""
    with pytest.raises(ValueError, match="is not a formula"):
        adaptive.Formula(text)


def test_unknown_names() -> None:
    """A name without a value is named."""
    with pytest.raises(ValueError, match="reads b: known are a"):
        adaptive.Formula("a + b")({"a": 1})

"""Public domains and codes."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn.domains import OUTSIDE, attribute, attributes


def made(domain, **given):
    """An attribute called a."""
    return attribute("a", domain, **({"bins": 4, "missing": False} | given))


def test_numbers_fall_into_even_public_bins() -> None:
    """Left-closed bins; both ends belong."""
    assert [0, 0, 1, 3, 3] == made((0, 100)).encode([0, 24.9, 25, 99, 100], "error").tolist()


def test_edges_and_categories() -> None:
    """Bins of any width; categories of any kind, in the declared order."""
    assert [0, 1, 1, 2] == made(np.array([0, 18, 65, 120])).encode([17, 18, 64, 90], "error").tolist()
    assert [1, 0, 1] == made(["no", "yes"]).encode(np.array(["yes", "no", "yes"], dtype=object), "error").tolist()
    assert [1, 0] == made([3, 7]).encode([7, 3], "error").tolist()


def test_values_outside_the_domain() -> None:
    """An error unless asked otherwise; numbers can be clipped, categories are left out."""
    for domain, value in (((0, 100), 101), ((0, 100), -1), (["a"], "b")):
        with pytest.raises(ValueError, match="outside its public domain"):
            made(domain).encode([value], "error")
        assert [OUTSIDE] == made(domain).encode([value], "ignore").tolist()
    assert [3, 0] == made((0, 100)).encode([101, -1], "clip").tolist()
    assert [OUTSIDE] == made(["a"]).encode(["b"], "clip").tolist()


def test_missing_values() -> None:
    """An error, or a code of their own, the last."""
    for domain, values in (((0, 100), [1.0, np.nan]), (["x"], np.array(["x", None], dtype=object))):
        with pytest.raises(ValueError, match="missing values"):
            made(domain).encode(values, "error")
        own = made(domain, missing=True)
        assert own.size - 1 == own.encode(values, "error")[1]


@pytest.mark.parametrize(
    ("domain", "error", "message"),
    [
        ((1, 1), ValueError, "low < high"),
        ((0, np.inf), ValueError, "finite"),
        (np.array([1.0]), ValueError, "increasing"),
        (np.array([2.0, 1.0]), ValueError, "increasing"),
        ([], ValueError, "at least one"),
        (["a", "a"], ValueError, "once"),
        ("abc", TypeError, "list of categories"),
        (7, TypeError, "list of categories"),
    ],
)
def test_bad_domains_are_refused(domain, error, message: str) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        made(domain)


def test_domains_are_never_read_from_the_data() -> None:
    """Missing ones are a PrivacyError that names the column."""
    with pytest.raises(dps.PrivacyError, match="pass domains="):
        attributes(["a"], None, bins=4, missing=False)
    with pytest.raises(dps.PrivacyError, match="lacks 'b'"):
        attributes(["a", "b"], {"a": [1]}, bins=4, missing=False)
    with pytest.raises(TypeError, match="must map"):
        attributes(["a"], [1, 2], bins=4, missing=False)


def test_codes_in_words() -> None:
    """Cuts, categories and the rest of them."""
    number, kind = made((0, 100), missing=True), made(["a", "b", "c"])

    assert "< 50" == number.meaning(np.array([0, 1]))
    assert ">= 50 or missing" == number.meaning(np.array([2, 3, 4]))
    assert "in [25, 75)" == number.meaning(np.array([1, 2]))
    assert "is missing" == number.meaning(np.array([4]))
    assert ("is a", "is not a", "is one of a, b, c") == tuple(
        kind.meaning(np.array(codes)) for codes in ([0], [1, 2], [0, 1, 2])
    )

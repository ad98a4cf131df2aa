"""Public domains and codes."""

from decimal import Decimal

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn.domains import LACKING, OUTSIDE, attribute, attributes


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
    """They have no code, except that numbers can be clipped; they are refused where that is asked for."""
    for domain, value in (((0, 100), 101), ((0, 100), -1), (["a"], "b")):
        codes = made(domain).encode([value], "error")
        assert [OUTSIDE] == codes.tolist() == made(domain).encode([value], "ignore").tolist()
        made(domain).require(codes, "ignore", "error")
        with pytest.raises(ValueError, match="outside its public domain"):
            made(domain).require(codes, "error", "ignore")
    assert [3, 0, 3, 0] == made((0, 100)).encode([101, -1, np.inf, -np.inf], "clip").tolist()
    assert [OUTSIDE, OUTSIDE] == made((0, 100)).encode(["a", [1]], "clip").tolist()
    assert [OUTSIDE] == made(["a"]).encode(["b"], "clip").tolist()


def test_missing_values() -> None:
    """No code, or one of their own, the last; they are refused where that is asked for."""
    for domain, values in (
        ((0, 100), [1.0, np.nan]),
        ((0, 100), ["1", "nan"]),
        (["x"], ["x", None]),
        (["x"], ["x", ""]),
    ):
        codes = made(domain).encode(values, "clip")
        assert [0, LACKING] == codes.tolist()
        made(domain).require(codes, "error", "ignore")
        with pytest.raises(ValueError, match="missing values"):
            made(domain).require(codes, "ignore", "error")
        own = made(domain, missing=True)
        assert own.size - 1 == own.encode(values, "error")[1]
    assert [0] == made(["nan"]).encode(["nan"], "clip").tolist()


def test_the_same_value_is_the_same_category_however_it_is_held() -> None:
    """1, 1.0, True, "1", "1.0" and "true" are one value, in a domain of numbers and in one of texts."""
    ways = [1, 1.0, True, "1", "1.0", "true", "TRUE", np.int8(1), np.float32(1), Decimal(1)]
    for domain in ([2, 1, "x"], ["2", "1", "x"], [False, True], ["false", "true"], [2.0, 1.0]):
        assert [1] * len(ways) == made(domain).encode(ways, "clip").tolist()
        for kind in (np.int64, np.float64, np.bool_, np.str_, object):
            assert [1] == made(domain).encode(np.array([1], dtype=kind), "clip").tolist()
    spelled = ["01", " 1", "+1", "1e0", "1.00"]
    assert [0] * 5 == made([1]).encode(spelled, "clip").tolist()
    assert [OUTSIDE] * 5 == made(["1"]).encode(spelled, "clip").tolist()
    assert [0, 1] == made(["01", 1]).encode(["01", "1"], "clip").tolist()


def test_large_integers_are_told_apart() -> None:
    """Up to both ends of 64 bits, as numbers and as text; columns of floats cannot hold them and are refused."""
    big = [2**53 + 1, 2**53, -(2**63), 2**63 - 1]
    assert [0, 1, 2, 3] == made(big).encode(np.array(big), "clip").tolist()
    assert [0, 1, 2, 3, LACKING] == made(big).encode([*big, None], "clip").tolist()
    assert [0, 1, 2, 3] == made(big).encode([str(each) for each in big], "clip").tolist()
    with pytest.raises(ValueError, match="beyond 2\\^53"):
        made(big).encode(np.array([1.0]), "clip")
    assert [0] == made([1e300]).encode(np.array([1e300]), "clip").tolist()


def test_dates_need_a_cast() -> None:
    """A dtype that no domain lists is refused by the schema alone."""
    for dtype in ("datetime64[D]", "timedelta64[s]", "complex128", "S3"):
        with pytest.raises(ValueError, match="cast it to text"):
            made(["a"]).encode(np.zeros(0, dtype=dtype), "clip")


@pytest.mark.parametrize(
    ("domain", "error", "message"),
    [
        ((1, 1), ValueError, "low < high"),
        ((0, np.inf), ValueError, "finite"),
        (np.array([1.0]), ValueError, "increasing"),
        (np.array([2.0, 1.0]), ValueError, "increasing"),
        ([], ValueError, "at least one"),
        (["a", "a"], ValueError, "once"),
        ([1, True], ValueError, "once"),
        ([1, "1"], ValueError, "stand for the same value"),
        (["1", "1.0"], ValueError, "stand for the same value"),
        ([True, "TRUE"], ValueError, "stand for the same value"),
        ([np.nan, np.nan, "a"], ValueError, "lists NaN"),
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


def test_two_numbers_in_a_list_are_not_taken_for_a_range() -> None:
    """As categories they would leave out nearly every row; two codes, and what is written backwards, are meant."""
    for domain in ([0, 100], [18, 90], [0.5, 99.5]):
        with pytest.raises(ValueError, match=r"pass \(.*\) in round brackets"):
            attributes(["age"], {"age": domain}, bins=4, missing=False)
    for domain in ([0, 1], [1, 2], [90, 18], [False, True], [1, 2, 9], ["18", "90"]):
        assert attributes(["age"], {"age": domain}, bins=4, missing=False)[0].categories == tuple(domain)
    assert attributes(["age"], {"age": (18, 90)}, bins=4, missing=False)[0].categories is None


def test_a_slip_in_the_name_of_a_domain_is_answered_with_the_nearest() -> None:
    """Names of columns and of domains are public; nobody with a frame reads of engines."""
    with pytest.raises(dps.PrivacyError) as error:
        attributes(["age", "job"], {"age": (0, 100), "jobb": ["a", "b"]}, bins=4, missing=False)

    assert (
        "domains lacks 'job': it has 'jobb', did you mean 'job'? Pass the public domain of every column, or leave the "
        "column out of the table."
    ) == str(error.value)


def test_an_array_in_place_of_a_frame_is_explained() -> None:
    """A scaler returns one, and its columns have lost their names."""
    with pytest.raises(dps.PrivacyError, match=r"^domains lacks 0, 1: the columns of an array .*set_output"):
        attributes([0, 1], {"age": (0, 100), "job": ["a", "b"]}, bins=4, missing=False)

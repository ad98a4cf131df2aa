"""Coins: deterministic facts; their statistics are in tests/verification."""

import math
import os
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpselect.kernel import bernoulli_exp


@given(st.fractions(min_value=0, max_value=2000, max_denominator=10**9), st.integers(30, 90))
def test_the_enclosure_contains_the_exponential(exponent: Fraction, digits: int) -> None:
    """low <= exp(-x) <= high against arithmetic of 150 digits, and the two agree to the digits asked for."""
    import mpmath

    low, high = bernoulli_exp.exponential_between(exponent, digits)
    with mpmath.workdps(150):
        exact = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        assert mpmath.mpf(low.numerator) / low.denominator <= exact
        assert exact <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low <= high * Fraction(1, 10 ** (digits - 6))


def test_hopeless_exponents_are_bounded_without_arithmetic() -> None:
    """Beyond 2^20 the enclosure is a tiny interval above zero."""
    low, high = bernoulli_exp.exponential_between(Fraction(10**30), 40)

    assert 0 == low < high < Fraction(1, 10**1000)


@pytest.mark.parametrize("guard", [bernoulli_exp.GUARD, 0.01, 0.3])
def test_flip_agrees_with_exact_arithmetic_on_every_prefix(guard: float) -> None:
    """Whatever the guard, every decision equals the exact comparison of the same bits."""
    stream = np.random.default_rng(5).bytes
    gaps = np.arange(3000) % 40
    rate = Fraction(1, 7)
    prefixes = np.frombuffer(stream(4 * gaps.size), dtype=np.uint32)
    answers = iter([prefixes.tobytes()])
    # Every undecided coin gets 8 zero bytes, so U is prefix / 2^32 up to 2^-96.
    heads = bernoulli_exp.flip(gaps, rate, lambda count: next(answers, bytes(count)), guard)

    expected = [
        i
        for i, (gap, prefix) in enumerate(zip(gaps.tolist(), prefixes.tolist(), strict=True))
        if gap == 0 or prefix / 2**32 < math.exp(-gap / 7)
    ]
    assert expected == heads.tolist()


def test_a_gap_of_zero_is_always_heads() -> None:
    """Even the largest prefix is heads when p is 1."""
    heads = bernoulli_exp.flip(np.zeros(3, dtype=np.int64), Fraction(1), lambda count: b"\xff" * count)

    assert [0, 1, 2] == heads.tolist()


@pytest.mark.parametrize("rate", [Fraction(10) ** 400, Fraction(1, 10**400)])
def test_rates_beyond_floating_point_are_decided(rate: Fraction) -> None:
    """A rate that overflows leaves only the best; one that underflows leaves all."""
    gaps = np.array([0, 1, 2**60])
    heads = bernoulli_exp.flip(gaps, rate, np.random.default_rng(1).bytes)

    assert ([0] if rate > 1 else [0, 1, 2]) == heads.tolist()


def test_underflow_keeps_a_zero_prefix_undecided() -> None:
    """p below 2^-32 is still possible: U = 0 on 32 bits draws more bits, and loses on them."""
    asked = []

    def stream(count: int) -> bytes:
        asked.append(count)
        return bytes(4) if count == 4 else b"\xff" * count

    assert not bernoulli_exp.flip(np.array([1000]), Fraction(1), stream).size
    assert [4, 8] == asked


def test_below_is_uniform_by_enumeration() -> None:
    """Every byte value is used or refused, so each result has equally many."""
    results = [bernoulli_exp.below(5, iter_bytes(value)) for value in range(0, 160, 32)]

    assert [0, 1, 2, 3, 4] == results
    assert 0 == bernoulli_exp.below(1, iter_bytes(7))


def iter_bytes(value: int):
    """A stream that repeats one byte."""
    return lambda count: bytes([value]) * count


def test_positions_leave_out_uneven_words() -> None:
    """2^32 mod 3 = 1: of all words one is refused, and results stay below the bound."""
    drawn = bernoulli_exp.positions(3, 3, lambda count: np.array([0, 1, 2**32 - 1], dtype=np.uint32).tobytes())

    assert [0, 2] == drawn.tolist()


def test_exponents_beyond_floats_raise_no_flags() -> None:
    """A program that turns floating-point flags into errors gets heads all the same."""
    with np.errstate(all="raise"):
        heads = bernoulli_exp.flip(np.array([0, 800, 2**62]), Fraction(1), np.random.default_rng(1).bytes)

    assert [0] == heads.tolist()


def test_fresh_streams_differ() -> None:
    """Two draw calls never share a stream."""
    assert bernoulli_exp.new_entropy()(32) != bernoulli_exp.new_entropy()(32)


def test_a_draw_within_a_draw_repeats_nothing() -> None:
    """Streams of one thread that are read in turn never give the same bytes."""
    outer = bernoulli_exp.new_entropy()
    blocks = [outer(16)]
    inner = bernoulli_exp.new_entropy()
    blocks += [inner(16), outer(16), inner(16), outer(16)]

    assert 5 == len(set(blocks))


def test_each_thread_has_a_cipher_of_its_own() -> None:
    """Threads share no cipher, so none of them can disturb another's draw."""
    with ThreadPoolExecutor(1) as other:
        assert bernoulli_exp._OWN.cipher() is bernoulli_exp._OWN.cipher()
        assert bernoulli_exp._OWN.cipher() is not other.submit(bernoulli_exp._OWN.cipher).result()


def test_a_key_serves_a_thousand_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """After that the operating system makes another."""
    bernoulli_exp._OWN.forget()
    asked: list[int] = []
    monkeypatch.setattr(bernoulli_exp.os, "urandom", lambda count: asked.append(count) or bytes(count))
    for _ in range(2 * 2**10):
        bernoulli_exp.new_entropy()

    assert 2 == asked.count(32)
    # Every draw has a counter of its own, and each cipher was made with one.
    assert 2 * 2**10 + 2 == asked.count(16)
    bernoulli_exp._OWN.forget()


FORKED = """
import os
from dpselect.kernel import bernoulli_exp

bernoulli_exp.new_entropy()
cipher, (reader, writer) = bernoulli_exp._OWN.stream, os.pipe()
if not os.fork():
    os.write(writer, bernoulli_exp.new_entropy()(32) if bernoulli_exp._OWN.stream is not cipher else b"")
    os._exit(0)
os.wait()
os.close(writer)
child = os.read(reader, 32)
assert len(child) == 32 and child != bernoulli_exp.new_entropy()(32)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_key_of_its_own() -> None:
    """It forgets the cipher that it was born with."""
    subprocess.run([sys.executable, "-c", FORKED], check=True)


def test_without_the_cipher_library_the_operating_system_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing cryptography package changes the speed and not the source."""
    bernoulli_exp._OWN.forget()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    monkeypatch.setattr(bernoulli_exp, "_ciphers", bernoulli_exp._ciphers.__wrapped__)

    assert bernoulli_exp.new_entropy() is os.urandom


def test_a_draw_in_the_midst_of_the_first_import_uses_the_system_s_bytes(monkeypatch) -> None:
    """A signal may draw while the ciphers are being imported: their module is there, and empty so far."""
    monkeypatch.setattr(bernoulli_exp, "_OWN", bernoulli_exp._Own())
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", types.ModuleType("half"))
    bernoulli_exp._ciphers.cache_clear()
    try:
        assert 9 == len(bernoulli_exp.new_entropy()(9))
    finally:
        bernoulli_exp._ciphers.cache_clear()

"""The comparison of the two clocks, on made-up figures; `make fidelity` is the real one."""

from collections import Counter

import pytest

from arrayspeed import fidelity
from kernels import BACKENDS


def pair(asv, clock=1e-3, lowest=None, highest=None, backend="numpy"):
    return fidelity.Pair("add", backend, 1000, asv, clock, lowest or clock, highest or clock)


@pytest.mark.parametrize(
    ("asv", "clock", "spread", "agrees"),
    [
        (1.09e-3, 1e-3, 0, True),
        (1.11e-3, 1e-3, 0, False),
        (0.89e-3, 1e-3, 0, False),
        (1.25e-6, 1e-6, 0, True),
        (1.35e-6, 1e-6, 0, False),
        (1.35e-3, 1e-3, 0.4e-3, True),
    ],
)
def test_what_two_clocks_may_differ_by(asv, clock, spread, agrees):
    assert pair(asv, clock, clock, clock + spread).agrees is agrees


def test_nine_of_ten_are_enough():
    good, bad = pair(1e-3), pair(2e-3)
    assert fidelity.verdict([good] * 9 + [pair(1.11e-3)])[0]
    assert not fidelity.verdict([good] * 8 + [bad] * 2)[0]


def test_a_backend_that_is_off_as_a_whole_is_named():
    spread = {"lowest": 0.8e-3, "highest": 1.2e-3}
    numpy = [pair(1e-3)] * 5
    agrees, text = fidelity.verdict([pair(1.2e-3, backend="jax", **spread)] * 5 + numpy)
    assert not agrees
    assert "jax ×1.20" in text
    scattered = [pair(seconds, backend="jax", **spread) for seconds in (0.85e-3, 1.2e-3, 1.2e-3, 0.9e-3, 1.19e-3)]
    assert fidelity.verdict(scattered + numpy)[0]


def test_the_sample_is_large_and_even():
    sample = fidelity.sample()
    assert len(sample) >= 30
    counts = Counter(backend for _, backend, _ in sample)
    assert set(counts) == set(BACKENDS)
    assert max(counts.values()) <= 2 * min(counts.values())

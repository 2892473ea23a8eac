"""Numbers as people read them."""

import math

import pytest

from arrayspeed.model.units import human, human_bytes, human_time, significant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 ns"), (1.234e-9, "1.23 ns"), (1.5e-6, "1.50 µs"), (0.0123, "12.3 ms"), (1, "1.00 s"), (754.3, "754 s")],
)
def test_time(seconds, text):
    assert human_time(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (512, "512 B"), (8_000_000, "7.63 MiB"), (2**31, "2.00 GiB")])
def test_bytes(count, text):
    assert human_bytes(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (1234.5, "1234"),
        (-2.5, "-2.50"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (0.09996, "0.100"),
    ],
)
def test_significant(value, text):
    assert significant(value) == text


def test_what_is_not_a_number_is_said():
    assert human(None, "time_call") == "failed"
    assert human(math.nan, "time_call") == "n/a"
    assert human(1e-7, "track_error") == "1.0e-07"
    assert human(2**20, "track_memory") == "1.00 MiB"

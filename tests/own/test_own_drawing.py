"""Random inputs: the same numbers with NumPy and without it."""

import statistics

import numpy as np
import pytest

from arrayspeed.own.worker.drawing import InPython, quantile, with_numpy

DRAWS = {
    "one": lambda rng: rng.random(),
    "some": lambda rng: rng.random(5),
    "a table": lambda rng: rng.random((2, 3)),
    "uniform": lambda rng: rng.uniform(-1, 2, 7),
    "standard_normal": lambda rng: rng.standard_normal(20_000),
    "normal": lambda rng: rng.normal(3, 2, (3, 4, 2)),
    "integers": lambda rng: rng.integers(10, size=50),
    "integers from": lambda rng: rng.integers(-5, 5, (2, 2), endpoint=True),
    "long integers": lambda rng: rng.integers(0, 2**60, 5),
    "all integers": lambda rng: rng.integers(-(2**63), 2**63 - 1, 5, endpoint=True),
    "choice": lambda rng: rng.choice([1, 5, 7], 4),
    "choice of places": lambda rng: rng.choice(10, 3, replace=False),
    "weighted choice": lambda rng: rng.choice(["a", "b", "c"], size=(2, 2), p=[0.2, 0.3, 0.5]),
    "permutation": lambda rng: rng.permutation(10),
    "permutation of": lambda rng: rng.permutation([3, 4, 5]),
    "arithmetic": lambda rng: rng.random(3) * 10.0 - 1,
    "lists": lambda rng: rng.integers(0, 9, (2, 2)).tolist(),
}


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


def test_numbers_are_the_same_with_numpy_and_without_it():
    one, other = InPython(), with_numpy(np)
    for name, draw in DRAWS.items():
        assert plain(draw(one)) == plain(draw(other)), name
    lists = [list(range(20)), list(range(20))]
    for rng, each in zip((one, other), lists, strict=True):
        rng.shuffle(each)
    assert lists[0] == lists[1] != list(range(20))


def test_normal_numbers_are_normal():
    for u in (1e-300, 1e-9, 0.02, 0.075, 0.3, 0.5, 0.9, 0.999, 1 - 1e-12):
        assert quantile(u) == pytest.approx(statistics.NormalDist().inv_cdf(u), rel=1e-13, abs=1e-15)


def test_what_numpy_has_besides_is_there_where_it_is_and_named_where_it_is_not():
    rng = with_numpy(np)
    assert isinstance(rng, np.random.Generator), "libraries ask for one"
    assert rng.exponential(size=3).shape == (3,)
    assert rng.normal(np.zeros(2), 1.0).shape == (2,)
    assert rng.random(3, dtype=np.float32).dtype == np.float32
    with pytest.raises(AttributeError, match=r"rng\.exponential needs NumPy, which is not installed here"):
        InPython().exponential(3)
    with pytest.raises(ValueError, match="low >= high"):
        rng.integers(3, 3)


def test_lists_of_numbers_reckon_as_arrays_do():
    numbers = InPython().integers(0, 10, (2, 3))
    assert numbers.shape == (2, 3)
    assert (numbers + numbers).tolist() == (numbers * 2).tolist()
    assert numbers.astype(float).tolist()[0][0].__class__ is float
    with pytest.raises(ValueError, match="do not go together"):
        numbers.__add__([1])

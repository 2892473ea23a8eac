"""References that processes share are those that each would compute."""

import numpy as np
import pytest

from kernels import preparation


@pytest.mark.parametrize("made", [np.arange(6.0).reshape(2, 3), (np.arange(3.0), np.ones(2, complex)), (1.5, 2.5)])
def test_what_is_kept_is_what_was_made(tmp_path, monkeypatch, made):
    monkeypatch.setenv(preparation.REFERENCES, str(tmp_path))
    calls = []
    first, second = (preparation.remembered("matmul-3-float64", lambda: calls.append(1) or made) for _ in range(2))
    assert len(calls) == 1
    assert isinstance(second, tuple) == isinstance(made, tuple)
    for one, other in zip(preparation.leaves(first), preparation.leaves(second), strict=True):
        assert np.array_equal(one, other)
        assert np.asarray(one).dtype == other.dtype
    assert [path.name for path in tmp_path.iterdir()] == ["matmul-3-float64.npz"]


def test_nothing_is_kept_unless_asked(tmp_path, monkeypatch):
    monkeypatch.delenv(preparation.REFERENCES, raising=False)
    assert preparation.remembered("x", lambda: 1) == 1
    monkeypatch.setenv(preparation.REFERENCES, str(tmp_path / "absent"))
    assert preparation.remembered("x", lambda: 1) == 1

"""Every kernel × backend × dtype × size against the float64 reference, in the newest environment."""

import pytest

from kernels import BACKENDS, CATALOGUE
from kernels.catalogue import backends_of
from tests.inside.check_kernels import sizes_of

EVERY = [
    (kernel.name, backend.name, dtype)
    for kernel in CATALOGUE.values()
    for backend in backends_of(kernel)
    for dtype in kernel.dtypes
]


@pytest.mark.parametrize(("kernel", "backend", "dtype"), EVERY)
def test_agrees_with_the_reference(kernel_checks, kernel, backend, dtype):
    allowed = CATALOGUE[kernel].allowed_error(backend, BACKENDS[backend].library, dtype)
    for size in sizes_of(CATALOGUE[kernel], BACKENDS[backend].library):
        outcome = kernel_checks[kernel, backend, dtype, size]
        assert "missing" not in outcome, outcome["missing"]
        assert "problem" not in outcome, outcome["problem"]
        assert outcome["error"] <= allowed
        assert outcome["again"] <= allowed, "a second call gives another result"


def test_nothing_else_was_checked(kernel_checks):
    assert {key[:3] for key in kernel_checks} == set(EVERY)

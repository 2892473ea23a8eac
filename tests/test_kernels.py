"""Every kernel × backend × dtype × size against the float64 reference, in the newest environment."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.catalogue import backends_of
from tests.conftest import inside
from tests.inside.check_kernels import sizes_on
from tests.sample import marks

EVERY = [
    pytest.param(kernel.name, backend.name, dtype, marks=marks(kernel.name, backend.name))
    for kernel in CATALOGUE.values()
    for dtype in kernel.dtypes
    for backend in backends_of(kernel, dtype)
]

#: What takes longest begins first.
LONG = ("torch", "mlx", "numba")


@pytest.fixture(scope="module")
def chosen(request):
    """The kernels, backends and dtypes whose tests run."""
    wanted = {param.values for param in EVERY}
    every = (getattr(item, "callspec", None) for item in request.session.items if item.path == request.path)
    found = {tuple(one.params[name] for name in ("kernel", "backend", "dtype")) for one in every if one}
    assert found <= wanted
    return found or wanted


@pytest.fixture(scope="module")
def kernel_checks(newest, chosen):
    """What is chosen at every size, checked in one process a library, two at a time."""

    def check(library):
        names = [":".join(one) for one in sorted(chosen) if BACKENDS[one[1]].library == library]
        return inside(newest, "check_kernels", library, *names) if names else []

    with ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(check, sorted(LIBRARIES, key=lambda library: library not in LONG))
    return {(o["kernel"], o["backend"], o["dtype"], o["size"]): o for found in outcomes for o in found}


@pytest.mark.parametrize(("kernel", "backend", "dtype"), EVERY)
def test_agrees_with_the_reference(kernel_checks, kernel, backend, dtype):
    allowed = CATALOGUE[kernel].allowed_error(backend, BACKENDS[backend].library, dtype)
    for size in sizes_on(CATALOGUE[kernel], BACKENDS[backend], dtype):
        outcome = kernel_checks[kernel, backend, dtype, size]
        assert "missing" not in outcome, outcome["missing"]
        assert "problem" not in outcome, outcome["problem"]
        assert outcome["error"] <= allowed
        assert outcome["again"] <= allowed, "a second call gives another result"


def test_nothing_else_was_checked(kernel_checks, chosen):
    assert {key[:3] for key in kernel_checks} == chosen

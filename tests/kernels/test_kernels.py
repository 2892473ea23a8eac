"""Every kernel × backend × dtype × size against the float64 reference, in the newest environment."""

import functools

import pytest

from arrayspeed.records.fingerprints import tops
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.catalogue import backends_of
from tests.conftest import inside
from tests.inside.check_kernels import SAMPLED, sizes_on
from tests.sample import marks


def is_first(kernel, backend, dtype):
    """Whether it is the first precision that a backend has of a kernel, and the backend that `make test` has of its
    library: the last one, compiled, unless its compiler is sampled. An eager one computes by the same function, or is
    there too.
    """
    beside = [one for one in backends_of(kernel, dtype) if one.library == backend.library and one.name not in SAMPLED]
    first = dtype == kernel.dtypes_on(backend.name, backend.library)[0]
    apart = f"{kernel.name}_compiled" in tops(f"kernels.{kernel.family}.{backend.library}")
    return first and (apart or backend.name in (*SAMPLED, *(one.name for one in beside[-1:])))


EVERY = [
    pytest.param(
        *(kernel.name, backend.name, dtype),
        marks=marks(kernel.name, backend.name, is_first(kernel, backend, dtype)),
    )
    for kernel in CATALOGUE.values()
    for dtype in kernel.dtypes
    for backend in backends_of(kernel, dtype)
]


@pytest.fixture(scope="module")
def chosen(request):
    """The kernels, backends and dtypes whose tests run."""
    wanted = {param.values for param in EVERY}
    every = (getattr(item, "callspec", None) for item in request.session.items if item.path == request.path)
    names = ("kernel", "backend", "dtype")
    found = {tuple(one.params[name] for name in names) for one in every if one and set(names) <= set(one.params)}
    assert found <= wanted
    return found or wanted


@pytest.fixture(scope="module")
def kernel_checks(newest, chosen):
    """Library -> what is chosen of it at every size, checked in one process when it is first asked for."""

    @functools.cache
    def of(library):
        names = [":".join(one) for one in sorted(chosen) if BACKENDS[one[1]].library == library]
        found = inside(newest, "check_kernels", library, *names) if names else []
        return {(o["kernel"], o["backend"], o["dtype"], o["size"]): o for o in found}

    return of


@pytest.mark.parametrize(("kernel", "backend", "dtype"), EVERY)
def test_agrees_with_the_reference(kernel_checks, kernel, backend, dtype):
    allowed = CATALOGUE[kernel].allowed_error(backend, BACKENDS[backend].library, dtype)
    for size in sizes_on(CATALOGUE[kernel], BACKENDS[backend], dtype):
        outcome = kernel_checks(BACKENDS[backend].library)[kernel, backend, dtype, size]
        assert "missing" not in outcome, outcome["missing"]
        assert "problem" not in outcome, outcome["problem"]
        assert outcome["error"] <= allowed
        assert outcome["again"] <= allowed, "a second call gives another result"


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_else_was_checked(kernel_checks, chosen, library):
    assert {key[:3] for key in kernel_checks(library)} == {one for one in chosen if BACKENDS[one[1]].library == library}

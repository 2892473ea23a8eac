"""Tests of the tests: a wrong kernel is found out, whichever part of it is wrong."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kernels import CATALOGUE, LIBRARIES
from tests.conftest import inside

pytestmark = [pytest.mark.mutation, pytest.mark.parametrize("library", LIBRARIES)]

#: What takes longest begins first.
LONG = ("numba", "jax")


@pytest.fixture(scope="module")
def mutants(request, newest):
    """Library -> its mutants, of the libraries whose tests run; two at a time."""
    chosen = {item.callspec.params["library"] for item in request.session.items if item.path == request.path}
    order = sorted(chosen, key=lambda library: library not in LONG)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(order, pool.map(lambda library: inside(newest, "check_mutants", library), order), strict=True))


def test_every_changed_source_is_found_out(mutants, library):
    sources = [one for one in mutants[library] if one["kind"] == "source"]
    assert len(sources) > 20, library
    assert [one["what"] for one in sources if not one["found"]] == []


def test_every_changed_result_is_refused(mutants, library):
    results = [one for one in mutants[library] if one["kind"] == "result"]
    assert [f"{one['kernels'][0]}, {one['what']}" for one in results if not one["found"]] == []
    expected = {k.name for k in CATALOGUE.values() if k.why_not(library, library) is None and k.devices is None}
    assert {one["kernels"][0] for one in results} == expected

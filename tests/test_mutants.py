"""Tests of the tests: a wrong kernel is found out, whichever part of it is wrong."""

import pytest

from kernels import CATALOGUE, LIBRARIES
from tests.conftest import inside

pytestmark = pytest.mark.mutation


@pytest.fixture(scope="session", params=LIBRARIES)
def mutants(request, newest):
    return request.param, inside(newest, "check_mutants", request.param)


def test_every_changed_source_is_found_out(mutants):
    library, found = mutants
    sources = [one for one in found if one["kind"] == "source"]
    assert len(sources) > 20, library
    assert [one["what"] for one in sources if not one["found"]] == []


def test_every_changed_result_is_refused(mutants):
    library, found = mutants
    results = [one for one in found if one["kind"] == "result"]
    assert [f"{one['kernels'][0]}, {one['what']}" for one in results if not one["found"]] == []
    expected = {k.name for k in CATALOGUE.values() if k.why_not(library, library) is None and k.devices is None}
    assert {one["kernels"][0] for one in results} == expected

"""Tests of the tests: a wrong kernel is found out, whichever part of it is wrong."""

import functools

import pytest

from kernels import CATALOGUE, LIBRARIES
from tests.conftest import attempt_inside

pytestmark = [pytest.mark.mutation, pytest.mark.parametrize("library", LIBRARIES)]


@pytest.fixture(scope="module")
def mutants(newest):
    """Library -> its mutants, tried when they are first asked for."""
    return functools.cache(functools.partial(all_of, newest))


def all_of(newest, library):
    """A library's mutants; one that ends the process even as the first of its process was found out by that."""
    done = []
    while True:
        outcomes, process = attempt_inside(newest, "check_mutants", library, str(len(done)))
        tried = [one for one in outcomes if "found" in one]
        done += tried
        if process.returncode == 0:
            return done
        assert process.returncode < 0 and outcomes, f"{library}: status {process.returncode}\n{process.stderr[-3000:]}"
        if not tried:
            done.append(outcomes[-1]["begins"] | {"found": f"ended the process: signal {-process.returncode}"})


def test_every_changed_source_is_found_out(mutants, library):
    sources = [one for one in mutants(library) if one["kind"] == "source"]
    assert len(sources) > 20, library
    assert [one["what"] for one in sources if not one["found"]] == []


def test_every_changed_result_is_refused(mutants, library):
    results = [one for one in mutants(library) if one["kind"] == "result"]
    assert [f"{one['kernels'][0]}, {one['what']}" for one in results if not one["found"]] == []
    expected = {k.name for k in CATALOGUE.values() if k.why_not(library, library) is None and k.devices is None}
    assert {one["kernels"][0] for one in results} == expected

"""What `make test` takes of compilers that need seconds for each program, and of precisions and properties: one kernel
a family; of the audit: one a backend. The others have the markers ``compile``, ``rest`` and ``audit``, and run in
`make test-all`.
"""

import re

import pytest

from kernels import BACKENDS, CATALOGUE
from kernels.catalogue import backends_of
from tests.inside.check_kernels import FIRST, SAMPLED

REST = [name for name in CATALOGUE if name not in FIRST.values()]

#: A backend whose compiler takes a second for each program: `make test` has one kernel a family, `make test-ci` all.
SLOW = "numba"


def marks(kernel, backend, first=False):
    """The marks of a test of one kernel on one backend; ``first`` where it is what `make test` has of every kernel, and
    of a sampled backend of one kernel a family.
    """
    found = [pytest.mark.compile] if backend in SAMPLED and not (first and kernel not in REST) else []
    if first:
        return [*found, pytest.mark.long] if backend == SLOW and kernel in REST else found
    return found if kernel not in REST else [*found, pytest.mark.rest]


def together(test):
    """What the tests have in common that one worker does, where tests run side by side: their module, and the library
    of the backend that a test's id names, or the version at its end. They share a process in which it is imported.
    """
    module, _, name = test.partition("::")
    parameters = name.partition("[")[2].removesuffix("]")
    named = [backend for backend in BACKENDS if f"-{backend}-" in f"-{parameters}-"]
    version = re.search(r"(?:^|-)(\d+\.\d+[.\d]*)$", parameters)
    return f"{module}::{BACKENDS[max(named, key=len)].library if named else version[1] if version else ''}"


def on_each(backends):
    """Parameters ``(backend, kernels)`` of the audit that hold every kernel of every backend once: one kernel, one of
    each other family, and the others. All but the first have the marker ``audit``. Of compilers that need seconds for
    each program the first has it too, and there are no others: `arrayspeed audit` has them.
    """
    found = []
    for backend in backends:
        able = [
            kernel
            for kernel in CATALOGUE.values()
            if backend in (b.name for b in backends_of(kernel, kernel.dtypes[0]))
        ]
        *more, one = {kernel.family: kernel.name for kernel in reversed(able)}.values()
        others = [kernel.name for kernel in able if kernel.name not in (one, *more)]
        slow = [pytest.mark.audit] if backend in SAMPLED else []
        found.append(pytest.param(backend, (one,), id=f"{backend}-one", marks=slow))
        found.append(pytest.param(backend, tuple(more), id=f"{backend}-one-a-family", marks=pytest.mark.audit))
        if backend not in SAMPLED:
            found.append(pytest.param(backend, tuple(others), id=f"{backend}-the-others", marks=pytest.mark.audit))
    return found


def chosen_of(request, test):
    """Backend -> the kernels of the tests by that name that run, so that one process a backend does for all of them."""
    found = {}
    for item in request.session.items:
        if item.path == request.path and item.originalname == test:
            found.setdefault(item.callspec.params["backend"], []).extend(item.callspec.params["names"])
    return found

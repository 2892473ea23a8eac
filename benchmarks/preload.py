"""What a server does before it forks the processes that measure: import their library, hand on what a fork
forgets, and promise to end.
"""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress
from importlib import import_module

from benchmarks import blas_threads, page_tables
from kernels import BACKENDS
from kernels.backends import COMPANION

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have Linux kill this process when its parent dies: nothing of a killed run must measure on, or stay stopped."""
    with suppress(AttributeError, OSError):  # not Linux
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and os.getpid() != 1 and _parent not in (None, 1):  # it died before Linux was asked
        os._exit(1)


_parent = os.getppid()


def preload(name: str) -> None:
    """Import and configure a library; where a backend is named, the modules of its compiler too.

    Where it is not installed, each process that needs it will say so.
    """
    end_with_parent()
    os.register_at_fork(after_in_child=end_with_parent)
    backend = BACKENDS.get(name)
    library, compiler = (backend.library, backend.preload) if backend else (name, ())
    for module in (f"kernels.backends.{library}", *compiler):
        with suppress(ImportError):
            import_module(module)
    page_tables.hand_on()
    if library == COMPANION:  # others may never call OpenBLAS, and its threads keep a core busy for their first 0.1 s
        blas_threads.hand_on()

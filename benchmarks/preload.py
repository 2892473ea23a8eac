"""What a server does before it forks the processes that measure: import their library, and promise to end."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress
from importlib import import_module

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have Linux kill this process when its parent dies: a killed run must leave nothing that measures on."""
    with suppress(AttributeError, OSError):  # not Linux
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def preload(library: str) -> None:
    """Import and configure a library. Where it is not installed, each process that needs it will say so."""
    end_with_parent()
    os.register_at_fork(after_in_child=end_with_parent)
    with suppress(ImportError):
        import_module(f"kernels.backends.{library}")

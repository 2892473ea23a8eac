"""Forks a process for each script of the clock, or program of asv's way: ``python -m … FD MODULE…``.

It serves on a socket that it inherits (`benchmarks.forking`), after it has imported the modules named, as a script's
first lines would: imports take most of a process's time, and nobody times them here. A process forked from it has no
array, no device and no thread yet. For the clock it must import nothing of the suite's own way of preparing a library.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

from benchmarks import blas_threads, page_tables
from benchmarks.forking import serve
from benchmarks.preload import end_with_parent
from kernels.backends import COMPANION

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Forked(BaseException):
    """Raised in a new process, to leave the functions of the server: their frames would be on the script's stack."""


def play(request: dict[str, Any], channel: socket.socket) -> None:
    """Note what is asked for, with the socket as standard input and output, and leave the server."""
    os.environ.update(request["environment"])
    os.dup2(channel.fileno(), 0)
    os.dup2(channel.fileno(), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # With that, the server would end the process here.
    os._exit = lambda status: None  # type: ignore[assignment, return-value]
    raise Forked(request)


def program(request: dict[str, Any]) -> Callable[[], object]:
    """Return what is asked for, to be called: a script as the main module, or a program of asv's way."""
    if path := request.get("script"):
        spec = spec_from_file_location("__main__", path)
        assert spec is not None and spec.loader is not None  # a path that ends in .py has both
        sys.modules["__main__"] = main = module_from_spec(spec)
        return partial(spec.loader.exec_module, main)
    module = import_module(request["module"])
    sys.excepthook = getattr(module, "fail", sys.excepthook)
    return partial(module.main, *request["arguments"])


if __name__ == "__main__":
    end_with_parent()
    os.register_at_fork(after_in_child=end_with_parent)
    for name in sys.argv[2:]:
        with suppress(ImportError):  # each script says so where it needs it
            import_module(name)
    page_tables.hand_on()
    if set(sys.argv[2:]) == {COMPANION}:
        blas_threads.hand_on()
    leave = os._exit
    try:
        serve(socket.socket(fileno=int(sys.argv[1])), play)
    except Forked as forked:
        os._exit = leave
        try:
            program(*forked.args)()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(0)

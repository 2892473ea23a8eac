"""Forks a process for each script of the clock, or program of asv's way: ``python -m … FD MODULE…``.

It serves on a socket that it inherits (`benchmarks.forking`), after it has imported the modules named, as a script's
first lines would: imports take most of a process's time, and nobody times them here. A process forked from it has no
array, no device and no thread yet. For the clock it must import nothing of the suite's own way of preparing a library.
"""

from __future__ import annotations

import os
import runpy
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks.forking import serve
from benchmarks.preload import end_with_parent

if TYPE_CHECKING:
    from typing import Any


def play(request: dict[str, Any], channel: socket.socket) -> None:
    """Run what is asked for, with the socket as its standard input and output."""
    os.environ.update(request["environment"])
    os.dup2(channel.fileno(), 0)
    os.dup2(channel.fileno(), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        if script := request.get("script"):
            runpy.run_path(script, run_name="__main__")
        else:
            program = import_module(request["module"])
            sys.excepthook = getattr(program, "fail", sys.excepthook)
            program.main(*request["arguments"])
    except BaseException:
        sys.excepthook(*sys.exc_info())


if __name__ == "__main__":
    end_with_parent()
    os.register_at_fork(after_in_child=end_with_parent)
    for name in sys.argv[2:]:
        with suppress(ImportError):  # each script says so where it needs it
            import_module(name)
    serve(socket.socket(fileno=int(sys.argv[1])), play)

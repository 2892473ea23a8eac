"""Hides parts of the system from every Python that starts with this folder in PYTHONPATH: HIDDEN names them.

What is hidden is gone as it would be on a system without it: no file, no function, no signal. Only asv goes on to see
it: it asks for the system's name, which is Linux here, and not whether there is a /proc.
"""

import builtins
import ctypes
import io
import os
import signal
import sys


def hide_proc():
    """No /proc, whoever asks."""

    def is_there(path):
        text = os.fspath(path) if not isinstance(path, int) else ""
        return not (text.decode() if isinstance(text, bytes) else text).startswith("/proc")

    def guarded(function):
        def call(path, *arguments, **keywords):
            if not is_there(path) and not sys._getframe(1).f_globals.get("__name__", "").startswith("asv."):
                raise FileNotFoundError(2, "No such file or directory", path)
            return function(path, *arguments, **keywords)

        return call

    for name in ("open", "listdir", "scandir", "stat", "readlink"):
        setattr(os, name, guarded(getattr(os, name)))
    builtins.open = io.open = guarded(io.open)


def hide_affinity():
    """Nothing tells or chooses on which processors something runs, as on macOS."""
    for name in ("sched_getaffinity", "sched_setaffinity"):
        if hasattr(os, name):
            delattr(os, name)


def hide_prctl():
    """The C library lacks it."""

    class Library(ctypes.CDLL):
        def __getattr__(self, name):
            if name == "prctl":
                raise AttributeError(name)
            return super().__getattr__(name)

    ctypes.CDLL = Library


def hide_stop():
    """No signal stops a process."""
    del signal.SIGSTOP, signal.SIGCONT


HIDE = {"proc": hide_proc, "affinity": hide_affinity, "prctl": hide_prctl, "stop": hide_stop}

for each in os.environ.get("HIDDEN", "").split():
    HIDE[each]()

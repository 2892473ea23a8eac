"""Ctrl-C that is not lost, and does not interrupt the tidying up; SIGTERM, as job schedulers send it, is the same.

Python drops an exception that is raised in a callback (at a fork, or of a weak reference), a KeyboardInterrupt too; a
run of hours would then go on as if nothing had happened. So it is remembered, and long work asks between its parts.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_heard = False


#: What is listened to, and what Python does of each where nobody listens.
SIGNALS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


def listen() -> None:
    """Remember Ctrl-C and SIGTERM from now on, beside raising KeyboardInterrupt."""
    for number, usual in SIGNALS.items():
        if signal.getsignal(number) is usual:
            signal.signal(number, _hear)
            sys.unraisablehook = _unraisable


def stop_listening() -> None:
    """Let nothing interrupt what is left to do: the command has ended, and tidies up."""
    for number in SIGNALS:
        if signal.getsignal(number) is _hear:
            signal.signal(number, signal.SIG_IGN)


def check() -> None:
    """Raise KeyboardInterrupt where one was heard and lost."""
    if _heard:
        raise KeyboardInterrupt


def forget() -> None:
    """Forget what was heard: it is dealt with."""
    global _heard
    _heard = False


def _hear(number: int, frame: FrameType | None) -> None:
    global _heard
    _heard = True
    raise KeyboardInterrupt


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    # After Ctrl-C, callbacks that it cut short make others fail.
    if not (_heard or issubclass(what.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(what)

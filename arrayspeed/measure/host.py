"""One measurement at a time on a host: two disturb each other's times, wherever they write.

In what state the machine was when a measurement began is kept beside the results, a line of JSON for each.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.records import states
from arrayspeed.system import state
from arrayspeed.system.missing import sentence
from arrayspeed.system.processes import command_of
from arrayspeed.system.state import State

#: Names another lock than the host's, for a host whose parts do not disturb each other, and for tests.
LOCK = "ARRAYSPEED_LOCK"

#: What was said already: a search for a release measures many times.
_said: set[str] = set()

#: The state of the machine when the measurement under way began, and the folders that keep it.
_begun: list[tuple[State, set[Path]]] = []


class Busy(UserError):
    """Another run holds a lock."""


@contextlib.contextmanager
def only_run(folder: str | Path, wait: bool = False) -> Iterator[State]:
    """Let one run at a time measure on this host, and one write into a folder of results.

    In what state the machine is then is said where it will hurt; `keep_state` keeps it.

    Parameters
    ----------
    folder
        The results; made where it is not there.
    wait
        Wait for another measurement to end.

    Raises
    ------
    Busy
        Another run is measuring.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    host = Path(os.environ.get(LOCK) or Path(tempfile.gettempdir(), "arrayspeed.lock"))
    with locked(host, "measuring on this machine", wait), locked(Path(folder, ".lock"), f"writing {folder}", wait):
        for left in Path(folder).rglob(".saving-*"):  # by a run that was killed
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        begun = state.now()
        # What a machine is like at the moment is for whoever sits there; it is kept with the results in any case.
        said = begun.warnings() if sys.stderr.isatty() else []
        for text in filter(None, [*said, sentence()]):
            warn_once(text)
        _begun.append((begun, set()))
        try:
            yield begun
        finally:
            heated(*_begun.pop())


def keep_state(folder: str | Path) -> None:
    """Keep, in a folder of results, in what state the machine was when the measurement under way began; nothing where
    none is, or where it is there already.
    """
    if _begun and (place := Path(folder)) not in _begun[-1][1]:
        _begun[-1][1].add(place)
        states.add(place, _begun[-1][0].data())


def warn_once(text: str) -> None:
    """Print a warning that was not printed before."""
    if text not in _said:
        _said.add(text)
        say(f"warning: {text}")


def heated(begun: State, folders: Iterable[Path]) -> None:
    """Keep and say that heat has slowed processors down since a measurement began, if it has."""
    after = state.throttles()
    if begun.throttles is not None and after is not None and after > begun.throttles:
        times = after - begun.throttles
        for folder in folders:
            states.add(folder, {"throttled": times})
        say(f"warning: heat has slowed processors down {times} times while this was measured")


@contextlib.contextmanager
def locked(path: Path, doing: str, wait: bool) -> Iterator[None]:
    """Hold a lock; the file says who does.

    Raises
    ------
    Busy
        Another one holds it, and this is not to wait.
    """
    descriptor = opened(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            who = holder(descriptor)
            if not wait:
                raise Busy(f"another run is {doing}{who}: stop it, or wait for it with --wait") from error
            say(f"waiting for another run that is {doing}{who}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(OSError):  # the file of another user
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def opened(path: Path) -> int:
    """Return the lock's file, which every user may lock.

    Raises
    ------
    UserError
        It can be neither made nor read.
    """
    for flags in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):
        with contextlib.suppress(OSError):
            descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            with contextlib.suppress(OSError):
                os.fchmod(descriptor, 0o666)
            return descriptor
    raise UserError(f"cannot open {path}, the lock file of measurements; {LOCK}=FILE sets another")


def holder(descriptor: int) -> str:
    """Return the process that holds a lock, in brackets, where that is known."""
    number = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
    if not number.isdigit():
        return ""
    command = command_of(int(number))
    return f" (process {number}: {printable(command)[:100]})" if command else ""

"""One measurement at a time on a host: two disturb each other's times, wherever they write."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.system.processes import command_of

#: Names another lock than the host's, for a host whose parts do not disturb each other, and for tests.
LOCK = "ARRAYSPEED_LOCK"


class Busy(UserError):
    """Another run holds a lock."""


@contextlib.contextmanager
def only_run(folder: str | Path, wait: bool = False) -> Iterator[None]:
    """Let one run at a time measure on this host, and one write into a folder of results.

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
        yield


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

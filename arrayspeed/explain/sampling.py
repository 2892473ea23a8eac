"""Samples of a running process: which functions it is in, native ones too, as py-spy sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from arrayspeed.explain.stacks import Stack, read
from arrayspeed.measure.players import Failed, Player, number_of_calls
from arrayspeed.model.errors import UserError

PROGRAM = "py-spy"

#: Samples a second, seconds of them in a process, and seconds that py-spy may need to begin and to end: it reads the
#: symbols of all libraries first, which are hundreds of megabytes of some.
RATE, SECONDS, PATIENCE = 500, 1.0, 90.0

#: Seconds of a batch of calls while samples are taken.
BATCH = 0.05

#: The least samples of calls from which shares are taken.
FEWEST = 20

INSTALL = "--profile needs py-spy: install it beside arrayspeed, as pip install 'arrayspeed[profile]' does"

FORBIDDEN = (
    "--profile: the system does not let py-spy read other processes: run as root, or allow it with "
    "`sysctl kernel.yama.ptrace_scope=0` (in a container: --cap-add SYS_PTRACE)"
)


def program() -> str:
    """Return py-spy's path.

    Raises
    ------
    UserError
        It is not installed; the message says how it is.
    """
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which(PROGRAM, path=beside)
    if found is None:
        raise UserError(INSTALL)
    return found


def check() -> None:
    """Whether processes can be sampled here.

    Raises
    ------
    UserError
        They cannot; the message says what to do.
    """
    spy = program()
    if sys.platform != "linux":
        raise UserError("--profile samples native frames, which py-spy reads on Linux alone: leave it out here")
    # The parent of py-spy is somebody else's process to it, and of the same user: what sides are too.
    done = subprocess.run([spy, "dump", "--pid", str(os.getpid())], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        raise UserError(FORBIDDEN if denied(done.stderr) else f"--profile: py-spy says: {last_line(done.stderr)}")


def denied(text: str) -> bool:
    """Return whether the system refuses."""
    return any(each in text for each in ("Permission Denied", "Permission denied", "Operation not permitted", "EPERM"))


def last_line(text: str) -> str:
    """Return the last line that says anything."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing")


def sample(player: Player, seconds: float, folder: str, timeout: float) -> Counter[Stack]:
    """Return how often each stack was seen in a process that calls its function meanwhile.

    Parameters
    ----------
    player
        The process, stopped, whose function is ready.
    seconds
        Of a call, roughly.
    folder
        The folder of the user's file.
    timeout
        Seconds that a batch may take.

    Raises
    ------
    Failed
        A call fails, or nothing could be sampled.
    """
    number = number_of_calls(seconds, BATCH)
    with tempfile.TemporaryDirectory(prefix="arrayspeed-") as kept:
        path = Path(kept, "stacks.txt")
        player.go()
        with open(Path(kept, "said.txt"), "w+") as said:
            spy = subprocess.Popen(command(player.pid, path), stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            try:
                batches(player, number, timeout, spy)
            finally:
                if spy.poll() is None:
                    spy.terminate()
                spy.wait()
                player.stop()
            said.seek(0)
            text = said.read()
        if not path.exists():
            raise Failed(f"py-spy took no samples: {last_line(text)}")
        return read(path.read_text(encoding="utf-8", errors="replace"), folder)


def command(pid: int, path: Path) -> list[str]:
    """Return py-spy's command line. A thread that waits is sampled too: its caller waits with it."""
    options = ["--native", "--idle", "--function", "--full-filenames", "--format", "raw"]
    numbers = ["--rate", str(RATE), "--duration", f"{SECONDS:g}", "--pid", str(pid), "--output", str(path)]
    return [program(), "record", *options, *numbers]


def batches(player: Player, number: int, timeout: float, spy: subprocess.Popen[bytes]) -> None:
    """Have a process call its function until py-spy has ended."""
    until = time.monotonic() + PATIENCE
    while spy.poll() is None and time.monotonic() < until:
        player.batch(number, timeout)

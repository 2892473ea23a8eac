"""Processes, seen and held from outside: stopping them, where their threads run, and what they did.

Each of these stands alone: where /proc, the calls of sched(7) or SIGSTOP are missing, what needs them does nothing, or
answers that it does not know, and the others go on.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

#: Seconds that a stopped process gets where nothing tells whether it has stopped: the signal is there within one.
SETTLE = 0.001

#: A process that has stopped, has ended, or is gone; of /proc/PID/stat (proc_pid_stat(5)).
STOPPED = "TtZX"


class Thread(NamedTuple):
    """A thread of a process: its name, and its CPU time in seconds."""

    name: str
    seconds: float


class Read(NamedTuple):
    """A process at one moment: seconds of a clock, its CPU time in seconds, how often its main thread has waited."""

    at: float
    cpu: float
    switches: int


def can_stop() -> bool:
    """Return whether processes can be stopped."""
    return hasattr(signal, "SIGSTOP") and hasattr(signal, "SIGCONT")


def sees_processes() -> bool:
    """Return whether there is a /proc that shows this process."""
    return state(os.getpid()) is not None


def stop(pid: int) -> None:
    """Stop a process, with all of its threads, and return when it is stopped; nothing where none can be."""
    if not can_stop():
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        while (now := state(pid)) is not None and now not in STOPPED:
            time.sleep(0)
        if now is None:
            await_stop(pid)


def await_stop(pid: int) -> None:
    """Wait until a process has stopped, where there is no /proc to tell."""
    if sys.platform == "darwin":
        import psutil

        with suppress(psutil.Error):
            while psutil.Process(pid).status() not in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE):
                time.sleep(0)
            return
    elif hasattr(os, "waitid"):
        # A child of ours tells. It is left to be waited for by whoever started it.
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            return
    time.sleep(SETTLE)


def go(pid: int) -> None:
    """Let a stopped process run."""
    if can_stop():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def state(pid: int) -> str | None:
    """One letter of /proc: ``T`` of a stopped process, ``X`` where there is none; None where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X" if os.path.exists("/proc/self/stat") else None


def affinity() -> set[int]:
    """Return the processors on which this process may run; all, numbered from 0, where none can be chosen."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def can_bind() -> bool:
    """Return whether it can be chosen on which processors something runs."""
    return hasattr(os, "sched_getaffinity") and hasattr(os, "sched_setaffinity")


def bind(thread: int, cores: Collection[int]) -> None:
    """Let a thread, or a process (0: this one), run on some processors only; nothing where that cannot be chosen."""
    if can_bind():
        with suppress(OSError):  # it has ended
            os.sched_setaffinity(thread, cores)


def threads_of(pid: int) -> dict[int, Thread]:
    """Return the threads of a process; none where they cannot be seen."""
    found = {}
    with suppress(OSError):
        for thread in sorted(map(int, os.listdir(f"/proc/{pid}/task"))):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/comm") as file:  # it has ended
                found[thread] = Thread(file.read().strip(), seconds_of(f"/proc/{pid}/task/{thread}/schedstat"))
    return found


def seconds_of(path: str) -> float:
    """Return a thread's CPU time; 0 where Linux does not count it."""
    with suppress(OSError, ValueError, IndexError), open(path) as file:
        return int(file.read().split()[0]) / 1e9
    return 0.0


def read(pid: int) -> Read | None:
    """Return what a process has done so far; None where it has ended, or where that cannot be seen."""
    try:
        cpu = time.clock_gettime(cpu_clock(pid))
        with open(f"/proc/{pid}/status") as file:
            line = next(line for line in file if line.startswith("voluntary_ctxt_switches"))
    except (AttributeError, OSError, StopIteration):
        return None
    return Read(time.monotonic(), cpu, int(line.split()[1]))


def cpu_clock(pid: int) -> int:
    """Return the clock of a process's CPU time, as clock_getcpuclockid(3) computes it on Linux: Python does not have
    it.
    """
    return (~pid << 3) | 2


def command_of(pid: int) -> str:
    """Return the command line of a process; "" where it cannot be seen."""
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def busy_seconds() -> tuple[float, float] | None:
    """Return the CPU time in seconds that all processors have spent since the start of the system, and that the host of
    a virtual machine has kept from them; None where it is not counted (proc_stat(5)).
    """
    with suppress(OSError, ValueError, IndexError), open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
        tick = os.sysconf("SC_CLK_TCK")
        return (user + nice + system + irq + softirq) / tick, steal / tick
    return None


def load_of_others(seconds: float) -> tuple[float, float] | None:
    """Return how many cores others keep busy, and how many are stolen, in the next so many seconds, in which this
    process sleeps; None where that is not counted.
    """
    before = busy_seconds()
    started = time.monotonic()
    time.sleep(seconds)
    after = busy_seconds()
    if before is None or after is None:
        return None
    took = time.monotonic() - started
    return (after[0] - before[0]) / took, (after[1] - before[1]) / took

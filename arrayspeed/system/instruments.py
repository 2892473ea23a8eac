"""Whether what measures works here: the clock, the processor's counters, Python's profiler."""

from __future__ import annotations

import cProfile
import ctypes
import errno
import os
import platform
import pstats
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arrayspeed.system.cpuinfo import text_of

#: The file that names what Linux takes the time from, and sources that take a microsecond and more to read.
SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
SLOW_SOURCES = ("hpet", "acpi_pm", "jiffies")

#: Seconds between two readings of the clock, at most, for a batch of 20 ms to be known within a thousandth.
FINE = 1e-5

#: The number of perf_event_open(2) by architecture; its event "instructions" of a processor's own counters, in user
#: mode alone (bits exclude_kernel and exclude_hv of perf_event_attr), and the size of the oldest form of that.
CALLS = {"x86_64": 298, "aarch64": 241, "ppc64le": 319, "riscv64": 241, "s390x": 331}
HARDWARE, INSTRUCTIONS, USER_ONLY, SIZE = 0, 1, 1 << 5 | 1 << 6, 64

#: Why it fails -> what to do.
REFUSED = {
    errno.EACCES: "not permitted: `sysctl kernel.perf_event_paranoid=2` or less, as root",
    errno.EPERM: "not permitted: `sysctl kernel.perf_event_paranoid=2` or less, as root; a container may forbid it too",
    errno.ENOENT: "this processor, or the virtual machine, has none",
    errno.EOPNOTSUPP: "this processor, or the virtual machine, has none",
    errno.ENODEV: "this processor, or the virtual machine, has none",
    errno.ENOSYS: "the system has no perf_event_open",
}


@dataclass(frozen=True)
class Instrument:
    """One of them: whether it works, None where that cannot be told, and what is known of it."""

    name: str
    works: bool | None
    detail: str


def clock() -> Instrument:
    """Read the clock until it has moved a hundred times."""
    steps = []
    for _ in range(100):
        before = time.perf_counter()
        while (now := time.perf_counter()) == before:
            pass
        steps.append(now - before)
    step, source = min(steps), text_of(SOURCE)
    works = step <= FINE and source not in SLOW_SOURCES and time.get_clock_info("perf_counter").monotonic
    return Instrument("clock", works, f"moves in steps of {1e9 * step:.0f} ns{f', from {source}' if source else ''}")


def counters() -> Instrument:
    """Ask for a counter of this process's instructions, as perf(1) does."""
    number = CALLS.get(platform.machine())
    if platform.system() != "Linux" or number is None:
        return Instrument("counters", None, "only Linux's perf_event_open is known here")
    attributes = (ctypes.c_uint64 * (SIZE // 8))(HARDWARE | SIZE << 32, INSTRUCTIONS, 0, 0, 0, USER_ONLY)
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.syscall(number, ctypes.byref(attributes), 0, -1, -1, 0)
    if descriptor < 0:
        code = ctypes.get_errno()
        return Instrument("counters", False, REFUSED.get(code, os.strerror(code)))
    try:
        counted = int.from_bytes(os.read(descriptor, 8), "little")
    finally:
        os.close(descriptor)
    return Instrument("counters", counted > 0, "instructions are counted" if counted else "they count nothing")


def profiler() -> Instrument:
    """Profile a function that is called ten times."""

    def called() -> None:
        pass

    def caller() -> None:
        for _ in range(10):
            called()

    profile = cProfile.Profile()
    try:
        profile.runcall(caller)
    except ValueError as error:  # another one is at work
        return Instrument("profiler", False, str(error))
    counts = [row[0] for (_, _, name), row in pstats.Stats(profile).stats.items() if name == "called"]  # type: ignore[attr-defined]
    return Instrument("profiler", counts == [10], "calls are counted" if counts == [10] else "it misses calls")


INSTRUMENTS: tuple[Callable[[], Instrument], ...] = (clock, counters, profiler)


def check() -> list[Instrument]:
    """Return all of them."""
    return [each() for each in INSTRUMENTS]

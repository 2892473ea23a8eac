"""Which devices this machine has, from the files of their drivers.

Asking a library takes seconds; these files answer in microseconds, which is what a combination that cannot run
may cost. Where a file says yes the library still has the last word.
"""

from __future__ import annotations

import os
from glob import glob

#: Device -> files one of which exists where its driver is loaded: NVIDIA, WSL, AMD, Apple; Google's TPU (PCI, VFIO).
DRIVER_FILES = {
    "gpu": ("/dev/nvidia[0-9]*", "/dev/dxg", "/dev/kfd", "/System/Library/Frameworks/Metal.framework"),
    "tpu": ("/dev/accel[0-9]*", "/dev/vfio/[0-9]*"),
}


def missing(device: str) -> str | None:
    """Return why this machine cannot have ``device``, or None where it may have it."""
    if device == "cpu" or any(glob(pattern) for pattern in DRIVER_FILES[device]):
        return None
    return f"this machine has no {device.upper()}"


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory() -> int | None:
    """Bytes that a new process can take without swapping, or None where the system does not say."""
    return of_meminfo("MemAvailable")


def all_memory() -> int | None:
    """Bytes of memory that the machine has, or None where the system does not say."""
    return of_meminfo("MemTotal")


def of_meminfo(name: str) -> int | None:
    """Bytes of one line of Linux's /proc/meminfo, or None where there is none."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None

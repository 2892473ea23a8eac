"""Instructions that a call takes, by the processor's counter: perf_event_open(2), of this process and its threads."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from fcntl import ioctl

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable

#: perf_event_open's number among the system's calls.
NUMBERS = {"x86_64": 298, "aarch64": 241}

#: Type and number of the event: PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS.
INSTRUCTIONS = (0, 1)

#: Bits of perf_event_attr: begin disabled, count what threads and children do that begin later, leave out kernel and
#: hypervisor, for which a user has no permission.
DISABLED, INHERIT, NO_KERNEL, NO_HYPERVISOR = 1 << 0, 1 << 1, 1 << 5, 1 << 6

#: Size of the structure in its first form, and requests to the counter.
SIZE, ENABLE, DISABLE = 64, 0x2400, 0x2401


def opened(event: tuple[int, int], thread: int) -> int | None:
    """Return a descriptor that counts an event in a thread; None where the system or the processor has no such."""
    number = NUMBERS.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return None
    kind, which = event
    flags = DISABLED | INHERIT | NO_KERNEL | NO_HYPERVISOR
    # type, size, config, period, sample_type, read_format, flags, wakeup, breakpoint type, two of its fields
    attributes = struct.pack("=IIQQQQQIIQ", kind, SIZE, which, 0, 0, 0, flags, 0, 0, 0)
    buffer = ctypes.create_string_buffer(attributes, SIZE)
    try:
        descriptor: int = ctypes.CDLL(None, use_errno=True).syscall(number, buffer, thread, -1, -1, 0)
    except (OSError, AttributeError):
        return None
    return descriptor if descriptor >= 0 else None


def counted(run: Callable[[], object], event: tuple[int, int] = INSTRUCTIONS) -> int | None:
    """Return how often an event happens in all threads of this process while ``run`` runs; None where it cannot be
    counted.
    """
    descriptors = []
    try:
        for thread in map(int, os.listdir("/proc/self/task")):
            descriptor = opened(event, thread)
            if descriptor is None:
                return None
            descriptors.append(descriptor)
        for descriptor in descriptors:
            ioctl(descriptor, ENABLE, 0)
        run()
        for descriptor in descriptors:
            ioctl(descriptor, DISABLE, 0)
        return sum(struct.unpack("=Q", os.read(descriptor, 8))[0] for descriptor in descriptors) or None
    except OSError:
        return None
    finally:
        for descriptor in descriptors:
            os.close(descriptor)

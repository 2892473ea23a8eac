"""Which cores a backend's threads use. ``python -m … BACKEND``, started with the cores that it may use."""

from __future__ import annotations

import os
import sys
from time import perf_counter, process_time

from arrayspeed.audit.worker import say
from kernels import NotAvailable
from kernels.preparation import load

#: A kernel that libraries compute on several threads, and one bound by memory.
KERNELS = {"matmul": 500, "elementwise": 1_000_000}

SECONDS = 0.5


def main(backend: str) -> None:
    """Print the CPU time per second of calls, and the threads that may run elsewhere than the process."""
    allowed = os.sched_getaffinity(0)
    busiest = 0.0
    for kernel, size in KERNELS.items():
        try:
            call = load(kernel, backend, size).call
        except NotAvailable as error:
            say({"missing": str(error)})
            return
        call()
        wall, cpu = perf_counter(), process_time()
        while perf_counter() - wall < SECONDS:
            call()
        busiest = max(busiest, (process_time() - cpu) / (perf_counter() - wall))
    threads = [int(name) for name in os.listdir("/proc/self/task")]
    elsewhere = sum(os.sched_getaffinity(thread) != allowed for thread in threads)
    say({"cores": len(allowed), "cpu": busiest, "threads": len(threads), "elsewhere": elsewhere})


if __name__ == "__main__":
    main(sys.argv[1])

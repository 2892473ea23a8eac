"""The benchmarks of asv that give a figure and not the time of a call: ``track_*``, ``mem_*``, ``peakmem_*`` and
``timeraw_*``.
"""

from __future__ import annotations

import math
from statistics import median

from .inside import status
from .loading import Skipped

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from typing import Any

#: What a figure is, by the names of `arrayspeed.own.measures`: a number, seconds, bytes, or bytes of a whole process.
NUMBER, SECONDS, BYTES, PEAK = "tracked", "tracked_time", "tracked_bytes", "tracked_peak"

#: Units of ``track_*`` that people write -> what they are, and how much of it.
UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), (SECONDS, 1.0)),
    **dict.fromkeys(("ms", "milliseconds"), (SECONDS, 1e-3)),
    **dict.fromkeys(("us", "µs", "μs", "microseconds"), (SECONDS, 1e-6)),
    **dict.fromkeys(("ns", "nanoseconds"), (SECONDS, 1e-9)),
    **dict.fromkeys(("b", "byte", "bytes"), (BYTES, 1.0)),
    **{name: (BYTES, 1024.0**power) for power, name in enumerate(("kib", "mib", "gib"), 1)},
    **{name: (BYTES, 1000.0**power) for power, name in enumerate(("kb", "mb", "gb"), 1)},
}

#: Processes of a ``timeraw_*``, whose median counts.
PROCESSES = 3


def kind_of(benchmark: Any) -> str | None:
    """Return what figure a benchmark gives; None where it is the time of a call."""
    if type(benchmark).__name__ == "TimerawBenchmark":
        return SECONDS
    if benchmark.type == "time":
        return None
    if benchmark.type == "peakmemory":
        return PEAK
    return BYTES if benchmark.type == "memory" else UNITS.get(str(benchmark.unit).lower(), (NUMBER, 1.0))[0]


def taken(benchmark: Any) -> Any:
    """Return the figure of a benchmark that is set up, in seconds or bytes where it is such; anything else as it is.

    Raises
    ------
    Skipped
        It is no number, by which a benchmark says that it does not apply.
    """
    if type(benchmark).__name__ == "TimerawBenchmark":
        timer = benchmark._get_timer(*benchmark._build_params())
        return median(timer.timeit(benchmark.number) / benchmark.number for _ in range(PROCESSES))
    value = benchmark.run(*benchmark._build_params())
    if benchmark.type == "peakmemory":
        # Linux hands what getrusage says down to a new program: it would be the peak of whoever started this process.
        value = status("VmHWM") or value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise Skipped("it gives no number")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return value
    scale = 1.0
    if benchmark.type not in ("peakmemory", "memory"):
        scale = UNITS.get(str(benchmark.unit).lower(), ("", 1.0))[1]
    return float(value) * scale

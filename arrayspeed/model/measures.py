"""The measures: one entry each, which plans, verdicts, tables, pages, charts and help read.

A new measure is one entry here and one method in `benchmarks`.
"""

from __future__ import annotations

from dataclasses import dataclass

from arrayspeed.model import thresholds
from arrayspeed.model.thresholds import Threshold

SECONDS, BYTES, ERROR = "seconds", "bytes", "relative error"

ALL, SMALLEST, LARGEST = "all", "smallest", "largest"


@dataclass(frozen=True)
class Measure:
    """What asv measures of a kernel or a library. Less is better in every measure.

    Attributes
    ----------
    name
        asv's name of it: the benchmark's method.
    title, short
        What charts call it, and what a narrow column does.
    what
        What it is, in a sentence.
    unit
        `SECONDS`, `BYTES` or `ERROR`.
    of_library
        Whether it is of a library, and not of a kernel.
    batched
        Whether a sample is the mean of many calls.
    exact
        Whether it does not vary by chance.
    threshold
        What counts as a change.
    rounds
        Rounds that are enough for the first look; None for all of them.
    prepares
        Its place among what a process can measure while it prepares the call that is timed; None where it cannot.
    afterwards
        Where the process times calls too, it is measured after them, since it frees memory that they do not.
    upgrade
        The sizes at which an upgrade compares it where nothing else is asked for: `ALL`, `SMALLEST` or `LARGEST` of
        those that it compares; None where it does not. Of a library, which has no sizes, `ALL`.
    of_compiling
        Whether upgrades look at it only where something is compiled.
    to_host
        Whether every call makes arrays on the host, whatever the device.
    """

    name: str
    title: str
    short: str
    what: str
    unit: str = SECONDS
    of_library: bool = False
    batched: bool = False
    exact: bool = False
    threshold: Threshold = thresholds.CALLS
    rounds: int | None = None
    prepares: int | None = None
    afterwards: bool = False
    upgrade: str | None = None
    of_compiling: bool = False
    to_host: bool = False

    @property
    def sampled(self) -> bool:
        """Whether a process gives samples, and not one figure."""
        return self.batched or self.of_library

    @property
    def is_time(self) -> bool:
        """Whether less is faster."""
        return self.unit == SECONDS

    @property
    def bare(self) -> str:
        """The name in words, without asv's prefix: ``first call``."""
        return self.name.partition("_")[2].replace("_", " ")


CALL = Measure(
    "time_call",
    "time of a call",
    "time",
    "Steady state: the inputs are on the device beforehand, and the complete result stays there.",
    batched=True,
    upgrade=ALL,
)

FIRST_CALL = Measure(
    "track_first_call",
    "time of the first call",
    "first call",
    "From a fresh process with its imports done to the first complete result: trace, compile, run.",
    threshold=thresholds.FIRST_CALL,
    prepares=0,  # or it would not be the first
    upgrade=SMALLEST,
    of_compiling=True,
)

DEVICE_TIME = Measure(
    "track_device_time",
    "time of a call on the device",
    "on the device",
    "One call by the device's own clock, without the launch and the wait.",
)

TO_DEVICE = Measure(
    "track_to_device",
    "time to copy the inputs to the device",
    "to the device",
    "From arrays on the host to inputs that are complete on the device.",
)

FROM_DEVICE = Measure(
    "track_from_device",
    "time to copy the result to the host",
    "from the device",
    "From a result that is complete on the device to the host.",
    to_host=True,
)

ACCURACY = Measure(
    "track_error",
    "relative error",
    "error",
    "The largest error against the float64 reference, relative to the reference's largest element.",
    ERROR,
    exact=True,
    threshold=thresholds.ERRORS,
    rounds=2,
    prepares=2,
    afterwards=True,
    upgrade=SMALLEST,
)

IMPORT = Measure(
    "timeraw_import",
    "time of the import",
    "import",
    "Importing the library in a fresh process.",
    threshold=thresholds.IMPORT,
    of_library=True,
    upgrade=ALL,
)

#: Name -> measure, in the order in which people are shown them.
MEASURES = {
    measure.name: measure
    for measure in (
        CALL,
        Measure(
            "time_round_trip",
            "time of a call with transfers",
            "round trip",
            "NumPy in, NumPy out: copy to the device, compute, copy back to the host.",
            batched=True,
            to_host=True,
        ),
        Measure(
            "time_pipelined",
            "time of a call, many queued",
            "pipelined",
            "Many calls queued and one wait, per call: what asynchronous dispatch gains.",
            batched=True,
        ),
        FIRST_CALL,
        DEVICE_TIME,
        TO_DEVICE,
        FROM_DEVICE,
        Measure(
            "peakmem_call",
            "peak memory of the process",
            "peak memory",
            "Peak of the whole process: interpreter, library, inputs, compilation and one call.",
            BYTES,
            threshold=thresholds.PEAK,
        ),
        Measure(
            "track_memory",
            "memory added by a call",
            "memory",
            "Memory that one call, already compiled, adds at its peak.",
            BYTES,
            threshold=thresholds.MEMORY,
            prepares=1,  # before the many calls after which a library keeps the memory that it took
            upgrade=LARGEST,
        ),
        Measure(
            "track_kept",
            "memory kept by every call",
            "kept",
            "Memory that every call takes and never gives back: a leak. Caches, which fill once, are not counted.",
            BYTES,
            threshold=thresholds.KEPT,
            rounds=3,  # which decide where they agree exactly, as nearly all do
            prepares=3,  # it makes many calls
            upgrade=SMALLEST,
        ),
        Measure(
            "track_resident",
            "growth of the process's own memory with every call",
            "growth",
            "Resident memory that every call adds for good, whoever takes it. There is none where it goes up and down "
            "so much that this cannot be told.",
            BYTES,
            threshold=thresholds.GROWTH,
            rounds=3,
            prepares=4,  # from the same calls as what is kept
            upgrade=SMALLEST,
        ),
        ACCURACY,
        IMPORT,
    )
}

#: What a process can measure while it prepares the call that is timed, in the order in which it must.
PREPARING = [
    name for _, name in sorted((one.prepares, name) for name, one in MEASURES.items() if one.prepares is not None)
]


#: What is measured after times, where a process takes some.
AFTERWARDS = [name for name in PREPARING if MEASURES[name].afterwards]


def measure_of(name: str) -> Measure:
    """Return the measure of a name; a time where nothing else is known, since results may be of other suites."""
    return MEASURES.get(name) or Measure(name, name, name, "")

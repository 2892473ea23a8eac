"""One asv class a kernel and dtype, made from the catalogue; every measure is a method.

The parameter lists come from the catalogue alone, so they are the same in every environment: asv discovers them
in the first one and matches results by position.
"""

from __future__ import annotations

import gc
import os
import tempfile
from time import perf_counter

from benchmarks import device as devices
from benchmarks import memory, timing, waiting
from benchmarks.pipeline import Pipeline
from benchmarks.stack import FRAMES
from kernels import BACKENDS, CATALOGUE, DEVICES, NotAvailable
from kernels.backends.hardware import missing
from kernels.catalogue import in_tier
from kernels.kernel import TIERS
from kernels.limits import too_large
from kernels.preparation import load

timing.mend()
waiting.mend()

_pipeline = Pipeline()


class _KernelBenchmark:
    """Everything that is measured of one kernel and dtype. asv runs one combination in each process."""

    param_names = ("backend", "size", "device")
    # Two processes each: a figure from one says nothing about how it differs between processes.
    rounds = 2
    # Up to 20 samples in a second: a core that is shared with others changes its speed for tens of milliseconds,
    # and asv's five samples can all fall into one such spell.
    repeat = (1, 20, 1.0)
    timeout = 600

    kernel = ""
    dtype = ""

    prepared = None

    def setup(self, backend, size, device):
        """Put the inputs on the device. What cannot run raises NotAvailable, which asv takes as n/a."""
        if self.prepared is not None:
            return
        kernel = CATALOGUE[self.kernel]
        why = too_large(kernel, BACKENDS[backend], size, self.dtype, device)
        if why:
            raise NotAvailable(why)
        self.prepared = _KernelBenchmark.latest = load(self.kernel, backend, size, device, self.dtype)
        self.call = self.prepared.call

    @property
    def frames(self):
        """Short frames below which calls are timed: none on the host where each call notes all of them."""
        return 0 if self.prepared.backend.notes_stack and self.prepared.device == "cpu" else FRAMES

    def calls(self):
        """Return what the methods below time, by their names: the loop calls it without a method in between."""
        return {
            "time_call": self.call,
            "time_round_trip": self.prepared.round_trip,
            "time_pipelined": _pipeline.call,
        }

    def verify(self):
        """Fail where the result of what was timed is wrong."""
        _verify(*(None,) * 3)

    def time_call(self, backend, size, device):
        """Steady state: inputs on the device, the result complete and left there."""
        self.call()

    def time_round_trip(self, backend, size, device):
        """NumPy in, NumPy out: to the device, compute, and back to the host."""
        self.prepared.round_trip()

    def time_pipelined(self, backend, size, device):
        """Many calls queued and one wait, per call."""
        _pipeline.call()

    def track_first_call(self, backend, size, device):
        """Seconds from a fresh process with imports done to the first complete result: trace, compile, run."""
        with tempfile.TemporaryDirectory() as folder:
            self.prepared.adapter.forget_compiled(folder)
            start = perf_counter()
            self.call()
            return perf_counter() - start

    def peakmem_call(self, backend, size, device):
        """Peak of the whole process: interpreter, library, inputs, compilation and one call."""
        self.call()

    def track_device_time(self, backend, size, device):
        """Seconds of one call by the device's own clock: its work without the launch and the wait."""
        return devices.device_time(self.prepared)

    def track_to_device(self, backend, size, device):
        """Seconds from host arrays to inputs that are complete on the device."""
        return devices.to_device(self.prepared)

    def track_from_device(self, backend, size, device):
        """Seconds from a result that is complete on the device to the host."""
        return devices.from_device(self.prepared)

    def track_memory(self, backend, size, device):
        """Bytes that one call, already compiled, adds at its peak."""
        return memory.added_by_call(self.prepared)

    def track_kept(self, backend, size, device):
        """Bytes that every call keeps and never gives back: a leak."""
        from benchmarks import keeping  # in here, so that times of a call do not depend on it (fingerprints.timing)

        if device != "cpu":
            raise NotAvailable("what calls keep is counted in the memory of the process, and not in the device's")
        kept = keeping.kept_of(self).counted
        if kept is None:
            raise NotAvailable(f"calls are longer than {keeping.LONGEST:g} s, or the C library counts no memory")
        return kept

    def track_resident(self, backend, size, device):
        """Bytes by which the process's own memory grows with every call, where that can be told from what calls take
        and give back.
        """
        from benchmarks import keeping  # as above

        if device != "cpu":
            raise NotAvailable("what grows is the memory of the process, and not the device's")
        kept = keeping.kept_of(self)
        if kept.grown is None:
            raise NotAvailable(f"calls are longer than {keeping.LONGEST:g} s, or the system does not tell")
        if kept.within > keeping.TOO_ROUGH:
            raise NotAvailable(f"the growth of memory is known within {kept.within:,.0f} bytes a call alone")
        return kept.grown

    def track_error(self, backend, size, device):
        """Largest error against the float64 reference, relative to the reference's largest element."""
        return self.prepared.error()

    time_pipelined.timer = _pipeline.timer
    track_first_call.unit = "seconds"
    track_device_time.unit = "seconds"
    track_to_device.unit = "seconds"
    track_from_device.unit = "seconds"
    track_memory.unit = "bytes"
    track_kept.unit = "bytes"
    track_resident.unit = "bytes"
    track_error.unit = "relative error"


def _compile(backend, size, device):
    """Before a time is taken: compile, and see that dtypes and devices are right. asv runs it after the class's setup.

    Values are compared with the reference when the time is taken: computing the reference frees blocks from which the
    allocator would learn what it does not learn in a program that calls the kernel alone (`benchmarks.allocator`).
    """
    prepared = _KernelBenchmark.latest
    if _pipeline.prepared is not prepared:
        prepared.check()
        _pipeline.take(prepared)
        # To collect what a library's import leaves takes Python up to 0.3 s. Where that falls between the first calls,
        # asv takes it for their own time, and times single calls from then on.
        gc.freeze()


def _verify(backend, size, device):
    """After a figure is taken: fail where the result is wrong."""
    if not _KernelBenchmark.latest.verified:
        _KernelBenchmark.latest.verify()


for _timed in (
    _KernelBenchmark.time_call,
    _KernelBenchmark.time_round_trip,
    _KernelBenchmark.time_pipelined,
    _KernelBenchmark.track_device_time,
    _KernelBenchmark.track_to_device,
    _KernelBenchmark.track_from_device,
    _KernelBenchmark.track_kept,
    _KernelBenchmark.track_resident,
):
    _timed.setup = _compile
    if not _timed.__name__.startswith("time_"):  # of times, `benchmarks.timing` asks for it
        _timed.teardown = _verify


#: What asv sees: the kernels of a tier, each in its own precision at its small and its large size, by the measures that
#: people ask for first; or with ``full``, which arrayspeed's own commands set, everything.
TIER = os.environ.get("ARRAYSPEED_TIER") or "core"
FULL = TIERS[-1]
ASKED_FIRST = ("time_call", "track_first_call", "track_memory", "track_error")


def classes(family: str) -> dict[str, type]:
    """Return the benchmark classes of a family, by name: ``matmul_float64``, ``matmul_float32`` and so on.

    Raises
    ------
    ValueError
        The environment variable ``ARRAYSPEED_TIER`` names no tier.
    """
    made = {}
    for name in in_tier(TIER):
        kernel = CATALOGUE[name]
        if kernel.family != family:
            continue
        for dtype in kernel.dtypes if TIER == FULL else kernel.dtypes[:1]:
            name = f"{kernel.name}_{dtype}"
            made[name] = type(
                name,
                (_KernelBenchmark,),
                {
                    "__doc__": f"{kernel.summary}, {dtype}.",
                    "kernel": kernel.name,
                    "dtype": dtype,
                    "params": (tuple(BACKENDS), *places(kernel)),
                    # asv's own version is a hash of the source, which a comment would change.
                    "version": kernel.version,
                    **hidden(),
                },
            )
    return made


def places(kernel) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Sizes and devices that asv sees, the same in all environments of a machine."""
    if TIER == FULL:
        return kernel.sizes, DEVICES
    return (kernel.small, kernel.large), tuple(device for device in DEVICES if missing(device) is None)


def hidden() -> dict[str, None]:
    """Return what takes away the methods that asv does not see."""
    if TIER == FULL:
        return {}
    names = [name for name in vars(_KernelBenchmark) if name.startswith(("time_", "track_", "peakmem_"))]
    return {name: None for name in names if name not in ASKED_FIRST}

"""What an audit asks of a library beside its adapter: whether it compiles or moves arrays in a timed call.

No number depends on it, so it is apart from the adapter, and no fingerprint has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernels.preparation import Prepared

#: The languages in which compilers show their programs: XLA's; Python with kernels in C++ or Triton; a processor's.
HLO, GENERATED, ASSEMBLY = "hlo", "generated code", "assembly"

#: Seconds in which a wait for what is complete returns.
AT_ONCE = 1e-4

#: What a profile calls work of the GPU.
ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")

#: Bytes up to which a copy is a status, a count or a number, and no array.
NUMBER = 16


class Watch:
    """A library's own means; those of one that never compiles, and whose arrays are the host's."""

    #: Why compilations cannot be counted though there are some.
    uncounted: str | None = None

    #: The language of `program`; None where the compiler shows none.
    language: str | None = None

    def compilations(self, compiled: bool) -> Callable[[Prepared], int] | None:
        """Return what counts the compilations so far of a prepared kernel; None where nothing is ever compiled, or
        counted.

        Parameters
        ----------
        compiled
            Whether the backend is a compiled one.
        """
        return None

    def transfers(self, prepared: Prepared, calls: int) -> list[str] | None:
        """Make some calls; the transfers of arrays seen meanwhile, or None where nothing can tell or there is no other
        memory than the host's.

        A number that Python gives to an eager operation goes along with it and is no array.
        """
        for _ in range(calls):
            prepared.call()
        return None

    def complete(self, prepared: Prepared, result: Any) -> bool:
        """Return whether a result is complete now, without waiting for it: of a library that tells nobody, whether
        waiting for it takes no time.
        """
        started = perf_counter()
        prepared.adapter.wait(result)
        return perf_counter() - started < AT_ONCE

    def program(self, prepared: Prepared) -> str | None:
        """Return the program that a compiler made of a prepared kernel, as text; None where it shows none.

        It may compile it again. Nothing of another kernel has been compiled in this process, where that matters.
        """
        return None


def profiled_transfers(prepared: Prepared, calls: int) -> list[str]:
    """Return copies between host and GPU in PyTorch's profile, which sees everything that the process does there.

    Raises
    ------
    RuntimeError
        It saw nothing at all, so that it cannot tell.
    """
    import json
    import tempfile
    from pathlib import Path

    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            prepared.call()
        torch.cuda.synchronize()
    # The file has the sizes, which PyTorch's own list of events lacks.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        profile.export_chrome_trace(str(file))
        events = json.loads(file.read_text())["traceEvents"]
    return copies_in(events)


def copies_in(events: Iterable[dict[str, Any]]) -> list[str]:
    """Return the copies of arrays among the events of a profile. Raises as `profiled_transfers`."""
    import re

    events = [event for event in events if str(event.get("cat")).lower() in ON_GPU]
    if not events:
        raise RuntimeError("PyTorch's profile saw nothing that the GPU did, so transfers cannot be told")
    copies = [event for event in events if re.search("Memcpy (HtoD|DtoH)", str(event.get("name")))]
    sizes = [(copy["name"], copy["args"]["bytes"]) for copy in copies]
    return [f"{name}, {size:,} bytes" for name, size in sizes if size > NUMBER]

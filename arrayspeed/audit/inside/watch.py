"""Watches on what must not happen in a timed call: compilation, and transfers between host and device.

Each library is asked by its own means. A watch that has seen nothing where there was something to see (the first
call) proves nothing, so callers look at that too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from time import perf_counter

from kernels.preparation import Prepared, leaves

TRACED = "/jax/core/compile/jaxpr_trace_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"

_events = None


def compilations(library: str, compiled: bool) -> Callable[[Prepared], int] | None:
    """What counts the compilations so far of a prepared kernel's backend; None where nothing is ever compiled."""
    if library == "jax":
        return jax_compilations(compiled)
    if library == "numba":
        return lambda prepared: numba_signatures()
    if library == "torch" and compiled:
        return lambda prepared: dynamo_graphs()
    if library == "tensorflow" and compiled:
        return lambda prepared: tracing_count(prepared)
    if library == "mlx" and compiled:
        return lambda prepared: prepared.adapter.traces
    return None


def jax_compilations(compiled: bool) -> Callable[[Prepared], int]:
    """JAX's own events. Eager code traces where it differentiates or maps; it must not compile."""
    import jax

    global _events
    if _events is None:
        _events = []
        jax.monitoring.register_event_duration_secs_listener(lambda name, *args, **kwargs: _events.append(name))
    # What an earlier kernel compiled would not be seen to compile again.
    jax.clear_caches()
    wanted = {TRACED, COMPILED} if compiled else {COMPILED}
    return lambda prepared: sum(name in wanted for name in _events)


def numba_signatures() -> int:
    """How many signatures the kernels' functions are compiled for."""
    count = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("kernels.") and name.endswith(".numba"):
            # Functions of njit list signatures; those of guvectorize, compiled at their first call, types.
            for value in vars(module).values():
                if type(value).__module__.startswith("numba."):
                    count += len(getattr(value, "nopython_signatures", None) or getattr(value, "types", ()))
    return count


def dynamo_graphs() -> int:
    """How many frames PyTorch's compiler has looked at and graphs it has made."""
    from torch._dynamo.utils import counters

    return sum(counters["frames"].values()) + sum(counters["stats"].values())


def tracing_count(prepared: Prepared) -> int:
    """How often TensorFlow has traced the function."""
    return prepared.function.experimental_get_tracing_count()


def complete(prepared: Prepared, result) -> bool:
    """Whether a result is complete now, without waiting for it."""
    if prepared.backend.library == "jax":
        return all(array.is_ready() for array in leaves(result))
    if prepared.backend.library == "torch":
        import torch

        return torch.cuda.current_stream().query()
    if prepared.backend.library == "cupy":
        return prepared.adapter.stream.done
    # TensorFlow tells nobody: waiting for it must take no time.
    started = perf_counter()
    prepared.adapter.wait(result)
    return perf_counter() - started < 1e-4


def transfers(prepared: Prepared, calls: int) -> list[str] | None:
    """Make some calls; the transfers of arrays seen meanwhile, or None where there is no other memory than the host's.

    A number that Python gives to an eager operation goes along with it and is no array.
    """
    library, device = prepared.backend.library, prepared.device
    if library == "jax":
        return jax_transfers(prepared, calls)
    if library in ("torch", "cupy") and device == "gpu":
        return profiled_transfers(prepared, calls)
    for _ in range(calls):
        prepared.call()
    return None


def jax_transfers(prepared: Prepared, calls: int) -> list[str]:
    """What JAX's transfer guard stops.

    It stops numbers that Python gives to eager operations too, and does not say which is which. Eager code is
    therefore allowed to send, and must have been given arrays of the device only.
    """
    import jax

    on_host = [type(one).__name__ for one in prepared.arguments if not isinstance(one, jax.Array)]
    if on_host:
        return [f"an argument is no array of the device: {on_host[0]}"]
    sending = "disallow" if prepared.backend.compiled else "allow"
    try:
        with (
            jax.transfer_guard_host_to_device(sending),
            jax.transfer_guard_device_to_host("disallow"),
            jax.transfer_guard_device_to_device("disallow"),
        ):
            for _ in range(calls):
                prepared.call()
    except Exception as error:
        text = " ".join(str(error).split())
        if "transfer" not in text:
            raise
        return [text]
    return []


def profiled_transfers(prepared: Prepared, calls: int) -> list[str]:
    """Copies between host and GPU in PyTorch's profile, which sees everything that the process does there."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            prepared.call()
        torch.cuda.synchronize()
    return [event.name for event in profile.events() if re.search("Memcpy (HtoD|DtoH)", event.name)]

"""JAX: asynchronous on every device."""

import os
from typing import ClassVar

# Before the import: take GPU memory as it is needed, as the other libraries do.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import numpy as np

from kernels.backends import base, watching
from kernels.errors import NotAvailable

jax.config.update("jax_enable_x64", True)
# Full float32 products: TF32 on NVIDIA and bfloat16 on TPUs are JAX's defaults, and not PyTorch's.
jax.config.update("jax_default_matmul_precision", "highest")
# A compilation that a cache on disk served would not be one.
jax.config.update("jax_enable_compilation_cache", False)


#: Devices that the host is split into, at least, for a kernel that spreads its work over several: the same number
#: for every size, so that the number used is all that differs.
HOST_DEVICES = 4


def split_host(count: int) -> None:
    """Make the CPU several devices, which is possible only before JAX is first used in a process.

    Only for a kernel that needs them: each device brings a thread of its own, which other kernels need not carry.
    """
    number = max(count, HOST_DEVICES)
    try:
        jax.config.update("jax_num_cpu_devices", number)
    except AttributeError:  # before JAX 0.5
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={number}".strip()
    except RuntimeError:  # JAX has started; the number of devices that it sees decides
        pass


def wait(result):
    """Return when every array of a result is complete.

    The arrays' own method: ``jax.block_until_ready`` walks any tree, which takes as long as a small kernel (3 µs).
    """
    if isinstance(result, (tuple, list)):
        for part in result:
            wait(part)
    else:
        result.block_until_ready()


class Adapter(base.Adapter):
    """JAX arrays committed to one device, or on several."""

    library = "jax"

    def __init__(self, device, count=None):
        super().__init__(device, count)
        if device == "cpu" and count:
            split_host(count)
        try:
            self.devices = jax.devices(device)[: count or 1]
        except RuntimeError as error:
            raise NotAvailable(f"JAX sees no {device}: {str(error).splitlines()[0]}") from error
        if len(self.devices) < (count or 1):
            hint = "; a process splits its host only before JAX is first used" if device == "cpu" else ""
            raise NotAvailable(f"{count} {device} devices needed, and JAX sees {len(self.devices)}{hint}")
        self.where = self.devices[0]

    def put(self, array):
        """Return a copy on the device."""
        return jax.block_until_ready(jax.device_put(np.array(array), self.where))

    def send(self, array):
        """On its way to the device; on the CPU it may share NumPy's memory."""
        return jax.device_put(array, self.where)

    def get(self, array):
        """Return a host copy."""
        return np.asarray(array)

    def compile(self, function):
        """``jax.jit``."""
        return jax.jit(function)

    wait = staticmethod(wait)

    def device_of(self, array):
        """Return the platform of the array's devices."""
        (device,) = {d.platform for d in array.devices()}
        return {"cuda": "gpu", "rocm": "gpu"}.get(device, device)

    def settings(self):
        """Precision of products, and of the default float."""
        return {"x64": str(jax.config.jax_enable_x64), "matmul_precision": jax.config.jax_default_matmul_precision}

    def reset_peak_memory(self):
        """JAX cannot start a new peak. What is missing to the old one is taken instead, so that it is the present."""
        stats = self.where.memory_stats()
        if stats:
            missing = stats["peak_bytes_in_use"] - stats["bytes_in_use"]
            self.ballast = jax.device_put(np.zeros(missing, np.uint8), self.where).block_until_ready()

    def peak_memory(self):
        """Peak of the device's allocator; None on the CPU, which keeps no count."""
        return (self.where.memory_stats() or {}).get("peak_bytes_in_use")


TRACED = "/jax/core/compile/jaxpr_trace_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"


class Watch(watching.Watch):
    """JAX's own events, its transfer guard, and the program that XLA made."""

    language = watching.HLO

    #: The events of this process; a listener cannot be taken away again.
    events: ClassVar[list[str] | None] = None

    def compilations(self, compiled):
        """Eager code traces where it differentiates or maps; it must not compile."""
        if Watch.events is None:
            events = Watch.events = []
            jax.monitoring.register_event_duration_secs_listener(lambda name, *args, **kwargs: events.append(name))
        # What an earlier kernel compiled would not be seen to compile again.
        jax.clear_caches()
        wanted = {TRACED, COMPILED} if compiled else {COMPILED}
        return lambda prepared: sum(name in wanted for name in Watch.events)

    def transfers(self, prepared, calls):
        """Return what the transfer guard stops.

        It stops numbers that Python gives to eager operations too, and does not say which is which. Eager code is
        therefore allowed to send, and must have been given arrays of the device only.
        """
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

    def complete(self, prepared, result):
        """Ask the array, which knows."""
        return all(array.is_ready() for array in (result if isinstance(result, (tuple, list)) else (result,)))

    def program(self, prepared):
        """XLA's, optimised."""
        return prepared.function.lower(*prepared.arguments).compile().as_text()

"""JAX: asynchronous on every device."""

import os

# Before the import: take GPU memory as it is needed, as the other libraries do.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import numpy as np

from kernels.backends import base
from kernels.errors import NotAvailable

jax.config.update("jax_enable_x64", True)
# Full float32 products: TF32 on NVIDIA and bfloat16 on TPUs are JAX's defaults, and not PyTorch's.
jax.config.update("jax_default_matmul_precision", "highest")
# A compilation that a cache on disk served would not be one.
jax.config.update("jax_enable_compilation_cache", False)


class Adapter(base.Adapter):
    """JAX arrays committed to one device."""

    library = "jax"

    def __init__(self, device):
        super().__init__(device)
        try:
            self.where = jax.devices(device)[0]
        except RuntimeError as error:
            raise NotAvailable(f"JAX sees no {device}: {str(error).splitlines()[0]}") from error

    def put(self, array):
        """A copy on the device."""
        return jax.block_until_ready(jax.device_put(np.array(array), self.where))

    def get(self, array):
        """A host copy."""
        return np.asarray(array)

    def compile(self, function):
        """``jax.jit``."""
        return jax.jit(function)

    wait = staticmethod(jax.block_until_ready)

    def device_of(self, array):
        """The platform of the array's device."""
        (device,) = {d.platform for d in array.devices()}
        return {"cuda": "gpu", "rocm": "gpu"}.get(device, device)

    def settings(self):
        """Precision of products, and of the default float."""
        return {"x64": str(jax.config.jax_enable_x64), "matmul_precision": jax.config.jax_default_matmul_precision}

    def peak_memory(self):
        """Peak of the device's allocator; None on the CPU, which keeps no count."""
        return (self.where.memory_stats() or {}).get("peak_bytes_in_use")

"""TensorFlow: synchronous on the CPU, asynchronous on accelerators."""

import os
import sys
from contextlib import suppress

# Before the import: its start-up messages are no result.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

# TensorFlow Lite's converter, which is no part of any kernel, imports JAX where it finds it: two seconds and a
# hundred megabytes that are not TensorFlow's.
_hide_jax = "jax" not in sys.modules
if _hide_jax:
    sys.modules["jax"] = None
try:
    import tensorflow as tf
finally:
    if _hide_jax:
        del sys.modules["jax"]

from kernels.backends import base, watching  # noqa: E402
from kernels.errors import NotAvailable  # noqa: E402

# Full float32 products on NVIDIA, as for the other libraries.
tf.config.experimental.enable_tensor_float_32_execution(False)


class Adapter(base.Adapter):
    """Eager tensors on one device."""

    library = "tensorflow"

    def __init__(self, device, count=None):
        super().__init__(device, count)
        # Not when imported: a process that imports may be one that forks, and must not have opened a device.
        for gpu in tf.config.list_physical_devices("GPU"):
            with suppress(RuntimeError):  # TensorFlow has started
                tf.config.experimental.set_memory_growth(gpu, True)
        if not tf.config.list_physical_devices(device.upper()):
            raise NotAvailable(f"TensorFlow {tf.__version__} sees no {device.upper()}")
        self.where = f"/{device.upper()}:0"
        # TensorFlow places an operation on the first accelerator, wherever its inputs are.
        self.must_place = device == "cpu" and len(tf.config.list_physical_devices()) > 1
        if device != "cpu":
            self.wait = lambda result: tf.test.experimental.sync_devices()

    def put(self, array):
        """Return a copy on the device."""
        with tf.device(self.where):
            tensor = tf.constant(array)
        if self.device != "cpu":
            tf.test.experimental.sync_devices()
        return tensor

    def send(self, array):
        """Return a copy on the device."""
        with tf.device(self.where):
            return tf.constant(array)

    def get(self, array):
        """Return a host array."""
        return np.asarray(array)

    def place(self, function):
        """Return the function with its operations on the device."""
        if not self.must_place:
            return function

        def placed(*args):
            with tf.device(self.where):
                return function(*args)

        return placed

    def compile(self, function):
        """``tf.function`` compiled by XLA."""
        return tf.function(function, jit_compile=True, autograph=False)

    def dtype_of(self, array):
        """NumPy's name."""
        return array.dtype.name

    def device_of(self, array):
        """Return the device in the tensor's device string."""
        return tf.DeviceSpec.from_string(array.device).device_type.lower()

    def settings(self):
        """Precision of products, and threads (0: as many as cores)."""
        return {
            "threads": str(tf.config.threading.get_intra_op_parallelism_threads()),
            "tf32": str(tf.config.experimental.tensor_float_32_execution_enabled()),
        }

    def reset_peak_memory(self):
        """Only a GPU has a count."""
        if self.device == "gpu":
            tf.config.experimental.reset_memory_stats("GPU:0")

    def peak_memory(self):
        """Peak of the allocator on a GPU."""
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if self.device == "gpu" else None


class Watch(watching.Watch):
    """The count of traces, and the program that XLA made."""

    language = watching.HLO

    def compilations(self, compiled):
        """Return how often the function was traced."""
        return (lambda prepared: prepared.function.experimental_get_tracing_count()) if compiled else None

    def program(self, prepared):
        """XLA's, optimised."""
        ask = prepared.function.experimental_get_compiler_ir(*prepared.arguments, **prepared.static)
        return ask(stage="optimized_hlo")
